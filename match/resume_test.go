package match

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A client is cut off again and again through a fight, now going on from the frame it
// applied last, now without state. Each time it reaches the state of its team-mate, who
// was never cut.
func TestResumeAtEveryTickOfAFight(t *testing.T) {
	a := newServiceHarness(t, 64, 0, 0, 1)
	mate := a.join(0)
	cut := a.join(1)
	enemy := a.join(2)
	mate.read()
	mate.read()
	cut.read()
	for _, c := range []*pipeClient{mate, cut, enemy} {
		units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("artillery")...)
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: 24 << 10, Y: 32 << 10}})
	}
	resumed, snapshots := 0, 0
	for i := range 160 {
		cut.pipe.Close()
		for range i % 4 { // away for a while
			a.tick()
			mate.read()
			enemy.read()
		}
		applied := cut.Replica.Tick
		if i%5 == 4 {
			applied = 0
		}
		back := a.connect(&pb.Hello{Resume: cut.welcome.Resume}, applied)
		back.State = cut.State
		a.asked()
		a.tick()
		mate.read()
		enemy.read()
		back.read()
		switch f := back.read(); {
		case f.Diff.Snapshot && applied != 0:
			t.Fatalf("cut %d: a snapshot for a client that held tick %d", i, applied)
		case f.Diff.Snapshot:
			snapshots++
		default:
			resumed++
		}
		equalReplicas(t, i, mate.Replica, back.Replica, true)
		cut = back
	}
	if resumed < 50 || snapshots < 20 {
		t.Errorf("%d resumed, %d began anew", resumed, snapshots)
	}
	if grid.Tick(160) > mate.Replica.Tick {
		t.Error("the fight was too short")
	}
}

// A client is cut off at each tick of a fight, with frames on their way, and comes back
// in time to go on, or too late for that. Then its state equals its team-mate's, who was
// never cut; and all messages to it alone (answers, cancelled orders, shots of its own,
// lines of others) came exactly once.
func TestResumeLosesNothingAndDoublesNothing(t *testing.T) {
	t.Parallel()
	var answers, cancelled, heard, started, again int
	for i := range 40 {
		for _, late := range []bool{false, true} {
			r, e := cutAt(t, i, late)
			want := &r.queued[e.slot]
			var got []uint32
			for _, a := range e.answers {
				got = append(got, a.Seq)
			}
			if !slices.Equal(got, want.answers) {
				t.Fatalf("cut %d, late %v: answers to %v, want %v", i, late, got, want.answers)
			}
			if !slices.Equal(e.cancelled, want.cancelled) {
				t.Fatalf("cut %d, late %v: told of orders that ended early: %v, want %v", i, late, e.cancelled, want.cancelled)
			}
			if mate := r.ends[0].heard; !slices.Equal(e.heard, mate) {
				t.Fatalf("cut %d, late %v: heard %v, its mate heard %v", i, late, e.heard, mate)
			}
			for _, s := range want.started {
				held := e.player.Replica.Entities[s.Handle] != nil
				if h, told := e.started[s.Request]; (!late || held) && (!told || s.at > e.backAt && h != uint32(s.Handle)) {
					t.Fatalf("cut %d, late %v: shot %d of tick %d came back as %d (%v), it is %d", i, late, s.Request, s.at, h, told, s.Handle)
				}
			}
			answers, cancelled, heard, started = answers+len(got), cancelled+len(e.cancelled), heard+len(e.heard), started+len(want.started)
			again += e.inFlight
		}
	}
	if cancelled == 0 || heard == 0 || started == 0 || again == 0 {
		t.Error("that proves little")
	}
	t.Logf("%d frames were lost on their way; %d answers, %d cancelled orders, %d lines, %d own shots came once", again, answers, cancelled, heard, started)
}

// cutAt plays a fight in which slot 1 is cut off after some ticks and is back
// later, until it has heard all.
func cutAt(t *testing.T, i int, late bool) (*linkHarness, *end) {
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 77, TickRate: 5, EveryTick: true,
		Seats: []SeatSpec{{Name: "mate", Team: 0, Start: 0}, {Name: "cut", Team: 0, Start: 3}, {Name: "foe", Team: 1, Start: 1}},
	}
	r := newLinkHarness(t, t, spec, Config{})
	crowd(r.m.world, spec.Seed, 14)
	for _, e := range r.ends {
		e.sure = true
		e.derive(i%3 == 0)
		e.onFrame = func(f *wire.ServerFrame) { checkFrame(e, f) }
		e.enter(false)
	}
	e := r.ends[1]
	play := func(ticks int) {
		for range ticks {
			if r.now()%3 != 0 { // else the disk is slow
				r.log.synced = r.log.next
			}
			r.tick()
			if r.now()%4 == 0 {
				e.shell()
			}
		}
	}
	play(20)
	e.downDelay = grid.Tick(i % 5)
	play(i + 5)
	e.inFlight = len(e.down)
	e.cut()
	away := i % 40
	if late {
		away += view.KeepSeconds * r.m.rate
	}
	play(away)
	e.downDelay, e.backAt = 0, r.now()
	e.enter(true)
	snapshots := e.counts.snapshots
	play(1)
	if snapshot := e.counts.snapshots > snapshots; snapshot != late {
		t.Fatalf("cut %d: away for %d ticks, the first frame is a snapshot: %v", i, away, snapshot)
	}
	equalReplicas(t, i, r.ends[0].player.Replica, e.player.Replica, !e.derives)
	for _, x := range r.ends {
		x.quiet = true
	}
	play(12)
	equalReplicas(t, i, r.ends[0].player.Replica, e.player.Replica, !e.derives)
	return r, e
}

// shell lets the client's guns fire at a place near them, under a request that
// is to come back.
func (e *end) shell() {
	if e.conn == nil || e.quiet || e.player.Tick() == 0 {
		return
	}
	guns := e.player.adversary.own(&e.player, 9, func(t *pb.TypeInfo) bool { return t.Name == "artillery" })
	if len(guns) == 0 {
		return
	}
	at := e.player.Replica.Pos(e.player.Replica.Entities[grid.Handle(guns[0])], e.player.Replica.Tick)
	e.say(&pb.ClientFrame{Orders: []*pb.Order{{
		Seq: e.player.adversary.number(), Kind: pb.OrderKind_ORDER_KIND_ATTACK_GROUND, Units: guns, To: &pb.Point{X: at.X, Y: at.Y - 5<<10},
	}}})
}

// equalReplicas: rows says that both got their fog by rows.
func equalReplicas(t *testing.T, cut int, a, b *client.Replica, rows bool) {
	t.Helper()
	if a.Tick != b.Tick || len(a.Entities) != len(b.Entities) {
		t.Fatalf("cut %d: ticks %d and %d, %d and %d entities", cut, a.Tick, b.Tick, len(a.Entities), len(b.Entities))
	}
	for h, e := range a.Entities {
		f := b.Entities[h]
		if f == nil || a.Pos(e, a.Tick) != b.Pos(f, b.Tick) || a.Pos(e, a.Tick+9) != b.Pos(f, b.Tick+9) ||
			e.Values[view.ValueHealth] != f.Values[view.ValueHealth] || e.Values[view.ValueHealthChanges] != f.Values[view.ValueHealthChanges] || e.Values[view.ValueFlags] != f.Values[view.ValueFlags] || e.Type != f.Type || e.Owner != f.Owner {
			t.Fatalf("cut %d, tick %d: handle %d is %+v to one and %+v to the other", cut, a.Tick, h, e, f)
		}
	}
	for y := range int16(a.H) {
		for x := range int16(a.W) {
			at := grid.Tile{X: x, Y: y}
			if rows && (a.Visible(at) != b.Visible(at) || a.Explored(at) != b.Explored(at)) {
				t.Fatalf("cut %d, tick %d: %v differs", cut, a.Tick, at)
			}
		}
	}
}

// A player comes back without its resume token: with another ticket, from a program that
// does not know the earlier numbers. Its orders are done, and get no answers of earlier
// orders. That holds after a restart too, and in the replay of the journal.
func TestAnotherClientOfAPlayerNumbersItsOrdersAnew(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0)
	moves := func(a *serviceHarness, c *pipeClient, to int32) {
		t.Helper()
		h := grid.Handle(c.mine("scout")[0])
		was := c.Replica.Pos(c.Replica.Entities[h], c.Tick())
		seq := c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{uint32(h)}, To: &pb.Point{X: was.X, Y: was.Y + to}})
		for range 30 {
			a.tick()
			c.read()
		}
		answered := len(c.answers) == 1 && c.answers[0].Seq == seq && c.answers[0].Code == 0
		if now := c.Replica.Pos(c.Replica.Entities[h], c.Tick()); !answered || now == was {
			t.Errorf("order %d was answered %v, and its unit is still at %v", seq, c.answers, now)
		}
		c.answers = nil
	}
	moves(a, a.join(0), 4096)
	moves(a, a.join(0), -4096)
	b := a.revived(folder(t, map[string][]byte{a.spec.ID: a.killed()}), Config{})
	if b.live == nil {
		t.Fatal("the match did not come back")
	}
	moves(b, b.join(0), 4096)
}
