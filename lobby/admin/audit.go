package admin

import (
	"context"
	"fmt"
	"strconv"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// AuditReport is the result of [Session.VerifyAudit].
type AuditReport struct {
	Rows      int64           `json:"rows" doc:"that fit"`
	Unchained int64           `json:"unchained" doc:"rows from before there was a chain"` // the chain's first row vouches for them
	Head      model.AuditHead `json:"head" doc:"LINK:HASH of the last row: keep it outside of the database, and compare later"`
	Anchor    model.AuditHead `json:"anchor,omitzero" doc:"LINK:HASH of the last row that was deleted because of its age"`
	Broken    string          `json:"broken,omitempty" doc:"the first inconsistency"` // the first fault
}

const (
	auditPage  = 500
	prunedRows = "audit.prune"
)

// VerifyAudit follows the chain from its beginning, or from the anchor, to its end: a
// row that was changed, left out, put in or taken from the end is found. An earlier
// report's head, kept outside of the database, reveals a rewrite of all rows and the
// chain's end: since, if its link is not 0, has to be in the chain.
func (as *Session) VerifyAudit(ctx context.Context, since model.AuditHead) (r AuditReport, err error) {
	for range 5 { // once more if rows were deleted because of their age meanwhile
		if r, err = as.verifyAudit(ctx, since); err != nil {
			return r, err
		}
		again, err := ask(ctx, as, auditChain)
		if err != nil || again.Anchor == r.Anchor {
			return r, err
		}
	}
	return r, &model.Error{Code: model.Busy, RetryAfter: model.RetryAfter(model.Busy)}
}

func auditChain(tx *db.Tx) (model.AuditChain, error) { return tx.Audit.Chain() }

func (as *Session) verifyAudit(ctx context.Context, since model.AuditHead) (r AuditReport, err error) {
	chain, err := ask(ctx, as, auditChain)
	if err != nil {
		return r, err
	}
	r.Head, r.Anchor = chain.Head, chain.Anchor
	at, vouched := r.Anchor, r.Anchor.Link < 0 // where we are; that a row says where the chain was cut
	seen := since.Link == 0 || since == at
	broken := func(format string, args ...any) (AuditReport, error) {
		r.Broken = fmt.Sprintf(format, args...)
		return r, nil
	}
	from := model.AuditRow{Link: at.Link}
	for done := false; !done; {
		page, err := ask(ctx, as, func(tx *db.Tx) ([]model.AuditRow, error) { return tx.Audit.From(from.Link, from.Num, auditPage) })
		if err != nil {
			return r, err
		}
		for _, row := range page {
			from = row
			if row.Link == 0 { // hashed as the chain's beginning was
				row.Prev = at.Hash
				at = model.AuditHead{Hash: row.Digest()}
				r.Unchained++
				continue
			}
			if row.Link > r.Head.Link {
				done = true // added since, or put in behind the end
				break
			}
			switch {
			case row.Link != max(at.Link, 0)+1:
				return broken("row %d is link %d of the chain, after link %d", row.Num, row.Link, max(at.Link, 0))
			case row.Prev != at.Hash:
				return broken("row %d does not fit the row before it", row.Num)
			case row.Hash != row.Digest():
				return broken("row %d was changed", row.Num)
			}
			at = model.AuditHead{Link: row.Link, Hash: row.Hash}
			r.Rows++
			seen = seen || at == since
			if row.Action == prunedRows {
				vouched = row.Subject == pruneSubject(r.Anchor) && row.Detail == r.Anchor.Hash
			}
		}
		done = done || len(page) < auditPage
	}
	switch {
	case max(at.Link, 0) != r.Head.Link || r.Head.Link > 0 && at.Hash != r.Head.Hash:
		return broken("the chain ends at link %d, and should at link %d", max(at.Link, 0), r.Head.Link)
	case !vouched:
		return broken("rows up to link %d are gone, and no row says that they were deleted because of their age", r.Anchor.Link)
	case !seen && since.Link <= r.Anchor.Link:
		return broken("link %d is older than the kept rows: the server cannot compare it", since.Link)
	case !seen:
		return broken("link %d with the hash %s is not in the chain any more", since.Link, model.CutText(since.Hash, 64))
	}
	return r, nil
}

func pruneSubject(a model.AuditHead) string { return "up to link " + strconv.FormatInt(a.Link, 10) }

// PruneAudit deletes rows older than the configured time, a bounded number at once, and
// leaves a row that names the last deleted one.
func (s *Service) PruneAudit(ctx context.Context) error {
	if s.AuditLife <= 0 {
		return nil
	}
	for range pruneTurns {
		n := 0
		if err := s.Write(ctx, func(tx *db.Tx) (err error) {
			var anchor model.AuditHead
			if anchor, n, err = tx.Audit.Prune(s.Now().Add(-s.AuditLife), auditPage); err != nil || n == 0 {
				return err
			}
			return tx.Audit.Add(&model.AuditRow{At: s.Now(), Admin: "janitor", Action: prunedRows, Subject: pruneSubject(anchor), Detail: anchor.Hash})
		}); err != nil || n < auditPage {
			return err
		}
	}
	return nil
}

// pruneTurns bounds how many transactions one sweep makes of a work that can go
// on with the next.
const pruneTurns = 20
