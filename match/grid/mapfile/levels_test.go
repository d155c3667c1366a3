package mapfile

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// obviousBest tries every way to cut the heights that occur into k ranges and
// returns the least squared error there is, by its definition.
func obviousBest(heights []int, values []int, k int) float64 {
	if k == 1 {
		sum, n := 0.0, 0.0
		in := func(h int) bool { return len(values) > 0 && h >= values[0] && h <= values[len(values)-1] }
		for _, h := range heights {
			if in(h) {
				sum += float64(h)
				n++
			}
		}
		e := 0.0
		for _, h := range heights {
			if in(h) {
				e += (float64(h) - sum/n) * (float64(h) - sum/n)
			}
		}
		return e
	}
	best := 1e18
	for cut := 1; cut <= len(values)-(k-1); cut++ {
		best = min(best, obviousBest(heights, values[:cut], 1)+obviousBest(heights, values[cut:], k-1))
	}
	return best
}

func TestGroupingIsTheBestThereIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30 {
		present := map[int]bool{}
		for range 2 + r.IntN(7) {
			present[r.IntN(256)] = true
		}
		var values []int
		for h := range 256 {
			if present[h] {
				values = append(values, h)
			}
		}
		var heights []int
		for range 40 {
			heights = append(heights, values[r.IntN(len(values))])
		}
		heights = append(heights, values...) // every value occurs
		levels := levelsOf(heights, func(int) bool { return true })
		k := 0
		for _, l := range levels {
			k = max(k, int(l)+1)
		}
		groups := map[grid.Level][]int{}
		for i, l := range levels {
			groups[l] = append(groups[l], heights[i])
		}
		got := 0.0
		for _, g := range groups {
			got += obviousBest(g, g2(g), 1)
		}
		if want := obviousBest(heights, values, k); got > want+1e-6 {
			t.Fatalf("heights %v: %d levels with an error of %g, the best has %g", values, k, got, want)
		}
		allowed := float64(len(heights) * LevelSpread * LevelSpread)
		if got > allowed {
			t.Fatalf("heights %v: %d levels leave an error of %g, allowed %g", values, k, got, allowed)
		}
		// One fewer would not do. (The error of a range is rounded up to whole
		// numbers, so there is a little slack.)
		if k > 1 && obviousBest(heights, values, k-1) < allowed-float64(k) {
			t.Fatalf("heights %v: %d levels where %d would do", values, k, k-1)
		}
		for i := range heights { // higher is never on a lower level
			for j := range heights {
				if heights[i] < heights[j] && levels[i] > levels[j] {
					t.Fatalf("height %d is on level %d, height %d on %d", heights[i], levels[i], heights[j], levels[j])
				}
			}
		}
	}
}

// g2 is the lowest and highest of a group, which is all that obviousBest asks
// of the values of a single range.
func g2(g []int) []int {
	lo, hi := g[0], g[0]
	for _, h := range g {
		lo, hi = min(lo, h), max(hi, h)
	}
	return []int{lo, hi}
}

// Two plateaus with noise stay two levels wherever they lie, which no fixed
// bands can do.
func TestPlateausStayWhole(t *testing.T) {
	for base := 0; base < 150; base += 7 {
		heights := make([]int, 400)
		for i := range heights {
			heights[i] = base + i*7%13
			if i >= 200 {
				heights[i] += 90
			}
		}
		levels := levelsOf(heights, func(int) bool { return true })
		for i, l := range levels {
			if want := grid.Level(i / 200); l != want {
				t.Fatalf("base %d: height %d is on level %d, want %d", base, heights[i], l, want)
			}
		}
	}
}

func TestCliffsDoNotDecide(t *testing.T) {
	heights := []int{10, 10, 10, 100, 100, 100, 40, 55, 70}
	levels := levelsOf(heights, func(i int) bool { return i < 6 })
	if got := levels[5]; got != 1 {
		t.Errorf("levels %v, want 2 of them", levels)
	}
	if l := levelsOf([]int{0, 65535, 30000}, func(int) bool { return false }); l[0] != 0 || l[1] != 2 || l[2] != 1 {
		t.Errorf("wide heights became %v", l)
	}
}
