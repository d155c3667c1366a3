package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// The choice between two equally near foes, to meet or to shoot at, does not depend on
// which was made first: worlds that differ only in that go the same way, tick by tick.
func TestTiesDoNotTellWhoWasMadeFirst(t *testing.T) {
	rules := mustRules(t)
	for _, c := range []struct {
		mover, foes string
		kind        orders.Kind
	}{{"worker", "detector", orders.Move}, {"soldier", "detector", orders.Hold}} {
		chosen := map[grid.Pos]bool{}
		for seed := range uint64(40) {
			var way [2][]grid.Pos
			for swapped := range 2 {
				w := sandboxWorld(t, 48, nil)
				w.seed = seed
				edit := Editor{w}
				typ := func(name string) uint16 { n, _ := rules.TypeByName(name); return n }
				from := grid.Tile{X: 20, Y: 24}.Center()
				e := edit.Add(0, typ(c.mover), from)
				foe := int32(rules.Types[typ(c.foes)].Radius)
				at := [2]grid.Pos{from.Add(grid.Vec{X: 900, Y: foe + 20}), from.Add(grid.Vec{X: 900, Y: -foe - 20})}
				for i := range 2 {
					o := edit.Add(1, typ(c.foes), at[(i+swapped)%2])
					edit.Order(o, orders.Hold, o.Pos(), false)
					edit.SetEnergy(o, 0)
				}
				w.Step(nil) // both come into sight
				edit.Order(e, c.kind, from.Add(grid.Vec{X: 6 << 10}), false)
				for range 60 {
					w.Step(nil)
					way[swapped] = append(way[swapped], e.Pos())
					if f := w.find(e.arms[0].target); f != nil {
						chosen[f.Pos()] = true
						way[swapped] = append(way[swapped], f.Pos())
					}
				}
				if e.arms[0].target == 0 {
					chosen[e.Pos()] = true
				}
			}
			for i := range min(len(way[0]), len(way[1])) {
				if way[0][i] != way[1][i] {
					t.Fatalf("%s, seed %d, step %d: %v, and with the foes made in the other order %v", c.mover, seed, i, way[0][i], way[1][i])
				}
			}
		}
		if len(chosen) < 2 {
			t.Errorf("%s: always the same: that proves little", c.mover)
		}
	}
}

// Two units set one unit on fire in one tick: the fire's owner does not depend on which
// unit was made first, or hit first.
func TestEffectsDoNotTellWhoWasMadeFirst(t *testing.T) {
	rules := mustRules(t)
	soldier, _ := rules.TypeByName("soldier")
	places := [3]grid.Pos{grid.Tile{X: 20, Y: 24}.Center(), grid.Tile{X: 22, Y: 24}.Center(), grid.Tile{X: 18, Y: 27}.Center()}
	for _, made := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		for _, hits := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}} {
			w := sandboxWorld(t, 48, nil)
			edit := Editor{w}
			victim := edit.Add(0, soldier, grid.Tile{X: 30, Y: 30}.Center())
			var by [3]*Entity
			for _, i := range made {
				by[i] = edit.Add(1, soldier, places[i])
			}
			w.Step(nil)
			w.addEffect(victim, 0, 1, by[2].id) // renewed a tick later
			w.tick++
			for _, i := range hits {
				w.addEffect(victim, 0, 1, by[i].id)
			}
			if len(victim.effects) != 1 || victim.effects[0].by != by[0].id || victim.effects[0].start != w.tick {
				t.Errorf("made %v, hit by %v: burns by %+v, want %d", made, hits, victim.effects, by[0].id)
			}
			by[0].dying = true
			w.tick++
			w.addEffect(victim, 0, 1, by[2].id)
			if victim.effects[0].by != by[2].id {
				t.Errorf("hit a tick later by another: burns by %+v", victim.effects)
			}
		}
	}
}
