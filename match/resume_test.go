package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A client is cut off again and again through a fight, now going on from the
// frame it applied last, now from nothing. Each time it comes to hold what its
// team-mate holds, who was never cut.
func TestResumeAtEveryTickOfAFight(t *testing.T) {
	a := newArena(t, 64, 0, 0, 1)
	mate := a.join(0)
	cut := a.join(1)
	enemy := a.join(2)
	mate.read()
	mate.read()
	cut.read()
	for _, c := range []*client{mate, cut, enemy} {
		units := append(append(c.mine("soldier"), c.mine("scout")...), c.mine("artillery")...)
		c.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: units, To: &pb.Point{X: 24 << 10, Y: 32 << 10}})
	}
	token := cut.welcome.Resume
	resumed, snapshots := 0, 0
	for i := range 160 {
		cut.pipe.Close()
		for range i % 4 { // away for a while
			a.tick()
			mate.read()
			enemy.read()
		}
		applied := cut.replica.Tick
		if i%5 == 4 {
			applied = 0
		}
		back := a.connect(&pb.Hello{Resume: token}, applied)
		back.replica, back.seq = cut.replica, cut.seq
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
		equalReplicas(t, i, mate, back)
		cut = back
	}
	if resumed < 50 || snapshots < 20 {
		t.Errorf("%d resumed, %d began anew", resumed, snapshots)
	}
	if grid.Tick(160) > mate.replica.Tick {
		t.Error("the fight was too short")
	}
}

func equalReplicas(t *testing.T, cut int, a, b *client) {
	t.Helper()
	if a.replica.Tick != b.replica.Tick || len(a.replica.Entities) != len(b.replica.Entities) {
		t.Fatalf("cut %d: ticks %d and %d, %d and %d entities", cut, a.replica.Tick, b.replica.Tick, len(a.replica.Entities), len(b.replica.Entities))
	}
	for h, e := range a.replica.Entities {
		f := b.replica.Entities[h]
		if f == nil || a.replica.Pos(e, a.replica.Tick) != b.replica.Pos(f, b.replica.Tick) || a.replica.Pos(e, a.replica.Tick+9) != b.replica.Pos(f, b.replica.Tick+9) ||
			e.Missing != f.Missing || e.Flags != f.Flags || e.Type != f.Type || e.Owner != f.Owner {
			t.Fatalf("cut %d, tick %d: handle %d is %+v to one and %+v to the other", cut, a.replica.Tick, h, e, f)
		}
	}
	for y := range int16(a.replica.H) {
		for x := range int16(a.replica.W) {
			at := grid.Tile{X: x, Y: y}
			if a.replica.Visible(at) != b.replica.Visible(at) || a.replica.Explored(at) != b.replica.Explored(at) {
				t.Fatalf("cut %d, tick %d: %v differs", cut, a.replica.Tick, at)
			}
		}
	}
}
