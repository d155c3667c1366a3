package visibility

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// TestEveryRadiusEverywhere puts one source of every radius on every tile of a
// map that is smaller than the largest circle: all edges, all corners, all ways
// a circle can lie across the blocks.
func TestEveryRadiusEverywhere(t *testing.T) {
	for _, size := range [][2]int{{16, 16}, {17, 23}, {33, 16}} {
		m := flat(size[0], size[1], grid.OcclusionNone)
		e := newEngine(t, m, 1)
		f := obvious.NewField(m)
		id := e.Add(0, Source{})
		for r := range RadiusMax + 1 {
			for i := range m.Levels {
				s := Source{Tile: m.TileAt(i), Radius: r}
				e.Change(id, s)
				e.Step(0)
				for k := range m.Levels {
					at := m.TileAt(k)
					if got := e.Visible(0, at); got != f.Sees(plain(s), int(r), int(at.X), int(at.Y)) {
						t.Fatalf("map of %v, radius %d half tiles at %v: sees %v is %v", size, r, s.Tile, at, got)
					}
				}
			}
		}
	}
}

// TestWideMap crosses the 64 blocks that one word of marks holds.
func TestWideMap(t *testing.T) {
	m := flat(1024, 40, grid.OcclusionNone)
	e := newEngine(t, m, 2)
	judge := newJudge(e, obvious.NewField(m))
	var ids []SourceID
	for i := range 40 {
		ids = append(ids, e.Add(grid.Team(i%2), Source{Tile: grid.Tile{X: int16(i * 25), Y: int16(i)}, Radius: Radius(i * 64 / 39)}))
	}
	for step := range 6 {
		for i, id := range ids {
			e.Move(id, grid.Tile{X: int16((i*25 + step*97) % 1024), Y: int16((i + step) % 40)})
		}
		e.Step(0)
		if err := judge.check(e); err != nil {
			t.Fatal(err)
		}
	}
}
