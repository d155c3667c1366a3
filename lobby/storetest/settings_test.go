package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// accountSettings: they are the account's own, bounded, and go with it.
func accountSettings(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	holds := func(of model.Account, want string) {
		t.Helper()
		got, err := h.Account.AccountSettings(ctx, of.ID)
		must(t, err)
		if string(got) != want {
			t.Errorf("settings of %s: %s, want %s", of.Name, got, want)
		}
	}
	holds(ada, "{}")
	must(t, h.Account.SaveAccountSettings(ctx, ada.ID, json.RawMessage("{ \"volume\": 1,\n\"own\": {\"classic\": {}} }")))
	holds(ada, `{"volume":1,"own":{"classic":{}}}`)
	must(t, h.Account.SaveAccountSettings(ctx, ada.ID, json.RawMessage(`{"volume":9007199254740993}`)))
	holds(ada, `{"volume":9007199254740993}`) // as it was written
	holds(bob, "{}")

	long := func(n int) json.RawMessage { return json.RawMessage(`{"k":"` + strings.Repeat("x", n-8) + `"}`) }
	for _, bad := range []string{"", "null", "[]", `"text"`, "1", "{", "{}{}"} {
		want(t, h.Account.SaveAccountSettings(ctx, ada.ID, json.RawMessage(bad)), model.BadRequest)
	}
	want(t, h.Account.SaveAccountSettings(ctx, ada.ID, long(account.AccountSettingsMax+1)), model.TooLarge)
	holds(ada, `{"volume":9007199254740993}`)
	must(t, h.Account.SaveAccountSettings(ctx, ada.ID, long(account.AccountSettingsMax)))

	for i := 0; ; i++ {
		err := h.Account.SaveAccountSettings(ctx, bob.ID, json.RawMessage(`{}`))
		if i == 30 {
			want(t, err, model.Throttled)
			break
		}
		must(t, err)
	}

	// They are gone with the deletion itself, before the traces in matches.
	cut := NewHarness(&dying{Store: h.Store, writes: 1})
	must(t, cut.Account.DeleteAccount(ctx, Home, ada.ID, ""))
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if _, err := tx.Accounts.Settings(ada.ID); !errors.Is(err, model.ErrNotFound) {
			return fmt.Errorf("settings of a deleted account: %v", err)
		}
		return nil
	}))
	want(t, h.Account.SaveAccountSettings(ctx, ada.ID, json.RawMessage(`{"back":true}`)), model.NotFound)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		// Not even the row is left: the same id may be used again, without settings.
		if _, err := tx.Accounts.AnonymizeDeleted(10); err != nil {
			return fmt.Errorf("forgetting: %w", err)
		}
		return tx.Accounts.Add(model.Account{ID: ada.ID, Name: "Phoenix", Guest: true})
	}))
	holds(ada, "{}")
}

// dying is the store of a process that ends after so many writes.
type dying struct {
	db.Store
	writes int
}

func (d *dying) Write(ctx context.Context, fn func(*db.Tx) error) error {
	if d.writes--; d.writes < 0 {
		return model.ErrUnavailable
	}
	return d.Store.Write(ctx, fn)
}
