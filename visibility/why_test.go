package visibility

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
	"pgregory.net/rapid"
)

// obviousWhy is [Engine.Why] by the rule in plain code: one rule after the other, and every
// tile of the box between the two checked as an obstacle. blockers are the obstacles
// nearest to the source along the longer axis.
func obviousWhy(f *obvious.Field, s obvious.Source, radius, x, y int) (reason Reason, blockers []grid.Tile) {
	dx, dy := x-s.X, y-s.Y
	if 4*(dx*dx+dy*dy) > radius*radius {
		return OutOfRange, nil
	}
	if s.Flyer || f.Occlusion == grid.OcclusionNone {
		return Sees, nil
	}
	eye := min(int(f.Levels[s.Y*f.W+s.X])+s.LevelBonus, grid.LevelsMax-1)
	if int(f.Levels[y*f.W+x]) > eye {
		return TooHigh, nil
	}
	if f.Occlusion == grid.OcclusionHighGround {
		return Sees, nil
	}
	nearest := 1 << 20
	for ty := min(s.Y, y); ty <= max(s.Y, y); ty++ {
		for tx := min(s.X, x); tx <= max(s.X, x); tx++ {
			stands := int(f.Levels[ty*f.W+tx])
			if f.Opaque[ty*f.W+tx] {
				stands++
			}
			along, ends, off := max(tx-s.X, s.X-tx), max(dx, -dx), 2*((ty-s.Y)*dx-(tx-s.X)*dy)
			if dx*dx < dy*dy {
				along, ends = max(ty-s.Y, s.Y-ty), max(dy, -dy)
			}
			if along == 0 || along == ends || max(off, -off) > ends || stands <= eye {
				continue
			}
			at := grid.Tile{X: int16(tx), Y: int16(ty)}
			switch {
			case along < nearest:
				nearest, blockers = along, []grid.Tile{at}
			case along == nearest:
				blockers = append(blockers, at)
			}
		}
	}
	if len(blockers) > 0 {
		return Blocked, blockers
	}
	return Sees, nil
}

// TestWhy: the engine and the rule in plain code give the same reason for each source and
// tile, and all reasons occur.
func TestWhy(t *testing.T) {
	seen := map[Reason]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		e, err := New(Config{Map: m, Teams: 2, ViewshedBytesMax: rapid.SampledFrom([]int{0, 1}).Draw(t, "cap")})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 3).Draw(t, "sources") {
			e.Add(0, drawSource(t, m))
		}
		e.Share(0, 1, rapid.Bool().Draw(t, "shared"))
		e.Step(1)
		field := obvious.NewField(m)
		for id, s := range e.Sources(0) {
			p := plain(s)
			for range 60 {
				at := drawTile(t, m)
				for _, detect := range []bool{false, true} {
					radius := p.Radius
					if detect {
						radius = p.Detect
					}
					got := e.Why(id, at, detect)
					want, blockers := obviousWhy(field, p, radius, int(at.X), int(at.Y))
					if detect && s.Detect == 0 {
						want, blockers = OutOfRange, nil
					}
					if got.Reason != want || want == Blocked && !slices.Contains(blockers, got.Blocker) || want != Blocked && got.Blocker != (grid.Tile{}) {
						t.Fatalf("%+v at %v, detect %v: %+v, want %v by one of %v", s, at, detect, got, want, blockers)
					}
					if got.Over != (s.Flyer || m.Occlusion == grid.OcclusionNone) {
						t.Fatalf("%+v sees over all: %v", s, got.Over)
					}
					seen[want]++
				}
			}
		}
	})
	for _, r := range []Reason{Sees, OutOfRange, TooHigh, Blocked} {
		if seen[r] == 0 {
			t.Errorf("no source and tile has the reason %v", r)
		}
	}
}

// TestLine: a line has its ends, and the tiles between them by rule 3.
func TestLine(t *testing.T) {
	tile := func(x, y int16) grid.Tile { return grid.Tile{X: x, Y: y} }
	for _, c := range []struct {
		from, to grid.Tile
		want     []grid.Tile
	}{
		{tile(3, 3), tile(3, 3), []grid.Tile{tile(3, 3)}},
		{tile(3, 3), tile(4, 3), []grid.Tile{tile(3, 3), tile(4, 3)}},
		{tile(3, 3), tile(0, 3), []grid.Tile{tile(3, 3), tile(2, 3), tile(1, 3), tile(0, 3)}},
		{tile(3, 3), tile(5, 4), []grid.Tile{tile(3, 3), tile(4, 3), tile(4, 4), tile(5, 4)}}, // exactly between two
		{tile(3, 3), tile(1, 1), []grid.Tile{tile(3, 3), tile(2, 2), tile(1, 1)}},
	} {
		if got := Line(c.from, c.to); !slices.Equal(got, c.want) {
			t.Errorf("%v to %v: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
