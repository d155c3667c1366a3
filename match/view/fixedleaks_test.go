package view

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// The tests of this file hold leaks that were found and fixed (docs/contributing/fog.md).
// Each plays two worlds that differ only in something that team 0 does not see:
// what it is told must be the same.

// duelWorld is a world of two players whose bases are far from its middle.
func duelWorld(t *testing.T) *sim.World {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("duel", 96, 96)
	m.Starts = []grid.Tile{{X: 12, Y: 12}, {X: 83, Y: 83}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rules, Seed: 3, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// add puts an entity of a type on a tile.
func add(t *testing.T, w *sim.World, slot grid.Slot, name string, x, y int16) *sim.Entity {
	t.Helper()
	typ, ok := w.Rules().TypeByName(name)
	if !ok {
		t.Fatalf("the rules have no type %q", name)
	}
	e := simtest.Edit(w).Add(slot, typ, grid.Tile{X: x, Y: y}.Center())
	if e == nil {
		t.Fatalf("a %s does not fit on %d,%d", name, x, y)
	}
	return e
}

// TestFireDoesNotTellWhoCameBack: a soldier fires at an enemy that goes out of
// sight. Then an enemy of the same looks comes into sight: the same, or another.
// Its team is told of a new target in both worlds.
func TestFireDoesNotTellWhoCameBack(t *testing.T) {
	var told [2][]string
	for other := range 2 {
		w := duelWorld(t)
		edit := simtest.Edit(w)
		e := add(t, w, 0, "soldier", 48, 48)
		edit.Order(e, orders.Hold, e.Pos(), false)
		at := grid.Tile{X: 51, Y: 48}.Center()
		foes := [2]*sim.Entity{add(t, w, 1, "detector", 60, 48), add(t, w, 1, "detector", 60, 44)}
		hidden := foes[0].Pos()
		edit.Move(foes[0], at)
		b, v, shots := NewBuilder(0), View{}, 0
		step := func() {
			w.Step(nil)
			b.Build(w, &v)
			for _, ev := range v.Events {
				if ev.Kind == EventShot {
					shots++
				}
			}
			told[other] = append(told[other], fmt.Sprintf("%+v", v.Events))
		}
		for shots == 0 && w.Tick() < 60 {
			step()
		}
		if shots != 1 || !e.Engaged(w.Tick(), 1) {
			t.Fatalf("tick %d: told of %d shots", w.Tick(), shots)
		}
		edit.Move(foes[0], hidden)
		step()
		if foes[0].SeenBy().Has(0) || foes[1].SeenBy().Has(0) {
			t.Fatal("the enemies are not out of sight")
		}
		edit.Move(foes[other], at)
		for range 30 {
			step()
			if !slices.ContainsFunc(v.Units, func(u Unit) bool { return u.Type == e.Type() && u.Pos == e.Pos() }) {
				t.Fatal("the soldier is gone")
			}
		}
		if shots != 2 {
			t.Errorf("told of %d targets, want one before and one after", shots)
		}
	}
	for i := range told[0] {
		if i < len(told[1]) && told[0][i] != told[1][i] {
			t.Fatalf("step %d: told %s; if another enemy came, %s", i, told[0][i], told[1][i])
		}
	}
}

// TestRevealedShootersDoNotTellWhoWasMadeFirst: two soldiers fire at a wall that
// does not see them, in the same tick. The wall's team is told of both in the
// same order, whichever was made first.
func TestRevealedShootersDoNotTellWhoWasMadeFirst(t *testing.T) {
	var told [2][]string
	for swapped := range 2 {
		w := duelWorld(t)
		add(t, w, 0, "wall", 48, 48)
		rows := [2]int16{46, 50}
		for i := range 2 {
			add(t, w, 1, "soldier", 45, rows[(i+swapped)%2])
		}
		b, v, most := NewBuilder(0), View{}, 0
		for range 60 {
			w.Step(nil)
			b.Build(w, &v)
			told[swapped] = append(told[swapped], fmt.Sprintf("%+v", v.Sights))
			if len(v.Sights) == 2 && v.Sights[0].Since == v.Sights[1].Since {
				most = 2
			}
		}
		if most != 2 {
			t.Error("the two were not revealed in the same tick: that proves little")
		}
	}
	for i := range told[0] {
		if told[0][i] != told[1][i] {
			t.Fatalf("step %d: told %s; if the other was made first, %s", i, told[0][i], told[1][i])
		}
	}
}
