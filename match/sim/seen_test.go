package sim

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestHandlesNameWhatIsSeen compares a team's table of visible entities with the entities'
// own masks, and the known tiles of eyes with their sources: in a wild match, and in worlds
// restored from it.
func TestHandlesNameWhatIsSeen(t *testing.T) {
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
			changes += len(w.teams[i].leaves)
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
		want := map[grid.EntityID]grid.Handle{}
		for _, e := range w.all {
			if h, ok := k.HandleOf(e); ok {
				want[e.id] = h
			}
		}
		got := map[grid.EntityID]grid.Handle{}
		for _, s := range k.Seen(nil) {
			got[s.ID] = s.Handle
		}
		if !maps.Equal(got, want) {
			t.Fatalf("tick %d, team %d: the table has %v in sight, the entities say %v", w.tick, i, got, want)
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
