package visibility

import (
	"slices"
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

// TestEveryPlaceAtTheEdges puts a source on all tiles within two blocks of an edge, one
// after the other, on maps that are large enough to compare patches and not all
// blocks. The last row and column of blocks are on the map in part, or as a whole.
func TestEveryPlaceAtTheEdges(t *testing.T) {
	for _, size := range [][2]int{{61, 51}, {64, 56}} {
		for _, radius := range []Radius{16, 11, 4, 20} { // patches of 3x3 blocks, of 2x2 and of 4x4
			m := flat(size[0], size[1], grid.OcclusionNone)
			e := newEngine(t, m, 1)
			f := obvious.NewField(m)
			var border []grid.Tile
			for i := range m.Levels {
				if at := m.TileAt(i); int(at.X) < 16 || int(at.Y) < 16 || int(at.X) >= m.W-16 || int(at.Y) >= m.H-16 {
					border = append(border, at)
				}
			}
			id := e.Add(0, Source{Tile: border[0], Radius: radius, Detect: radius / 2})
			was, explored := make([]bool, len(m.Levels)), make([]bool, len(m.Levels))
			for i := range border {
				at := border[i*97%len(border)] // far from the last one
				e.Move(id, at)
				e.Step(grid.Tick(i))
				eye := obvious.Source{X: int(at.X), Y: int(at.Y), Radius: int(radius), Detect: int(radius / 2)}
				now := f.Scan([]obvious.Source{eye})
				var shown, hidden, fresh, detected []grid.Tile
				for k, v := range now {
					tile := m.TileAt(k)
					switch {
					case v && !was[k]:
						shown = append(shown, tile)
					case !v && was[k]:
						hidden = append(hidden, tile)
					}
					if v && !explored[k] {
						explored[k], fresh = true, append(fresh, tile)
					}
					if v && f.Sees(eye, eye.Detect, int(tile.X), int(tile.Y)) {
						detected = append(detected, tile)
					}
				}
				was = now
				for what, c := range map[string][2][]grid.Tile{
					"turned visible": {slices.Collect(e.Shown(0)), shown}, "turned hidden": {slices.Collect(e.Hidden(0)), hidden},
					"newly explored": {exploredNow(e, 0), fresh}, "detected": {slices.Collect(e.Mask(DetectedNow, 0).Tiles()), detected},
				} {
					if err := sameTiles(c[0], c[1]); err != nil {
						t.Fatalf("map of %v, radius %d, source at %v, %s: %v", size, radius, at, what, err)
					}
				}
			}
			if err := sameMask(e.Mask(ExploredEver, 0), explored); err != nil {
				t.Fatalf("map of %v, radius %d, explored: %v", size, radius, err)
			}
		}
	}
}

// TestViewshedsShareAPlace: with a cache that has room for one viewshed of each radius, a
// source that moves by one tile, or whose ground rises, gets a viewshed of its own, not the
// viewshed of the tile or height before.
func TestViewshedsShareAPlace(t *testing.T) {
	m := flat(40, 40, grid.OcclusionLineOfSight)
	for i := range m.Levels {
		m.Levels[i] = grid.Level(i * i / 7 % 3)
	}
	e, err := New(Config{Map: m, Teams: 1, ViewshedBytesMax: 1})
	if err != nil {
		t.Fatal(err)
	}
	judge := newJudge(e, obvious.NewField(m))
	at := grid.Tile{X: 20, Y: 20}
	id := e.Add(0, Source{Tile: at, Radius: 14})
	for step := range 80 {
		switch step % 4 {
		case 0:
			at.Y = 20 - at.Y + 21 // 20 and 21
		case 1:
			at.X = 20 - at.X + 21
		case 2:
			judge.setGround(e, at, Ground{Level: grid.Level(step / 4 % 5)})
		case 3:
			at.Y, at.X = int16(10+step*7%17), int16(12+step*5%13)
			judge.setGround(e, grid.Tile{X: at.X + 3, Y: at.Y - 2}, Ground{Level: 3, Opaque: step%8 == 3})
		}
		e.Move(id, at)
		e.Step(grid.Tick(step))
		if err := judge.check(e); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
	}
}

// TestFirstTileHasAViewshed: the north-western tile is one like all others.
func TestFirstTileHasAViewshed(t *testing.T) {
	for level := range grid.Level(grid.LevelsMax) {
		m := flat(20, 20, grid.OcclusionLineOfSight)
		m.Levels[0] = level
		e := newEngine(t, m, 1)
		e.Add(0, Source{Radius: 12, Detect: 8})
		judge := newJudge(e, obvious.NewField(m))
		e.Step(1)
		if err := judge.check(e); err != nil {
			t.Fatalf("eye on level %d: %v", level, err)
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
