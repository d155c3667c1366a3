package match

import (
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// code returns the code of a refusal, "" for none.
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

// Who may sit in a broadcast, and whose seat is whose.
func TestSpectatorSeats(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	th := newSpectatorHarness(t, 1, Config{Registerer: registry}, time.Second, func(s *Spec) { s.Spectators = 2 })
	try := func(account string, eyes grid.Team, delay time.Duration) string {
		s := newSession(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats.all[0].session.by)
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

	if watch, all := gauge(t, registry, "spectators"), gauge(t, registry, "sessions"); watch != 2 || all != harnessSeats+2 {
		t.Errorf("%v of %v sessions are counted as watching", watch, all)
	}

	// Whoever comes again has the same seat, or another with other eyes.
	first := a.ses
	if err := a.enter(true); err != nil {
		t.Fatal(err)
	}
	if m := lastOf(t, first); m.Code != "replaced" {
		t.Errorf("the first connection was told %v", m)
	}
	second := a.ses
	a.seat.Eyes = 1
	if err := a.enter(false); err != nil {
		t.Fatal(err)
	}
	if m := lastOf(t, second); m.Code != "replaced" {
		t.Errorf("the second connection was told %v", m)
	}
	if n := th.m.watching(); n != 2 {
		t.Errorf("%d seats are taken by two", n)
	}

	// A seat whose holder is away goes to who comes, and else to nobody until
	// the time of grace is over.
	b.cut()
	th.step()
	if n := th.m.watching(); n != 2 {
		t.Errorf("%d seats are taken while one of two is away", n)
	}
	c := th.sit("c", grid.NoTeam, time.Second, true)
	th.step()
	if n := th.m.watching(); n != 2 {
		t.Errorf("%d seats are taken by two", n)
	}
	if err := b.enter(true); code(t, err) != "no_seat" {
		t.Errorf("b, whose seat is c's: %v", err)
	}
	c.cut()
	th.step()
	th.m.host.clock.(*Manual).now = th.m.host.now().Add(2 * time.Minute)
	th.step()
	if n := th.m.watching(); n != 1 {
		t.Errorf("%d seats are taken after the time of grace", n)
	}

	// Kicked, it does not come back; disconnected, it does.
	a.closing = nil
	th.m.endSeats("a", Ending{Why: link.Refusal{Code: "banned_address", Text: "from there"}})
	if m := lastOf(t, a.ses); m.Code != "banned_address" {
		t.Errorf("disconnected with %v", m)
	}
	if err := a.enter(true); err != nil {
		t.Fatal(err)
	}
	th.m.endSeats("a", Ending{ForGood: true, Why: link.Refusal{Code: "kicked", Text: "enough"}})
	if m := lastOf(t, a.ses); m.Code != "kicked" {
		t.Errorf("kicked with %v", m)
	}
	if err := a.enter(true); code(t, err) != "kicked" {
		t.Errorf("after the kick: %v", err)
	}
	if watch, all := gauge(t, registry, "spectators"), gauge(t, registry, "sessions"); watch != 0 || all != harnessSeats {
		t.Errorf("%v of %v sessions are counted as watching when nobody does", watch, all)
	}
}

// gauge returns what a gauge of the matches stands at.
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

// lastOf empties the outbox of a session that has ended and returns its reason.
func lastOf(t *testing.T, s *session) *pb.Closing {
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

// A match without seats for spectators keeps nothing for them and lets none in.
func TestNoSpectators(t *testing.T) {
	th := newSpectatorHarness(t, 1, Config{}, 0, func(s *Spec) { s.Spectators = 0 })
	s := newSession(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats.all[0].session.by)
	if got := code(t, th.m.join(s, Seat{Match: matchID, Spectator: true, Account: "x", Delay: time.Second})); got != "no_seat" {
		t.Errorf("let in: %q", got)
	}
	for range 30 {
		th.step()
	}
	if r := th.m.replay; r.Bytes() != 0 || r.Checkpoints() != 0 {
		t.Errorf("%d bytes are kept", r.Bytes())
	}
}

// Who comes when the match has long begun sees it at once, as late as it has to
// be, and not from its start.
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

// What is kept for spectators is bounded. Who watches late when it is cut waits,
// and is shown the match again from a snapshot on, never too early.
func TestReplayBufferIsBounded(t *testing.T) {
	const late, most = 3 * time.Second, 200 << 10
	th := newSpectatorHarness(t, 3, Config{ReplayBufferBytes: most}, late, nil)
	th.script = func(now grid.Tick, slot int, f *pb.ClientFrame) {
		if now > 100 && now < 200 { // a flood
			for _, o := range f.Orders { // of orders that are taken, what they name is kept
				for len(o.Units) < min(2000, 12_000/4/len(f.Orders)) {
					o.Units = append(o.Units, 1<<24)
				}
			}
		}
	}
	g := th.sit("all", grid.NoTeam, late, true)
	g.onFrame = func(now grid.Tick, _ *wire.ServerFrame) {
		if g.Tick()+ticksOf(late) != now {
			t.Fatalf("tick %d is shown at %d", g.Tick(), now)
		}
	}
	cuts, waits := 0, 0
	for range 600 {
		had := th.m.replay.Checkpoints()
		th.step()
		if r := th.m.replay; r.Bytes() > most+64<<10 {
			t.Fatalf("tick %d: %d bytes are kept", th.now(), r.Bytes())
		} else if had > 0 && r.Checkpoints() == 0 {
			cuts, waits = cuts+1, g.waits
		}
	}
	if cuts == 0 || g.snapshots < 2 || g.waits == waits || g.wrong != 0 {
		t.Errorf("cut %d times, %d snapshots, %d waits and %d at the cut, %d times at odds about the fog", cuts, g.snapshots, g.waits, waits, g.wrong)
	}
	if g.Tick()+ticksOf(late) != th.now() {
		t.Errorf("at the end it is shown tick %d at %d", g.Tick(), th.now())
	}
}

// A broadcast whose world is not what the match was is closed. The match goes on,
// and so does another broadcast.
func TestBroadcastThatDivergesIsClosed(t *testing.T) {
	th := newSpectatorHarness(t, 4, Config{}, 2*time.Second, nil)
	late := th.sit("late", grid.NoTeam, 2*time.Second, true)
	live := th.sit("live", grid.NoTeam, 0, true)
	for range 100 {
		th.step()
	}
	for i := range th.m.replay.Steps {
		if rec := th.m.replay.Steps[i].Record; rec != nil {
			rec[len(rec)-1] ^= 1 // of the hash, where it has one
		}
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
