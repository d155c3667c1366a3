package sim

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// crush is two armies of all kinds of units in each other's midst, led by players with
// random orders.
func crush(t testing.TB, seed uint64) (w *World, inputs func() []Input) {
	w = newWorld(t, Setup{Seed: seed})
	rnd := rand.New(rand.NewPCG(seed, 1))
	for i := 0; len(w.all) < 300 && i < 10_000; i++ {
		at := grid.Pos{X: (16 << grid.TileShift) + rnd.Int32N(24<<grid.TileShift), Y: (16 << grid.TileShift) + rnd.Int32N(24<<grid.TileShift)}
		Editor{w}.Add(grid.Slot(i%2), uint16(rnd.IntN(len(w.rules.Types))), at)
	}
	players := []*chaos{}
	for s := range 2 {
		players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
	}
	return w, func() (in []Input) {
		for _, p := range players {
			in = append(in, p.inputs()...)
		}
		return in
	}
}

// TestBusy: the skipping of idle entities in a phase, and the side-by-side search for the
// others, change nothing.
func TestBusy(t *testing.T) {
	play := func(seed uint64, set func(*World)) (hashes []string) {
		w, inputs := crush(t, seed)
		set(w)
		left := 0
		for range 400 {
			w.Step(inputs())
			hashes = append(hashes, fmt.Sprintf("tick %d: %016x of %d", w.tick, w.Hash(), len(w.all)))
			for i := range w.busy {
				if w.busy[i] == 0 {
					left++
				}
			}
		}
		if left == 0 {
			t.Error("nobody was ever left out")
		}
		return hashes
	}
	for seed := range uint64(3) {
		want := play(seed, func(w *World) { w.bands.all = true })
		for name, set := range map[string]func(*World){
			"one": func(*World) {},
			"many": func(w *World) {
				w.SetRunner(func(n int, f func(int)) {
					var all sync.WaitGroup
					for i := range n {
						all.Go(func() { f(i) })
					}
					all.Wait()
				})
			},
		} {
			for i, got := range play(seed, set) {
				if got != want[i] {
					t.Fatalf("seed %d, %s: %s, if all have a turn %s", seed, name, got, want[i])
				}
			}
		}
	}
}
