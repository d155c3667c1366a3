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
	for _, size := range [][2]int{{16, 16}, {17, 23}} {
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
	m := flat(1024, 56, grid.OcclusionNone)
	e := newEngine(t, m, 2)
	judge := newJudge(e, obvious.NewField(m))
	var ids []SourceID
	for i := range 40 {
		ids = append(ids, e.Add(grid.Team(i%2), Source{Tile: grid.Tile{X: int16(i * 25), Y: int16(i)}, Radius: Radius(i * 64 / 39)}))
	}
	for _, x := range []int16{498, 505, 514, 520} { // patches of 3x3 blocks there
		ids = append(ids, e.Add(1, Source{Tile: grid.Tile{X: x, Y: 20}, Radius: 14}))
	}
	for step := range 4 {
		for i, id := range ids[:40] {
			e.Move(id, grid.Tile{X: int16((i*25 + step*97) % 1024), Y: int16((i*2 + step) % 56)})
		}
		if step == 2 {
			for _, id := range ids[40:] {
				_, s := e.Get(id)
				e.Move(id, grid.Tile{X: s.Tile.X + 3, Y: 40})
			}
		}
		e.Step(0)
		if err := judge.check(e); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWalks walks sources tile by tile: over the places where a row of marks goes
// from one word to the next, along all edges, and on maps that are narrower than
// a patch. A step shows a few tiles in one block of a patch and none in the
// others. One source is compared patch by patch, many are compared all over the
// map.
func TestWalks(t *testing.T) {
	for _, c := range []struct{ w, h, west, sources int }{
		{536, 29, 490, 1}, {536, 29, 490, 3}, {536, 29, 490, 9},
		{20, 45, 0, 1}, {16, 45, 0, 1}, {45, 20, 0, 1}, {45, 16, 0, 2}, {20, 20, 0, 1},
	} {
		m, n := flat(c.w, c.h, grid.OcclusionNone), c.sources
		e := newEngine(t, m, 1)
		judge := newJudge(e, obvious.NewField(m))
		var ids []SourceID
		for i := range n {
			ids = append(ids, e.Add(0, Source{Tile: grid.Tile{X: int16(c.west + c.w/60 + i), Y: int16(c.h / 2)}, Radius: Radius(6 + i), Detect: Radius(i % 3 * 4)}))
		}
		state := uint32(n)
		for step := range 150 {
			for i, id := range ids {
				state = state*1664525 + 1013904223
				_, s := e.Get(id)
				to := s.Tile
				switch state >> 30 {
				case 0:
					to.X = min(to.X+1, int16(c.w-1))
				case 1:
					to.X = max(to.X-1, int16(c.west))
				case 2:
					to.Y = min(to.Y+1, int16(c.h-1))
				case 3:
					to.Y = max(to.Y-1, 0)
				}
				if step%49 == 48 { // and a leap
					to = grid.Tile{X: int16([]int{0, c.w / 2, c.west, c.w - 1}[state>>28&3]), Y: int16(state>>8) & 15}
				}
				if i > 0 && step%40 == 20+i {
					e.Remove(id)
					ids[i] = e.Add(0, s)
				}
				e.Move(ids[i], to)
			}
			e.Step(grid.Tick(step))
			if err := judge.check(e); err != nil {
				t.Fatalf("map of %dx%d, %d sources, step %d: %v", c.w, c.h, n, step, err)
			}
		}
	}
}

// TestVisibleToCatchesUp asks for all teams at once after some steps and not after
// others.
func TestVisibleToCatchesUp(t *testing.T) {
	m := flat(70, 30, grid.OcclusionNone)
	for _, teams := range []int{1, 3, 8, 13} {
		e := newEngine(t, m, teams)
		var ids []SourceID
		for i := range 2 * teams {
			ids = append(ids, e.Add(grid.Team(i%teams), Source{Tile: grid.Tile{X: int16(i * 2), Y: int16(i)}, Radius: Radius(6 + i)}))
		}
		state := uint32(teams)
		for step := range 200 {
			state = state*1664525 + 1013904223
			for i, id := range ids {
				if state>>(i%24)&1 != 0 {
					e.Move(id, grid.Tile{X: int16((i*2 + step) % 70), Y: int16((i + step/3) % 30)})
				}
			}
			e.Step(grid.Tick(step))
			if state>>28 < 11 {
				continue
			}
			for k := range m.Levels {
				at, want := m.TileAt(k), grid.TeamSet(0)
				for team := range grid.Team(teams) {
					if e.Visible(team, at) {
						want = want.With(team)
					}
				}
				if got := e.TeamsSeeing(at); got != want {
					t.Fatalf("%d teams, step %d, %v: seen by %#x, want %#x", teams, step, at, got, want)
				}
			}
		}
	}
}
