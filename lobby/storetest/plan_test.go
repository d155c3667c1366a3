package storetest

import (
	"errors"
	"reflect"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
)

func ptr[T any](v T) *T { return &v }

// trusted pays from the server's limits alone.
var trusted = quota.Payer{Trusted: true}

// plannedMatch: a match for players who never met in a lobby is like any other, and
// only they come into it.
func plannedMatch(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, other := h.NewGuest(t, "Ada"), h.NewGuest(t, "Grace"), h.NewGuest(t, "other")
	old := h.NewLobby(t, a, room.NewLobby{})
	alongside := model.MatchID("")
	l, err := h.Room.StartMatchFor(ctx, room.MatchPlan{Map: "ring", Payer: trusted, Seats: []model.PlannedSeat{
		{Account: b.ID, Team: ptr(1), Start: ptr(5), Color: ptr(3), Handicap: grid.Handicap{Start: 100, Income: 70}},
		{Account: a.ID, Team: ptr(0), Start: ptr(2), Color: ptr(7)},
		{Level: model.HardBot, Team: ptr(1), Start: ptr(0), Color: ptr(9)},
	}, Alongside: func(_ *db.Tx, m model.Match) error { alongside = m.ID; return nil }})
	must(t, err)
	if l.State != model.Playing || l.Match == "" || l.Match != alongside || l.Host != "" || len(l.Seats) != 3 {
		t.Fatalf("lobby %+v", l)
	}
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || len(spec.Participants) != 3 {
		t.Fatalf("spec %+v", spec)
	}
	for i, want := range []model.Participant{
		{Start: 0, Bot: true, Level: model.HardBot, Name: "Bot A", Team: 1, Color: 9},
		{Start: 2, Account: a.ID, Name: "Ada", Team: 0, Color: 7},
		{Start: 5, Account: b.ID, Name: "Grace", Team: 1, Color: 3, Handicap: grid.Handicap{Income: 70}},
	} {
		if !reflect.DeepEqual(spec.Participants[i], want) {
			t.Errorf("seat %d is %+v, want %+v", i, spec.Participants[i], want)
		}
	}
	if _, err := h.Play.Lobby(ctx, old.ID); !errors.Is(err, model.NotFound) && !errors.Is(err, model.ErrNotFound) {
		t.Errorf("the lobby that was left: %v", err)
	}
	if len(h.Robot.Tickets) != 1 {
		t.Errorf("%d bots were sent", len(h.Robot.Tickets))
	}
	token, match, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	seat, err := h.Play.Redeem(ctx, token, Home.Address)
	must(t, err)
	if match != l.Match || seat.Start != 2 || seat.Account != a.ID {
		t.Errorf("seat %+v", seat)
	}
	// A plan without spectators has none, and strangers do not know the lobby.
	if l.Options.Spectators != 0 {
		t.Errorf("%d seats for spectators", l.Options.Spectators)
	}
	for _, j := range []room.JoinRequest{{}, {Spectate: true}, {Password: "guess"}} {
		_, err = h.Room.Join(ctx, Home, other, l.ID, j)
		want(t, err, model.NotFound)
	}
	_, _, err = h.Hub.Watch(ctx, l.ID, other.ID, 0)
	want(t, err, model.NotFound)
	if l, err := h.Play.Lobby(ctx, l.ID); err != nil || l.Seats[2].Handicap.Income != 70 || l.Seats[0].Handicap != (grid.Handicap{}) {
		t.Errorf("the stored seats are %+v, %v", l.Seats, err)
	}
	_, err = h.Room.Start(ctx, l.ID, a.ID)
	want(t, err, model.NotHost)
	// Players of a match without a host, such as a queue's, set no handicap.
	_, err = h.Room.ChangeSeat(ctx, l.ID, a.ID, model.SeatChange{Handicap: &grid.Handicap{Start: 10}})
	want(t, err, model.WrongState)
	for _, f := range []model.LobbyFilter{{Meeting: true}, {States: []model.State{model.Playing}}} {
		if list, err := h.Room.Lobbies(ctx, f); err != nil || len(list) != 0 {
			t.Errorf("listed: %v %v", list, err)
		}
	}
	if list, err := h.admin().Lobbies(ctx, model.LobbyFilter{States: []model.State{model.Playing}}); err != nil || len(list) != 1 {
		t.Errorf("admins are shown %v %v", list, err)
	}
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "surrender", Winners: []grid.Team{1}, Ticks: 40}))
	if _, record, _, err := h.Account.Me(ctx, b.ID); err != nil || record.Won != 1 {
		t.Errorf("record %+v %v", record, err)
	}
	// The players of the ended lobby are free for the next.
	_, err = h.Room.StartMatchFor(ctx, room.MatchPlan{Map: "ring", Payer: trusted, Seats: []model.PlannedSeat{{Account: a.ID}, {Account: other.ID}}})
	must(t, err)
}

func plannedRefused(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Grace")
	plan := func(seats ...model.PlannedSeat) error {
		_, err := h.Room.StartMatchFor(ctx, room.MatchPlan{Map: "ford", Payer: trusted, Seats: seats})
		return err
	}
	sa, sb := model.PlannedSeat{Account: a.ID}, model.PlannedSeat{Account: b.ID}
	want(t, plan(sa), model.BadLimit)
	want(t, plan(sa, sb, model.PlannedSeat{}), model.BadLimit)
	want(t, plan(sa, sa), model.BadRequest)
	want(t, plan(sa, model.PlannedSeat{Account: b.ID, Handicap: grid.Handicap{Damage: 5}}), model.BadRequest)
	want(t, plan(model.PlannedSeat{}, model.PlannedSeat{}), model.BadRequest)
	want(t, plan(sa, model.PlannedSeat{Level: "genius"}), model.BadRequest)
	want(t, plan(sa, model.PlannedSeat{Account: b.ID, Team: ptr(1)}), model.BadRequest)
	want(t, plan(model.PlannedSeat{Account: a.ID, Team: ptr(1)}, model.PlannedSeat{Account: b.ID, Team: ptr(1)}), model.OneSided)
	want(t, plan(model.PlannedSeat{Account: a.ID, Team: ptr(-1)}, model.PlannedSeat{Account: b.ID, Team: ptr(1)}), model.BadTeam)
	want(t, plan(model.PlannedSeat{Account: a.ID, Start: ptr(1)}, model.PlannedSeat{Account: b.ID, Start: ptr(1)}), model.NoSuchSeat)
	want(t, plan(model.PlannedSeat{Account: a.ID, Start: ptr(0)}, model.PlannedSeat{Account: b.ID, Start: ptr(2)}), model.NoSuchSeat)
	want(t, plan(model.PlannedSeat{Account: a.ID, Color: ptr(1)}, model.PlannedSeat{Account: b.ID, Color: ptr(1)}), model.ColorTaken)
	want(t, plan(sa, model.PlannedSeat{Account: "nobody"}), model.NotFound)
	h.Fakes.NoRoom = &model.Error{Code: model.ServerFull}
	want(t, plan(sa, sb), model.ServerFull)
	h.Fakes.NoRoom = nil
	must(t, h.admin().Drain(ctx, true))
	want(t, plan(sa, sb), model.Draining)
	must(t, h.admin().Drain(ctx, false))
	ban, err := h.admin().Ban(ctx, admin.NewBan{Account: "Grace", Reason: "cheats"})
	must(t, err)
	err = plan(sa, sb)
	want(t, err, model.BannedAccount)
	if text := model.AsError(err).Text(); text != "Grace: banned for good: cheats" {
		t.Errorf("told %q", text)
	}
	_, err = h.admin().LiftBan(ctx, ban.ID)
	must(t, err)
	alongside := errors.New("no")
	if _, err := h.Room.StartMatchFor(ctx, room.MatchPlan{Map: "ford", Payer: trusted, Seats: []model.PlannedSeat{sa, sb},
		Alongside: func(*db.Tx, model.Match) error { return alongside }}); !errors.Is(err, alongside) {
		t.Errorf("alongside: %v", err)
	}
	// A match that does not start leaves no lobby behind.
	h.Fakes.FailStart = true
	want(t, plan(sa, sb), model.StartRefused)
	h.Fakes.FailStart = false
	if _, _, in, err := h.Account.Me(ctx, a.ID); err != nil || in != "" {
		t.Errorf("after a failed start Ada sits in %q, %v", in, err)
	}
	must(t, plan(sa, sb))
	want(t, plan(sb, model.PlannedSeat{}), model.InMatch)
}

// plannedTwice: of plans that want the same player at the same moment one is made.
func plannedTwice(t *testing.T, h *Harness, _ func() db.Store) {
	star := h.NewGuest(t, "star")
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		a := h.NewGuest(t, "")
		seats := []model.PlannedSeat{{Account: a.ID}, {Account: star.ID}}
		if i%2 == 1 {
			seats[0], seats[1] = seats[1], seats[0]
		}
		wg.Go(func() {
			_, errs[i] = h.Room.StartMatchFor(ctx, room.MatchPlan{Map: "ford", Payer: trusted, Seats: seats})
		})
	}
	wg.Wait()
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
		} else if !errors.Is(err, model.InMatch) && !errors.Is(err, model.AlreadySeated) {
			t.Errorf("refused with %v", err)
		}
	}
	if made != 1 {
		t.Errorf("%d matches were made", made)
	}
}
