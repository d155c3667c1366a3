package storetest

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// newCost: a changed cost of hashes takes effect only at each player's next log-in.
func newCost(t *testing.T, h *Harness, again func() db.Store) {
	a, _, err := h.Account.Register(ctx, Home, "Grace", "", "nanosecond wire")
	must(t, err)
	hash := func() (text string) {
		must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
			now, err := tx.Accounts.Get(a.ID)
			text = now.PasswordHash
			return err
		}))
		return text
	}
	old := hash()
	h2 := NewHarness(again(), func(c *lobby.Config) { c.Hashing.MemoryKiB, c.Hashing.Passes = 128, 2 })
	_, _, err = h2.Account.LogIn(ctx, Home, "grace", "wrong")
	want(t, err, model.WrongCredentials)
	if hash() != old {
		t.Error("a failed log-in changed the hash")
	}
	for range 2 {
		_, _, err = h2.Account.LogIn(ctx, Home, "grace", "nanosecond wire")
		must(t, err)
		if now := hash(); !strings.Contains(now, "$m=128,t=2,p=1$") {
			t.Errorf("hash %s", now)
		}
	}
	_, _, err = h.Account.LogIn(ctx, Home, "grace", "nanosecond wire") // the other process still has the old cost
	must(t, err)
	must(t, h2.Store.Close())
}

// revoked: an ended session stays ended across a restart, and another goes on; the
// database holds no token.
func revoked(t *testing.T, h *Harness, again func() db.Store) {
	_, ended, err := h.Account.Register(ctx, Home, "Grace", "", "nanosecond wire")
	must(t, err)
	_, kept, err := h.Account.LogIn(ctx, Home, "grace", "nanosecond wire")
	must(t, err)
	must(t, h.Account.LogOut(ctx, model.PlayerRealm, ended))
	must(t, h.Store.Close())
	h2 := NewHarness(again())
	_, err = h2.Account.Session(ctx, Home, ended)
	want(t, err, model.Unauthenticated)
	s, err := h2.Account.Session(ctx, Home, kept)
	must(t, err)
	must(t, h2.Store.Read(ctx, func(tx *db.Tx) error {
		list, err := tx.Sessions.List(model.PlayerRealm, string(s.Account.ID))
		if len(list) != 1 || list[0].Hash != kept.Hash() || strings.Contains(string(list[0].Hash), string(kept)) {
			t.Errorf("sessions %+v", list)
		}
		return err
	}))
	must(t, h2.Account.LogOutEverywhere(ctx, s.Account.ID))
	_, err = h2.Account.Session(ctx, Home, kept)
	want(t, err, model.Unauthenticated)
}
