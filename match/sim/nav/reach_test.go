package nav

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestReachIsKeptUp changes the ground tile by tile and compares, after each change, the
// maintained labels with labels made anew: the same tiles have to share a label.
func TestReachIsKeptUp(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	m := grid.NewMap("reach", 20, 20)
	for range 60 {
		i := m.Index(grid.Tile{X: int16(r.IntN(20)), Y: int16(3 + r.IntN(17))})
		m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
	}
	g := NewGround(NewBase(m))
	kept := g.labels(grid.Ground)
	redone, shared := 0, 0
	for step := range 4000 {
		if step%100 == 0 { // as after a state was read, with few obstacles
			for i := range g.solid {
				if r.IntN(40) > 0 {
					g.solid[i] = 0
				}
			}
			clear(g.reach[:])
			kept = g.labels(grid.Ground)
		}
		i := r.IntN(len(g.solid))
		if r.IntN(3) > 0 && step%100 < 30 {
			g.solid[i] = 0
		} else {
			g.solid[i] ^= Shut
		}
		was := kept.made
		g.changed(i)
		if was && !kept.made {
			redone++
		}
		if kept = g.labels(grid.Ground); kept.over != nil {
			shared++
		}
		var fresh reach
		fresh.label = make([]int32, len(kept.label))
		for j := range fresh.label {
			if fresh.label[j] == 0 && g.open(j, grid.Ground) {
				fresh.next++
				g.flood(&fresh, grid.Ground, int32(j), fresh.next)
			}
		}
		same := map[int32]int32{}
		back := map[int32]int32{}
		for j := range fresh.label {
			a, b := fresh.label[j], kept.at(j)
			if (a == 0) != (b == 0) {
				t.Fatalf("step %d: %v: label %d, made anew %d", step, m.TileAt(j), b, a)
			}
			if x, ok := same[a]; ok && x != b {
				t.Fatalf("step %d: %v: one part has the labels %d and %d", step, m.TileAt(j), x, b)
			}
			if x, ok := back[b]; ok && x != a {
				t.Fatalf("step %d: %v: the label %d is on two parts", step, m.TileAt(j), b)
			}
			same[a], back[b] = b, a
		}
	}
	if shared < 50 {
		t.Errorf("the team used the map's labels after %d of 4000 changes", shared)
	}
	if redone == 0 || redone > 3000 {
		t.Errorf("labels were made anew %d times in 4000 changes", redone)
	}
}
