package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/poll"
)

// votesInALobby: players change the settings, remove the host and start the match by votes, where the host lets them.
func votesInALobby(t *testing.T, h *Harness, again func() db.Store) {
	host := h.NewGuest(t, "host")
	l := h.NewLobby(t, host, room.NewLobby{Map: "delta"})
	var players []model.Account
	for _, name := range []string{"ann", "ben", "cid"} {
		a := h.NewGuest(t, name)
		_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
		must(t, err)
		players = append(players, a)
	}
	ann, ben, cid := players[0], players[1], players[2]
	watcher := h.NewGuest(t, "watcher")
	_, err := h.Room.Join(ctx, Home, watcher, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	ask := func(a model.Account, q room.PollRequest) error {
		_, err := h.Room.Ask(ctx, l.ID, a.ID, q)
		return err
	}
	// vote returns the state of the question after the vote.
	vote := func(a model.Account, yes bool) string {
		t.Helper()
		now, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		now, err = h.Room.Vote(ctx, l.ID, a.ID, now.Poll.Num, yes)
		must(t, err)
		return fmt.Sprintf("%d of %d, %d", len(now.Poll.Named(now.Poll.Yes)), now.Poll.Needed(), now.Poll.Over)
	}
	is := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	slot := func(n int) room.PollRequest { return room.PollRequest{Kind: model.PollKick, Slot: &n} }
	start := room.PollRequest{Kind: model.PollStart}
	settings := func(options map[string]any, limit int) room.PollRequest {
		return room.PollRequest{Kind: model.PollSettings, SettingsAsked: model.SettingsAsked{Options: options, Limit: &limit}}
	}

	want(t, ask(ann, start), model.WrongState) // the option is for the match alone
	_, err = h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Options: map[string]any{"votes": "lobby"}})
	must(t, err)
	for _, refused := range []struct {
		by   model.Account
		q    room.PollRequest
		want model.Code
	}{
		{h.NewGuest(t, "stranger"), start, model.NotSeated},
		{watcher, start, model.NotSeated},
		{ann, slot(3000), model.NoSuchSeat},
		{ann, room.PollRequest{Kind: model.PollKick}, model.NoSuchSeat},
		{ann, slot(1), model.BadRequest},                                       // itself
		{ann, start, model.NotReady},                                           // as for the host
		{ann, settings(map[string]any{"speedPercent": 5}, 4), model.BadOption}, // likewise
		{ann, settings(nil, 2), model.BadLimit},                                // the seats are taken
		{ann, settings(map[string]any{"nonsense": true}, 4), model.BadOption},
	} {
		want(t, ask(refused.by, refused.q), refused.want)
	}

	must(t, ask(ann, settings(map[string]any{"speedPercent": 200.0}, 4)))
	want(t, ask(ben, start), model.WrongState) // one question at a time
	is(vote(ben, true), "2 of 3, 0")
	is(vote(ben, true), "2 of 3, 0") // one vote for each
	_, err = h.Room.Vote(ctx, l.ID, watcher.ID, l.Seq, true)
	want(t, err, model.WrongState) // the number of an earlier question
	is(vote(host, false), "2 of 3, 0")
	is(vote(cid, true), "3 of 3, 1")
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.Options.SpeedPercent != 200 || l.Options.VoteQuorum != 66 {
		t.Errorf("the options are %+v", l.Options)
	}
	want(t, ask(ann, start), model.Throttled)
	h.Step(6 * time.Second) // the result is shown no longer

	dan := h.NewGuest(t, "dan")
	_, err = h.Room.Join(ctx, Home, dan, l.ID, room.JoinRequest{})
	want(t, err, model.LobbyFull) // delta has four places
	_, err = h.Room.Leave(ctx, l.ID, cid.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, dan, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, ask(host, settings(map[string]any{"speedPercent": 150.0}, 4)))
	is(vote(ann, true), "2 of 3, 0")
	l, err = h.Room.Leave(ctx, l.ID, dan.ID) // a vote less is needed, and the question passes
	must(t, err)
	if l.Poll == nil || l.Poll.Over != poll.Passed || l.Options.SpeedPercent != 150 {
		t.Errorf("speed %d, question %+v", l.Options.SpeedPercent, l.Poll)
	}
	_, err = h.Room.Join(ctx, Home, cid, l.ID, room.JoinRequest{})
	must(t, err)
	h.Step(6 * time.Second)

	must(t, ask(ben, slot(0)))
	h = NewHarness(again()) // a question outlives the server
	h.Step(6 * time.Second)
	is(vote(ann, true), "2 of 2, 1")
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.Host != ann.ID || l.SeatOf(host.ID) >= 0 {
		t.Errorf("host %s is in seat %d", l.Host, l.SeatOf(host.ID))
	}
	_, err = h.Room.Join(ctx, Home, host, l.ID, room.JoinRequest{})
	want(t, err, model.KickedOut)

	for _, a := range players[1:] {
		_, err := h.ready(l.ID, a)
		must(t, err)
	}
	must(t, ask(cid, start))
	_, err = h.Room.Leave(ctx, l.ID, cid.ID) // takes the question along
	must(t, err)
	if l, err = h.Play.Lobby(ctx, l.ID); err != nil || l.Poll != nil {
		t.Errorf("%v, question %+v", err, l.Poll)
	}
	h.Step(2 * time.Minute)
	must(t, ask(ben, start))
	h.Step(50 * time.Second)
	_, err = h.Room.Vote(ctx, l.ID, ann.ID, l.Seq+1, true)
	want(t, err, model.WrongState) // its time is over
	h.Step(time.Minute)
	// told returns the last line of the lobby's server.
	told := func() string {
		t.Helper()
		var lines []model.Event
		must(t, h.Read(ctx, func(tx *db.Tx) (err error) {
			lines, err = tx.Lobbies.Events(l.ID, 0, 1000)
			return err
		}))
		for _, e := range slices.Backward(lines) {
			if e.Kind == model.AnnounceEvent {
				return string(e.Body)
			}
		}
		return ""
	}
	must(t, ask(ben, start))
	no := false
	_, err = h.Room.ChangeSeat(ctx, l.ID, ben.ID, model.SeatChange{Ready: &no})
	must(t, err)
	is(vote(ann, true), "2 of 2, 2")
	is(told(), `{"name":"server","text":"the vote has no effect: ben is not ready"}`)
	_, err = h.ready(l.ID, ben)
	must(t, err)
	h.Step(2 * time.Minute)
	pass := func() *model.Lobby {
		t.Helper()
		must(t, ask(ben, start))
		l, err = h.Play.Lobby(ctx, l.ID)
		must(t, err)
		_, err = h.Room.Vote(ctx, l.ID, ann.ID, l.Poll.Num, true)
		must(t, err)
		h.Tick(t)
		l, err = h.Play.Lobby(ctx, l.ID)
		must(t, err)
		return l
	}
	for _, code := range []model.Code{model.ServerFull, model.StartRefused} {
		h.Fakes.NoRoom = &model.Error{Code: code, Detail: "no room: " + string(code)}
		if l := pass(); l.State != model.Open {
			t.Errorf("without its match it is %s", l.State)
		}
		is(told(), `{"name":"server","text":"no room: `+string(code)+`"}`)
		h.Step(2 * time.Minute)
	}
	h.Fakes.NoRoom = nil
	// An admin removes a voter, then one moves to another lobby, and the question passes in the same moment.
	eve, fay, gus := h.NewGuest(t, "eve"), h.NewGuest(t, "fay"), h.NewGuest(t, "gus")
	for i, c := range []struct {
		joins []model.Account
		leave func()
	}{
		{[]model.Account{eve, fay}, func() { must(t, h.admin().Kick(ctx, "eve", "spoils it")) }},
		{[]model.Account{gus}, func() { h.NewLobby(t, fay, room.NewLobby{}) }},
	} {
		for _, a := range c.joins {
			_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
			must(t, err)
		}
		speed := 175 + 25*i
		must(t, ask(ann, settings(map[string]any{"speedPercent": float64(speed)}, 4)))
		is(vote(ben, true), "2 of 3, 0")
		c.leave()
		l, err = h.Play.Lobby(ctx, l.ID)
		must(t, err)
		if l.Poll == nil || l.Poll.Over != poll.Passed || l.Options.SpeedPercent != speed {
			t.Errorf("speed %d, question %+v", l.Options.SpeedPercent, l.Poll)
		}
		h.Step(2 * time.Minute)
	}
	_, err = h.Room.Leave(ctx, l.ID, gus.ID)
	must(t, err)
	for _, a := range []model.Account{ann, ben} {
		_, err := h.ready(l.ID, a)
		must(t, err)
	}
	h.Step(2 * time.Minute)
	if l := pass(); l.State != model.Playing || l.Poll != nil || !slices.Equal(l.Accounts(), []model.AccountID{ann.ID, ben.ID, watcher.ID}) {
		t.Errorf("it is %s with %v, question %+v", l.State, l.Accounts(), l.Poll)
	}
}
