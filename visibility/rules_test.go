package visibility

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// TestOneBlockIsNew: of the blocks that a source sees, all tiles but those of one block
// have been explored before. The engine finds any such block, for any place of the source.
func TestOneBlockIsNew(t *testing.T) {
	const radius = 16 // half tiles: three blocks by three
	for _, at := range []grid.Tile{{X: 100, Y: 27}, {X: 503, Y: 28}, {X: 508, Y: 27}, {X: 515, Y: 28}} {
		for block := range 9 {
			m := flat(552, 56, grid.OcclusionNone)
			e := newEngine(t, m, 2)
			bx, by := at.X>>3+int16(block%3)-1, at.Y>>3+int16(block/3)-1
			left := 0
			for y := at.Y - 8; y <= at.Y+8; y++ {
				for x := at.X - 8; x <= at.X+8; x++ {
					switch {
					case !inCircle(int(x-at.X), int(y-at.Y), radius):
					case x>>3 == bx && y>>3 == by:
						left++
					default:
						e.Add(1, Source{Tile: grid.Tile{X: x, Y: y}}) // sees its own tile alone
					}
				}
			}
			for now, shared := range []bool{true, false} {
				e.Share(1, 0, shared)
				e.Step(grid.Tick(now))
			}
			known := e.Mask(ExploredEver, 0).Count()
			e.Add(0, Source{Tile: at, Radius: radius})
			e.Step(3)
			if fresh := len(exploredNow(e, 0)); fresh != left {
				t.Fatalf("source at %v: %d tiles of block %d,%d are new, %d were found", at, left, bx, by, fresh)
			}
			if now := e.Mask(ExploredEver, 0).Count(); now != known+left {
				t.Fatalf("source at %v, block %d,%d: %d tiles were explored, %d are, %d are new", at, bx, by, known, now, left)
			}
		}
	}
}

// TestOnlyOneBlockIsNotExplored: the whole map is explored but one block in a source's
// sight. The engine finds that block and no other.
func TestOnlyOneBlockIsNotExplored(t *testing.T) {
	const radius = 16
	for _, at := range []grid.Tile{{X: 100, Y: 27}, {X: 503, Y: 28}, {X: 508, Y: 27}, {X: 515, Y: 28}} {
		for block := range 9 {
			e := newEngine(t, flat(552, 56, grid.OcclusionNone), 1)
			bx, by := int(at.X>>3)+block%3-1, int(at.Y>>3)+block/3-1
			explored := e.teams[0].explored
			for y := range e.draw.mapH {
				for x := range e.draw.mapW {
					explored[e.draw.place(x, y)] = e.draw.onMap(x, y)
				}
			}
			explored[e.draw.place(bx, by)] = 0
			e.Add(0, Source{Tile: at, Radius: radius})
			e.Step(1)
			var want []grid.Tile
			for y := range int16(8) {
				for x := range int16(8) {
					if tile := (grid.Tile{X: int16(8*bx) + x, Y: int16(8*by) + y}); inCircle(int(tile.X-at.X), int(tile.Y-at.Y), radius) {
						want = append(want, tile)
					}
				}
			}
			if err := sameTiles(exploredNow(e, 0), want); err != nil {
				t.Fatalf("source at %v, block %d,%d: %v", at, bx, by, err)
			}
		}
	}
}

// TestSharedSightEnds: on a map where patches are compared one by one, a team loses the
// sight of another team at once, and keeps all else.
func TestSharedSightEnds(t *testing.T) {
	m := flat(256, 256, grid.OcclusionNone)
	e := newEngine(t, m, 3)
	judge := newJudge(e, obvious.NewField(m))
	for i := range 9 {
		e.Add(grid.Team(i%3), Source{Tile: grid.Tile{X: int16(20 + 25*i), Y: int16(30 + 20*i)}, Radius: 14, Detect: Radius(6 * (i % 2))})
	}
	for step, on := range []bool{false, true, true, false, true, false} {
		e.Share(1, 0, on)
		e.Share(2, 0, step == 2)
		e.Step(grid.Tick(step))
		if err := judge.check(e); err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
	}
}

// TestFlyersSeeOverChangedGround: a flyer sees all of its circle, also when the
// ground below it or around it changes.
func TestFlyersSeeOverChangedGround(t *testing.T) {
	for _, o := range []grid.Occlusion{grid.OcclusionHighGround, grid.OcclusionLineOfSight} {
		m := flat(64, 64, o)
		e := newEngine(t, m, 2)
		judge := newJudge(e, obvious.NewField(m))
		below := grid.Tile{X: 30, Y: 30}
		e.Add(0, Source{Tile: below, Radius: 12, Flyer: true})
		e.Add(1, Source{Tile: below, Radius: 12})
		for i, c := range []struct {
			at grid.Tile
			g  Ground
		}{
			{grid.Tile{X: 32, Y: 30}, Ground{Level: 3, Opaque: true}},
			{grid.Tile{X: 28, Y: 30}, Ground{Level: grid.LevelsMax - 1, Opaque: true}},
			{below, Ground{Level: 1}},
			{grid.Tile{X: 30, Y: 33}, Ground{Level: 2}},
			{below, Ground{Level: 0, Opaque: true}},
			{below, Ground{Level: 5}},
		} {
			judge.setGround(e, c.at, c.g)
			e.Step(grid.Tick(i))
			if err := judge.check(e); err != nil {
				t.Fatalf("%v, change %d: %v", o, i, err)
			}
		}
	}
}

// TestSequencesStop: a loop over tiles that ends early gets no more tiles.
func TestSequencesStop(t *testing.T) {
	e := newEngine(t, flat(64, 64, grid.OcclusionNone), 1)
	id := e.Add(0, Source{Tile: grid.Tile{X: 20, Y: 20}, Radius: 20})
	e.Step(1)
	first := func(tiles func(func(grid.Tile) bool)) int {
		n := 0
		tiles(func(grid.Tile) bool { n++; return n < 3 })
		return n
	}
	if n := first(e.Shown(0)); n != 3 {
		t.Errorf("shown: the third tile was the last that was asked for, %d came", n)
	}
	if n := first(e.Mask(VisibleNow, 0).Tiles()); n != 3 {
		t.Errorf("mask: the third tile was the last that was asked for, %d came", n)
	}
	blocks := 0
	for range e.Changes(0) {
		if blocks++; blocks == 2 {
			break
		}
	}
	e.Remove(id)
	e.Step(2)
	if n := first(e.Hidden(0)); n != 3 {
		t.Errorf("hidden: the third tile was the last that was asked for, %d came", n)
	}
}

// TestIDsOfNothing: an id that was never given out names no source.
func TestIDsOfNothing(t *testing.T) {
	e := newEngine(t, flat(16, 16, grid.OcclusionNone), 2)
	id := e.Add(1, Source{Radius: 2})
	for _, wrong := range []SourceID{0, id + 1, id - 1, id + 1<<teamBits, id + 2<<teamBits, id + genUnit, SourceID(genUnit | 15)} {
		if e.Has(wrong) {
			t.Errorf("id %#x names a source; only %#x was given out", uint32(wrong), uint32(id))
		}
	}
	if !e.Has(id) {
		t.Errorf("id %#x names no source", uint32(id))
	}
}

// TestNobodySeesWhatIsOffTheMap: also when the answers come from the table that many
// calls in one step make.
func TestNobodySeesWhatIsOffTheMap(t *testing.T) {
	e := newEngine(t, flat(60, 60, grid.OcclusionNone), 2)
	for _, at := range []grid.Tile{{}, {X: 59}, {Y: 59}, {X: 59, Y: 59}} {
		e.Add(1, Source{Tile: at, Radius: 20})
	}
	e.Step(1)
	for range 3 * e.visibleTo.looksMax {
		if got := e.TeamsSeeing(grid.Tile{X: 59, Y: 30}); got != 0 {
			t.Fatalf("teams %#x see the middle of the edge", got)
		}
	}
	if len(e.visibleTo.rows) == 0 {
		t.Fatal("no table was made")
	}
	for k := int16(-70); k < 140; k++ {
		for _, at := range []grid.Tile{{X: -1, Y: k}, {X: 60, Y: k}, {X: 63, Y: k}, {X: 64, Y: k}, {X: k, Y: -1}, {X: k, Y: 60}, {X: k, Y: 64}} {
			if got := e.TeamsSeeing(at); got != 0 {
				t.Errorf("teams %#x see %v", got, at)
			}
		}
	}
}

// TestWorkIsCounted: the counters count the engine's kinds of work.
func TestWorkIsCounted(t *testing.T) {
	e := newEngine(t, flat(64, 64, grid.OcclusionNone), 2)
	id := e.Add(0, Source{Tile: grid.Tile{X: 20, Y: 20}, Radius: 4})
	gone := e.Add(0, Source{Tile: grid.Tile{X: 30, Y: 20}, Radius: 4})
	e.Step(1)
	e.Step(2)
	e.Remove(gone)
	e.Step(3)
	e.Move(id, grid.Tile{X: 21, Y: 20})
	e.Step(4)
	if got, want := e.Stats(), (Stats{Steps: 4, Recomputed: 3, Drawn: 2 + 1 + 1}); got.Steps != want.Steps || got.Recomputed != want.Recomputed || got.Drawn != want.Drawn {
		t.Errorf("%+v, want %+v", got, want)
	}
}
