package sim

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestSightingsAreTheNames holds the list of what a team sees, which is kept
// from tick to tick, and the tiles that eyes are known to stand on, to what they
// are taken from: in a wild match, and in worlds restored from it.
func TestSightingsAreTheNames(t *testing.T) {
	setup := wildSetup(t, 11)
	w := newWorld(t, setup)
	var players []*chaos
	for s := range 2 {
		players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(11, uint64(s)))})
	}
	changes := 0
	for range 600 {
		var in []Input
		for _, p := range players {
			in = append(in, p.inputs()...)
		}
		w.Step(in)
		for i := range w.teams {
			changes += len(w.teams[i].left)
		}
		checkSightings(t, w)
		if w.tick%100 == 0 {
			again, err := Restore(setup, w.Save(nil))
			if err != nil {
				t.Fatal(err)
			}
			checkSightings(t, again)
		}
	}
	if changes < 50 {
		t.Errorf("only %d entities left sight: that proves little", changes)
	}
}

func checkSightings(t *testing.T, w *World) {
	t.Helper()
	for i := range w.teams {
		k := &w.teams[i]
		var want []Sighting
		for h, n := range k.names {
			if n.id != 0 && !n.ghost {
				want = append(want, Sighting{grid.Handle(h + 1), n.entered, n.id})
			}
		}
		if got := k.Sightings(); !slices.Equal(got, want) {
			t.Fatalf("tick %d, team %d: %d in sight, by name %d:\n%v\n%v", w.tick, i, len(got), len(want), got, want)
		}
	}
	for _, e := range w.all {
		if e.source == 0 {
			continue
		}
		if _, eye := w.eyes.Get(e.source); eye.Tile != e.eyeAt {
			t.Fatalf("tick %d: the eye of %v stands at %v, it is held to stand at %v", w.tick, e.id, eye.Tile, e.eyeAt)
		}
	}
}
