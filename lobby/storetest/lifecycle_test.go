package storetest

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// oneMatchAtATime: a player of a match who has not left it takes no other seat, even if
// the match's lobby is gone, and the refusal names the match.
func oneMatchAtATime(t *testing.T, h *Harness, _ func() db.Store) {
	a, host := h.NewGuest(t, "busy"), h.NewGuest(t, "host")
	other := h.NewLobby(t, host, room.NewLobby{Map: "delta"})
	first := h.playing(t, a)
	refused := func(err error) {
		t.Helper()
		want(t, err, model.InMatch)
		if text := model.AsError(err).Text(); !strings.Contains(text, string(first.Match)) || !strings.Contains(text, string(first.ID)) {
			t.Errorf("it is not told which: %q", text)
		}
	}
	all := func() {
		t.Helper()
		_, err := h.Room.Create(ctx, Home, a, room.NewLobby{Name: "another", Map: "ring"})
		refused(err)
		_, err = h.Room.Join(ctx, Home, a, other.ID, room.JoinRequest{})
		refused(err)
		_, err = h.Room.Join(ctx, Home, a, other.ID, room.JoinRequest{Spectate: true})
		refused(err)
		_, err = h.Room.PlayBot(ctx, Home, a, model.BotMatchRequest{})
		refused(err)
	}
	all()
	must(t, h.admin().CloseLobby(ctx, first.ID, "it is late")) // its match goes on
	all()
	_, err := h.Room.Leave(ctx, first.ID, a.ID)
	must(t, err)
	_, err = h.Room.Leave(ctx, first.ID, a.ID)
	want(t, err, model.LobbyClosed)
	_, err = h.Room.Join(ctx, Home, a, other.ID, room.JoinRequest{})
	must(t, err)
}

// leavingAMatch: leaving the lobby of a running match ends the seat in the match too,
// for good: the resume token stops working.
func leavingAMatch(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "leaves"), h.NewGuest(t, "stays")
	l := h.NewLobby(t, a, room.NewLobby{Map: "ford"})
	_, err := h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.ready(l.ID, b)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	must(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, netip.Addr{}))
	_, err = h.Room.Leave(ctx, l.ID, a.ID)
	must(t, err)
	want(t, h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, netip.Addr{}), model.NotSeated)
	must(t, h.Play.Resume(ctx, l.Match, b.ID, b.Epoch, netip.Addr{}))
	if e := h.Fakes.Ended; len(e) != 1 || e[0].Match != l.Match || !e[0].ForGood || h.Fakes.Kicked[0] != a.ID {
		t.Errorf("the match service was told %+v", e)
	}
	_, _, err = h.Play.Login(ctx, Home, a, l.ID, 0)
	want(t, err, model.NotSeated)
	h.playing(t, a) // it is free
}

// reachesSockets: each end of an account's right reaches all its sockets in matches,
// through one call, and its earlier tickets and tokens stop working.
func reachesSockets(t *testing.T, h *Harness, _ func() db.Store) {
	const password = "nanosecond wire"
	for name, end := range map[string]func(a model.Account) error{
		"password": func(a model.Account) error {
			_, err := h.Account.ChangePassword(ctx, Home, a.ID, password, "another long wire")
			return err
		},
		"everywhere": func(a model.Account) error { return h.Account.LogOutEverywhere(ctx, a.ID) },
		"sessions":   func(a model.Account) error { _, err := h.admin().EndSessions(ctx, a.Name); return err },
		"reset": func(a model.Account) error {
			token, _, err := h.admin().ResetPassword(ctx, a.Name)
			return errors.Join(err, h.Account.Reset(ctx, Home, token, "another long wire"))
		},
		"kick": func(a model.Account) error { return h.admin().Kick(ctx, a.Name, "rude") },
		"ban": func(a model.Account) error {
			_, err := h.admin().Ban(ctx, admin.NewBan{Account: a.Name, Reason: "rude"})
			return err
		},
		"delete": func(a model.Account) error { return h.Account.DeleteAccount(ctx, Home, a.ID, password) },
	} {
		forGood := name == "kick" || name == "ban" || name == "delete"
		for _, left := range []bool{false, true} { // its lobby is closed meanwhile
			if left {
				name += " closed"
			}
			a, _, err := h.Account.Register(ctx, Home, "who "+name, "", password)
			must(t, err)
			l := h.playing(t, a)
			ticket, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
			must(t, err)
			if left {
				must(t, h.admin().CloseLobby(ctx, l.ID, "late"))
			}
			h.Fakes.Ended = nil
			must(t, end(a))
			e := h.Fakes.Ended
			if len(e) != 1 || e[0].Match != "" || e[0].Epoch != a.Epoch+1 || e[0].ForGood != forGood {
				t.Fatalf("%s: the match service was told %+v", name, e)
			}
			if err := h.Play.Resume(ctx, l.Match, a.ID, a.Epoch, netip.Addr{}); !errors.Is(err, model.LoggedOut) && !errors.Is(err, model.BannedAccount) {
				t.Errorf("%s: the resume token is answered %v", name, err)
			}
			if _, err := h.Play.Redeem(ctx, ticket, netip.Addr{}); !errors.Is(err, model.LoggedOut) && !errors.Is(err, model.BannedAccount) {
				t.Errorf("%s: the ticket is answered %v", name, err)
			}
		}
	}
}

// loggedOutElsewhere: a player's process hears from the database that another process
// logged the player out.
func loggedOutElsewhere(t *testing.T, h *Harness, again func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	h.playing(t, a)
	h.Fakes.Sitting = []model.LiveSocket{{Account: a.ID, Epoch: a.Epoch}, {Account: b.ID, Epoch: b.Epoch}}
	h.Tick(t)
	if len(h.Fakes.Disconnected) != 0 {
		t.Fatalf("ended %v", h.Fakes.Disconnected)
	}
	other := NewHarness(again())
	must(t, other.Account.LogOutEverywhere(ctx, a.ID))
	must(t, other.Account.DeleteAccount(ctx, Home, b.ID, ""))
	must(t, other.Store.Close())
	h.Tick(t)
	if !slices.Equal(h.Fakes.Disconnected, []string{string(a.ID) + " " + string(model.LoggedOut)}) || !slices.Equal(h.Fakes.Kicked, []model.AccountID{b.ID}) {
		t.Fatalf("ended %v, for good %v", h.Fakes.Disconnected, h.Fakes.Kicked)
	}
}

// noRoom: a match for which a quota has no room is refused in words, leaves no
// row, and its lobby is open as before. It is counted for its host, and for the
// address that the host logged in from.
func noRoom(t *testing.T, h *Harness, _ func() db.Store) {
	a, _, err := h.Account.Register(ctx, From("198.51.100.7"), "crowded", "", "nanosecond wire")
	must(t, err)
	l := h.NewLobby(t, a, room.NewLobby{Map: "ford"})
	_, err = h.Room.AddBot(ctx, l.ID, a.ID, "", nil)
	must(t, err)
	ledger := quota.New(quota.Defaults())
	for err = nil; err == nil; {
		_, err = ledger.Take(quota.BotSeats, quota.Payer{Account: "x"}, 1)
	}
	h.Fakes.NoRoom = err
	_, err = h.Room.Start(ctx, l.ID, a.ID)
	want(t, err, model.Throttled)
	if text := model.AsError(err).Text(); !strings.Contains(text, "bots") || model.AsError(err).RetryAfter == 0 {
		t.Errorf("told %q", text)
	}
	if got := h.Fakes.Starters; len(got) != 1 || got[0] != (quota.Payer{Account: string(a.ID), Address: netip.MustParseAddr("198.51.100.7"), Trusted: true}) {
		t.Errorf("counted for %+v", got)
	}
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	list, _, err := h.admin().Matches(ctx, admin.MatchSearch{}, 10)
	if err != nil || len(list) != 0 || l.State != model.Open {
		t.Fatalf("%d rows of matches, the lobby is %s, %v", len(list), l.State, err)
	}
	h.Fakes.NoRoom = nil
	limits, err := quota.Defaults().Set([]string{"match-starts.account=1"})
	must(t, err)
	h.Ledger = quota.New(limits)
	must(t, h.Ledger.Spend(quota.MatchStarts, quota.Payer{Account: string(a.ID)}, 1))
	_, err = h.Room.Start(ctx, l.ID, a.ID)
	want(t, err, model.Throttled)
	h.Ledger = nil
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	if err != nil || l.State != model.Playing {
		t.Fatalf("%+v %v", l, err)
	}
}
