package obvious_test

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// TestByHand holds the rule to answers found on paper.
func TestByHand(t *testing.T) {
	m := grid.NewMap("hand", 16, 16)
	m.Occlusion = grid.OcclusionLineOfSight
	m.Levels[m.Index(grid.Tile{X: 8, Y: 5})] = 1
	m.Terrain[m.Index(grid.Tile{X: 5, Y: 8})] = grid.Cliff
	m.Levels[m.Index(grid.Tile{X: 2, Y: 2})] = 1
	f := obvious.NewField(m)
	at55 := obvious.Source{X: 5, Y: 5}
	for _, c := range []struct {
		name   string
		s      obvious.Source
		radius int
		x, y   int
		want   bool
	}{
		{"its own tile, without any radius", at55, 0, 5, 5, true},
		{"a neighbour needs a tile", at55, 1, 6, 5, false},
		{"a neighbour at a tile", at55, 2, 6, 5, true},
		{"a diagonal is 1.41 tiles: 2.83 halves", at55, 2, 6, 6, false},
		{"a diagonal within 3 halves", at55, 3, 6, 6, true},
		{"(2,1) is 2.24 tiles", at55, 4, 7, 6, false},
		{"(2,1) within 2.5", at55, 5, 7, 6, true},
		{"higher ground", at55, 20, 8, 5, false},
		{"behind higher ground", at55, 20, 9, 5, false},
		{"the cliff itself, of the same level", at55, 20, 5, 8, true},
		{"behind the cliff", at55, 20, 5, 9, false},
		{"beside the cliff's shadow", at55, 20, 7, 9, true},
		{"from a tower: higher ground", obvious.Source{X: 5, Y: 5, LevelBonus: 1}, 20, 8, 5, true},
		{"from a tower: over it", obvious.Source{X: 5, Y: 5, LevelBonus: 1}, 20, 9, 5, true},
		{"from a tower: over the cliff", obvious.Source{X: 5, Y: 5, LevelBonus: 1}, 20, 5, 9, true},
		{"flying", obvious.Source{X: 5, Y: 5, Flyer: true}, 20, 9, 5, true},
		{"from a hill down", obvious.Source{X: 2, Y: 2}, 20, 4, 2, true},
	} {
		if got := f.Sees(c.s, c.radius, c.x, c.y); got != c.want {
			t.Errorf("%s: sees %d,%d is %v", c.name, c.x, c.y, got)
		}
	}
}
