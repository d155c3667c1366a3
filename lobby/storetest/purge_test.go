package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// guestsPurged: guests who cannot come back are deleted, their names are free, and
// their old matches go with them, unless a player with a password took part.
func guestsPurged(t *testing.T, h *Harness, _ func() db.Store) {
	day := 24 * time.Hour
	registry := prometheus.NewRegistry()
	h = NewHarness(h.Store, func(c *lobby.Config) { c.GuestLife, c.LobbyIdle, c.Registerer = 40*day, 300*day, registry })
	out := func(name string) model.Account {
		a, token, err := h.Account.Guest(ctx, Home, name)
		must(t, err)
		must(t, h.Account.LogOut(ctx, model.PlayerRealm, token))
		return a
	}
	there := func(a model.Account) bool {
		_, _, err := h.Account.Profile(ctx, a.ID)
		if err != nil && !errors.Is(err, model.NotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	rows := func() (n int) {
		must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
			list, err := tx.Matches.List(model.MatchFilter{Limit: 1000})
			n = len(list)
			return err
		}))
		return n
	}
	play := func(a, b model.Account) model.MatchID {
		l := h.NewLobby(t, a, room.NewLobby{Map: "ford"})
		_, err := h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
		must(t, err)
		_, err = h.ready(l.ID, b)
		must(t, err)
		l, err = h.Room.Start(ctx, l.ID, a.ID)
		must(t, err)
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "draw"}))
		for _, x := range []model.Account{a, b} {
			_, err := h.Room.Leave(ctx, l.ID, x.ID)
			must(t, err)
		}
		return l.Match
	}
	grace, _, err := h.Account.Register(ctx, Home, "Grace", "", "nanosecond wire")
	must(t, err)
	gone, idle := out("gone"), h.NewGuest(t, "idle")
	sits := h.NewGuest(t, "sits")
	h.NewLobby(t, sits, room.NewLobby{})
	one, two, three := h.NewGuest(t, "one"), h.NewGuest(t, "two"), h.NewGuest(t, "three")
	among := play(one, two)
	withGrace := play(grace, three)
	running := h.NewGuest(t, "running")
	h.playing(t, running)
	h.Tick(t)
	for _, a := range []model.Account{gone, idle, sits, one, two, three, running} {
		if !there(a) {
			t.Errorf("%s is deleted at once", a.Name)
		}
	}
	must(t, testutil.GatherAndCompare(registry, strings.NewReader(`# HELP fogkeep_lobbies Lobbies, of all processes on the database, by state: open, starting, playing, ended. Counted twice per minute.
# TYPE fogkeep_lobbies gauge
fogkeep_lobbies{state="ended"} 0
fogkeep_lobbies{state="open"} 1
fogkeep_lobbies{state="playing"} 1
fogkeep_lobbies{state="starting"} 0
`), "fogkeep_lobbies"))
	h.Step(time.Hour + time.Second)
	h.Tick(t)
	if there(gone) || !there(idle) {
		t.Errorf("after an hour: gone %t, idle %t", there(gone), there(idle))
	}
	if a, _, err := h.Account.Guest(ctx, Home, "gone"); err != nil || a.Name != "gone" {
		t.Errorf("the name is not free again: %q, %v", a.Name, err)
	}
	h.Step(day)
	h.Tick(t)
	if there(idle) || !there(sits) || !there(one) || !there(running) {
		t.Errorf("after a day: idle %t, sits %t, one %t, running %t", there(idle), there(sits), there(one), there(running))
	}
	h.Step(31 * day) // sessions are over, the matches are not old yet
	h.Tick(t)
	if !there(one) || !there(three) || rows() != 3 {
		t.Errorf("before the retention: one %t, three %t, %d matches", there(one), there(three), rows())
	}
	h.Step(9 * day)
	h.Tick(t)
	for _, a := range []model.Account{one, two, three} {
		if there(a) {
			t.Errorf("%s is still there", a.Name)
		}
	}
	if !there(grace) || !there(sits) || !there(running) || rows() != 2 {
		t.Errorf("after the retention: Grace %t, sits %t, running %t, %d matches", there(grace), there(sits), there(running), rows())
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if _, err := tx.Matches.Get(among); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("the match among guests: %v", err)
		}
		m, err := tx.Matches.Get(withGrace)
		if err == nil && (m.Spec.Participants[0].Name != "Grace" || m.Spec.Participants[1].Name != "deleted" || m.Spec.Participants[1].Account != "") {
			t.Errorf("the match with Grace: %+v", m.Spec.Participants)
		}
		return err
	}))
	if played, err := h.Account.History(ctx, grace.ID, 0); err != nil || len(played) != 1 {
		t.Errorf("Grace has played %v, %v", played, err)
	}
	must(t, h.Account.DeleteAccount(ctx, Home, grace.ID, "nanosecond wire"))
	h.Tick(t)
	if rows() != 1 {
		t.Errorf("with the last who had a password, %d matches are left", rows())
	}
	// However many there are, each has its turn.
	for i := range 250 {
		out(fmt.Sprint("crowd ", i))
	}
	h.Step(2 * time.Hour)
	h.Tick(t)
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		list, err := tx.Accounts.List(model.AccountFilter{Query: "crowd", Limit: 1000})
		if len(list) != 0 {
			t.Errorf("%d of the crowd are left", len(list))
		}
		return err
	}))
}

// guestNotPurged: of a guest that sits down at the same moment, either the seat
// or the account is gone, and never only the account.
func guestNotPurged(t *testing.T, h *Harness, _ func() db.Store) {
	for i := range 10 {
		host := h.NewGuest(t, fmt.Sprint("host ", i))
		l := h.NewLobby(t, host, room.NewLobby{})
		a, token, err := h.Account.Guest(ctx, Home, fmt.Sprint("late ", i))
		must(t, err)
		must(t, h.Account.LogOut(ctx, model.PlayerRealm, token))
		h.Step(2 * time.Hour)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
			if err != nil && !errors.Is(err, model.Unauthenticated) && !errors.Is(err, model.NotFound) && !errors.Is(err, model.LobbyClosed) {
				t.Errorf("join: %v", err)
			}
		})
		wg.Go(func() {
			must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
				now := h.Now()
				_, _, err := tx.Accounts.PurgeGuests("", model.Retention{Now: now, New: now.Add(-time.Hour), Unused: now.Add(-24 * time.Hour)}, 1000)
				return err
			}))
		})
		wg.Wait()
		now, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		_, _, err = h.Account.Profile(ctx, a.ID)
		if (now.SeatOf(a.ID) >= 0) != (err == nil) {
			t.Fatalf("round %d: seated %t, account %v", i, now.SeatOf(a.ID) >= 0, err)
		}
	}
}
