package visibility

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
	"pgregory.net/rapid"
)

// drawMap makes up a small map: any occlusion, sides that are no multiples of 8, hills and
// cliffs from zero to many.
func drawMap(t *rapid.T) *grid.Map {
	m := grid.NewMap("drawn", rapid.IntRange(grid.MapSideMin, 60).Draw(t, "w"), rapid.IntRange(grid.MapSideMin, 45).Draw(t, "h"))
	m.Occlusion = rapid.SampledFrom([]grid.Occlusion{
		grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight, grid.OcclusionLineOfSight,
	}).Draw(t, "occlusion")
	cliffs := rapid.IntRange(0, 60).Draw(t, "cliffs in 256")
	hills := rapid.IntRange(0, 200).Draw(t, "hills in 256")
	top := rapid.IntRange(1, grid.LevelsMax-1).Draw(t, "top level")
	state := rapid.Uint64().Draw(t, "ground")
	next := func() int { // splitmix64: one draw makes a whole map, and shrinks well
		state += 0x9E3779B97F4A7C15
		z := (state ^ state>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return int(z >> 40 & 0xFFFF)
	}
	for i := range m.Levels {
		if next()&255 < hills {
			m.Levels[i] = grid.Level(next() % (top + 1))
		}
		if next()&255 < cliffs {
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	return m
}

func drawTile(t *rapid.T, m *grid.Map) grid.Tile {
	return grid.Tile{
		X: int16(rapid.IntRange(0, m.W-1).Draw(t, "x")),
		Y: int16(rapid.IntRange(0, m.H-1).Draw(t, "y")),
	}
}

// drawRadius draws any radius, large ones seldom: the obvious scan of a line of
// sight takes its time.
func drawRadius(t *rapid.T, label string) Radius {
	most := 18
	if rapid.IntRange(0, 7).Draw(t, "large") == 0 {
		most = int(RadiusMax)
	}
	return Radius(rapid.IntRange(0, most).Draw(t, label))
}

func drawSource(t *rapid.T, m *grid.Map) Source {
	s := Source{
		Tile:   drawTile(t, m),
		Radius: drawRadius(t, "radius"),
		Flyer:  rapid.IntRange(0, 5).Draw(t, "flies") == 0,
	}
	if rapid.IntRange(0, 3).Draw(t, "tower") == 0 {
		s.LevelBonus = grid.Level(rapid.IntRange(0, 3).Draw(t, "bonus"))
	}
	if rapid.IntRange(0, 3).Draw(t, "detects") == 0 {
		s.Detect = max(1, drawRadius(t, "detect"))
	}
	return s
}

// TestEqualsObvious: after any sequence of calls every mask equals the obvious scan of the
// same sources, explored is the union of all tiles ever visible, and the changes are the
// difference of two steps.
func TestEqualsObvious(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		e, err := New(Config{Map: m, Teams: rapid.IntRange(1, 9).Draw(t, "teams"), ViewshedBytesMax: rapid.SampledFrom([]int{0, 1, 20_000}).Draw(t, "cap")})
		if err != nil {
			t.Fatal(err)
		}
		judge := newJudge(e, obvious.NewField(m))
		drawTeam := func(label string) grid.Team {
			return grid.Team(rapid.IntRange(0, e.Teams()-1).Draw(t, label))
		}
		var ids []SourceID
		var twin *Engine
		drawID := func() (int, bool) {
			for len(ids) > 0 {
				i := rapid.IntRange(0, len(ids)-1).Draw(t, "source")
				if e.Has(ids[i]) {
					return i, true
				}
				ids = append(ids[:i], ids[i+1:]...) // its time is over
			}
			return 0, false
		}
		now := grid.Tick(0)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) { ids = append(ids, e.Add(drawTeam("team"), drawSource(t, m))) },
			"addTimed": func(t *rapid.T) {
				s := drawSource(t, m)
				s.Until = now + grid.Tick(rapid.IntRange(1, 6).Draw(t, "ticks"))
				ids = append(ids, e.Add(drawTeam("team"), s))
			},
			"move": func(t *rapid.T) {
				if i, ok := drawID(); ok {
					e.Move(ids[i], drawTile(t, m))
				}
			},
			"change": func(t *rapid.T) {
				if i, ok := drawID(); ok {
					e.Change(ids[i], drawSource(t, m))
				}
			},
			"linger": func(t *rapid.T) {
				if i, ok := drawID(); ok {
					e.Expire(ids[i], now+grid.Tick(rapid.IntRange(0, 6).Draw(t, "ticks")))
				}
			},
			"remove": func(t *rapid.T) {
				if i, ok := drawID(); ok {
					e.Remove(ids[i])
					ids = append(ids[:i], ids[i+1:]...)
				}
			},
			"share": func(t *rapid.T) {
				e.Share(drawTeam("from"), drawTeam("to"), rapid.Bool().Draw(t, "on"))
			},
			"ground": func(t *rapid.T) {
				at := drawTile(t, m)
				judge.setGround(e, at, Ground{
					Level:  grid.Level(rapid.IntRange(0, grid.LevelsMax-1).Draw(t, "level")),
					Opaque: rapid.Bool().Draw(t, "opaque"), Mark: uint16(rapid.IntRange(0, 2).Draw(t, "mark")),
				})
			},
			"hold": func(t *rapid.T) {
				team, at, on := drawTeam("team"), drawTile(t, m), rapid.Bool().Draw(t, "on")
				e.Hold(team, at, on)
				if delete(judge.held[team], at); on {
					judge.held[team][at] = true
				}
			},
			"reload": func(t *rapid.T) {
				saved := e.Save(nil)
				again, err := Restore(Config{Map: m, Teams: e.Teams()}, saved)
				if err != nil {
					t.Fatal(err)
				}
				for team := range judge.held { // no part of a save
					again.HoldAgain(grid.Team(team), e.teams[team].memory)
				}
				if !bytes.Equal(saved, again.Save(nil)) {
					t.Fatal("a restored engine saves other bytes")
				}
				twin = e // goes on beside the restored one
				e = again
			},
			"": func(t *rapid.T) {
				now++
				e.Step(now)
				if err := judge.check(e); err != nil {
					t.Fatal(err)
				}
				if twin != nil {
					twin.Step(now)
					for team := range grid.Team(e.Teams()) {
						if a, b := slices.Collect(e.Changes(team)), slices.Collect(twin.Changes(team)); !slices.Equal(a, b) {
							t.Fatalf("team %d: changes %v after the restored step, %v after the other", team, a, b)
						}
					}
					if !bytes.Equal(e.Save(nil), twin.Save(nil)) {
						t.Fatal("stepped on, the restored engine and the saved one differ")
					}
					twin = nil
				}
			},
		})
	})
}

// TestLineOfSightIsMutual: two ground sources on the same level, that reach each
// other, see each other or neither does.
func TestLineOfSightIsMutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t)
		m.Occlusion = grid.OcclusionLineOfSight
		e, err := New(Config{Map: m, Teams: 2})
		if err != nil {
			t.Fatal(err)
		}
		r := Radius(rapid.IntRange(0, int(RadiusMax)).Draw(t, "radius"))
		a := drawTile(t, m)
		one := e.Add(0, Source{Tile: a, Radius: r})
		e.Step(0)
		var equals []grid.Tile
		for i := range m.Levels {
			if m.Levels[i] == m.Level(a) {
				equals = append(equals, m.TileAt(i))
			}
		}
		other := e.Add(1, Source{Tile: a, Radius: r})
		for range 20 {
			b := rapid.SampledFrom(equals).Draw(t, "b")
			e.Move(other, b)
			e.Step(0)
			if e.Visible(0, b) != e.Visible(1, a) {
				t.Fatalf("%v sees %v: %v, but the other way: %v", a, b, e.Visible(0, b), e.Visible(1, a))
			}
		}
		e.Remove(one)
	})
}
