package storetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// scenarios: an admin opens a scenario, and players do if the server lets them. The lobby
// has the scenario's seats, to be claimed; bots take the others.
func playedScenarios(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "first"), h.NewGuest(t, "second")
	session := h.Admin.OperatorSession(admin.Operator{Name: "ops", UID: "1000"})
	l, err := session.OpenScenario(ctx, []byte("a hill"))
	must(t, err)
	stored, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if f := stored.From; f == nil || f.Scenario != "Hill" || f.Match != "" || len(f.Seats) != 2 || f.Seats[0].Name != "North" || stored.Limit != 2 || stored.Host != "" ||
		len(stored.Seats) != 0 || stored.Name != "Hill" || stored.State != model.Open {
		t.Fatalf("the lobby is %+v of %+v", stored, stored.From)
	}
	audit, err := session.Audit(ctx, 0, 10)
	must(t, err)
	if len(audit) == 0 || audit[0].Action != "scenario.open" || audit[0].Subject != "Hill" || !strings.Contains(audit[0].Detail, string(l.ID)) {
		t.Errorf("the audit says %+v", audit)
	}

	// A spectator who goes again does not close it; the first player is its host.
	_, err = h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	_, err = h.Room.Leave(ctx, l.ID, b.ID)
	must(t, err)
	l, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	must(t, err)
	if l.Host != a.ID || l.Seats[0].Place != 0 || l.Seats[0].Team != 0 {
		t.Errorf("the first player sits at %+v", l.Seats)
	}
	one := 1
	l, err = h.Room.ChangeSeat(ctx, l.ID, a.ID, model.SeatChange{Start: &one})
	must(t, err)
	if l.Seats[0].Place != 1 || l.Seats[0].Team != 5 || l.Seats[0].Color != 1 {
		t.Errorf("the other seat is %+v", l.Seats)
	}
	_, err = h.Room.ChangeSeat(ctx, l.ID, a.ID, model.SeatChange{Team: new(int)})
	want(t, err, model.WrongState)
	_, err = h.Room.Configure(ctx, Home, l.ID, a.ID, room.LobbyChange{Options: map[string]any{"mode": json.RawMessage(`"deathmatch"`)}})
	want(t, err, model.WrongState)
	_, err = h.Room.Configure(ctx, Home, l.ID, a.ID, room.LobbyChange{Options: map[string]any{"countdownSeconds": json.RawMessage(`0`)}})
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || spec.From == nil || spec.From.Scenario != "Hill" || len(spec.Participants) != 2 || !spec.Participants[0].Bot || spec.Participants[1].Account != a.ID {
		t.Errorf("the match is %+v from %+v", spec, spec.From)
	}
	setup, err := h.Room.StartSetup(ctx, l.ID)
	must(t, err)
	if string(setup) != "a hill" {
		t.Errorf("it begins with %q", setup)
	}
	h.over(t, l)
	_, err = h.Room.Leave(ctx, l.ID, a.ID)
	must(t, err)
	_, err = h.Room.StartSetup(ctx, l.ID)
	want(t, err, model.NotFound)

	// Players only where the operator lets them.
	asked := h.Begun.Asked
	_, err = h.Room.PlayScenario(ctx, Home, b, []byte("bot"))
	want(t, err, model.ScenariosOff)
	h.Room.PlayerScenarios = true
	_, err = h.Room.PlayScenario(ctx, Home, b, make([]byte, room.ScenarioBytesMax+1))
	want(t, err, model.TooLarge)
	if h.Begun.Asked != asked {
		t.Error("what is refused was read")
	}
	l, err = h.Room.PlayScenario(ctx, Home, b, []byte("bot"))
	must(t, err)
	if l.Host != b.ID || len(l.Seats) != 2 || l.Seats[0].Account != b.ID || l.Seats[1].Kind != model.BotSeat || l.Seats[1].Place != 1 {
		t.Errorf("a player's lobby is %+v", l)
	}
	_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.LobbyFull)
	h.Begun.Refuse = &model.Error{Code: model.BadScenario, Field: "/units/3"}
	_, err = h.Room.PlayScenario(ctx, Home, b, nil)
	want(t, err, model.BadScenario)
	for range 10 {
		_, err = h.Room.PlayScenario(ctx, Home, b, nil)
	}
	want(t, err, model.Throttled)
	h.Step(2 * time.Minute)
	for range 10 {
		_, err = session.OpenScenario(ctx, nil)
	}
	want(t, err, model.Throttled)
	h.Step(2 * time.Minute)
	_, err = session.OpenScenario(ctx, nil)
	want(t, err, model.BadScenario)
	rows, err := session.Audit(ctx, 0, 50)
	must(t, err)
	if n := len(slices.DeleteFunc(rows, func(r model.AuditRow) bool { return r.Action != "scenario.open" })); n != 1 {
		t.Errorf("%d rows of the audit, want that of the one that was opened", n)
	}
}
