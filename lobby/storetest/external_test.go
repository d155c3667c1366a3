package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// studio is the provider of most tests.
const key = "https://id.example.org"

// person is a person at the studio's provider.
func person(subject, name string) account.Identity {
	return account.Identity{ExternalID: model.ExternalID{Issuer: key, Subject: subject}, Name: name}
}

// loggedIn is a client that has a session.
func loggedIn(token model.Secret) model.Client {
	c := Home
	c.Old = token
	return c
}

// externalLinks: the store keeps external identities.
func externalLinks(t *testing.T, h *Harness, _ func() db.Store) {
	ada, bob := h.NewGuest(t, "ada"), h.NewGuest(t, "bob")
	link := func(issuer, subject string, a model.Account) error {
		return h.Store.Write(ctx, func(tx *db.Tx) error {
			return tx.Accounts.LinkExternal(model.ExternalLink{ExternalID: model.ExternalID{Issuer: issuer, Subject: subject}, Account: a.ID, Created: h.Now(), Used: h.Now()})
		})
	}
	long := strings.Repeat("x", model.ExternalIDPartMax)
	must(t, link(key, "1", ada))
	h.Step(time.Second)
	for _, other := range []struct{ issuer, subject string }{
		{key, "a"}, {key, "A"}, {key, "11"}, {key + "/", "1"}, {"HTTPS://id.example.org", "1"}, {key, long},
	} { // each is another person
		must(t, link(other.issuer, other.subject, bob))
	}
	for _, a := range []model.Account{ada, bob} {
		if err := link(key, "1", a); !errors.Is(err, model.ErrTaken) {
			t.Errorf("a second link of one identity: %v", err)
		}
	}
	if err := link(key, "2", model.Account{ID: "00000000-0000-7000-8000-000000000000"}); err == nil {
		t.Error("an account that there is not has a link")
	}
	of := func(issuer, subject string) (a model.Account, err error) {
		err = h.Store.Read(ctx, func(tx *db.Tx) error {
			a, err = tx.Accounts.ByExternal(model.ExternalID{Issuer: issuer, Subject: subject})
			return err
		})
		return a, err
	}
	if a, err := of(key, "1"); err != nil || a.ID != ada.ID || a.Name != "ada" {
		t.Errorf("the account of 1: %+v, %v", a, err)
	}
	if _, err := of(key, "2"); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("the account of nobody: %v", err)
	}
	h.Step(time.Second)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		id := model.ExternalID{Issuer: key, Subject: "1"}
		if err := tx.Accounts.UseExternal(model.ExternalID{Issuer: key, Subject: "2"}, h.Now()); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("use of a link that there is not: %v", err)
		}
		if err := tx.Accounts.UnlinkExternal(bob.ID, id); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("unlinked by another account: %v", err)
		}
		if err := tx.Accounts.UseExternal(id, h.Now()); err != nil {
			return err
		}
		list, err := tx.Accounts.Externals(ada.ID)
		if len(list) != 1 || list[0].ExternalID != id || list[0].Account != ada.ID || !list[0].Used.Equal(h.Now()) || h.Now().Sub(list[0].Created) != 2*time.Second {
			t.Errorf("links %+v", list)
		}
		if err := tx.Accounts.UnlinkExternal(ada.ID, id); err != nil {
			return err
		}
		if list, err := tx.Accounts.Externals(bob.ID); err != nil || len(list) != 6 {
			t.Errorf("links of the other: %+v, %v", list, err)
		}
		return err
	}))
	if _, err := of(key, "1"); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("after it was unlinked: %v", err)
	}

	// A guest with a link can come back, and is not purged; the links go with the account.
	h.Step(365 * 24 * time.Hour)
	h.Tick(t)
	if a, err := of(key, long); err != nil || a.ID != bob.ID {
		t.Fatalf("purged: %+v, %v", a, err)
	}
	cut := NewHarness(&dying{Store: h.Store, writes: 1})
	must(t, cut.Account.DeleteAccount(ctx, Home, bob.ID, ""))
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if list, err := tx.Accounts.Externals(bob.ID); err != nil || len(list) != 0 {
			return fmt.Errorf("links of a deleted account: %v, %w", list, err)
		}
		return nil
	}))
	must(t, link(key, "a", h.NewGuest(t, "carol")))

	for _, bad := range []model.ExternalID{
		{}, {Issuer: key}, {Subject: "1"}, {Issuer: key, Subject: long + "x"}, {Issuer: long + "x", Subject: "1"},
		{Issuer: key, Subject: "a\x00b"}, {Issuer: key, Subject: "a\nb"}, {Issuer: key, Subject: "\xff"}, {Issuer: key, Subject: "a\u200bb"},
	} {
		want(t, bad.Check(), model.BadRequest)
		_, _, err := h.Account.LogInExternal(ctx, Home, account.Identity{ExternalID: bad})
		want(t, err, model.BadRequest)
	}
	must(t, model.ExternalID{Issuer: key, Subject: "Zoë 1"}.Check())
}

// externalLogIn: an identity finds its account or gets one, and no account is
// found by anything else.
func externalLogIn(t *testing.T, h *Harness, _ func() db.Store) {
	h = NewHarness(h.Store, func(c *lobby.Config) {
		c.Issuers = []string{key}
		c.Ledger = Ledger("new-accounts.address=20")
	})
	grace, own, err := h.Account.Register(ctx, Home, "Grace", "grace@example.org", "nanosecond wire")
	must(t, err)
	a, token, err := h.Account.LogInExternal(ctx, Home, person("g", "Grace")) // the name alone finds no account
	must(t, err)
	if a.ID == grace.ID || a.Guest || a.PasswordHash != "" || !strings.HasPrefix(a.Name, "Grace ") {
		t.Fatalf("a new account: %+v", a)
	}
	again, second, err := h.Account.LogInExternal(ctx, loggedIn(token), person("g", "renamed there"))
	must(t, err)
	if again.ID != a.ID || again.Name != a.Name {
		t.Errorf("the second log-in: %+v", again)
	}
	_, err = h.Account.Session(ctx, Home, token)
	want(t, err, model.Unauthenticated) // a log-in ends the session that it came with
	for _, wrong := range []string{"", "x", "nanosecond wire"} {
		_, _, err = h.Account.LogIn(ctx, Home, a.Name, wrong)
		want(t, err, model.WrongCredentials)
	}

	// Names are made valid, and never pass for the server's.
	for i, tt := range []struct{ claim, name string }{
		{"Ada Lovelace", "Ada Lovelace"}, {"ada@example.org", "ada"}, {"<b>Zoë</b>\u202e", "b Zoë b"}, {"", "Player 1"}, {"Admin", "Player 1"},
		{"раураl admin", "Player 1"}, {"\xff\xfe", "Player 1"}, {strings.Repeat("long ", 4000), "long long long long long"}, {"🦊", "Player 1"},
	} {
		got, _, err := h.Account.LogInExternal(ctx, Home, person(fmt.Sprint("name ", i), tt.claim))
		must(t, err)
		if tt.name == "Player 1" {
			if got.Name != "Player" && !strings.HasPrefix(got.Name, "Player ") {
				t.Errorf("%q: named %q", tt.claim, got.Name)
			}
		} else if got.Name != tt.name {
			t.Errorf("%q: named %q, want %q", tt.claim, got.Name, tt.name)
		}
	}

	// A token with an id logs in once, also after a restart.
	once := person("once", "Once")
	once.TokenID, once.Expires = "jti-1", h.Now().Add(time.Hour)
	_, _, err = h.Account.LogInExternal(ctx, Home, once)
	must(t, err)
	for _, h := range []*Harness{h, NewHarness(h.Store)} {
		_, _, err = h.Account.LogInExternal(ctx, Home, once)
		want(t, err, model.BadIdentityToken)
		_, _, err = h.Account.LinkExternal(ctx, Home, grace.ID, once)
		want(t, err, model.BadIdentityToken)
	}
	other := once
	other.Issuer = "https://other.example.org" // whose ids are its own
	_, _, err = h.Account.LogInExternal(ctx, Home, other)
	must(t, err)

	// Links: fresh sessions only, one account an identity, so many an account.
	home := loggedIn(own)
	_, _, err = h.Account.LinkExternal(ctx, home, grace.ID, person("g", ""))
	want(t, err, model.IdentityTaken)
	_, _, err = h.Account.LinkExternal(ctx, Home, grace.ID, person("g2", ""))
	want(t, err, model.LogInAgain)
	_, _, err = h.Account.LinkExternal(ctx, loggedIn(second), grace.ID, person("g2", ""))
	want(t, err, model.LogInAgain) // another account's session
	for i := range account.ExternalsMax {
		for range 2 { // a repetition has no effect
			linked, token, err := h.Account.LinkExternal(ctx, home, grace.ID, person(fmt.Sprint("grace ", i), ""))
			must(t, err)
			if linked.Name != "Grace" || token != "" {
				t.Errorf("linked %+v, a new session %t", linked, token != "")
			}
		}
	}
	_, _, err = h.Account.LinkExternal(ctx, home, grace.ID, person("one more", ""))
	want(t, err, model.TooManyIdentities)
	back, _, err := h.Account.LogInExternal(ctx, Home, person("grace 0", "whoever"))
	must(t, err)
	if back.ID != grace.ID || back.Name != "Grace" {
		t.Errorf("logged in as %+v", back)
	}
	links, password, err := h.Account.Externals(ctx, grace.ID)
	must(t, err)
	if len(links) != account.ExternalsMax || !password {
		t.Fatalf("%d links, password %t", len(links), password)
	}
	chief, err := h.admin().Account(ctx, grace.ID)
	must(t, err)
	if len(chief.Links) != account.ExternalsMax {
		t.Errorf("an admin sees %d links", len(chief.Links))
	}
	want(t, h.Account.UnlinkExternal(ctx, Home, grace.ID, links[0].Key()), model.LogInAgain)
	want(t, h.Account.UnlinkExternal(ctx, home, grace.ID, person("g", "").Key()), model.NotFound) // another's
	for _, l := range links {
		must(t, h.Account.UnlinkExternal(ctx, home, grace.ID, l.Key())) // the password is a way in
	}
	want(t, h.Account.UnlinkExternal(ctx, home, grace.ID, links[0].Key()), model.NotFound)

	// The last way in stays. A link with a missing provider is no way in.
	c := loggedIn(second)
	key := person("g", "").Key()
	want(t, h.Account.UnlinkExternal(ctx, c, a.ID, key), model.LastWayIn)
	elsewhere := person("g", "")
	elsewhere.Issuer = "https://gone.example.org"
	_, _, err = h.Account.LinkExternal(ctx, c, a.ID, elsewhere)
	must(t, err)
	want(t, h.Account.UnlinkExternal(ctx, c, a.ID, key), model.LastWayIn)
	must(t, h.Account.UnlinkExternal(ctx, c, a.ID, elsewhere.Key()))
	h.Step(account.FreshLogIn + time.Second)
	_, err = h.Account.ChangePassword(ctx, c, a.ID, "", "orbital mechanics")
	want(t, err, model.LogInAgain)
	want(t, h.Account.DeleteAccount(ctx, c, a.ID, ""), model.LogInAgain)
	_, second, err = h.Account.LogInExternal(ctx, Home, person("g", ""))
	must(t, err)
	c = loggedIn(second)
	_, err = h.Account.ChangePassword(ctx, c, a.ID, "", "short")
	want(t, err, model.BadPassword)
	third, err := h.Account.ChangePassword(ctx, c, a.ID, "", "orbital mechanics")
	must(t, err)
	c = loggedIn(third)
	_, err = h.Account.ChangePassword(ctx, c, a.ID, "", "another password")
	want(t, err, model.WrongCredentials) // now there is one to know
	want(t, h.Account.DeleteAccount(ctx, c, a.ID, ""), model.WrongCredentials)
	must(t, h.Account.UnlinkExternal(ctx, c, a.ID, key))
	_, _, err = h.Account.LogIn(ctx, Home, a.Name, "orbital mechanics")
	must(t, err)

	// The limits and bans of own log-ins hold.
	for i := 0; ; i++ {
		_, _, err := h.Account.LogInExternal(ctx, Home, person(fmt.Sprint("flood ", i), ""))
		if err != nil {
			want(t, err, model.Throttled)
			break
		}
		if i > int(h.Ledger.Limit(quota.NewAccounts).Most[quota.Address]) {
			t.Fatal("nobody counts new accounts")
		}
	}
	_, _, err = h.Account.LogInExternal(ctx, Home, person("grace 0", "")) // was unlinked: a new account
	want(t, err, model.Throttled)
	_, _, err = h.Account.LogInExternal(ctx, Home, person("once", "")) // a linked identity is let in
	must(t, err)
	_, err = h.admin().Ban(ctx, admin.NewBan{Range: "192.0.2.0/24", Reason: "flood"})
	must(t, err)
	_, _, err = h.Account.LogInExternal(ctx, Home, person("once", ""))
	want(t, err, model.BannedAddress)
	_, _, err = h.Account.LinkExternal(ctx, home, grace.ID, person("once more", ""))
	want(t, err, model.BannedAddress)
}

// externalUpgrade: a guest keeps id, seat and record, and all its other sessions end.
func externalUpgrade(t *testing.T, h *Harness, _ func() db.Store) {
	for _, explicit := range []bool{true, false} {
		name := fmt.Sprint("Ada ", explicit)
		guest, token, err := h.Account.Guest(ctx, Home, "")
		must(t, err)
		stolen := model.NewSecret()
		must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
			return tx.Sessions.Add(model.Session{Hash: stolen.Hash(), Realm: model.PlayerRealm, Account: guest, Created: h.Now(), Expires: h.Now().Add(time.Hour)})
		}))
		l := h.NewLobby(t, guest, room.NewLobby{})
		var up model.Account
		var fresh model.Secret
		if explicit {
			up, fresh, err = h.Account.LinkExternal(ctx, loggedIn(token), guest.ID, person(name, name))
		} else {
			up, fresh, err = h.Account.LogInExternal(ctx, loggedIn(token), person(name, name))
		}
		must(t, err)
		if up.ID != guest.ID || up.Guest || up.Name != name {
			t.Fatalf("upgraded to %+v", up)
		}
		if l, err = h.Play.Lobby(ctx, l.ID); err != nil || l.Seats[0].Account != guest.ID || l.Seats[0].Name != name {
			t.Errorf("its seat: %+v, %v", l.Seats, err)
		}
		for _, old := range []model.Secret{token, stolen} {
			_, err = h.Account.Session(ctx, Home, old)
			want(t, err, model.Unauthenticated)
		}
		_, err = h.Account.Session(ctx, Home, fresh)
		must(t, err)
	}
	// A guest logs in to the identity's account; the guest stays a guest.
	guest, token, err := h.Account.Guest(ctx, Home, "Chosen")
	must(t, err)
	known, _, err := h.Account.LogInExternal(ctx, loggedIn(token), person("Ada true", ""))
	must(t, err)
	if known.ID == guest.ID {
		t.Error("the identity's account was changed")
	}
	_, _, err = h.Account.LinkExternal(ctx, Home, guest.ID, person("Ada true", ""))
	want(t, err, model.IdentityTaken)
	// A chosen name is kept.
	if up, _, err := h.Account.LinkExternal(ctx, Home, guest.ID, person("new", "Provider")); err != nil || up.Name != "Chosen" {
		t.Errorf("upgraded to %+v, %v", up, err)
	}
}

// externalRace: many log-ins of one new identity at once make one account.
func externalRace(t *testing.T, h *Harness, _ func() db.Store) {
	ids := make([]model.AccountID, 12)
	var wg sync.WaitGroup
	for i := range ids {
		wg.Go(func() {
			a, _, err := h.Account.LogInExternal(ctx, Home, person("one", "One"))
			if err != nil {
				t.Errorf("log-in %d: %v", i, err)
			}
			ids[i] = a.ID
		})
	}
	wg.Wait()
	for _, id := range ids {
		if id != ids[0] {
			t.Fatalf("several accounts of one identity: %v", ids)
		}
	}
}

// ownLogInOff: with own log-in off there is no way around the providers.
func ownLogInOff(t *testing.T, h *Harness, _ func() db.Store) {
	ada, _, err := h.Account.Register(ctx, Home, "Ada", "", "difference engine")
	must(t, err)
	link, _, err := h.admin().ResetPassword(ctx, "Ada")
	must(t, err)
	guest := h.NewGuest(t, "guest")
	h = NewHarness(h.Store, func(c *lobby.Config) { c.NoOwnLogin, c.Issuers = true, []string{key} })
	_, _, err = h.Account.Register(ctx, Home, "Bob", "", "difference engine")
	want(t, err, model.LoginOff)
	_, _, err = h.Account.LogIn(ctx, Home, "Ada", "difference engine")
	want(t, err, model.LoginOff)
	_, _, err = h.Account.Upgrade(ctx, Home, guest.ID, "Carol", "", "difference engine")
	want(t, err, model.LoginOff)
	want(t, h.Account.Reset(ctx, Home, link, "difference engine 2"), model.LoginOff)
	h.NewGuest(t, "another") // guests are a setting of their own
	a, token, err := h.Account.LogInExternal(ctx, Home, person("1", "One"))
	must(t, err)
	_, err = h.Account.ChangePassword(ctx, loggedIn(token), a.ID, "", "difference engine")
	want(t, err, model.LoginOff)
	want(t, h.Account.DeleteAccount(ctx, Home, ada.ID, "wrong"), model.WrongCredentials)

	h = NewHarness(h.Store, func(c *lobby.Config) { c.NoGuests = true })
	_, _, err = h.Account.Guest(ctx, Home, "nobody")
	want(t, err, model.LoginOff)
	_, token, err = h.Account.LogIn(ctx, Home, "Ada", "difference engine")
	must(t, err)
	// A password is no way in where own log-in is off.
	_, _, err = h.Account.LinkExternal(ctx, loggedIn(token), ada.ID, person("ada", ""))
	must(t, err)
	off := NewHarness(h.Store, func(c *lobby.Config) { c.NoOwnLogin, c.Issuers = true, []string{key} })
	want(t, off.Account.UnlinkExternal(ctx, loggedIn(token), ada.ID, person("ada", "").Key()), model.LastWayIn)
	must(t, h.Account.UnlinkExternal(ctx, loggedIn(token), ada.ID, person("ada", "").Key()))
}
