package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// TestBurstCountsTheShotsSeen: a soldier that has fired before fires in sight,
// stops, and fires again. Its own team and one that sees it are told that it fires
// while it does, and then how many shots each has seen of it: no more and no fewer.
func TestBurstCountsTheShotsSeen(t *testing.T) {
	w := duelWorld(t)
	edit := simtest.Edit(w)
	e := add(t, w, 0, "soldier", 48, 48)
	edit.Order(e, orders.Hold, e.Pos(), false)
	foe := add(t, w, 1, "detector", 70, 48)
	away, near := foe.Pos(), grid.Tile{X: 51, Y: 48}.Center()
	type watcher struct {
		b    *Builder
		v    View
		seen uint16 // shots of the soldier
		was  bool   // it saw the soldier in the last tick
	}
	watchers := []*watcher{{b: NewBuilder(EyesOf(0))}, {b: NewBuilder(EyesOf(1))}}
	shots := func() uint16 { n, _ := e.Shots(0); return n }
	step := func() (told [2]uint32, fired uint16) {
		before := shots()
		edit.SetHealth(foe, 80)
		w.Step(nil)
		fired = shots() - before
		for i, x := range watchers {
			x.b.Build(w, &x.v)
			at := slices.IndexFunc(x.v.Units, func(u Unit) bool { return u.Type == e.Type() && u.Pos == e.Pos() })
			switch {
			case at < 0:
				x.seen = 0
			case x.was:
				x.seen += fired
			}
			if x.was = at >= 0; x.was {
				told[i] = x.v.Units[at].Values[ValueBurst]
			}
		}
		return told, fired
	}
	step()
	edit.AddShots(e, 9) // its own team sees them
	watchers[0].seen += 9
	for range 60 { // until they count as over
		step()
	}
	for round := range 2 {
		edit.Move(foe, near)
		for n := 0; n < 3; {
			told, fired := step()
			if n += int(fired); n > 0 && (told[0] != burstFires || told[1] != burstFires) {
				t.Fatalf("round %d, tick %d: it fires, and its burst is %d to its team and %d to the other", round, w.Tick(), told[0], told[1])
			}
			if w.Tick() > 400 {
				t.Fatalf("it has fired %d shots", n)
			}
		}
		edit.Move(foe, grid.Tile{X: 56, Y: 48}.Center()) // out of its reach, and it stays in sight
		var told [2]uint32
		for range 40 {
			told, _ = step()
		}
		for i, x := range watchers {
			if want := uint32(x.seen) << 2; x.seen < 3 || told[i] != want {
				t.Errorf("round %d: team %d is told burst %d, want %d: it has seen %d shots", round, i, told[i], want, x.seen)
			}
		}
		edit.Move(foe, away)
		step()
	}
}
