package bench

import (
	"crypto/sha256"
	"fmt"
	"runtime"
	"testing"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Hashes of the world and bytes of the frames are the same with one, two and eight
// processors, whoever computes which part of a tick; and with views that leave
// nothing out.
func TestSameWithAnyProcessors(t *testing.T) {
	for _, c := range []struct {
		name  string
		ticks int
		make  func() (*harness, error)
	}{
		{"walkers", 25, func() (*harness, error) { return newWalkingHarness(300) }},
		{"battle", 130, func() (*harness, error) { return newBattleHarness(60) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want string
			for _, procs := range []int{0, 1, 2, 8} {
				r, err := c.make()
				if err != nil {
					t.Fatal(err)
				}
				if r.whole = procs == 0; r.whole {
					procs = 1
				}
				var run grid.Runner
				before := runtime.GOMAXPROCS(procs)
				pool := helpers.New(procs - 1)
				if procs > 1 {
					run = pool.Hand().Run
				}
				r.share(run)
				sum := sha256.New()
				seen := 0
				for range c.ticks {
					r.tick()
					fmt.Fprintf(sum, "%016x\n", r.w.Rolling())
					for i := range r.teams {
						sum.Write(r.teams[i].frame)
						seen += r.teams[i].tracker.Len()
					}
				}
				runtime.GOMAXPROCS(before)
				got := fmt.Sprintf("%x", sum.Sum(nil))
				if want == "" {
					want = got
				}
				if got != want {
					t.Errorf("%d processors: %s, one with whole views: %s", procs, got, want)
				}
				if seen < 100*c.ticks {
					t.Errorf("%d in sight a tick: that proves little", seen/c.ticks)
				}
			}
		})
	}
}
