package sim

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// stepOn steps n ticks without input.
func stepOn(w *World, n int) {
	for range n {
		w.Step(nil)
	}
}

// again returns the world of a wild match as it is restored from its save.
func again(t *testing.T, seed uint64, w *World) *World {
	t.Helper()
	back, err := Restore(wildSetup(t, seed), w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Any difference between two worlds makes their rolling hashes differ after a second, and
// from then on.
func TestRollingHashHasEverything(t *testing.T) {
	w := wildMatch(t, 11, 605, nil) // in the middle of a second
	second := int(w.rate)
	straight := again(t, 11, w)
	if straight.Rolling() != w.Rolling() {
		t.Fatalf("restored, the rolling hash is %016x, not %016x", straight.Rolling(), w.Rolling())
	}
	stepOn(straight, second)
	want := straight.Rolling()
	lives := map[grid.EntityID]bool{} // through the second
	for _, e := range straight.all {
		lives[e.id] = true
	}
	stepOn(straight, second)
	further := straight.Rolling()

	check := func(what string, change func(*World)) {
		t.Helper()
		x := again(t, 11, w)
		change(x)
		stepOn(x, second)
		if got := x.Rolling(); got == want {
			t.Errorf("%s: a second later the hash is the same", what)
		}
		stepOn(x, second)
		if x.Rolling() == further {
			t.Errorf("%s: two seconds later the hash is the same", what)
		}
	}
	for i := range w.all {
		if lives[w.all[i].id] {
			check(w.all[i].id.String(), func(x *World) { x.all[i].energySpent++ })
		}
	}
	for i := range w.players {
		check("a player's score", func(x *World) { x.players[i].products++ })
	}
	for i := range w.teams {
		check("a team's handles", func(x *World) { x.teams[i].names[0].first-- })
	}
	x := again(t, 11, w)
	stepOn(x, 2*second)
	if x.Rolling() != further {
		t.Errorf("nothing was changed, and the hash is %016x, not %016x", x.Rolling(), further)
	}
}

// A world that is restored at any tick of a second goes on to the same hash.
func TestRollingHashGoesOn(t *testing.T) {
	w := wildMatch(t, 12, 600, nil)
	var parts []*World
	for range int(w.rate) {
		w.Step(nil)
		parts = append(parts, again(t, 12, w))
	}
	stepOn(w, int(w.rate))
	for i, x := range parts {
		for x.Tick() < w.Tick() {
			x.Step(nil)
		}
		if x.Rolling() != w.Rolling() || x.Hash() != w.Hash() {
			t.Errorf("restored at tick %d, the hash at tick %d is %016x, not %016x", 601+i, x.Tick(), x.Rolling(), w.Rolling())
		}
	}
}

// No tick of a second hashes much more than its share of the entities, and a second covers
// every entity.
func TestRollingHashIsSpread(t *testing.T) {
	w := wildMatch(t, 13, 600, nil)
	var ids []grid.EntityID
	start := w.Tick()
	for range int(w.rate) {
		before := w.roll.next
		w.Step(nil)
		n := 0
		for _, e := range w.all {
			if e.id >= before && (w.roll.next == 0 || e.id < w.roll.next) {
				n++
				ids = append(ids, e.id)
			}
		}
		if most := len(w.all)/int(w.rate) + 2; n > most {
			t.Errorf("tick %d hashes %d of %d entities, at most %d are its share", w.Tick(), n, len(w.all), most)
		}
	}
	for _, e := range w.all {
		if e.birth <= start && !slices.Contains(ids, e.id) {
			t.Errorf("%v was not hashed in the second that it lived through", e.id)
		}
	}
}
