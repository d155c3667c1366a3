package storetest

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
)

// takeOver: a host opens a bot's seat of the running match, and who joins has it.
func takeOver(t *testing.T, h *Harness, _ func() lobby.Store) {
	host, a := h.NewGuest(t, "host"), h.NewGuest(t, "late")
	l := h.playing(t, host)
	_, err := h.Join(ctx, Home, a, l.ID, lobby.Join{})
	want(t, err, lobby.NotOpen)
	open := func(by lobby.Account, slot int, open bool) error {
		_, err := h.OpenSeat(ctx, l.ID, by.ID, slot, open)
		return err
	}
	want(t, open(a, 1, true), lobby.NotSeated)
	want(t, open(host, 0, true), lobby.WrongState) // a person's
	want(t, open(host, 5, true), lobby.NoSuchSeat)
	room := func(wanted int) {
		t.Helper()
		list, err := h.Lobbies(ctx, lobby.LobbyFilter{HasRoom: true, States: []lobby.State{lobby.Playing}})
		if must(t, err); len(list) != wanted {
			t.Errorf("%d lobbies with room, want %d", len(list), wanted)
		}
	}
	room(0)
	must(t, open(host, 1, true))
	must(t, open(host, 1, true)) // nothing new
	room(1)
	must(t, open(host, 1, false))
	_, err = h.Join(ctx, Home, a, l.ID, lobby.Join{})
	want(t, err, lobby.NotOpen)
	must(t, open(host, 1, true))

	// Who was let in to watch may not play, however it comes.
	w := h.NewGuest(t, "watcher")
	_, err = h.Join(ctx, Home, w, l.ID, lobby.Join{Spectate: true})
	must(t, err)
	_, _, err = h.Login(ctx, Home, w, l.ID, 0)
	must(t, err)
	_, err = h.Service.Leave(ctx, l.ID, w.ID)
	must(t, err)
	_, err = h.Join(ctx, Home, w, l.ID, lobby.Join{})
	want(t, err, lobby.NotOpen)

	// Nor who is banned, or was removed from the lobby.
	r, k := h.NewGuest(t, "rogue"), h.NewGuest(t, "kicked")
	_, err = h.admin().Ban(ctx, lobby.NewBan{Account: r.Name, Reason: "x"})
	must(t, err)
	_, err = h.Join(ctx, Home, r, l.ID, lobby.Join{})
	want(t, err, lobby.BannedAccount)
	must(t, h.Store.Write(ctx, func(tx lobby.Tx) error {
		_, _, err := tx.Count("kicked:"+string(l.ID)+":"+string(k.ID), 1, h.Now(), time.Minute)
		return err
	}))
	_, err = h.Join(ctx, Home, k, l.ID, lobby.Join{})
	want(t, err, lobby.KickedOut)

	got, err := h.Join(ctx, Home, a, l.ID, lobby.Join{})
	must(t, err)
	seat := got.Seats[1]
	if seat.Kind != lobby.PlayerSeat || seat.Account != a.ID || seat.Name != a.Name || seat.Team != 1 || seat.Open || got.Host != host.ID {
		t.Fatalf("the seat is %+v, the host %s", seat, got.Host)
	}
	room(0)
	b := h.NewGuest(t, "later")
	_, err = h.Join(ctx, Home, b, l.ID, lobby.Join{})
	want(t, err, lobby.NotOpen)
	want(t, open(host, 1, true), lobby.WrongState) // it is a person's by now
	token, _, err := h.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	in, err := h.Redeem(ctx, token, netip.Addr{})
	must(t, err)
	if in.Account != a.ID || in.Name != a.Name || in.Slot != 1 || in.Team != 1 || in.Bot {
		t.Fatalf("the ticket is for %+v", in)
	}

	// The stored match says so too: of it a restart sends bots.
	must(t, h.Store.Read(ctx, func(tx lobby.Tx) error {
		m, err := tx.Match(l.Match)
		if p := m.Spec.Participants[1]; err == nil && (p.Bot || p.Account != a.ID || p.Name != a.Name || p.Team != 1) {
			t.Errorf("the match has %+v", p)
		}
		return err
	}))

	// Who leaves the match cannot come back in another seat, and the result counts
	// for both.
	_, err = h.Service.Leave(ctx, l.ID, a.ID)
	must(t, err)
	want(t, h.Resume(ctx, l.Match, a.ID, 0, netip.Addr{}), lobby.NotSeated)
	_, err = h.Join(ctx, Home, a, l.ID, lobby.Join{})
	want(t, err, lobby.NotOpen)
	must(t, h.MatchEnded(ctx, lobby.Result{Match: l.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	rows, err := h.History(ctx, a.ID, 0)
	if must(t, err); len(rows) != 1 || rows[0].Outcome != lobby.Won {
		t.Errorf("the history of who took the seat over is %+v", rows)
	}
}

// manyTakeOver: of many who come for the one open seat, one has it. The ending of a
// match closes what is open.
func manyTakeOver(t *testing.T, h *Harness, _ func() lobby.Store) {
	host := h.NewGuest(t, "host")
	l := h.playing(t, host)
	_, err := h.OpenSeat(ctx, l.ID, host.ID, 1, true)
	must(t, err)
	var comers []lobby.Account
	for range 4 {
		comers = append(comers, h.NewGuest(t, "comer"))
	}
	var in sync.WaitGroup
	errs := make([]error, len(comers))
	for i, a := range comers {
		in.Go(func() { _, errs[i] = h.Join(ctx, Home, a, l.ID, lobby.Join{}) })
	}
	in.Wait()
	seated := 0
	for _, err := range errs {
		if err == nil {
			seated++
		} else {
			want(t, err, lobby.NotOpen)
		}
	}
	if seated != 1 {
		t.Errorf("%d have one seat", seated)
	}
	other := h.NewGuest(t, "other")
	m := h.playing(t, other)
	_, err = h.OpenSeat(ctx, m.ID, other.ID, 1, true)
	must(t, err)
	must(t, h.MatchEnded(ctx, lobby.Result{Match: m.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	ended, err := h.Lobby(ctx, m.ID)
	if must(t, err); ended.Seats[1].Open {
		t.Error("a seat is open after the match")
	}
	_, err = h.OpenSeat(ctx, m.ID, other.ID, 1, true)
	want(t, err, lobby.WrongState)
}
