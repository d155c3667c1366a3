package storetest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// names lists the lobbies that a filter finds, newest first.
func (h *Harness) names(t *testing.T, f model.LobbyFilter) string {
	t.Helper()
	list, err := h.Room.Lobbies(ctx, f)
	must(t, err)
	var out []string
	for _, l := range list {
		out = append(out, l.Name)
	}
	return strings.Join(out, " ")
}

// meeting: the list in which players find each other has no ended lobby, and no lobby
// of one player that others cannot join.
func meeting(t *testing.T, h *Harness, _ func() db.Store) {
	list := func(want string) {
		t.Helper()
		if got := h.names(t, model.LobbyFilter{Meeting: true, Limit: 20}); got != want {
			t.Errorf("listed are %q, want %q", got, want)
		}
	}
	host, guest := h.NewGuest(t, "host"), h.NewGuest(t, "guest")
	open := h.NewLobby(t, host, room.NewLobby{Name: "open", Limit: 2})
	solo := h.NewGuest(t, "solo")
	bot := h.playing(t, solo)
	h.NewLobby(t, h.NewGuest(t, "tired"), room.NewLobby{Name: "bots", Limit: 3, Bots: 2})
	// A player who waits alone is found; with bots in all other seats, or in a
	// match against a bot, it is not.
	list("open")
	// A lobby of two is listed, though no other can join.
	_, err := h.Room.Join(ctx, Home, guest, open.ID, room.JoinRequest{})
	must(t, err)
	list("open")
	if got := h.names(t, model.LobbyFilter{HasRoom: true, Limit: 20}); got != "" {
		t.Errorf("there is room in %q", got)
	}
	_, err = h.ready(open.ID, guest)
	must(t, err)
	l, err := h.Service.Room.Start(ctx, open.ID, host.ID)
	must(t, err)
	list("open")
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	list("")
	_, err = h.Room.Rematch(ctx, open.ID, host.ID)
	must(t, err)
	list("open")
	// The bot's seat is opened: a player could join.
	_, err = h.Room.OpenSeat(ctx, bot.ID, solo.ID, 1, true)
	must(t, err)
	list(bot.Name + " open")
	if got := h.names(t, model.LobbyFilter{HasRoom: true, Limit: 20}); got != bot.Name {
		t.Errorf("there is room in %q", got)
	}
	// A spectator does not play, and takes no room.
	waits := h.NewGuest(t, "waits")
	two := h.NewLobby(t, waits, room.NewLobby{Name: "two", Limit: 2})
	_, err = h.Room.Join(ctx, Home, h.NewGuest(t, "looks"), two.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	list("two " + bot.Name + " open")
	_, err = h.Room.AddBot(ctx, two.ID, waits.ID, "", nil)
	must(t, err)
	list(bot.Name + " open")
	// A match with free seats cannot be joined.
	three := h.NewLobby(t, h.NewGuest(t, "third"), room.NewLobby{Name: "three", Limit: 3, Bots: 1})
	list("three " + bot.Name + " open")
	_, err = h.Service.Room.Start(ctx, three.ID, three.Host)
	must(t, err)
	list(bot.Name + " open")
}

// abandoned: an empty lobby is listed for two minutes, unless it changes; a watcher of
// its events or a player keeps it listed.
func abandoned(t *testing.T, h *Harness, again func() db.Store) {
	list := func(after, want string) {
		t.Helper()
		if got := h.names(t, model.LobbyFilter{Meeting: true, Limit: 20}); got != want {
			t.Errorf("after %s listed are %q, want %q", after, got, want)
		}
	}
	host, other, watcher := h.NewGuest(t, "host"), h.NewGuest(t, "other"), h.NewGuest(t, "watcher")
	match := h.NewLobby(t, host, room.NewLobby{Name: "match", Limit: 2})
	_, err := h.Room.Join(ctx, Home, other, match.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.ready(match.ID, other)
	must(t, err)
	_, err = h.Service.Room.Start(ctx, match.ID, host.ID)
	must(t, err)
	h.NewLobby(t, h.NewGuest(t, "gone"), room.NewLobby{Name: "left"})
	stays := h.NewLobby(t, watcher, room.NewLobby{Name: "stays"})
	w, _, err := h.Hub.Watch(ctx, stays.ID, watcher.ID, 0)
	must(t, err)
	defer w.Close()
	h.Fakes.Sitting = []model.LiveSocket{{Account: host.ID}}
	h.Step(2 * time.Minute)
	list("two minutes", "stays left match")
	h.Tick(t)
	h.Step(time.Millisecond)
	list("two minutes and a look", "stays match")
	// Another process on the same database knows as well.
	far := NewHarness(again())
	far.Step(h.Now().Sub(far.Now()))
	if got := far.names(t, model.LobbyFilter{Meeting: true, Limit: 20}); got != "stays match" {
		t.Errorf("elsewhere listed are %q", got)
	}
	h.Fakes.Sitting = nil
	w.Close()
	h.Tick(t)
	h.Step(2*time.Minute + time.Millisecond)
	list("all have gone", "")
	if got := h.names(t, model.LobbyFilter{Limit: 20}); got != "stays left match" {
		t.Errorf("there are %q", got)
	}
	must(t, h.Room.Chat(ctx, stays.ID, watcher.ID, "here"))
	list("a line of chat", "stays")
	// A watched lobby is never idle.
	w, _, err = h.Hub.Watch(ctx, stays.ID, watcher.ID, 0)
	must(t, err)
	defer w.Close()
	h.Step(h.LobbyIdle + time.Minute)
	h.Tick(t)
	if _, err := h.Play.Lobby(ctx, stays.ID); err != nil {
		t.Errorf("the watched lobby: %v", err)
	}
}

// laterChat: a later player gets the lines said while the host's option was on, as long
// as it is on; a returning player gets the lines since it sat down.
func laterChat(t *testing.T, h *Harness, _ func() db.Store) {
	host, late := h.NewGuest(t, "host"), h.NewGuest(t, "late")
	l := h.NewLobby(t, host, room.NewLobby{})
	history := func(on bool) {
		t.Helper()
		_, err := h.Room.Configure(ctx, Home, l.ID, host.ID, room.LobbyChange{Options: map[string]any{"chatHistory": on}})
		must(t, err)
	}
	say := func(text string) {
		t.Helper()
		must(t, h.Room.Chat(ctx, l.ID, host.ID, text))
	}
	chat := func(a model.Account, want ...string) {
		t.Helper()
		u, err := h.Hub.Updates(ctx, l.ID, a.ID, 0)
		must(t, err)
		var got []string
		last := int64(0)
		for _, e := range u.Events {
			var line model.ChatLine
			must(t, json.Unmarshal(e.Body, &line))
			got = append(got, line.Text)
			if e.Seq <= last || e.Seq > u.Seq {
				t.Errorf("event %d after %d, and the lobby is at %d", e.Seq, last, u.Seq)
			}
			last = e.Seq
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is sent %q, want %q", a.Name, got, want)
		}
		if u.Lobby == nil {
			t.Errorf("%s is not sent the lobby", a.Name)
		}
	}
	say("secret")
	history(true)
	say("welcome")
	history(false)
	say("aside")
	_, err := h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
	must(t, err)
	say("hello")
	chat(host, "secret", "welcome", "aside", "hello")
	chat(late, "hello")
	history(true)
	chat(late, "welcome", "hello")
	for range 4 {
		say("more")
	}
	_, err = h.Room.Join(ctx, Home, h.NewGuest(t, "third"), l.ID, room.JoinRequest{})
	must(t, err)
	chat(late, "welcome", "hello", "more", "more", "more", "more")
	// The notice to a removed player is no chat, and other players do not get it.
	must(t, h.admin().Kick(ctx, "third", "rude"))
	chat(late, "welcome", "hello", "more", "more", "more", "more")
	_, err = h.Hub.Updates(ctx, l.ID, h.NewGuest(t, "stranger").ID, 0)
	want(t, err, model.NotSeated)
}

// lobbyWithBots: a new lobby has the requested bots, in the team of its option, and a
// lobby without room for them is not made.
func lobbyWithBots(t *testing.T, h *Harness, _ func() db.Store) {
	host, friend := h.NewGuest(t, "host"), h.NewGuest(t, "friend")
	l := h.NewLobby(t, host, room.NewLobby{Limit: 4, Bots: 2, Level: model.HardBot, Options: options(`{"teams":"coop"}`)})
	l, err := h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{})
	must(t, err)
	var got []string
	for _, s := range l.Seats {
		got = append(got, string(s.Kind)+string(rune('0'+s.Team))+string(s.Level))
	}
	if want := []string{"player0", "bot1hard", "bot1hard", "player0"}; !slices.Equal(got, want) {
		t.Errorf("seats are %v, want %v", got, want)
	}
	for _, c := range []struct {
		limit, bots int
		want        model.Code
	}{{2, 1, ""}, {2, 2, model.BadLimit}, {2, -1, model.BadLimit}, {0, 7, ""}, {0, 8, model.BadLimit}} {
		l, err := h.Room.Create(ctx, Home, host, room.NewLobby{Name: "bots", Map: "ring", Limit: c.limit, Bots: c.bots, Password: "open sesame"})
		if c.want != "" {
			want(t, err, c.want)
			continue
		}
		must(t, err)
		if l.Taken() != c.bots+1 {
			t.Errorf("%d seats are taken, with %d bots", l.Taken(), c.bots)
		}
	}
	_, err = h.Room.Create(ctx, Home, host, room.NewLobby{Name: "bots", Map: "ring", Bots: 1, Level: "brutal"})
	want(t, err, model.BadRequest)
	_, err = h.Room.SetTeam(ctx, l.ID, host.ID, 1, 0)
	want(t, err, model.NotSeated) // it has gone to another lobby
	l, err = h.Room.SetTeam(ctx, l.ID, friend.ID, 1, 0)
	if must(t, err); l.Seats[0].Kind != model.BotSeat || l.Seats[0].Team != 0 {
		t.Errorf("the bot's team is changed: %+v", l.Seats)
	}
}

// limitFromTheStart: the host's option is the budget of the match before the first
// player comes; without it no budget is set.
func limitFromTheStart(t *testing.T, h *Harness, _ func() db.Store) {
	for _, c := range []struct{ options, want string }{{`{"bytesPerS":4000}`, " all 4000 false"}, {`{}`, ""}} {
		host := h.NewGuest(t, "host")
		l := h.NewLobby(t, host, room.NewLobby{Bots: 1, Options: options(c.options)})
		h.Fakes.Budgets = nil
		l, err := h.Service.Room.Start(ctx, l.ID, host.ID)
		must(t, err)
		if c.want != "" {
			c.want = string(l.Match) + c.want
		}
		if got := strings.Join(h.Fakes.Budgets, ","); got != c.want {
			t.Errorf("%s: budgets %q, want %q", c.options, got, c.want)
		}
	}
}

// whoPlayed: a history says who was in a match, in which team, and how long it
// was at its speed.
func whoPlayed(t *testing.T, h *Harness, _ func() db.Store) {
	host, friend := h.NewGuest(t, "host"), h.NewGuest(t, "friend")
	l := h.NewLobby(t, host, room.NewLobby{Limit: 3, Bots: 1, Options: options(`{"teams":"coop","ticksPerSecond":40}`)})
	_, err := h.Room.Join(ctx, Home, friend, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.ready(l.ID, friend)
	must(t, err)
	l, err = h.Service.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "last-team", Ticks: 2400, Winners: []gridTeam{0}}))
	for _, a := range []model.Account{host, friend} {
		rows, err := h.Account.History(ctx, a.ID, 0)
		must(t, err)
		if len(rows) != 1 || rows[0].Length != time.Minute || rows[0].Map != "Ring" {
			t.Fatalf("the history is %+v", rows)
		}
		var got []string
		for _, p := range rows[0].Players {
			got = append(got, p.Name+string(rune('0'+p.Team)))
		}
		if want := []string{host.Name + "0", "Bot B1", friend.Name + "0"}; !slices.Equal(got, want) {
			t.Errorf("there played %v, want %v", got, want)
		}
	}
}
