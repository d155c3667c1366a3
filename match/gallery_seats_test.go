package match

import (
	"errors"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// code returns the code of a refusal, "" for none.
func code(t *testing.T, err error) string {
	t.Helper()
	var no *Refusal
	if err != nil && !errors.As(err, &no) {
		t.Fatal(err)
	}
	if no == nil {
		return ""
	}
	return no.Code
}

// Who may sit in a gallery, and whose seat is whose.
func TestGallerySeats(t *testing.T) {
	th := newTheatre(t, 1, Config{}, time.Second, func(s *Spec) { s.Spectators = 2 })
	try := func(account string, eyes grid.Team, delay time.Duration) string {
		s := newSession(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats[0].session.from)
		return code(t, th.m.join(s, Seat{Match: matchID, Slot: grid.NoSlot, Account: account, Spectator: true, Eyes: eyes, Delay: delay}))
	}
	a := th.sit("a", grid.NoTeam, time.Second, true)
	b := th.sit("b", 2, 0, true)
	th.step()
	if w := a.welcome; !w.Spectator || w.Team != 255 || w.Slot != 255 || w.DelayTicks != 20 || w.Resume == "" {
		t.Errorf("a is welcomed as %v", w)
	}
	if w := b.welcome; !w.Spectator || w.Team != 2 || w.Slot != 255 || w.DelayTicks != 0 {
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
		{"a delay beyond the longest", "a", grid.NoTeam, spectatorDelayMax + 1, "no_seat"},
		{"a delay before now", "a", grid.NoTeam, -1, "no_seat"},
	} {
		if got := try(c.account, c.eyes, c.delay); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if in := th.m.info.Load(); len(in.Spectators) != 2 || !in.Spectators[0].Connected || len(in.Seats) != theatreSeats {
		t.Errorf("listed as %+v", in.Spectators)
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
	th.m.service.cfg.Clock.(*Manual).now = th.m.service.cfg.Clock.Now().Add(2 * time.Minute)
	th.step()
	if n := th.m.watching(); n != 1 {
		t.Errorf("%d seats are taken after the time of grace", n)
	}

	// Kicked, it does not come back; disconnected, it does.
	a.closing = nil
	th.m.disconnect("a", Refusal{"banned", "from there"})
	if m := lastOf(t, a.ses); m.Code != "banned" {
		t.Errorf("disconnected with %v", m)
	}
	if err := a.enter(true); err != nil {
		t.Fatal(err)
	}
	th.m.kick("a", "enough")
	if m := lastOf(t, a.ses); m.Code != "kicked" {
		t.Errorf("kicked with %v", m)
	}
	if err := a.enter(true); code(t, err) != "kicked" {
		t.Errorf("after the kick: %v", err)
	}
}

// lastOf empties the outbox of a session that has ended and returns its reason.
func lastOf(t *testing.T, s *session) *pb.Closing {
	t.Helper()
	var dec wire.Decoder
	for b := range s.out {
		f, err := dec.Decode(b)
		if err == nil && f.Closing != nil {
			return f.Closing
		}
	}
	return nil
}

// A match without seats for spectators keeps nothing for them and lets none in.
func TestNoSpectators(t *testing.T) {
	th := newTheatre(t, 1, Config{}, 0, func(s *Spec) { s.Spectators = 0 })
	s := newSession(nil, wire.ClientFrame{Hello: &wire.Hello{}}, th.m.seats[0].session.from)
	if got := code(t, th.m.join(s, Seat{Match: matchID, Spectator: true, Account: "x", Delay: time.Second})); got != "no_seat" {
		t.Errorf("let in: %q", got)
	}
	for range 30 {
		th.step()
	}
	if r := &th.m.reel; r.bytes != 0 || len(r.saves) != 0 {
		t.Errorf("%d bytes are kept", r.bytes)
	}
}

// Who comes when the match has long begun sees it at once, as late as it has to
// be, and not from its start.
func TestSpectatorComesInLate(t *testing.T) {
	const late = 5 * time.Second
	th := newTheatre(t, 2, Config{}, late, nil)
	for range 230 {
		th.step()
	}
	g := th.sit("late", grid.NoTeam, late, true)
	from := th.now()
	for g.frames == 0 && th.now() < from+40 {
		th.step()
	}
	if took := th.now() - from; took > 20 || g.replica.Tick+ticksOf(late) != th.now() || g.snapshots != 1 {
		t.Fatalf("after %d ticks it is shown tick %d at %d, in %d snapshots", took, g.replica.Tick, th.now(), g.snapshots)
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
	if g.snapshots != 1 || g.wrong != 0 || g.replica.Tick+ticksOf(late) != th.now() {
		t.Errorf("after the break: %d snapshots, %d times at odds about the fog, tick %d at %d", g.snapshots, g.wrong, g.replica.Tick, th.now())
	}
}

// What is kept for spectators is bounded. Who watches late when it is cut waits,
// and is shown the match again from a snapshot on, never too early.
func TestReelIsBounded(t *testing.T) {
	const late, most = 3 * time.Second, 300 << 10
	th := newTheatre(t, 3, Config{GalleryBytes: most}, late, nil)
	th.script = func(now grid.Tick, slot int, f *pb.ClientFrame) {
		if now > 100 && now < 200 { // a flood
			f.Orders = nil
			for i := range 4 {
				units := make([]uint32, 600)
				for k := range units {
					units[k] = uint32(1 << 24)
				}
				f.Orders = append(f.Orders, &pb.Order{Seq: uint32(now)*8 + uint32(i), Kind: pb.OrderKind_ORDER_KIND_STOP, Units: units})
			}
		}
	}
	g := th.sit("all", grid.NoTeam, late, true)
	g.onFrame = func(now grid.Tick, _ *wire.ServerFrame) {
		if g.replica.Tick+ticksOf(late) != now {
			t.Fatalf("tick %d is shown at %d", g.replica.Tick, now)
		}
	}
	cuts, waits := 0, 0
	for range 600 {
		had := len(th.m.reel.saves)
		th.step()
		if r := &th.m.reel; r.bytes > most+64<<10 {
			t.Fatalf("tick %d: %d bytes are kept", th.now(), r.bytes)
		} else if had > 0 && len(r.saves) == 0 {
			cuts, waits = cuts+1, g.waits
		}
	}
	if cuts == 0 || g.snapshots < 2 || g.waits == waits || g.wrong != 0 {
		t.Errorf("cut %d times, %d snapshots, %d waits and %d at the cut, %d times at odds about the fog", cuts, g.snapshots, g.waits, waits, g.wrong)
	}
	if g.replica.Tick+ticksOf(late) != th.now() {
		t.Errorf("at the end it is shown tick %d at %d", g.replica.Tick, th.now())
	}
}

// A gallery whose world is not what the match was is closed. The match goes on,
// and so does another gallery.
func TestGalleryThatDivergesIsClosed(t *testing.T) {
	th := newTheatre(t, 4, Config{}, 2*time.Second, nil)
	late := th.sit("late", grid.NoTeam, 2*time.Second, true)
	live := th.sit("live", grid.NoTeam, 0, true)
	for range 100 {
		th.step()
	}
	for i := range th.m.reel.steps {
		if rec := th.m.reel.steps[i].record; rec != nil {
			rec[len(rec)-1] ^= 1 // of the hash, where it has one
		}
	}
	for range 45 {
		th.step()
	}
	if late.closing == nil || late.closing.Code != "failed" || !late.closing.Retry {
		t.Errorf("closed with %v", late.closing)
	}
	if live.closing != nil || live.replica.Tick != th.now() {
		t.Errorf("the other gallery: closed with %v, at %d of %d", live.closing, live.replica.Tick, th.now())
	}
}

// The match ends, its players are let go and its result is handed on; who
// watches late sees the end as late as all before it, and is let go then.
func TestTheEndIsShownLate(t *testing.T) {
	spec := Spec{
		ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 2, SpectatorDelay: 2 * time.Second,
		Options: sim.Options{TimeLimitMs: 3000},
		Seats:   []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	a := startArena(t, spec, Config{Linger: 500 * time.Millisecond})
	player := a.join(0)
	late := a.connect(&pb.Hello{Ticket: seatTicket("late", grid.NoTeam, 2*time.Second), DerivesFog: true}, 0)
	a.asked()
	a.tick()
	player.read()
	late.read() // the welcome
	seen, over := grid.Tick(0), grid.Tick(0)
	for now := grid.Tick(3); a.tick(); now++ {
		if player.closing == nil {
			if f := player.read(); f.Diff.Ended != nil {
				over = player.replica.Tick
			}
		}
		if now > 40 && late.closing == nil { // tick 1 is the first that is kept
			f := late.read()
			for f.Waiting != nil {
				f = late.read()
			}
			if f.Closing == nil && late.replica.Tick+40 != now {
				t.Fatalf("tick %d is shown at %d", late.replica.Tick, now)
			}
			if f.Diff.Ended != nil {
				seen = now
			}
		}
		if now > 200 {
			t.Fatal("it does not end")
		}
	}
	if r := <-a.clerk.results; r.Ended == nil || r.Ended.Reason != "time-limit" || over != r.Ended.Tick {
		t.Errorf("the result is %+v; the player was told at %d", r.Ended, over)
	}
	if player.closing == nil || player.closing.Code != codeEnded {
		t.Errorf("the player was let go with %v", player.closing)
	}
	for late.closing == nil {
		late.read()
	}
	if seen != over+40 || late.closing.Code != codeEnded || late.replica.Ended == nil {
		t.Errorf("the end, of tick %d, is shown at %d; let go with %v", over, seen, late.closing)
	}
}

// After a kill a spectator comes back with its token. What it sees late begins
// anew, behind all that it was shown before.
func TestSpectatorsAfterAKill(t *testing.T) {
	const late, ticks = time.Second, 20
	a := startArena(t, Spec{
		ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 2, SpectatorDelay: late,
		Seats: []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}, Config{})
	player := a.join(0)
	w := a.connect(&pb.Hello{Ticket: seatTicket("w", grid.NoTeam, late), DerivesFog: true}, 0)
	a.asked()
	for range 60 {
		a.tick()
		player.read()
	}
	for w.replica == nil || w.replica.Tick == 0 {
		w.read()
	}
	shown := w.replica.Tick
	b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
	if b.live == nil || b.live.spec.Spectators != 2 || b.live.spec.SpectatorDelay != late {
		t.Fatalf("the match did not come back with its seats for spectators: %+v", b.live)
	}
	back := b.connect(&pb.Hello{Resume: player.welcome.Resume}, player.replica.Tick)
	again := b.connect(&pb.Hello{Resume: w.welcome.Resume, DerivesFog: true}, shown)
	for len(b.live.requests) < 2 {
		time.Sleep(100 * time.Microsecond)
	}
	from := b.live.world.Tick()
	for range ticks + 5 {
		b.tick()
	}
	for back.replica == nil || back.replica.Tick == 0 {
		back.read()
	}
	again.replica = w.replica
	waited := 0
	for f := again.read(); !f.Diff.Snapshot; f = again.read() {
		if again.closing != nil {
			t.Fatalf("the spectator is told %v", again.closing)
		}
		if f.Waiting != nil {
			waited++
		}
	}
	if waited == 0 || again.replica.Tick <= from || again.replica.Tick <= shown {
		t.Errorf("recovered at tick %d, it is shown tick %d after %d waits; before the kill tick %d", from, again.replica.Tick, waited, shown)
	}
}

// A spectator that is short of bytes gets fewer frames, which hold all the same;
// one that takes nothing for long is let go.
func TestSpectatorOnANarrowLink(t *testing.T) {
	const late, budget = time.Second, 1000
	th := newTheatre(t, 6, Config{}, late, nil)
	soldier, _ := th.m.spec.Rules.TypeByName("soldier")
	for i := range 240 {
		th.m.world.Hand().Add(grid.Slot(i%2*2), soldier, grid.Tile{X: int16(8 + i%30), Y: int16(16 + i/30*2)}.Center())
	}
	th.script = func(now grid.Tick, slot int, f *pb.ClientFrame) { // everybody runs to and fro
		f.Orders, f.Says, f.Pings = nil, nil, nil
		if l := th.players[slot]; int(now)%60 == slot*5 {
			units := []uint32{}
			for _, h := range l.replica.Handles() {
				if l.replica.Entities[h].Owner == grid.Slot(slot) {
					units = append(units, uint32(h))
				}
			}
			f.Orders = []*pb.Order{{
				Seq: 1<<20 + uint32(now), Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units,
				To: &pb.Point{X: int32(10+now*7%28) << 10, Y: int32(10+now*11%28) << 10},
			}}
		}
	}
	wide := th.sit("wide", grid.NoTeam, late, true)
	narrow := th.sit("narrow", grid.NoTeam, late, true)
	narrow.sends = func(grid.Tick) *pb.ClientFrame { return &pb.ClientFrame{Pace: &pb.Pace{BytesPerS: budget}} }
	mute := th.sit("mute", grid.NoTeam, late, true)
	mute.stalls = func(now grid.Tick) bool { return now > 60 && mute.m.watching() == 3 && now < 900 }
	bytes := map[*gazer]int{}
	const from, to = 80, 800
	for range to {
		th.step()
		for _, g := range th.gazers {
			for _, b := range g.sent {
				if th.now() > from {
					bytes[g] += len(b)
				}
			}
		}
	}
	const seconds = (to - from) / 20
	t.Logf("in %d seconds %d bytes in %d frames, and %d in %d with %d bytes a second", seconds, bytes[wide], wide.frames, bytes[narrow], narrow.frames, budget)
	if bytes[wide] < budget*seconds {
		t.Errorf("a wide link had only %d bytes: that proves little", bytes[wide])
	}
	if most := budget*(seconds+burstSeconds) + 8<<10; bytes[narrow] > most || narrow.frames < seconds/6 || narrow.closing != nil {
		t.Errorf("a narrow link had %d bytes, at most %d, in %d frames; closed with %v", bytes[narrow], most, narrow.frames, narrow.closing)
	}
	if wide.wrong+narrow.wrong > 0 {
		t.Errorf("at odds about the fog: %d and %d times", wide.wrong, narrow.wrong)
	}
	if mute.ses != nil {
		if c := lastOf(t, mute.ses); c == nil || c.Code != "too_slow" {
			t.Errorf("who takes nothing is told %v", c)
		}
	}
	if n := th.m.info.Load().Spectators; len(n) != 3 || n[2].Connected {
		t.Errorf("listed as %+v", n)
	}
}
