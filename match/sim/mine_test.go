package sim

import (
	"fmt"
	"os"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

func mineWorld(t *testing.T, seed uint64) (w *World, put func(s grid.Slot, name string, x, y int16) *Entity) {
	text, err := os.ReadFile("testdata/mines.json")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("mines.json", text)
	if err != nil {
		t.Fatal(err)
	}
	w, err = empty(Setup{Map: flatMap(40), Rules: rs, Seed: seed, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	w.mode = sandbox{}
	return w, func(s grid.Slot, name string, x, y int16) *Entity {
		typ, ok := w.rules.TypeByName(name)
		if !ok {
			t.Fatalf("no type %q", name)
		}
		e := w.spawn(s, typ, grid.Tile{X: x, Y: y}.Center(), false)
		w.settle()
		return e
	}
}

// TestMinesAreNotTold: team 0 walks over, builds on and shells ground under its eyes, in one run with mines of the other team
// there that are not armed, in another run without. Its views, answers and paths are the same. A team that detects there learns
// of each mine.
func TestMinesAreNotTold(t *testing.T) {
	run := func(mined bool, eye string) (lines []string, mines []*Entity, w *World) {
		w, put := mineWorld(t, 7)
		walker, builder := put(0, "sapper", 4, 6), put(0, "sapper", 6, 9)
		put(0, eye, 8, 8)
		put(1, "tower", 20, 8) // looks on
		if mined {
			for x := int16(5); x < 13; x++ {
				mines = append(mines, put(1, "mine", x, 6))
			}
		}
		post, _ := w.rules.TypeByName("post")
		order := func(seq uint32, e *Entity, k orders.Kind, typ uint16, at grid.Tile) Input {
			h, _ := w.Knowledge(0).HandleOf(e)
			return Input{Kind: InputOrder, Seq: seq, AsOf: w.tick, Order: orders.Order{Kind: k, Units: []grid.Handle{h}, Type: typ, HasPoint: true, Point: at.Center()}}
		}
		w.see()
		for tick := range 120 {
			var in []Input
			switch tick {
			case 1:
				in = append(in, order(1, walker, orders.Move, 0, grid.Tile{X: 14, Y: 6}), order(2, builder, orders.Build, post, grid.Tile{X: 7, Y: 6}))
			case 80:
				in = append(in, order(3, builder, orders.Build, post, grid.Tile{X: 12, Y: 6}))
			}
			for i := range w.features { // never armed
				w.features[i].end = w.tick + 1000
			}
			out := w.Step(in)
			lines = append(lines, fmt.Sprintf("%v %v %v\n%s", out.Answers, out.Notices, w.teams[0].ground.Version(), told(w, 0)))
		}
		return lines, mines, w
	}
	with, mines, w := run(true, "tower")
	without, _, _ := run(false, "tower")
	for i := range without {
		if with[i] != without[i] {
			t.Fatalf("tick %d: with hidden mines\n%s\nwithout\n%s", i, with[i], without[i])
		}
	}
	for _, e := range mines {
		if w.find(e.id) == nil || e.viewers.Has(0) {
			t.Fatalf("a mine is gone, or seen by %v", e.viewers)
		}
	}
	_, mines, w = run(true, "seeker")
	seen := 0
	for _, e := range mines {
		if e.viewers.Has(0) && w.teams[0].ground.Closed(w.m.Index(e.foot), grid.Ground) {
			seen++
		}
	}
	if seen != 5 { // within three tiles
		t.Errorf("a team that detects sees %d mines", seen)
	}
}

// TestMinesLastASave: a restored world has the mines as the saved one: hidden, in no way, and armed at the same tick.
func TestMinesLastASave(t *testing.T) {
	w, put := mineWorld(t, 7)
	m := put(0, "mine", 8, 8)
	put(1, "seeker", 8, 10)
	foe := put(1, "sapper", 8, 8) // on it
	put(1, "tower", 10, 12)
	w.see()
	for range 10 {
		w.Step(nil)
	}
	again, err := Restore(Setup{Map: flatMap(40), Rules: w.rules, Seed: 7, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	again.mode = sandbox{}
	if i := w.m.Index(m.foot); again.solid[i] != 0 || again.owner[i] != 0 || !again.find(m.id).cloaked {
		t.Errorf("restored: contents %d, owner %v, cloaked %v", again.solid[i], again.owner[i], again.find(m.id).cloaked)
	}
	for tick := 11; tick <= 40; tick++ {
		if (w.find(m.id) == nil) != (tick > 22) || foe.dying != (tick > 22) {
			t.Fatalf("tick %d: the mine is %v, the foe gone: %v", tick, w.find(m.id), foe.dying)
		}
		if a, b := w.Step(nil), again.Step(nil); a.Hash != b.Hash {
			t.Fatalf("tick %d: hash %v, restored %v", a.Tick, a.Hash, b.Hash)
		}
	}
}
