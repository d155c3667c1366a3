package match

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Two against two, one client on a starvation diet. It gets fewer facts per tick, its
// team's sight at once, and all rows in the end; the others never notice.
func TestStarvedClient(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 0, 1, 1)
	var cs []*pipeClient
	for slot := range grid.Slot(4) {
		cs = append(cs, a.connect(&pb.Hello{Ticket: matchID + " " + string('0'+rune(slot))}, 0))
		for len(a.live.requests.queue) < int(slot)+1 {
			a.asked()
		}
	}
	a.tick()
	for _, c := range cs {
		c.read()
		c.read()
	}
	starved := cs[1]
	starved.send(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: feed.BytesPerSMin}})
	// Everybody runs to the middle, and fights.
	for _, c := range cs {
		units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("worker")...)
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: 32 << 10, Y: 32 << 10}})
	}
	short := 0
	sent := 0
	lacked := map[view.LackKind]int{}
	for range 500 {
		a.tick()
		for _, c := range cs {
			before := c.bytes
			f := c.read()
			if f.Diff.Span != 1 && !f.Diff.Snapshot {
				t.Fatalf("a frame over %d ticks", f.Diff.Span)
			}
			if c == starved {
				sent += c.bytes - before
			}
		}
		if s := a.live.seats.all[1].conn; s.Incomplete() {
			short++
		}
		compareOwn(t, a, starved)
		compareHolding(t, a, starved, cs[0], lacked)
	}
	for _, what := range []view.LackKind{view.LackEnter, view.LackChange} {
		if lacked[what] == 0 {
			t.Errorf("the client never lacked a row of kind %v", what)
		}
	}
	if short == 0 {
		t.Error("the client was never short of bytes")
	}
	if perS := sent * 20 / 500; perS > 3*feed.BytesPerSMin {
		t.Errorf("%d bytes a second were sent to a client that asked for %d", perS, feed.BytesPerSMin)
	}
	// With a larger budget, no row waits.
	starved.send(&pb.ClientFrame{Pace: &pb.Pace{}})
	for range 10 {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	if a.live.seats.all[1].conn.Incomplete() {
		t.Fatal("something still waits")
	}
	mate := cs[0].Replica
	for h, e := range mate.Entities {
		f := starved.Replica.Entities[h]
		if f == nil || mate.Pos(e, mate.Tick) != starved.Replica.Pos(f, mate.Tick) || e.Values[view.ValueHealth] != f.Values[view.ValueHealth] || e.Values[view.ValueHealthChanges] != f.Values[view.ValueHealthChanges] {
			t.Errorf("handle %d is %+v to one player and %+v to its team-mate", h, e, f)
		}
	}
	t.Logf("short of bytes in %d of 500 ticks, %d bytes sent", short, sent)
}

// compareHolding compares the server's list of a starved client's gaps with the client's
// state, and with the complete state of its team-mate.
func compareHolding(t *testing.T, a *serviceHarness, starved, mate *pipeClient, lacked map[view.LackKind]int) {
	t.Helper()
	h := a.live.output.players.Holding(a.live.seats.all[1].conn.Receiver, 10_000)
	if h.LacksAll != len(h.Lacks) || h.Base != starved.Replica.Tick || h.Incomplete != (h.LacksAll > 0) {
		t.Fatalf("tick %d: %d of %d rows of what it lacks, base %d, incomplete %v", starved.Replica.Tick, len(h.Lacks), h.LacksAll, h.Base, h.Incomplete)
	}
	lacks := map[grid.Handle]view.LackKind{}
	for _, l := range h.Lacks {
		lacks[l.Handle] = l.What
		lacked[l.What]++
	}
	for h, e := range mate.Replica.Entities {
		f := starved.Replica.Entities[h]
		what, missing := lacks[h]
		switch {
		case missing && (what == view.LackEnter) != (f == nil), what == view.LackGone && missing:
			t.Fatalf("tick %d: handle %d is lacked as %v, the client has %+v", mate.Replica.Tick, h, what, f)
		case missing:
		case f == nil || mate.Replica.Pos(e, mate.Replica.Tick) != starved.Replica.Pos(f, mate.Replica.Tick) || e.Values[view.ValueHealth] != f.Values[view.ValueHealth]:
			t.Fatalf("tick %d: the server says that the client lacks nothing of handle %d, it has %+v, the mate %+v", mate.Replica.Tick, h, f, e)
		}
	}
}

// A starved client is its own concern: all others get the same messages at the same time,
// to the byte, as if it had all the bytes in the world. Its own messages come without
// much delay, its rows do not wait for ever, and it costs no more memory.
func TestStarvedClientIsNobodysConcern(t *testing.T) {
	t.Parallel()
	rich := starve(t, func(*end) {})
	for _, c := range []struct {
		name    string
		how     func(*end)
		lagMax  int // ticks from the server's to the client's last applied one
		lagThen int // the same once its link is known
		waitMax int // ticks that anything in sight is not held where it is; a link that is behind as a whole is always a little off
	}{
		{"budget", func(e *end) { e.say(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: feed.BytesPerSMin}}) }, 0, 0, 240},
		{"narrow link", func(e *end) { e.narrow = 500 }, 170, 70, 600},
		{"both", func(e *end) {
			e.narrow = 700
			e.say(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: feed.BytesPerSMin}})
		}, 120, 30, 400},
	} {
		got := starve(t, c.how)
		for slot := range got.sent {
			if slot == 1 {
				continue
			}
			if a, b := rich.sent[slot], got.sent[slot]; !bytes.Equal(a, b) {
				t.Errorf("%s: player %d was sent %d bytes, and %d others if nobody starves", c.name, slot, len(b), len(a))
			}
		}
		if got.bytes*5 > rich.bytes*4 {
			t.Errorf("%s: it was sent %d bytes, and %d where nobody starves: it does not starve", c.name, got.bytes, rich.bytes)
		}
		if got.lag > c.lagMax || got.lagThen > c.lagThen || got.wait > c.waitMax {
			t.Errorf("%s: what it applied was up to %d ticks old, later up to %d, and something waited for %d", c.name, got.lag, got.lagThen, got.wait)
		}
		if got.held > 16<<10 {
			t.Errorf("%s: up to %d bytes waited for it", c.name, got.held)
		}
		t.Logf("%s: %d bytes (%d if it does not starve), at most %d ticks behind, later %d, nothing waited longer than %d, at most %d bytes waited",
			c.name, got.bytes, rich.bytes, got.lag, got.lagThen, got.wait, got.held)
	}
}

// starving is the result of a match with a starved client.
type starving struct {
	sent    [4][]byte // by slot: all that was taken out of its outbox, with the ticks
	bytes   int       // to the starved one
	lag     int       // most ticks from the server's to the client's last applied one
	lagThen int       // the same in the second half
	wait    int       // most ticks that a thing in sight was held wrongly
	held    int       // most bytes that waited in its outbox
}

// starve plays two against two with a client that starves in its own way and
// gives no orders.
func starve(t *testing.T, how func(*end)) *starving {
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 5, EveryTick: true, Seats: []SeatSpec{
		{Name: "mate", Team: 0, Start: 0}, {Name: "starved", Team: 0, Start: 3}, {Name: "foe", Team: 1, Start: 1}, {Name: "other foe", Team: 1, Start: 2},
	}}
	r := newLinkHarness(t, t, spec, Config{})
	crowd(r.m.world, spec.Seed, 8)
	foes := simtest.Edit(r.m.world)
	for i := range 120 { // foes walk up and down in front of the two
		at := grid.Tile{X: int16(12 + i%12*2), Y: int16(4 + i/12*2)}
		typ, _ := spec.Rules.TypeByName([]string{"worker", "detector"}[i%2])
		if e := foes.Add(grid.Slot(2+i%2), typ, at.Center()); e != nil {
			to := grid.Tile{X: at.X + int16(i%5) - 2, Y: at.Y + 20}
			foes.Order(e, orders.Patrol, to.Center(), false)
		}
	}
	out := &starving{}
	for _, e := range r.ends {
		e.derive(true) // else most bytes are rows of the fog
		e.onFrame = func(f *wire.ServerFrame) { checkFrame(e, f) }
		e.onBytes = func(b []byte) {
			out.sent[e.slot] = append(append(out.sent[e.slot], fmt.Sprint(r.now(), ":")...), b...)
		}
		e.enter(false)
	}
	e := r.ends[1]
	e.quiet = true
	since := map[grid.Handle]grid.Tick{}
	for range 500 {
		r.log.synced = r.log.next
		r.tick()
		if r.now() == 4 {
			how(e)
		}
		if r.now() < 10 {
			continue
		}
		lag := int(r.now() - e.player.Replica.Tick)
		if out.lag = max(out.lag, lag); r.now() > 250 {
			out.lagThen = max(out.lagThen, lag)
		}
		out.wait = max(out.wait, e.waits(since))
		held := 0
		for range len(e.conn.Out) { // turned once round
			b := <-e.conn.Out
			held += len(b)
			e.conn.Out <- b
		}
		out.held = max(out.held, held)
	}
	out.bytes = e.counts.bytes
	return out
}

// waits returns the most ticks for which a thing in sight is not held, or held elsewhere.
// since remembers since when.
func (e *end) waits(since map[grid.Handle]grid.Tick) (most int) {
	now := e.r.now()
	want := e.r.truth[e.r.m.seats.all[e.slot].team][now]
	for h := range since {
		if _, there := want.units[h]; !there {
			delete(since, h)
		}
	}
	for h, u := range want.units {
		held := e.player.Replica.Entities[h]
		right := held != nil && e.player.Replica.Pos(held, now).Within(u.Pos, 2*view.ToleranceDefault)
		if right || since[h] == 0 {
			since[h] = now
		}
		most = max(most, int(now-since[h]))
	}
	return most
}

// compareOwn checks that a client holds all that carries its team's sight, on
// the right tile.
func compareOwn(t *testing.T, a *serviceHarness, c *pipeClient) {
	t.Helper()
	w := a.live.world
	for _, s := range w.Knowledge(0).Seen(nil) {
		e := w.Entity(s.ID)
		if e.Team() != 0 || e.Class() != 0 {
			continue
		}
		held := c.Replica.Entities[s.Handle]
		if held == nil || c.Replica.Pos(held, c.Replica.Tick).Tile() != e.Tile() || !c.Replica.Pos(held, c.Replica.Tick).Within(e.Pos(), view.ToleranceDefault) {
			t.Fatalf("tick %d: own handle %d is held as %+v, it is at %v", w.Tick(), s.Handle, held, e.Pos())
		}
	}
}
