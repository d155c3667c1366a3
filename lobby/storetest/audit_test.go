package storetest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

func (h *Harness) verify(t *testing.T, since model.AuditHead) admin.AuditReport {
	t.Helper()
	r, err := h.admin().VerifyAudit(ctx, since)
	must(t, err)
	return r
}

// raw runs a statement past every rule but the database's own.
func (h *Harness) raw(t *testing.T, sql string) {
	t.Helper()
	must(t, h.Store.(interface {
		Raw(ctx context.Context, sql string) error
	}).Raw(ctx, sql))
}

// unguarded removes the protection of the audit against changes, as the owner of the
// database can.
func (h *Harness) unguarded(t *testing.T) {
	t.Helper()
	for _, name := range []string{"audit_keeps_rows", "audit_loses_none"} {
		if h.Store.Kind() == "postgres" {
			h.raw(t, "ALTER TABLE audit DISABLE TRIGGER "+name)
		} else {
			h.raw(t, "DROP TRIGGER "+name)
		}
	}
}

// auditChain: concurrent writers make one chain of rows, and a check finds changes past
// the rules.
func auditChain(t *testing.T, h *Harness, again func() db.Store) {
	if r := h.verify(t, model.AuditHead{}); r.Broken != "" || r.Rows != 0 || r.Head.Link != 0 {
		t.Fatalf("without a row: %+v", r)
	}
	h2 := NewHarness(again())
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			if err := []*Harness{h, h2}[i%2].admin().Drain(ctx, i%3 == 0); err != nil {
				t.Errorf("drain: %v", err)
			}
		})
	}
	wg.Wait()
	must(t, h2.Store.Close())
	r := h.verify(t, model.AuditHead{})
	if r.Broken != "" || r.Rows != 30 || r.Head.Link != 30 {
		t.Fatalf("after 30 writers at once: %+v", r)
	}
	rows, err := h.admin().Audit(ctx, 0, 1)
	must(t, err)
	if rows[0].Admin != "cli:test" || rows[0].Address != "uid 1000" || rows[0].Hash != r.Head.Hash {
		t.Errorf("row %+v", rows[0])
	}
	must(t, h.Admin.OperatorSession(admin.Operator{Name: "root", UID: "0", Claimed: "alice"}).Drain(ctx, false))
	rows, err = h.admin().Audit(ctx, 0, 1)
	must(t, err)
	if rows[0].Admin != "cli:root" || rows[0].Address != "uid 0, claims to be alice" {
		t.Errorf("row under sudo %+v", rows[0])
	}
	early := r.Head
	if r = h.verify(t, early); r.Broken != "" {
		t.Errorf("with an earlier head: %+v", r)
	}
	h.unguarded(t)
	h.raw(t, `UPDATE audit SET subject = 'nobody' || subject WHERE link = 7`)
	if r := h.verify(t, model.AuditHead{}); !strings.Contains(r.Broken, "was changed") {
		t.Errorf("a row was changed: %+v", r)
	}
	h.raw(t, `UPDATE audit SET subject = REPLACE(subject, 'nobody', '') WHERE link = 7`)
	if r := h.verify(t, model.AuditHead{}); r.Broken != "" {
		t.Fatalf("put back: %+v", r)
	}
	h.raw(t, `INSERT INTO audit (at, admin, action, subject, detail, address) VALUES (1, 'nobody', 'x', 'x', 'x', '')`)
	if r := h.verify(t, model.AuditHead{}); !strings.Contains(r.Broken, "does not fit") {
		t.Errorf("a row from before the chain was put in: %+v", r)
	}
	h.raw(t, `DELETE FROM audit WHERE link = 0`)
	h.raw(t, `DELETE FROM audit WHERE link = 31`)
	if r := h.verify(t, model.AuditHead{}); !strings.Contains(r.Broken, "ends at link 30") {
		t.Errorf("the last row was taken away: %+v", r)
	}
	// A head kept elsewhere reveals a change of the chain's end too.
	h.raw(t, `DELETE FROM audit WHERE link = 30`)
	h.raw(t, `UPDATE audit_chain SET link = 29, hash = (SELECT hash FROM audit WHERE link = 29)`)
	if r := h.verify(t, model.AuditHead{}); r.Broken != "" {
		t.Fatalf("the end was set: %+v", r)
	}
	if r := h.verify(t, early); !strings.Contains(r.Broken, "link 30") {
		t.Errorf("with an earlier head: %+v", r)
	}
	h.raw(t, `DELETE FROM audit WHERE link = 12`)
	if r := h.verify(t, model.AuditHead{}); !strings.Contains(r.Broken, "link 13 of the chain, after link 11") {
		t.Errorf("a row in the middle was taken away: %+v", r)
	}
	h.raw(t, `UPDATE audit_chain SET anchor_link = 20, anchor_hash = (SELECT hash FROM audit WHERE link = 20)`)
	h.raw(t, `DELETE FROM audit WHERE link <= 20`)
	if r := h.verify(t, model.AuditHead{}); !strings.Contains(r.Broken, "no row says") {
		t.Errorf("the beginning was taken away: %+v", r)
	}
}

// auditAnchor: rows beyond their time are deleted, the rest is still a chain, and a row
// says where it was cut.
func auditAnchor(t *testing.T, h *Harness, _ func() db.Store) {
	h = NewHarness(h.Store, func(c *lobby.Config) { c.AuditLife = 24 * time.Hour })
	for range 5 {
		must(t, h.admin().Drain(ctx, true))
	}
	old := h.verify(t, model.AuditHead{}).Head
	h.Step(23 * time.Hour)
	must(t, h.admin().Drain(ctx, false))
	h.Tick(t)
	if r := h.verify(t, old); r.Broken != "" || r.Rows != 6 || r.Anchor.Link != -1 {
		t.Fatalf("before the time: %+v", r)
	}
	for round := range 3 {
		h.Step(2 * time.Hour)
		h.Tick(t)
		r := h.verify(t, old)
		if r.Broken != "" || r.Rows != 2 || r.Anchor != old {
			t.Fatalf("round %d: %+v", round, r)
		}
	}
	rows, err := h.admin().Audit(ctx, 0, 10)
	must(t, err)
	if len(rows) != 2 || rows[0].Action != "audit.prune" || rows[0].Subject != "up to link 5" || rows[0].Detail != old.Hash {
		t.Fatalf("rows %+v", rows)
	}
	h.Step(48 * time.Hour)
	h.Tick(t)
	if r := h.verify(t, old); !strings.Contains(r.Broken, "older than the kept rows") || r.Anchor.Link != 7 {
		t.Errorf("a head of before the anchor: %+v", r)
	}
	if r := h.verify(t, model.AuditHead{}); r.Broken != "" || r.Rows != 1 {
		t.Errorf("the chain goes on: %+v", r)
	}
	// The database deletes no row behind the anchor.
	if err := h.Store.(interface {
		Raw(ctx context.Context, sql string) error
	}).Raw(ctx, `DELETE FROM audit`); err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("all rows are deleted: %v", err)
	}
}
