package storetest

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// branches: an account that may watch a match may play it on from a tick. The lobby has
// that match's seats, each player gets its former seat, and the settings of the match
// cannot be changed.
func branches(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w, x := h.NewGuest(t, "first"), h.NewGuest(t, "second"), h.NewGuest(t, "looker"), h.NewGuest(t, "other")
	first := h.played(t, a, b, w, model.ReplaysParticipants)
	l, err := h.Room.Branch(ctx, Home, b, first.Match, "", 400)
	must(t, err)
	if f := l.From; f == nil || f.Match != first.Match || f.Tick != 400 || f.Seconds != 20 || len(f.Seats) != 2 || l.Limit != 2 || l.Host != b.ID ||
		l.Seats[0].Place != 1 || l.Seats[0].Team != first.Seats[1].Team || l.Seats[0].Color != first.Seats[1].Color {
		t.Fatalf("the branch is %+v of %+v", l, l.From)
	}
	_, err = h.Room.Join(ctx, Home, x, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	_, err = h.Room.Join(ctx, Home, x, l.ID, room.JoinRequest{Spectate: true})
	want(t, err, model.NotOpen)

	yes, one, color := true, 1, int(l.Seats[0].Color)
	for _, change := range []model.SeatChange{{Team: new(int)}, {Color: &[]int{color + 1}[0]}} {
		_, err = h.Room.ChangeSeat(ctx, l.ID, b.ID, change)
		want(t, err, model.WrongState)
	}
	_, err = h.Room.ChangeSeat(ctx, l.ID, b.ID, model.SeatChange{Start: &[]int{2}[0]})
	want(t, err, model.NoSuchSeat)
	three, delta := 3, "delta"
	for _, set := range []room.LobbyChange{
		{Map: &delta}, {Limit: &three}, {Options: map[string]any{"ticksPerSecond": json.RawMessage(`10`)}}, {Options: map[string]any{"timeLimitMinutes": json.RawMessage(`9`)}},
	} {
		_, err = h.Room.Configure(ctx, Home, l.ID, b.ID, set)
		want(t, err, model.WrongState)
	}
	name := "once more"
	l, err = h.Room.Configure(ctx, Home, l.ID, b.ID, room.LobbyChange{Name: &name, Options: map[string]any{"countdownSeconds": json.RawMessage(`0`)}})
	must(t, err)
	if l.Name != name || l.From == nil {
		t.Errorf("configured: %+v", l)
	}

	// The watcher takes the first player's seat, until that player comes and it moves on.
	l, err = h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{})
	must(t, err)
	if i := l.SeatOf(w.ID); i != 0 || l.Seats[0].Place != 0 {
		t.Errorf("the watcher sits at %+v", l.Seats)
	}
	_, err = h.Room.ChangeSeat(ctx, l.ID, w.ID, model.SeatChange{Start: &one})
	want(t, err, model.LobbyFull)
	_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.LobbyFull)
	_, err = h.Room.Leave(ctx, l.ID, w.ID)
	must(t, err)
	_, err = h.Room.ChangeSeat(ctx, l.ID, b.ID, model.SeatChange{Start: new(int)})
	must(t, err)
	l, err = h.Room.ChangeSeat(ctx, l.ID, b.ID, model.SeatChange{Start: &one, Ready: &yes, SettingsVersion: settingsOf(t, h, l.ID)})
	must(t, err)
	if len(l.Seats) != 1 || l.Seats[0].Place != 1 || l.Seats[0].Color != first.Seats[1].Color {
		t.Errorf("moved away and back: %+v", l.Seats)
	}

	// Alone it plays against a bot in the other seat.
	l, err = h.Room.Start(ctx, l.ID, b.ID)
	must(t, err)
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || spec.From == nil || spec.From.Match != first.Match || spec.From.Tick != 400 || len(spec.From.Seats) != 0 || len(spec.Participants) != 2 || !spec.Participants[0].Bot {
		t.Errorf("the match is %+v from %+v", spec, spec.From)
	}
	setup, err := h.Room.StartSetup(ctx, l.ID)
	must(t, err)
	if string(setup) != string(first.Match)+" at 400" {
		t.Errorf("it begins with %q", setup)
	}
	_, err = h.Room.Branch(ctx, Home, a, l.Match, "", 1)
	want(t, err, model.NotFound)
	h.over(t, l)
	// Its link does not work for accounts that may not watch the match that it plays
	// on.
	shared, err := h.Replay.SetReplays(ctx, Home, b.ID, l.Match, model.ReplaysLink)
	must(t, err)
	_, err = h.Replay.MayWatch(ctx, Home, x.ID, l.Match, shared.Key)
	want(t, err, model.NotFound)
	_, err = h.Replay.MayWatch(ctx, Home, a.ID, l.Match, shared.Key)
	must(t, err)
	l, err = h.Room.Rematch(ctx, l.ID, b.ID)
	must(t, err)
	if l.From == nil || l.From.Tick != 400 {
		t.Errorf("a rematch begins from %+v", l.From)
	}
	_, err = h.Room.Leave(ctx, l.ID, b.ID)
	must(t, err)
	_, err = h.Room.StartSetup(ctx, l.ID)
	want(t, err, model.NotFound)

	// Of an odd tick the second player was out.
	l, err = h.Room.Branch(ctx, Home, b, first.Match, "", 401)
	must(t, err)
	if l.Limit != 1 || l.Seats[0].Place != 0 {
		t.Errorf("with one out: %+v", l)
	}
	_, err = h.Room.Start(ctx, l.ID, b.ID)
	want(t, err, model.OneSided)
}

func settingsOf(t *testing.T, h *Harness, id model.LobbyID) *int64 {
	t.Helper()
	l, err := h.Play.Lobby(ctx, id)
	must(t, err)
	return &l.SettingsVersion
}

// branchRights: an account that may not watch a match cannot play it on, nor join
// others who do, even if it knows the match. A deleted account is in no lobby's past.
func branchRights(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w, x := h.NewGuest(t, "first"), h.NewGuest(t, "second"), h.NewGuest(t, "looker"), h.NewGuest(t, "other")
	live := h.staged(t, a, b, w, model.ReplaysLink)
	for who, code := range map[model.Account]model.Code{a: model.MatchRuns, w: model.MatchRuns, x: model.NotFound} {
		_, err := h.Room.Branch(ctx, Home, who, live.Match, "", 5)
		want(t, err, code)
	}
	h.over(t, live)
	_, err := h.Room.Branch(ctx, Home, x, live.Match, "", 4)
	want(t, err, model.NotFound)
	_, err = h.Room.Branch(ctx, Home, x, live.Match, "a wrong key", 4)
	want(t, err, model.NotFound)
	if h.Begun.Asked != 0 {
		t.Errorf("%d beginnings were made for those who may not watch", h.Begun.Asked)
	}
	r, err := h.Replay.Replay(ctx, Home, a.ID, live.Match, "")
	must(t, err)
	l, err := h.Room.Branch(ctx, Home, x, live.Match, r.Key, 4)
	must(t, err)
	if l.Seats[0].Account != x.ID || l.Seats[0].Place != 0 {
		t.Errorf("a stranger with the link sits at %+v", l.Seats)
	}
	y := h.NewGuest(t, "guest")
	_, err = h.Room.Join(ctx, Home, y, l.ID, room.JoinRequest{}) // the link holds
	must(t, err)
	_, err = h.Room.Leave(ctx, l.ID, y.ID)
	must(t, err)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, live.Match, model.ReplaysOff)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, y, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.ReplayOff)
	_, err = h.Room.Branch(ctx, Home, a, live.Match, "", 4)
	want(t, err, model.ReplayOff)

	must(t, h.Account.DeleteAccount(ctx, Home, b.ID, ""))
	h.Tick(t)
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if s := l.From.Seats[1]; s.Name != model.GoneName || s.Account != "" || l.From.Seats[0].Name != a.Name {
		t.Errorf("the lobby's past is %+v", l.From.Seats)
	}

	// Beginnings are refused as they are, and counted.
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, live.Match, model.ReplaysParticipants)
	must(t, err)
	h.Begun.Refuse = &model.Error{Code: model.BadTick, Detail: "the match has ticks 0 to 7"}
	_, err = h.Room.Branch(ctx, Home, a, live.Match, "", 9)
	want(t, err, model.BadTick)
	for range 10 {
		_, err = h.Room.Branch(ctx, Home, a, live.Match, "", 9)
	}
	want(t, err, model.Throttled)
	h.Step(2 * time.Minute)
	_, err = h.Room.Branch(ctx, Home, a, live.Match, "", 9)
	want(t, err, model.BadTick)
}
