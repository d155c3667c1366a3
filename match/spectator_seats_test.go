package match

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// code returns the code of a refusal, "" without one.
func code(t *testing.T, err error) string {
	t.Helper()
	var no *link.Refusal
	if err != nil && !errors.As(err, &no) {
		t.Fatal(err)
	}
	if no == nil {
		return ""
	}
	return no.Code
}

// Seats of a broadcast: their limits and their owners.
func TestSpectatorSeats(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	th := newSpectatorHarness(t, 1, Config{Registerer: registry}, time.Second, func(s *Spec) { s.Spectators = 2 })
	try := func(account string, eyes grid.Team, delay time.Duration) string {
		s := newConnection(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats.all[0].conn.by)
		return code(t, th.m.join(s, Seat{Match: matchID, Slot: grid.NoSlot, Account: account, Spectator: true, Eyes: eyes, Delay: delay}))
	}
	a := th.sit("a", grid.NoTeam, time.Second, true)
	b := th.sit("b", 2, 0, true)
	th.step()
	if w := a.Welcome; !w.Spectator || w.Team != 255 || w.Slot != 255 || w.DelayTicks != 20 || w.Resume == "" {
		t.Errorf("a is welcomed as %v", w)
	}
	if w := b.Welcome; !w.Spectator || w.Team != 2 || w.Slot != 255 || w.DelayTicks != 0 {
		t.Errorf("b is welcomed as %v", w)
	}
	for _, c := range []struct {
		what    string
		account string
		eyes    grid.Team
		delay   time.Duration
		want    string
	}{
		{"a third of two", "c", grid.NoTeam, time.Second, "no_seat"},
		{"the eyes of a team that there is not", "a", 3, time.Second, "no_seat"},
		{"a delay beyond the longest", "a", grid.NoTeam, spec.SpectatorDelayMax + 1, "no_seat"},
		{"a delay before now", "a", grid.NoTeam, -1, "no_seat"},
	} {
		if got := try(c.account, c.eyes, c.delay); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if in := th.m.info.Load(); len(in.Spectators) != 2 || !in.Spectators[0].Connected || len(in.Seats) != harnessSeats {
		t.Errorf("listed as %+v", in.Spectators)
	}

	if watch, all := gauge(t, registry, "spectators"), gauge(t, registry, "clients"); watch != 2 || all != harnessSeats+2 {
		t.Errorf("%v of %v clients are counted as watching", watch, all)
	}

	// A returning account has the same seat, or another with other eyes.
	first := a.conn
	if err := a.enter(true); err != nil {
		t.Fatal(err)
	}
	if m := lastOf(t, first); m.Code != "replaced" {
		t.Errorf("the first connection was told %v", m)
	}
	second := a.conn
	a.seat.Eyes = 1
	if err := a.enter(false); err != nil {
		t.Fatal(err)
	}
	if m := lastOf(t, second); m.Code != "replaced" {
		t.Errorf("the second connection was told %v", m)
	}
	if n := th.m.spectators.count(); n != 2 {
		t.Errorf("%d seats are taken by two", n)
	}

	// A seat whose holder is away goes to the next newcomer, and otherwise stays until
	// the time of grace is over.
	b.cut()
	th.step()
	if n := th.m.spectators.count(); n != 2 {
		t.Errorf("%d seats are taken while one of two is away", n)
	}
	c := th.sit("c", grid.NoTeam, time.Second, true)
	th.step()
	if n := th.m.spectators.count(); n != 2 {
		t.Errorf("%d seats are taken by two", n)
	}
	if err := b.enter(true); code(t, err) != "no_seat" {
		t.Errorf("b, whose seat is c's: %v", err)
	}
	c.cut()
	th.step()
	th.step() // the match takes in the changes of its broadcast
	th.m.host.cfg.Clock.(*Manual).Advance(2 * time.Minute)
	th.step()
	if n := th.m.spectators.count(); n != 1 {
		t.Errorf("%d seats are taken after the time of grace", n)
	}

	// Kicked, it does not come back; disconnected, it does.
	a.closing = nil
	th.m.endSeats("a", Ending{Why: link.Refusal{Code: "banned_address", Text: "from there"}})
	if m := lastOf(t, a.conn); m.Code != "banned_address" {
		t.Errorf("disconnected with %v", m)
	}
	if err := a.enter(true); err != nil {
		t.Fatal(err)
	}
	th.m.endSeats("a", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "enough"}})
	if m := lastOf(t, a.conn); m.Code != "kicked" {
		t.Errorf("kicked with %v", m)
	}
	if err := a.enter(true); code(t, err) != "kicked" {
		t.Errorf("after the kick: %v", err)
	}
	if watch, all := gauge(t, registry, "spectators"), gauge(t, registry, "clients"); watch != 0 || all != harnessSeats {
		t.Errorf("%v of %v clients are counted as watching when nobody does", watch, all)
	}
}

// gauge returns the value of a gauge of the matches.
func gauge(t *testing.T, registry *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "fogkeep_match_"+name {
			return f.Metric[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("there is no gauge %s", name)
	return 0
}

// lastOf empties the outbox of a connection that has ended and returns its reason.
func lastOf(t *testing.T, s *connection) *pb.Closing {
	t.Helper()
	var dec wire.Decoder
	for b := range s.Out {
		f, err := dec.Decode(b)
		if err == nil && f.Closing != nil {
			return f.Closing
		}
	}
	return nil
}

// A match without seats for spectators keeps no state for them and refuses them.
func TestNoSpectators(t *testing.T) {
	th := newSpectatorHarness(t, 1, Config{}, 0, func(s *Spec) { s.Spectators = 0 })
	s := newConnection(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats.all[0].conn.by)
	if got := code(t, th.m.join(s, Seat{Match: matchID, Spectator: true, Account: "x", Delay: time.Second})); got != "no_seat" {
		t.Errorf("let in: %q", got)
	}
	for range 30 {
		th.step()
	}
	if len(th.m.spectators.broadcasts) != 0 {
		t.Errorf("%d broadcasts", len(th.m.spectators.broadcasts))
	}
}

// A spectator who comes when the match has long begun sees it at once, with the due
// delay, and not from its start.
func TestSpectatorComesInLate(t *testing.T) {
	const late = 5 * time.Second
	th := newSpectatorHarness(t, 2, Config{}, late, nil)
	for range 230 {
		th.step()
	}
	g := th.sit("late", grid.NoTeam, late, true)
	from := th.now()
	for g.frames == 0 && th.now() < from+40 {
		th.step()
	}
	if took := th.now() - from; took > 20 || g.Tick()+ticksOf(late) != th.now() || g.snapshots != 1 {
		t.Fatalf("after %d ticks it is shown tick %d at %d, in %d snapshots", took, g.Tick(), th.now(), g.snapshots)
	}
	// It breaks, and goes on where it was.
	for range 10 {
		th.step()
	}
	g.cut()
	for range 20 {
		th.step()
	}
	if err := g.enter(true); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		th.step()
	}
	if g.snapshots != 1 || g.wrong != 0 || g.Tick()+ticksOf(late) != th.now() {
		t.Errorf("after the break: %d snapshots, %d times at odds about the fog, tick %d at %d", g.snapshots, g.wrong, g.Tick(), th.now())
	}
}

// While live matches need the processor a late broadcast hardly goes on: its spectators
// get the word to wait, and can be let go. Then they see the match as late as before.
func TestLateSpectatorsMakeRoom(t *testing.T) {
	const late = 2 * time.Second
	var busy atomic.Bool
	th := newSpectatorHarness(t, 3, Config{}, late, nil)
	now := time.Unix(1000, 0)
	library := playback.New(playback.Config{Journals: th.log, Busy: busy.Load, Clock: func() time.Time { return now }})
	t.Cleanup(library.Close)
	th.m.host.cfg.Library = library
	g, other := th.sit("all", grid.NoTeam, late, true), th.sit("other", grid.NoTeam, late, true)
	for range 60 {
		th.step()
	}
	if g.Tick()+ticksOf(late) != th.now() {
		t.Fatalf("at tick %d it is shown tick %d", th.now(), g.Tick())
	}
	busy.Store(true)
	th.step()
	th.step() // to a beat
	at, waits := g.Tick(), g.waits
	for range 60 {
		th.step()
	}
	if g.Tick() != at || g.waits < waits+1 {
		t.Errorf("without time for it, it is shown tick %d after %d, and told to wait %d times", g.Tick(), at, g.waits-waits)
	}
	th.m.endSeats("other", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "enough"}})
	if c := lastOf(t, other.conn); c == nil || c.Code != "kicked" {
		t.Errorf("kicked meanwhile with %v", c)
	}
	clear(g.left) // its handles begin anew, with a snapshot
	for range 2 {
		now = now.Add(time.Second)
		th.step()
	}
	if at = g.Tick(); at+ticksOf(late) != th.now() {
		t.Errorf("at tick %d, with some time for it, it is shown tick %d", th.now(), at)
	}
	busy.Store(false)
	for range 10 {
		th.step()
	}
	if g.Tick()+ticksOf(late) != th.now() || g.snapshots != 2 || g.wrong != 0 || g.closing != nil {
		t.Errorf("at tick %d it is shown tick %d; %d snapshots, %d times at odds about the fog, closed with %v", th.now(), g.Tick(), g.snapshots, g.wrong, g.closing)
	}
}

// Late spectators have seats in the match: they take of the memory for replays, and are
// not refused when that is full.
func TestLateSpectatorsAreNotRefusedForMemory(t *testing.T) {
	const late = time.Second
	th := newSpectatorHarness(t, 3, Config{}, late, nil)
	library := playback.New(playback.Config{Journals: th.log, Ledger: quota.New(quota.Limits{{Resource: quota.ReplayBytes, Most: [5]int64{quota.Process: 1 << 20}}})})
	t.Cleanup(library.Close)
	th.m.host.cfg.Library = library
	g := th.sit("all", grid.NoTeam, late, true)
	for range 50 {
		th.step()
	}
	if g.Tick()+ticksOf(late) != th.now() || g.closing != nil || !library.Full() {
		t.Errorf("at tick %d it is shown tick %d, closed with %v; full %v", th.now(), g.Tick(), g.closing, library.Full())
	}
	th.m.endSeats("all", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "enough"}})
	th.step()
	if len(th.m.spectators.broadcasts) != 0 {
		t.Errorf("%d broadcasts are left", len(th.m.spectators.broadcasts))
	}
}

// A broadcast whose world differs from the match's is closed. The match goes on, and so
// does another broadcast.
func TestBroadcastThatDivergesIsClosed(t *testing.T) {
	th := newSpectatorHarness(t, 4, Config{}, 2*time.Second, nil)
	late := th.sit("late", grid.NoTeam, 2*time.Second, true)
	live := th.sit("live", grid.NoTeam, 0, true)
	for range 100 {
		th.step()
	}
	for _, rec := range th.log.records {
		rec[len(rec)-1] ^= 1 // of the hash, where it has one
	}
	for range 45 {
		th.step()
	}
	if late.closing == nil || late.closing.Code != "unwatchable" || !late.closing.Retry {
		t.Errorf("closed with %v", late.closing)
	}
	if live.closing != nil || live.Tick() != th.now()-th.now()%2 {
		t.Errorf("the other broadcast: closed with %v, at %d of %d", live.closing, live.Tick(), th.now())
	}
}
