package visibility

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestCleanTeamsCostNothing counts recomputed masks: only of teams with a source that
// crossed a tile, appeared, went or changed, and of teams that share with them.
func TestCleanTeamsCostNothing(t *testing.T) {
	m := flat(64, 64, grid.OcclusionHighGround)
	e := newEngine(t, m, 4)
	var ids []SourceID
	for i := range 4 {
		for k := range 5 {
			ids = append(ids, e.Add(grid.Team(i), Source{Tile: grid.Tile{X: int16(10 * i), Y: int16(10 * k)}, Radius: 16}))
		}
	}
	now := grid.Tick(0)
	cost := func(what string, want uint64, change func()) {
		t.Helper()
		before := e.Stats()
		change()
		now++
		e.Step(now)
		if got := e.Stats().Recomputed - before.Recomputed; got != want {
			t.Errorf("%s: %d masks recomputed, want %d", what, got, want)
		}
		if drawn := e.Stats().Drawn - before.Drawn; want == 0 && drawn != 0 {
			t.Errorf("%s: %d sources drawn", what, drawn)
		}
	}
	_, s := e.Get(ids[0])
	var scan SourceID
	cost("all are new", 4, func() {})
	cost("nothing", 0, func() {})
	cost("moved on the spot", 0, func() { e.Move(ids[0], s.Tile) })
	cost("changed into itself", 0, func() { e.Change(ids[0], s) })
	cost("another end", 0, func() { e.Expire(ids[0], 1000) })
	cost("one crossed a tile", 1, func() { e.Move(ids[0], grid.Tile{X: 1, Y: 1}) })
	cost("one's radius", 1, func() { s.Radius = 10; e.Change(ids[0], s) })
	cost("one appeared", 1, func() { scan = e.Add(2, Source{Tile: grid.Tile{X: 60, Y: 60}, Radius: 4, Until: now + 3}) })
	cost("the scan goes on", 0, func() {})
	cost("the scan is over", 1, func() {})
	if e.Has(scan) {
		t.Error("the scan is over, but still there")
	}
	cost("one went", 1, func() { e.Remove(ids[7]) })
	cost("shared with", 1, func() { e.Share(0, 1, true) })
	cost("shared with already", 0, func() { e.Share(0, 1, true) })
	cost("one that shares moved", 2, func() { e.Move(ids[0], grid.Tile{X: 2, Y: 2}) })
	cost("the one shared with moved", 1, func() { e.Move(ids[5], grid.Tile{X: 2, Y: 2}) })
	cost("ground in nobody's reach", 0, func() { e.SetGround(grid.Tile{X: 63, Y: 63}, Ground{Level: 3}) })
	cost("ground in one team's reach", 1, func() { e.SetGround(grid.Tile{X: 33, Y: 43}, Ground{Level: 3}) })
	cost("only the mark of it", 0, func() { e.SetGround(grid.Tile{X: 33, Y: 43}, Ground{Level: 3, Mark: 9}) })
}

// TestSteadyTickAllocatesNothing, under each rule, with detectors, timed
// sources and changing ground.
func TestSteadyTickAllocatesNothing(t *testing.T) {
	for _, o := range []grid.Occlusion{grid.OcclusionNone, grid.OcclusionHighGround, grid.OcclusionLineOfSight} {
		m := flat(128, 96, o)
		for i := range m.Levels {
			m.Levels[i] = grid.Level(i / 37 % 5)
		}
		e := newEngine(t, m, 8)
		var ids []SourceID
		for i := range 200 {
			ids = append(ids, e.Add(grid.Team(i%8), Source{
				Tile: grid.Tile{X: int16(i * 7 % 128), Y: int16(i * 13 % 96)}, Radius: Radius(4 + i%20), Detect: Radius(i % 3),
			}))
		}
		now := grid.Tick(0)
		tick := func() {
			now++
			for i, id := range ids {
				e.Move(id, grid.Tile{X: int16((i*7 + int(now)) % 128), Y: int16((i*13 + int(now)/2) % 96)})
			}
			e.Add(3, Source{Tile: grid.Tile{X: int16(now % 128), Y: 5}, Radius: 8, Until: now + 2})
			e.SetGround(grid.Tile{X: 9, Y: 9}, Ground{Level: grid.Level(now & 1), Mark: uint16(now)})
			e.Step(now)
			for team := range grid.Team(8) {
				e.Hash(team)
				for range e.Changes(team) {
				}
			}
		}
		for range 260 {
			tick()
		}
		if n := testing.AllocsPerRun(30, tick); n != 0 {
			t.Errorf("%v: %v allocations in a steady tick", o, n)
		}
	}
}

// TestViewshedMemoryIsCapped fills every sheet that the largest map and all radii
// can ask for.
func TestViewshedMemoryIsCapped(t *testing.T) {
	m := flat(1024, 1024, grid.OcclusionLineOfSight)
	e := newEngine(t, m, 1)
	for r := range RadiusMax + 1 {
		e.Add(0, Source{Radius: r})
	}
	bytes := 0
	for i := range e.viewsheds.sheets {
		bytes += 8*len(e.viewsheds.sheets[i].words) + 4*len(e.viewsheds.sheets[i].keys)
	}
	const roomForOneEach = int(RadiusMax+1) * (8*sideMax*sideMax + 4)
	if bytes > ViewshedBytesDefault+roomForOneEach || bytes < ViewshedBytesDefault/4 {
		t.Errorf("lines of sight take %d bytes, the cap is %d", bytes, ViewshedBytesDefault)
	}
}

// TestMisuse: broken invariants are named.
func TestMisuse(t *testing.T) {
	m := flat(16, 16, grid.OcclusionNone)
	e := newEngine(t, m, 2)
	id := e.Add(1, Source{})
	e.Remove(id)
	reused := e.Add(1, Source{})
	for want, f := range map[string]func(){
		"no source":           func() { e.Move(id, grid.Tile{}) },
		"no source 0x0":       func() { e.Remove(0) },
		"no source 0x100001":  func() { e.Change(id, Source{Radius: 3}) },
		"no source 0x10000":   func() { e.Get(0x10000) },
		"no source 0x20000":   func() { e.Expire(0x20000, 7) },
		"team 2 of 2":         func() { e.Add(2, Source{}) },
		"team 3 of 2":         func() { e.Visible(3, grid.Tile{}) },
		"team 4 of 2":         func() { e.Explored(4, grid.Tile{}) },
		"team 5 of 2":         func() { e.Detected(5, grid.Tile{}) },
		"team 6 of 2":         func() { e.Share(6, 0, true) },
		"team 7 of 2":         func() { e.Share(0, 7, true) },
		"tile 16,0 is off":    func() { e.Add(0, Source{Tile: grid.Tile{X: 16}}) },
		"tile 0,-1, off":      func() { e.Move(reused, grid.Tile{Y: -1}) },
		"radius of 65":        func() { e.Change(reused, Source{Radius: 65}) },
		"detection radius of": func() { e.Change(reused, Source{Detect: 65}) },
		"level bonus 16":      func() { e.Change(reused, Source{LevelBonus: 16}) },
		"level 16":            func() { e.SetGround(grid.Tile{}, Ground{Level: 16}) },
		"tile 3,16 is off":    func() { e.Ground(grid.Tile{X: 3, Y: 16}) },
		"team 8 of 2":         func() { e.Mask(VisibleNow, 8) },
		"team 10 of 2":        func() { e.Known(10, grid.Tile{}) },
		"team 11 of 2":        func() { e.Changes(11)(func(Change) bool { return true }) },
		"team 12 of 2":        func() { e.Sources(12)(func(SourceID, Source) bool { return true }) },
		"team 13 of 2":        func() { e.Timed(13)(func(SourceID, Source) bool { return true }) },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panic %q, want it to name %q", got, want)
				}
			}()
			f()
		}()
	}
	if _, err := New(Config{Map: m, Teams: grid.TeamsMax, ViewshedBytesMax: 1}); err != nil {
		t.Errorf("New refuses %d teams: %v", grid.TeamsMax, err)
	}
	for _, c := range []Config{{Map: m, Teams: 0}, {Map: m, Teams: 17}, {Map: m, Teams: 1, ViewshedBytesMax: -1}, {Map: grid.NewMap("small", 3, 3), Teams: 1}} {
		if _, err := New(c); err == nil {
			t.Errorf("New takes %+v", c)
		}
	}
}

// TestIDsAreSpent: an id never names a source that was added later, at least
// for some thousands of sources in its place.
func TestIDsAreSpent(t *testing.T) {
	e := newEngine(t, flat(16, 16, grid.OcclusionNone), 1)
	first := e.Add(0, Source{})
	e.Remove(first)
	for range 4090 {
		id := e.Add(0, Source{})
		if id == first || id == 0 {
			t.Fatalf("id %#x was given out again", uint32(id))
		}
		e.Remove(id)
	}
	for range 20 { // around the wrap
		id := e.Add(0, Source{Radius: 2})
		if id == 0 || !e.Has(id) {
			t.Fatalf("id %#x does not name its source", uint32(id))
		}
		e.Remove(id)
	}
}

// TestSourcesAreOnTheMap: a source is refused off each edge, and beyond each of its
// limits, and taken at them.
func TestSourcesAreOnTheMap(t *testing.T) {
	for _, c := range []struct {
		s    Source
		want string
	}{
		{Source{}, ""},
		{Source{Tile: grid.Tile{X: 19, Y: 14}, Radius: RadiusMax, Detect: RadiusMax, LevelBonus: grid.LevelsMax - 1}, ""},
		{Source{Tile: grid.Tile{X: -1, Y: 3}}, "source at tile -1,3 is off"},
		{Source{Tile: grid.Tile{X: 3, Y: -1}}, "source at tile 3,-1 is off"},
		{Source{Tile: grid.Tile{X: 20, Y: 3}}, "source at tile 20,3 is off"},
		{Source{Tile: grid.Tile{X: 3, Y: 15}}, "source at tile 3,15 is off"},
		{Source{Radius: RadiusMax + 1}, "sight radius of 65"},
		{Source{Detect: RadiusMax + 1}, "detection radius of 65"},
		{Source{LevelBonus: grid.LevelsMax}, "level bonus 16"},
	} {
		err := c.s.Check(20, 15)
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%+v: error %v, want %q", c.s, err, c.want)
		}
	}
}
