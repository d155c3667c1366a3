package storetest

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
)

// spectators: the eyes and the delay of a ticket, and the fate of a leaving spectator.
func spectators(t *testing.T, h *Harness, _ func() db.Store) {
	a, w := h.NewGuest(t, "player"), h.NewGuest(t, "watcher")
	l := h.playing(t, a)
	_, err := h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	ticket := func() model.Admission {
		t.Helper()
		token, _, err := h.Play.Login(ctx, Home, w, l.ID, 0)
		must(t, err)
		seat, err := h.Play.Redeem(ctx, token, netip.Addr{})
		must(t, err)
		if !seat.Spectator || seat.Account != w.ID || seat.Delay != time.Minute {
			t.Fatalf("spectator's seat %+v", seat)
		}
		return seat
	}
	if eyes := ticket().Team; eyes != grid.NoTeam {
		t.Fatalf("a spectator who chose nothing has the eyes of team %d", eyes)
	}
	for _, c := range []struct {
		team int
		eyes grid.Team
	}{{1, 1}, {7, grid.NoTeam}, {0, 0}, {-1, grid.NoTeam}} { // there is no team 7 in the match
		_, err := h.Room.ChangeSeat(ctx, l.ID, w.ID, model.SeatChange{Team: &c.team})
		must(t, err)
		if eyes := ticket().Team; eyes != c.eyes {
			t.Errorf("who wants the eyes of team %d has those of %d", c.team, eyes)
		}
	}
	for _, bad := range []int{-2, grid.TeamsMax} {
		_, err = h.Room.ChangeSeat(ctx, l.ID, w.ID, model.SeatChange{Team: &bad})
		want(t, err, model.BadTeam)
	}

	// A seat among the spectators ends with leaving, and its socket with it.
	watches := func(of model.Account, wanted bool) {
		t.Helper()
		if yes, err := h.Play.IsSpectator(ctx, l.Match, of.ID); err != nil || yes != wanted {
			t.Errorf("%s watches: %v, %v", of.Name, yes, err)
		}
	}
	watches(w, true)
	watches(a, false)
	closed := func() bool {
		return slices.Contains(h.Fakes.Disconnected, string(w.ID)+" "+string(model.NotSeated))
	}
	_, err = h.Room.Leave(ctx, l.ID, w.ID)
	must(t, err)
	watches(w, false)
	if !closed() {
		t.Errorf("who left is still connected: %v", h.Fakes.Disconnected)
	}
	h.Fakes.Disconnected = nil
	_, err = h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	other := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{Limit: 2})
	_, err = h.Room.Join(ctx, Home, w, other.ID, room.JoinRequest{}) // a spectator may go and play elsewhere
	must(t, err)
	watches(w, false)
	if !closed() {
		t.Errorf("who sits elsewhere is still connected: %v", h.Fakes.Disconnected)
	}
	_, err = h.Room.Join(ctx, Home, a, other.ID, room.JoinRequest{Spectate: true})
	want(t, err, model.InMatch) // a player may not
}
