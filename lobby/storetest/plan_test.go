package storetest

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/match/grid"
)

func ptr[T any](v T) *T { return &v }

// trusted pays from the server's limits alone.
var trusted = budget.Who{Trusted: true}

// plannedMatch: a match for players who never met in a lobby is one like any other,
// and nobody but them comes into it.
func plannedMatch(t *testing.T, h *Harness, _ func() lobby.Store) {
	a, b, other := h.NewGuest(t, "Ada"), h.NewGuest(t, "Grace"), h.NewGuest(t, "other")
	old := h.NewLobby(t, a, lobby.NewLobby{})
	alongside := lobby.MatchID("")
	l, err := h.StartMatchFor(ctx, lobby.MatchPlan{Map: "ring", Who: trusted, Seats: []lobby.PlannedSeat{
		{Account: b.ID, Team: ptr(1), Start: ptr(5), Color: ptr(3)},
		{Account: a.ID, Team: ptr(0), Start: ptr(2), Color: ptr(7)},
		{Level: lobby.HardBot, Team: ptr(1), Start: ptr(0), Color: ptr(9)},
	}, Alongside: func(_ lobby.Tx, m lobby.Match) error { alongside = m.ID; return nil }})
	must(t, err)
	if l.State != lobby.Playing || l.Match == "" || l.Match != alongside || l.Host != "" || len(l.Seats) != 3 {
		t.Fatalf("lobby %+v", l)
	}
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || len(spec.Participants) != 3 {
		t.Fatalf("spec %+v", spec)
	}
	for i, want := range []lobby.Participant{
		{Slot: 0, Bot: true, Level: lobby.HardBot, Name: "Bot A", Team: 1, Color: 9},
		{Slot: 2, Account: a.ID, Name: "Ada", Team: 0, Color: 7},
		{Slot: 5, Account: b.ID, Name: "Grace", Team: 1, Color: 3},
	} {
		if !reflect.DeepEqual(spec.Participants[i], want) {
			t.Errorf("seat %d is %+v, want %+v", i, spec.Participants[i], want)
		}
	}
	if _, err := h.Lobby(ctx, old.ID); !errors.Is(err, lobby.NotFound) && !errors.Is(err, lobby.ErrNotFound) {
		t.Errorf("the lobby that was left: %v", err)
	}
	if len(h.Robot.Tickets) != 1 {
		t.Errorf("%d bots were sent", len(h.Robot.Tickets))
	}
	token, match, err := h.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	seat, err := h.Redeem(ctx, token, Home.Address)
	must(t, err)
	if match != l.Match || seat.Slot != 2 || seat.Account != a.ID {
		t.Errorf("seat %+v", seat)
	}
	// Nobody watches unless the plan says so, and strangers do not know the lobby.
	if l.Options.Spectators != 0 {
		t.Errorf("%d seats for spectators", l.Options.Spectators)
	}
	for _, j := range []lobby.Join{{}, {Spectate: true}, {Password: "guess"}} {
		_, err = h.Join(ctx, Home, other, l.ID, j)
		want(t, err, lobby.NotFound)
	}
	_, _, err = h.Watch(ctx, l.ID, other.ID, 0)
	want(t, err, lobby.NotFound)
	_, err = h.Start(ctx, l.ID, a.ID)
	want(t, err, lobby.NotHost)
	for _, f := range []lobby.LobbyFilter{{Meeting: true}, {States: []lobby.State{lobby.Playing}}} {
		if list, err := h.Lobbies(ctx, f); err != nil || len(list) != 0 {
			t.Errorf("listed: %v %v", list, err)
		}
	}
	if list, err := h.admin().Lobbies(ctx, lobby.LobbyFilter{States: []lobby.State{lobby.Playing}}); err != nil || len(list) != 1 {
		t.Errorf("admins are shown %v %v", list, err)
	}
	must(t, h.MatchEnded(ctx, lobby.Result{Match: l.Match, Reason: "surrender", Winners: []grid.Team{1}, Ticks: 40}))
	if _, record, _, err := h.Me(ctx, b.ID); err != nil || record.Won != 1 {
		t.Errorf("record %+v %v", record, err)
	}
	// Who sits in the ended lobby is free for the next.
	_, err = h.StartMatchFor(ctx, lobby.MatchPlan{Map: "ring", Who: trusted, Seats: []lobby.PlannedSeat{{Account: a.ID}, {Account: other.ID}}})
	must(t, err)
}

func plannedRefused(t *testing.T, h *Harness, _ func() lobby.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Grace")
	plan := func(seats ...lobby.PlannedSeat) error {
		_, err := h.StartMatchFor(ctx, lobby.MatchPlan{Map: "ford", Who: trusted, Seats: seats})
		return err
	}
	sa, sb := lobby.PlannedSeat{Account: a.ID}, lobby.PlannedSeat{Account: b.ID}
	want(t, plan(sa), lobby.BadLimit)
	want(t, plan(sa, sb, lobby.PlannedSeat{}), lobby.BadLimit)
	want(t, plan(sa, sa), lobby.BadRequest)
	want(t, plan(lobby.PlannedSeat{}, lobby.PlannedSeat{}), lobby.BadRequest)
	want(t, plan(sa, lobby.PlannedSeat{Level: "genius"}), lobby.BadRequest)
	want(t, plan(sa, lobby.PlannedSeat{Account: b.ID, Team: ptr(1)}), lobby.BadRequest)
	want(t, plan(lobby.PlannedSeat{Account: a.ID, Team: ptr(1)}, lobby.PlannedSeat{Account: b.ID, Team: ptr(1)}), lobby.OneSided)
	want(t, plan(lobby.PlannedSeat{Account: a.ID, Team: ptr(-1)}, lobby.PlannedSeat{Account: b.ID, Team: ptr(1)}), lobby.BadTeam)
	want(t, plan(lobby.PlannedSeat{Account: a.ID, Start: ptr(1)}, lobby.PlannedSeat{Account: b.ID, Start: ptr(1)}), lobby.NoSuchSeat)
	want(t, plan(lobby.PlannedSeat{Account: a.ID, Start: ptr(0)}, lobby.PlannedSeat{Account: b.ID, Start: ptr(2)}), lobby.NoSuchSeat)
	want(t, plan(lobby.PlannedSeat{Account: a.ID, Color: ptr(1)}, lobby.PlannedSeat{Account: b.ID, Color: ptr(1)}), lobby.ColorTaken)
	want(t, plan(sa, lobby.PlannedSeat{Account: "nobody"}), lobby.NotFound)
	h.Fakes.NoRoom = &lobby.Error{Code: lobby.ServerFull}
	want(t, plan(sa, sb), lobby.ServerFull)
	h.Fakes.NoRoom = nil
	must(t, h.admin().Drain(ctx, true))
	want(t, plan(sa, sb), lobby.Draining)
	must(t, h.admin().Drain(ctx, false))
	ban, err := h.admin().Ban(ctx, lobby.NewBan{Account: "Grace", Reason: "cheats"})
	must(t, err)
	err = plan(sa, sb)
	want(t, err, lobby.BannedAccount)
	if text := lobby.AsError(err).Text(); text != "Grace: banned for good: cheats" {
		t.Errorf("told %q", text)
	}
	_, err = h.admin().LiftBan(ctx, ban.ID)
	must(t, err)
	alongside := errors.New("no")
	if _, err := h.StartMatchFor(ctx, lobby.MatchPlan{Map: "ford", Who: trusted, Seats: []lobby.PlannedSeat{sa, sb},
		Alongside: func(lobby.Tx, lobby.Match) error { return alongside }}); !errors.Is(err, alongside) {
		t.Errorf("alongside: %v", err)
	}
	// A match that does not start leaves no lobby behind.
	h.Fakes.FailStart = true
	want(t, plan(sa, sb), lobby.StartRefused)
	h.Fakes.FailStart = false
	if _, _, in, err := h.Me(ctx, a.ID); err != nil || in != "" {
		t.Errorf("after a failed start Ada sits in %q, %v", in, err)
	}
	must(t, plan(sa, sb))
	want(t, plan(sb, lobby.PlannedSeat{}), lobby.InMatch)
}

// plannedTwice: of plans that want the same player at the same moment one is made.
func plannedTwice(t *testing.T, h *Harness, _ func() lobby.Store) {
	star := h.NewGuest(t, "star")
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		a := h.NewGuest(t, "")
		seats := []lobby.PlannedSeat{{Account: a.ID}, {Account: star.ID}}
		if i%2 == 1 {
			seats[0], seats[1] = seats[1], seats[0]
		}
		wg.Go(func() {
			_, errs[i] = h.StartMatchFor(ctx, lobby.MatchPlan{Map: "ford", Who: trusted, Seats: seats})
		})
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else if !errors.Is(err, lobby.InMatch) && !errors.Is(err, lobby.AlreadySeated) {
			t.Errorf("refused with %v", err)
		}
	}
	if made != 1 {
		t.Errorf("%d matches were made", made)
	}
}
