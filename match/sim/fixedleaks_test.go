package sim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// The tests of this file hold leaks that were found and fixed (docs/contributing/fog.md). Each plays two
// worlds that differ only out of team 0's sight: team 0's frames and actions must be the
// same.

// typeNamed returns the number of a type of the rules.
func (w *World) typeNamed(t *testing.T, name string) uint16 {
	t.Helper()
	typ, ok := w.rules.TypeByName(name)
	if !ok {
		t.Fatalf("the rules have no type %q", name)
	}
	return typ
}

// TestCloakedDeathsAreNotTold: a team that cannot detect a cloaked unit does not learn of
// its death, as if it lived.
func TestCloakedDeathsAreNotTold(t *testing.T) {
	for _, c := range []struct {
		name, eye string
		cloaked   bool
		told      bool
	}{
		{"cloaked", "worker", true, false},
		{"cloaked, and detected", "detector", true, true},
		{"not cloaked", "worker", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told [2]string
			for dies := range 2 {
				w := sandboxWorld(t, 40, nil)
				edit := Editor{w}
				edit.Add(0, w.typeNamed(t, c.eye), grid.Tile{X: 8, Y: 8}.Center())
				e := edit.Add(1, w.typeNamed(t, "raider"), grid.Tile{X: 11, Y: 8}.Center())
				edit.Order(e, orders.Hold, e.Pos(), false) // an attack would end the cloak
				if c.cloaked {
					edit.Cloak(e)
				}
				w.Step(nil)
				if e.cloaked != c.cloaked || e.viewers.Has(0) != c.told {
					t.Fatalf("before: cloaked %v, seen by %v", e.cloaked, e.viewers)
				}
				id := e.id
				if dies == 1 {
					w.hurt(e, harm{slot: 0, team: 0, amount: 1 << 20, weapon: NoWeapon})
				}
				w.Step(nil)
				if (w.find(id) == nil) != (dies == 1) {
					t.Fatal("it dies in the wrong world")
				}
				saw := slices.ContainsFunc(w.events, func(ev Event) bool { return ev.Kind == EventDied && ev.Seen.Has(0) })
				told[dies] = fmt.Sprintf("seen in its event %v, seen to go %v, left %+v, score shown %d",
					saw, w.SeenDie(id).Has(0), w.teams[0].leaves, w.players[0].shown)
			}
			if (told[0] != told[1]) != c.told {
				t.Errorf("the team is told %s\nand if it lives %s", told[1], told[0])
			}
		})
	}
}

// TestSettlingDoesNotTellIntentions: a worker goes to a place where an enemy
// stands. Whether the worker stops behind the enemy must not depend on whether
// the enemy means to go on.
func TestSettlingDoesNotTellIntentions(t *testing.T) {
	var way [2][]string
	for means := range 2 {
		w := sandboxWorld(t, 48, nil)
		edit := Editor{w}
		goal := grid.Tile{X: 24, Y: 24}.Center()
		foe := edit.Add(1, w.typeNamed(t, "detector"), goal)
		foe.speedPct = 0 // it stands, regardless of its task
		if means == 1 {
			edit.Order(foe, orders.Move, grid.Tile{X: 40, Y: 24}.Center(), false)
		}
		e := edit.Add(0, w.typeNamed(t, "worker"), grid.Tile{X: 20, Y: 24}.Center())
		edit.Order(e, orders.Move, goal, false)
		e.tasks[0].width = grid.WUPerTile
		met := false
		for range 60 {
			w.Step(nil)
			if foe.Pos() != goal || foe.mv.going != (means == 1) || !foe.viewers.Has(0) {
				t.Fatalf("tick %d: the enemy is at %v, means to go on: %v, seen by %v", w.tick, foe.Pos(), foe.mv.going, foe.viewers)
			}
			met = met || !e.mv.going && e.Pos().Within(goal, grid.WUPerTile)
			way[means] = append(way[means], fmt.Sprint(e.Pos(), " going ", e.mv.going, ", tasks ", len(e.tasks)))
		}
		if means == 0 && !met {
			t.Errorf("the worker has not stopped behind the enemy: that proves little")
		}
	}
	for i := range way[0] {
		if way[0][i] != way[1][i] {
			t.Fatalf("step %d: the worker is at %s; if the enemy means to go on, at %s", i, way[0][i], way[1][i])
		}
	}
}

// TestChasesDoNotTellWhoCameBack: a soldier is on its way to an enemy that goes
// out of sight. An enemy of the same looks comes into sight: the same, or
// another. The soldier does the same in both worlds.
func TestChasesDoNotTellWhoCameBack(t *testing.T) {
	for after := 8; after < 16; after++ { // some of the ticks come back between two looks for foes
		var way [2][]string
		for other := range 2 {
			w := sandboxWorld(t, 64, nil)
			edit := Editor{w}
			at, back := grid.Tile{X: 31, Y: 24}.Center(), grid.Tile{X: 31, Y: 28}.Center()
			e := edit.Add(0, w.typeNamed(t, "soldier"), grid.Tile{X: 24, Y: 24}.Center())
			edit.Order(e, orders.AttackMove, grid.Tile{X: 24, Y: 40}.Center(), false)
			var foes [2]*Entity
			far := [2]grid.Pos{grid.Tile{X: 36, Y: 24}.Center(), grid.Tile{X: 36, Y: 20}.Center()}
			for i := range foes {
				foes[i] = edit.Add(1, w.typeNamed(t, "detector"), far[i])
			}
			edit.Move(foes[0], at)
			for range after {
				w.Step(nil)
			}
			if e.chaseTarget != foes[0].id || !e.mv.going || e.arms[0].target != 0 {
				t.Fatalf("after %d: the soldier is not on its way to the enemy", after)
			}
			edit.Move(foes[0], far[0])
			w.Step(nil)
			if foes[0].viewers.Has(0) || foes[1].viewers.Has(0) {
				t.Fatal("the enemies are not out of sight")
			}
			edit.Move(foes[other], back)
			chases := false
			for range 12 {
				w.Step(nil)
				if !foes[other].viewers.Has(0) || foes[1-other].viewers.Has(0) {
					t.Fatal("the wrong enemy is in sight")
				}
				chases = chases || e.chaseTarget == foes[other].id
				way[other] = append(way[other], fmt.Sprint(e.Pos(), " goes to ", e.mv.hub))
			}
			if !chases {
				t.Errorf("after %d: the soldier does not go for what came back: that proves little", after)
			}
		}
		for i := range way[0] {
			if way[0][i] != way[1][i] {
				t.Fatalf("after %d, step %d: the soldier is at %s; if another enemy came, at %s", after, i, way[0][i], way[1][i])
			}
		}
	}
}

// TestNearerBodiesAreMetWhoeverWasMadeFirst: a worker meets the nearer of two bodies in its
// way, even if only a little nearer. The order in which they were made makes no difference.
func TestNearerBodiesAreMetWhoeverWasMadeFirst(t *testing.T) {
	var way [2][]string
	for swapped := range 2 {
		w := sandboxWorld(t, 48, nil)
		edit := Editor{w}
		from, typ := grid.Tile{X: 20, Y: 24}.Center(), w.typeNamed(t, "detector")
		side := w.rules.Types[typ].Radius
		at := [2]grid.Pos{from.Add(grid.Vec{X: 900, Y: int32(side) + 20}), from.Add(grid.Vec{X: 900, Y: -int32(side) - 60})}
		for i := range 2 {
			o := edit.Add(1, typ, at[(i+swapped)%2])
			edit.Order(o, orders.Hold, o.Pos(), false)
		}
		e := edit.Add(0, w.typeNamed(t, "worker"), from)
		w.Step(nil)
		edit.Order(e, orders.Move, from.Add(grid.Vec{X: 6 << 10}), false)
		for range 60 {
			w.Step(nil)
			way[swapped] = append(way[swapped], fmt.Sprint(e.Pos()))
		}
	}
	for i := range way[0] {
		if way[0][i] != way[1][i] {
			t.Fatalf("step %d: the worker is at %s; if the other enemy was made first, at %s", i, way[0][i], way[1][i])
		}
	}
}
