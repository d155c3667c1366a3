package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/shared"
)

type gridTeam = grid.Team

// playing makes a lobby whose match runs against a bot.
func (h *Harness) playing(t testing.TB, a model.Account) *model.Lobby {
	t.Helper()
	l, err := h.Room.PlayBot(ctx, Home, a, model.BotMatchRequest{})
	must(t, err)
	if l.State != model.Playing {
		t.Fatalf("play bot: %s", l.State)
	}
	return l
}

func tickets(t *testing.T, h *Harness, _ func() db.Store) {
	known, _, err := h.Account.Register(ctx, Home, "known", "", "analytical engine")
	must(t, err)
	ticket, _, err := h.Play.Login(ctx, Home, known, h.playing(t, known).ID, 0)
	must(t, err)
	seat, err := h.Play.Redeem(ctx, ticket, netip.Addr{})
	if must(t, err); !seat.Known {
		t.Fatalf("a registered account's seat is %+v", seat)
	}
	sided, err := h.Room.PlayBot(ctx, Home, h.NewGuest(t, "sided"), model.BotMatchRequest{Ruleset: "sides", Faction: "south"})
	must(t, err)
	stored, err := h.Play.Lobby(ctx, sided.ID)
	must(t, err)
	if spec, _ := h.Fakes.Spec(sided.Match); stored.Seats[0].Faction != "south" || stored.Seats[1].Faction != "" || spec.Participants[0].Faction != "south" || spec.Participants[1].Faction == "" {
		t.Fatalf("the seats %+v play as %+v", stored.Seats, spec.Participants)
	}
	h.Robot.Tickets, h.Robot.Levels = nil, nil
	a := h.NewGuest(t, "player")
	l := h.playing(t, a)
	if len(h.Robot.Tickets) != 1 {
		t.Fatalf("%d tickets for one bot", len(h.Robot.Tickets))
	}
	if h.Robot.Levels[0] != model.MediumBot {
		t.Fatalf("a bot of no level plays as %q", h.Robot.Levels[0])
	}
	bot, err := h.Play.Redeem(ctx, h.Robot.Tickets[0], netip.Addr{})
	must(t, err)
	if !bot.Bot || bot.Start != 1 || bot.Team != 1 {
		t.Fatalf("bot's seat %+v", bot)
	}
	token, match, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	seat, err = h.Play.Redeem(ctx, token, netip.Addr{})
	must(t, err)
	if seat.Account != a.ID || seat.Match != match || seat.Start != 0 || seat.Bot || seat.Spectator || seat.Known == a.Guest {
		t.Fatalf("seat %+v of a guest: %v", seat, a.Guest)
	}
	_, err = h.Play.Redeem(ctx, token, netip.Addr{})
	want(t, err, model.TicketUsed)
	_, err = h.Play.Redeem(ctx, model.NewSecret(), netip.Addr{})
	want(t, err, model.BadTicket)
	_, err = h.Play.Redeem(ctx, "short", netip.Addr{})
	want(t, err, model.BadTicket)
	elsewhere, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	h.Fakes.Lose(match)
	_, err = h.Play.Redeem(ctx, elsewhere, netip.Addr{})
	want(t, err, model.RunsElsewhere)
	if e := (*play.Elsewhere)(nil); !errors.As(err, &e) || e.Match != match || e.Node != "local" {
		t.Fatalf("a ticket of a match that does not run here: %#v", err)
	}
	_, err = h.Fakes.Start(ctx, model.Spec{Match: match})
	must(t, err)
	_, err = h.Play.Redeem(ctx, elsewhere, netip.Addr{}) // it was not used up
	must(t, err)
	late, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	h.Step(admission.TicketLife)
	_, err = h.Play.Redeem(ctx, late, netip.Addr{})
	want(t, err, model.TicketLate)
	_, _, err = h.Play.Login(ctx, Home, h.NewGuest(t, "stranger"), l.ID, 0)
	want(t, err, model.NotSeated)
	watcher := h.NewGuest(t, "watcher")
	_, err = h.Room.Join(ctx, Home, watcher, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	_, err = h.Room.Join(ctx, Home, watcher, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	token, _, err = h.Play.Login(ctx, Home, watcher, l.ID, 0)
	must(t, err)
	if seat, err = h.Play.Redeem(ctx, token, netip.Addr{}); err != nil || !seat.Spectator || seat.Delay != time.Minute {
		t.Fatalf("spectator's seat %+v, %v", seat, err)
	}
	over, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: match, Reason: "surrender", Winners: []gridTeam{1}}))
	_, err = h.Play.Redeem(ctx, over, netip.Addr{})
	want(t, err, model.MatchOver)
	_, _, err = h.Play.Login(ctx, Home, a, l.ID, 0)
	want(t, err, model.WrongState)
}

func racingRedeems(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "player")
	l := h.playing(t, a)
	token, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	var in atomic.Int32
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, err := h.Play.Redeem(ctx, token, netip.Addr{})
			switch {
			case err == nil:
				in.Add(1)
			case !errors.Is(err, model.TicketUsed):
				t.Errorf("redeem: %v", err)
			}
		})
	}
	wg.Wait()
	if in.Load() != 1 {
		t.Fatalf("one ticket let %d in", in.Load())
	}
}

// eventsInOrder: lines said at once come without gap or repetition, however a
// reader stops and resumes.
func eventsInOrder(t *testing.T, h *Harness, _ func() db.Store) {
	host := h.NewGuest(t, "host")
	l := h.NewLobby(t, host, room.NewLobby{})
	first, err := h.Hub.Updates(ctx, l.ID, host.ID, 0)
	must(t, err)
	if first.Lobby == nil || first.Seq != l.Seq {
		t.Fatalf("first update %+v", first)
	}
	var wg sync.WaitGroup
	for i := range 25 {
		wg.Go(func() { must(t, h.Room.Chat(ctx, l.ID, host.ID, fmt.Sprintf("line %d", i))) })
	}
	wg.Wait()
	seq, lines := first.Seq, map[string]bool{}
	for n := 0; ; n++ {
		u, err := h.Hub.Updates(ctx, l.ID, host.ID, seq)
		must(t, err)
		if u.Seq == seq {
			break
		}
		for _, e := range u.Events {
			if e.Seq != seq+1 {
				t.Fatalf("event %d follows %d", e.Seq, seq)
			}
			seq = e.Seq
			var line model.ChatLine
			must(t, json.Unmarshal(e.Body, &line))
			lines[line.Text] = true
			if n%2 == 0 && e.Seq%7 == 0 {
				break // the stream breaks here; resume after this one
			}
		}
	}
	if len(lines) != 25 {
		t.Fatalf("%d of 25 lines", len(lines))
	}
	for i := range 5 {
		err = h.Room.Chat(ctx, l.ID, host.ID, fmt.Sprint("more ", i))
	}
	must(t, err)
	want(t, h.Room.Chat(ctx, l.ID, host.ID, "one too many"), model.Throttled)
	want(t, h.Room.Chat(ctx, l.ID, host.ID, "bell\a"), model.BadText)
	_, err = h.Hub.Updates(ctx, l.ID, h.NewGuest(t, "stranger").ID, 0)
	want(t, err, model.NotSeated)
}

func restart(t *testing.T, h *Harness, again func() db.Store) {
	a, token, err := h.Account.Register(ctx, Home, "Linus", "", "just for fun 91")
	must(t, err)
	l := h.playing(t, a)
	must(t, h.Store.Close())
	h2 := NewHarness(again())
	_, err = h2.Fakes.Start(ctx, model.Spec{Match: l.Match}) // the match service has recovered it
	must(t, err)
	s, err := h2.Account.Session(ctx, Home, token)
	must(t, err)
	_, _, in, err := h2.Account.Me(ctx, s.Account.ID)
	must(t, err)
	if in != l.ID {
		t.Fatalf("sits in %q after the restart", in)
	}
	ticket, match, err := h2.Play.Login(ctx, Home, s.Account, l.ID, 0)
	must(t, err)
	if _, err = h2.Play.Redeem(ctx, ticket, netip.Addr{}); err != nil || match != l.Match {
		t.Fatalf("redeem after restart: %v", err)
	}
	must(t, h2.Play.MatchEnded(ctx, model.Result{Match: match, Reason: "victory", Winners: []gridTeam{0}}))
	u, err := h2.Hub.Updates(ctx, l.ID, a.ID, l.Seq)
	must(t, err)
	if u.Lobby == nil || u.Lobby.State != model.Ended {
		t.Fatalf("resumed stream: %+v", u)
	}
}

// twoProcesses: what one process does wakes the watchers of the other, and
// both see one order.
func twoProcesses(t *testing.T, h *Harness, again func() db.Store) {
	other := NewHarness(again())
	host, guest := h.NewGuest(t, "host"), h.NewGuest(t, "guest")
	l := h.NewLobby(t, host, room.NewLobby{})
	run, stop := contextWithStop()
	done := make(chan struct{})
	go func() { defer close(done); _ = other.Run(run) }()
	watch, _, err := other.Hub.Watch(ctx, l.ID, host.ID, 0)
	must(t, err)
	if _, err := h.Room.Join(ctx, Home, guest, l.ID, room.JoinRequest{}); err != nil {
		t.Error(err)
	}
	if u, err := watch.Next(ctx, 10*time.Second); err != nil || u.Lobby == nil || u.Lobby.SeatOf(guest.ID) < 0 {
		t.Errorf("the other process is told %+v, %v", u, err)
	}
	watch.Close()
	stop()
	<-done
	u, err := other.Hub.Updates(ctx, l.ID, guest.ID, 1)
	must(t, err)
	if u.Lobby == nil || u.Lobby.SeatOf(guest.ID) < 0 {
		t.Fatalf("other process sees %+v", u)
	}
	must(t, other.Store.Close())
}

func countdown(t *testing.T, h *Harness, again func() db.Store) {
	host := h.NewGuest(t, "host")
	l := h.NewLobby(t, host, room.NewLobby{Options: map[string]any{"countdownSeconds": json.RawMessage("5")}})
	_, err := h.Room.AddBot(ctx, l.ID, host.ID, "", nil)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	if l.State != model.Starting || l.Match != "" {
		t.Fatalf("countdown: %s", l.State)
	}
	_, err = h.Room.Cancel(ctx, l.ID, host.ID)
	must(t, err)
	_, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	// The process stops in the countdown; the next one goes on with it.
	must(t, h.Store.Close())
	h2 := NewHarness(again())
	h2.Step(4 * time.Second)
	h2.Tick(t)
	if l, err = h2.Play.Lobby(ctx, l.ID); err != nil || l.State != model.Starting {
		t.Fatalf("before the end of the countdown: %v %v", l, err)
	}
	h2.Step(time.Second)
	h2.Tick(t)
	if l, err = h2.Play.Lobby(ctx, l.ID); err != nil || l.State != model.Playing {
		t.Fatalf("after the countdown: %+v %v", l, err)
	}
}

// hangingStart: the process dies between storing the spec and hearing of the match. The
// janitor starts the match; if its people have left meanwhile, the match ends.
func hangingStart(t *testing.T, h *Harness, _ func() db.Store) {
	begun := func(host model.Account, id model.MatchID) *model.Lobby {
		l := h.NewLobby(t, host, room.NewLobby{})
		_, err := h.Room.AddBot(ctx, l.ID, host.ID, "", nil)
		must(t, err)
		now := h.Now()
		must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
			l, err := tx.Lobbies.Lock(l.ID)
			if err != nil {
				return err
			}
			if err := l.Begin(host.ID, now); err != nil {
				return err
			}
			spec, err := l.Launch(id, 7, now, 20*time.Second)
			if err != nil {
				return err
			}
			if err := tx.Matches.Add(model.Match{ID: spec.Match, Lobby: l.ID, Node: "local", Spec: spec, State: model.MatchStarting, Started: now}); err != nil {
				return err
			}
			return tx.Lobbies.Save(l)
		}))
		return l
	}
	l := begun(h.NewGuest(t, "host"), "01900000-0000-7000-8000-000000000001")
	h.Step(21 * time.Second)
	h.Tick(t)
	l, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.State != model.Playing {
		t.Fatalf("lobby is %s", l.State)
	}
	if _, ok := h.Fakes.Spec(l.Match); !ok {
		t.Fatal("the match was not started")
	}

	host, left := h.NewGuest(t, "other"), model.MatchID("01900000-0000-7000-8000-000000000002")
	l = begun(host, left)
	_, err = h.Room.Leave(ctx, l.ID, host.ID)
	must(t, err)
	for range 5 {
		h.Tick(t)
		h.Step(time.Minute)
	}
	if m := h.match(t, left); m.State != model.MatchFailed || m.Result.Reason != "lost" {
		t.Errorf("its people have left, and the match is %s", m.State)
	}
}

// lostMatch: a match is gone without a result; its lobby is freed in time, and
// a result that comes after all is taken.
func lostMatch(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "player")
	l := h.playing(t, a)
	h.Fakes.Lose(l.Match)
	h.Tick(t)
	h.Step(time.Minute)
	h.Tick(t)
	if l, _ = h.Play.Lobby(ctx, l.ID); l.State != model.Playing {
		t.Fatalf("given up after a minute: %s", l.State)
	}
	h.Step(2 * time.Minute)
	h.Tick(t)
	if l, _ = h.Play.Lobby(ctx, l.ID); l.State != model.Ended || l.Result.Reason != "lost" {
		t.Fatalf("lobby %s", l.State)
	}
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "victory", Winners: []gridTeam{0}}))
	_, record, _, err := h.Account.Me(ctx, a.ID)
	must(t, err)
	if record.Won != 1 {
		t.Fatalf("record %+v", record)
	}
}

// refusedAtSocket: the match turns a player away, and the seat is free again.
func refusedAtSocket(t *testing.T, h *Harness, _ func() db.Store) {
	a := h.NewGuest(t, "player")
	l := h.playing(t, a)
	token, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	seat, err := h.Play.Redeem(ctx, token, netip.Addr{})
	must(t, err)
	must(t, h.Play.Release(ctx, seat, false, "the match is full"))
	must(t, h.Play.Release(ctx, seat, false, "the match is full"))
	_, _, in, err := h.Account.Me(ctx, a.ID)
	if err != nil || in != "" {
		t.Fatalf("still sits in %q, %v", in, err)
	}
	other := h.NewLobby(t, a, room.NewLobby{})
	must(t, h.Play.Release(ctx, seat, false, "late")) // it sits elsewhere by now
	if _, _, in, _ = h.Account.Me(ctx, a.ID); in != other.ID {
		t.Fatalf("lost its new seat, sits in %q", in)
	}
}

// startAgainstJanitor: while janitors of two processes look for due starts, the host's
// start is the host's.
func startAgainstJanitor(t *testing.T, h *Harness, again func() db.Store) {
	other := NewHarness(again())
	run, stop := contextWithStop()
	var janitors sync.WaitGroup
	for _, server := range []*Harness{h, other} {
		janitors.Go(func() {
			for run.Err() == nil {
				if err := server.RunRound(ctx, 0); err != nil {
					t.Errorf("keep: %v", err)
				}
			}
		})
	}
	for i := range 10 {
		host := h.NewGuest(t, fmt.Sprintf("host %d", i))
		l := h.NewLobby(t, host, room.NewLobby{Map: "ford"})
		if _, err := h.Room.AddBot(ctx, l.ID, host.ID, "", nil); err != nil {
			t.Errorf("bot: %v", err)
		}
		if l, err := h.Room.Start(ctx, l.ID, host.ID); err != nil || l.State != model.Playing {
			t.Errorf("start: %+v %v", l, err)
		}
	}
	stop()
	janitors.Wait()
	if n := len(h.Fakes.Live()); n != 10 || len(other.Fakes.Live()) != 0 {
		t.Errorf("%d and %d matches for 10 starts", n, len(other.Fakes.Live()))
	}
	must(t, other.Store.Close())
}

// lostAtStart: a match that the match service has not recovered frees its
// players soon after the start.
func lostAtStart(t *testing.T, h *Harness, again func() db.Store) {
	a := h.NewGuest(t, "player")
	l := h.playing(t, a)
	must(t, h.Store.Close())
	h2 := NewHarness(again()) // knows of no match
	run, stop := contextWithStop()
	done := make(chan struct{})
	go func() { defer close(done); _ = h2.Run(run) }()
	eventually.Holds(t, "the janitor has looked", h2.looked)
	stop()
	<-done
	h2.Step(25 * time.Second)
	h2.Tick(t)
	if l, err := h2.Play.Lobby(ctx, l.ID); err != nil || l.State != model.Ended || l.Result.Reason != "lost" {
		t.Fatalf("25 seconds after the start: %+v %v", l, err)
	}
}

func kickedStaysOut(t *testing.T, h *Harness, _ func() db.Store) {
	host, pest := h.NewGuest(t, "host"), h.NewGuest(t, "pest")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, pest, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.Kick(ctx, l.ID, pest.ID, 0) // a player without the right to kick shuts no player out
	want(t, err, model.NotHost)
	_, err = h.Room.Kick(ctx, l.ID, host.ID, 1)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, pest, l.ID, room.JoinRequest{})
	want(t, err, model.KickedOut)
	_, err = h.Room.Join(ctx, Home, h.NewGuest(t, "other"), l.ID, room.JoinRequest{})
	must(t, err)
	h.Step(11 * time.Minute)
	_, err = h.Room.Join(ctx, Home, pest, l.ID, room.JoinRequest{})
	must(t, err)
}

// recoverable: a match goes on after a restart as long as the store waits for
// its result, and only in the process that it belongs to, unless all share journals.
func recoverable(t *testing.T, h *Harness, _ func() db.Store) {
	l := h.playing(t, h.NewGuest(t, "player"))
	shared := false
	expect := func(id model.MatchID, waits, ours bool) {
		t.Helper()
		if w, o, err := h.Play.Recoverable(ctx, id, shared); err != nil || w != waits || o != ours {
			t.Errorf("waits %v, ours %v, %v; want %v and %v", w, o, err, waits, ours)
		}
	}
	match := l.Match
	expect(match, true, true)
	expect("0190f000-0000-7000-8000-00000000dead", false, false)
	h.Node = "another"
	expect(match, false, false)
	shared = true
	expect(match, true, true)
	expect("0190f000-0000-7000-8000-00000000dead", false, false)
	h.Node, shared = "local", false
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: match, Failed: true, Reason: "lost"}))
	expect(match, false, true)
}

// otherBuild: a match that only another build can continue is kept for a time, across any
// number of server starts, and no player gets a ticket for it.
func otherBuild(t *testing.T, h *Harness, again func() db.Store) {
	a, b, watcher := h.NewGuest(t, "player"), h.NewGuest(t, "second"), h.NewGuest(t, "watcher")
	l := h.staged(t, a, b, watcher, model.ReplaysParticipants)
	h.Fakes.Lose(l.Match)
	h.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereWaits, Why: "build 1 began it"}
	_, _, err := h.Play.Login(ctx, Home, a, l.ID, 0) // before the janitor has looked
	want(t, err, model.MatchWaits)
	h.Tick(t)
	l, err = h.Play.Lobby(ctx, l.ID)
	if must(t, err); l.State != model.Playing || l.Waiting == nil || l.Waiting.Why != "build 1 began it" || !l.Waiting.Until.Equal(h.Now().Add(time.Hour)) {
		t.Fatalf("the lobby is %s, %+v", l.State, l.Waiting)
	}
	until := l.Waiting.Until
	h.Step(50 * time.Minute)
	must(t, h.Store.Close())
	h2 := NewHarness(again()) // on a server that does not know it, and does not give it up either
	h2.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereUnknown}
	h2.Step(h.Now().Sub(h2.Now()))
	_, _, err = h2.Play.Login(ctx, Home, a, l.ID, 0)
	want(t, err, model.MatchWaits)
	if text := model.AsError(err).Text(); !strings.Contains(text, "build 1 began it") || !strings.Contains(text, until.UTC().Format("15:04 UTC")) {
		t.Errorf("the refusal says %q", text)
	}
	_, err = h2.Replay.ReplayTicket(ctx, Home, watcher.ID, l.Match, "", 0)
	want(t, err, model.MatchWaits)
	// A server comes that can continue it.
	_, err = h2.Fakes.Start(ctx, model.Spec{Match: l.Match})
	must(t, err)
	must(t, h2.Play.TookOver(ctx, l.Match))
	h2.Tick(t)
	if l, err = h2.Play.Lobby(ctx, l.ID); err != nil || l.Waiting != nil || l.State != model.Playing {
		t.Fatalf("with a server of its build: %+v, %v", l.Waiting, err)
	}
	_, _, err = h2.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	// That server goes again, and no other comes: the time is counted anew, since the
	// match ran in between.
	h2.Fakes.Lose(l.Match)
	h2.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereWaits, Why: "build 1 began it"}
	h2.Tick(t)
	h2.Step(59 * time.Minute)
	h2.Tick(t)
	if m := h2.match(t, l.Match); m.State != model.MatchLive {
		t.Fatalf("given up before its time: %+v", m)
	}
	h2.Step(time.Minute)
	h2.Tick(t)
	if m := h2.match(t, l.Match); m.State != model.MatchFailed || m.Result.Reason != "other-version" || !slices.Equal(h2.Fakes.Aborted, []model.MatchID{l.Match}) {
		t.Fatalf("after its time: %+v, its journal is ended: %v", m, h2.Fakes.Aborted)
	}
	if l, err = h2.Play.Lobby(ctx, l.ID); err != nil || l.State != model.Ended || l.Waiting != nil || l.Result.Reason != "other-version" {
		t.Fatalf("the lobby says %+v, %v", l, err)
	}
}

// eventsSinceSeated: a stream tells what happened since its account sat down, and only
// a removed player gets the notice and the reason.
func eventsSinceSeated(t *testing.T, h *Harness, _ func() db.Store) {
	host, rogue, stranger, late := h.NewGuest(t, "host"), h.NewGuest(t, "rogue"), h.NewGuest(t, "stranger"), h.NewGuest(t, "late")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, rogue, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "before"))
	must(t, h.admin().Kick(ctx, "rogue", "rude"))
	_, err = h.Hub.Updates(ctx, l.ID, stranger.ID, 1)
	want(t, err, model.NotSeated)
	kinds := func(a model.Account, after int64) (text string, gone bool) {
		u, err := h.Hub.Updates(ctx, l.ID, a.ID, after)
		must(t, err)
		for _, e := range u.Events {
			text += string(e.Kind) + " "
			var line model.ChatLine
			if e.Kind == model.ChatEvent {
				must(t, json.Unmarshal(e.Body, &line))
				text += line.Text + " "
			}
		}
		return text, u.Gone
	}
	if text, gone := kinds(rogue, 1); text != "kicked " || !gone {
		t.Errorf("the one who was removed is told %q, gone %t", text, gone)
	}
	if text, _ := kinds(host, 1); text != "chat before " {
		t.Errorf("the host is told %q", text)
	}
	_, err = h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "after"))
	u, err := h.Hub.Updates(ctx, l.ID, late.ID, 1)
	must(t, err)
	if u.Lobby == nil || u.Gone {
		t.Errorf("who comes late is told %+v", u)
	}
	if text, _ := kinds(late, 1); text != "chat after " {
		t.Errorf("who comes late is told %q", text)
	}
	// A player who changes the seat's team stays, and one that leaves and comes again
	// is new.
	two := 2
	_, err = h.Room.ChangeSeat(ctx, l.ID, late.ID, model.SeatChange{Team: &two})
	must(t, err)
	if text, _ := kinds(late, 1); text != "chat after " {
		t.Errorf("after a change of team it is told %q", text)
	}
	_, err = h.Room.Leave(ctx, l.ID, late.ID)
	must(t, err)
	must(t, h.Room.Chat(ctx, l.ID, host.ID, "meanwhile"))
	_, err = h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
	must(t, err)
	if text, _ := kinds(late, 1); text != "" {
		t.Errorf("who came again is told %q", text)
	}
}

// readyToVersion: each change of the match takes back the players' ready, and a late
// ready to an old version is refused.
func readyToVersion(t *testing.T, h *Harness, again func() db.Store) {
	host, other := h.NewGuest(t, "host"), h.NewGuest(t, "other")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ring", Options: options(`{"seed":"42"}`)})
	_, err := h.Room.Join(ctx, Home, other, l.ID, room.JoinRequest{})
	must(t, err)
	set := func(s room.LobbyChange) func() error {
		return func() error { _, err := h.Room.Configure(ctx, Home, l.ID, host.ID, s); return err }
	}
	small, limit, team, bot := "ford", 3, 5, -1
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"spectators' delay", set(room.LobbyChange{Options: options(`{"spectatorDelay":0}`)})},
		{"seed", set(room.LobbyChange{Options: options(`{"seed":"43"}`)})},
		{"limit", set(room.LobbyChange{Limit: &limit})},
		{"a bot", func() error {
			now, err := h.Room.AddBot(ctx, l.ID, host.ID, "", nil)
			bot = 2
			_ = now
			return err
		}},
		{"no bot", func() error { _, err := h.Room.Kick(ctx, l.ID, host.ID, bot); return err }},
		{"the host's team", func() error {
			_, err := h.Room.ChangeSeat(ctx, l.ID, host.ID, model.SeatChange{Team: &team})
			return err
		}},
		{"map", set(room.LobbyChange{Map: &small})},
	} {
		before, err := h.ready(l.ID, other)
		must(t, err)
		if !before.Seats[1].Ready {
			t.Fatalf("%s: not ready before", c.name)
		}
		must(t, c.do())
		after, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		if after.Seats[1].Ready || after.SettingsVersion <= before.SettingsVersion {
			t.Errorf("%s: ready %t, version %d after %d", c.name, after.Seats[1].Ready, after.SettingsVersion, before.SettingsVersion)
		}
		yes := true
		_, err = h.Room.ChangeSeat(ctx, l.ID, other.ID, model.SeatChange{Ready: &yes, SettingsVersion: &before.SettingsVersion})
		want(t, err, model.SettingsChanged)
		_, err = h.Room.Start(ctx, l.ID, host.ID)
		want(t, err, model.NotReady)
	}
	// Colours do not matter, and a second process has the same version.
	now, err := h.ready(l.ID, other)
	must(t, err)
	color := 7
	_, err = h.Room.ChangeSeat(ctx, l.ID, host.ID, model.SeatChange{Color: &color})
	must(t, err)
	h2 := NewHarness(again())
	same, err := h2.Play.Lobby(ctx, l.ID)
	must(t, err)
	if !same.Seats[1].Ready || same.SettingsVersion != now.SettingsVersion {
		t.Errorf("after a colour: ready %t, version %d, want %d", same.Seats[1].Ready, same.SettingsVersion, now.SettingsVersion)
	}
	must(t, h2.Store.Close())
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	if spec, _ := h.Fakes.Spec(l.Match); spec.Seed != 43 {
		t.Errorf("seed %d, fixed to 43", spec.Seed)
	}
}
