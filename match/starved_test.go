package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Two against two, one client on a starvation diet. It gets fewer facts a tick,
// what carries its team's sight at once, and everything in the end; the others
// never notice.
func TestStarvedClient(t *testing.T) {
	a := newArena(t, 64, 0, 0, 1, 1)
	var cs []*client
	for slot := range grid.Slot(4) {
		cs = append(cs, a.connect(&pb.Hello{Ticket: matchID + " " + string('0'+rune(slot))}, 0))
		for len(a.live.requests) < int(slot)+1 {
			a.asked()
		}
	}
	a.tick()
	for _, c := range cs {
		c.read()
		c.read()
	}
	starved := cs[1]
	starved.send(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: bytesPerSMin}})
	// Everybody runs to the middle, and fights.
	for _, c := range cs {
		units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("worker")...)
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: 32 << 10, Y: 32 << 10}})
	}
	short := 0
	bytes := 0
	for range 500 {
		a.tick()
		for _, c := range cs {
			before := c.bytes
			f := c.read()
			if f.Diff.Span != 1 && !f.Diff.Snapshot {
				t.Fatalf("a frame over %d ticks", f.Diff.Span)
			}
			if c == starved {
				bytes += c.bytes - before
			}
		}
		if s := a.live.seats[1].session; s.short != nil {
			short++
		}
		compareOwn(t, a, starved)
	}
	if short == 0 {
		t.Error("the client was never short of bytes")
	}
	if perS := bytes * 20 / 500; perS > 3*bytesPerSMin {
		t.Errorf("%d bytes a second were sent to a client that asked for %d", perS, bytesPerSMin)
	}
	// Once it may be sent more, nothing waits.
	starved.send(&pb.ClientFrame{Pace: &pb.Pace{}})
	for range 10 {
		a.tick()
		for _, c := range cs {
			c.read()
		}
	}
	if a.live.seats[1].session.short != nil {
		t.Fatal("something still waits")
	}
	mate := cs[0].replica
	for h, e := range mate.Entities {
		f := starved.replica.Entities[h]
		if f == nil || mate.Pos(e, mate.Tick) != starved.replica.Pos(f, mate.Tick) || e.Missing != f.Missing || e.Changes != f.Changes {
			t.Errorf("handle %d is %+v to one player and %+v to its team-mate", h, e, f)
		}
	}
	t.Logf("short of bytes in %d of 500 ticks, %d bytes sent", short, bytes)
}

// compareOwn checks that a client holds all that carries its team's sight, on
// the right tile.
func compareOwn(t *testing.T, a *arena, c *client) {
	t.Helper()
	w := a.live.world
	for _, s := range w.Knowledge(0).Seen(nil) {
		e := w.Entity(s.ID)
		if e.Team() != 0 || e.Class() != 0 {
			continue
		}
		held := c.replica.Entities[s.Handle]
		if held == nil || c.replica.Pos(held, c.replica.Tick).Tile() != e.Tile() || !c.replica.Pos(held, c.replica.Tick).Within(e.Pos(), view.ToleranceDefault) {
			t.Fatalf("tick %d: own handle %d is held as %+v, it is at %v", w.Tick(), s.Handle, held, e.Pos())
		}
	}
}
