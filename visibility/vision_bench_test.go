package visibility

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// The crowd that is measured. Every unit moves every tick, on one thread.
const (
	crowdUnits = 1600
	crowdTeams = 8
)

// best returns the nanoseconds of a tick, in the best of the windows that the benchmark
// has time for. Load of the machine only ever adds, and a window of about a millisecond
// is shorter than the time slices of a busy machine.
func best(b *testing.B, ticks int, tick func()) (ns float64) {
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		for range ticks {
			tick()
		}
		if took := float64(time.Since(began).Nanoseconds()) / float64(ticks); ns == 0 || took < ns {
			ns = took
		}
	}
	return ns
}

const windowTicks = 16

// BenchmarkVision measures the engine and its baselines.
func BenchmarkVision(b *testing.B) {
	for _, c := range []struct {
		name   string
		side   int
		radius Radius
		rule   grid.Occlusion
	}{
		{"r8-flat", 256, 16, grid.OcclusionNone},
		{"r16-flat", 256, 32, grid.OcclusionNone},
		{"r8-highground", 256, 16, grid.OcclusionHighGround},
		{"r8-los", 256, 16, grid.OcclusionLineOfSight},
		{"r8-flat-512x512", 512, 16, grid.OcclusionNone},
		{"r8-flat-1024x1024", 1024, 16, grid.OcclusionNone},
		{"r8-los-1024x1024", 1024, 16, grid.OcclusionLineOfSight}, // many viewsheds, made and forgotten
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportMetric(best(b, windowTicks, newCrowd(b, c.side, c.side, c.radius, c.rule).tick)/crowdUnits, "ns/move")
		})
	}
	b.Run("refcount-r8", func(b *testing.B) { b.ReportMetric(best(b, windowTicks, refcountTick(256, 16))/crowdUnits, "ns/move") })
	b.Run("obvious-r8", func(b *testing.B) { b.ReportMetric(best(b, 1, obviousTick(256, 16))/crowdUnits, "ns/move") })
	b.Run("lookup-all-teams", func(b *testing.B) { // 16,000 looks after a step, each for all 8 teams
		c, found := newCrowd(b, 256, 256, 16, grid.OcclusionNone), grid.TeamSet(0)
		least := time.Duration(0)
		for b.Loop() {
			c.tick()
			began := time.Now()
			for range 10 {
				for _, at := range c.path[0] {
					found |= c.eyes.TeamsSeeing(at)
				}
			}
			if took := time.Since(began); least == 0 || took < least {
				least = took
			}
		}
		if found == 0 {
			b.Fatal("no team sees a unit")
		}
		b.ReportMetric(float64(least.Nanoseconds())/(10*crowdUnits), "ns/look")
	})
}

// BenchmarkVisionEqualWork has the crowd of the small map in the middle of larger ones:
// as many tiles change as on the small map.
func BenchmarkVisionEqualWork(b *testing.B) {
	for _, side := range []int{256, 512, 1024} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			b.ReportMetric(best(b, windowTicks, newCrowd(b, side, 256, 16, grid.OcclusionNone).tick)/crowdUnits, "ns/move")
		})
	}
}

// BenchmarkShed makes every line of sight anew: the cost of a unit on a tile outside the
// cache.
func BenchmarkShed(b *testing.B) {
	for _, radius := range []Radius{16, 32, 64} {
		b.Run(fmt.Sprintf("r%d", radius/2), func(b *testing.B) {
			e, err := New(Config{Map: hills(256, 256, grid.OcclusionLineOfSight), Teams: 1, ViewshedBytesMax: 1})
			if err != nil {
				b.Fatal(err)
			}
			id := e.Add(0, Source{Radius: radius})
			e.Step(0)
			b.ResetTimer()
			for i := range b.N {
				e.Move(id, grid.Tile{X: int16(i * 7 % 256), Y: int16(i * 7 / 256 % 256)})
				e.Step(0)
			}
		})
	}
}

// crowd is an engine and units on the march.
type crowd struct {
	eyes *Engine
	ids  []SourceID
	path [][]grid.Tile
	now  int
}

// newCrowd returns a crowd in a square of so many tiles a side, in the middle of the map.
// It has gone its path once: all tables are made.
func newCrowd(t testing.TB, side, square int, radius Radius, rule grid.Occlusion) *crowd {
	t.Helper()
	c := &crowd{eyes: newEngine(t, hills(side, side, rule), crowdTeams), path: newPath(square, square, crowdUnits)}
	edge := int16(side-square) / 2
	for _, at := range c.path[:pathTicks/2+1] { // the way back has the same ticks
		for i := range at {
			at[i].X, at[i].Y = at[i].X+edge, at[i].Y+edge
		}
	}
	for i, at := range c.path[0] {
		c.ids = append(c.ids, c.eyes.Add(grid.Team(i%crowdTeams), Source{Tile: at, Radius: radius}))
	}
	for range c.path {
		c.tick()
	}
	return c
}

// tick moves everyone by a tile.
func (c *crowd) tick() {
	for i, at := range c.path[c.now%len(c.path)] {
		c.eyes.Move(c.ids[i], at)
	}
	c.now++
	c.eyes.Step(grid.Tick(c.now))
}

// refcountTick returns a tick of the same crowd over the counting baseline.
func refcountTick(side, radius int) func() {
	c := newRefcount(side, side, crowdTeams)
	path := newPath(side, side, crowdUnits)
	at := append([]grid.Tile(nil), path[0]...)
	for i := range at {
		c.add(grid.Team(i%crowdTeams), at[i], radius)
	}
	now := 0
	tick := func() {
		for i, to := range path[now%len(path)] {
			c.move(grid.Team(i%crowdTeams), at[i], to, radius)
			at[i] = to
		}
		c.flush()
		now++
	}
	for range path {
		tick()
	}
	return tick
}

// obviousTick returns a tick of the same crowd by the obvious scan.
func obviousTick(side, radius int) func() {
	f := obvious.NewField(hills(side, side, grid.OcclusionNone))
	path := newPath(side, side, crowdUnits)
	seen := make([]bool, side*side)
	now := 0
	return func() {
		for team := range crowdTeams {
			var sources []obvious.Source
			for i := team; i < crowdUnits; i += crowdTeams {
				at := path[now%len(path)][i]
				sources = append(sources, obvious.Source{X: int(at.X), Y: int(at.Y), Radius: radius})
			}
			f.ScanInto(seen, sources)
		}
		now++
	}
}

// TestPathIsOneTileATick: the benchmark measures the report's case.
func TestPathIsOneTileATick(t *testing.T) {
	path := newPath(40, 30, 50)
	for i := range path {
		for k, at := range path[i] {
			if d := at.Dist2(path[(i+1)%len(path)][k]); d < 1 || d > 2 {
				t.Fatalf("tick %d: unit %d goes from %v to %v", i, k, at, path[(i+1)%len(path)][k])
			}
		}
	}
}

// TestCrowdFollowsItsPath: the units that are measured are where the path says,
// and seen.
func TestCrowdFollowsItsPath(t *testing.T) {
	v := newCrowd(t, 64, 64, 16, grid.OcclusionNone)
	v.tick()
	f := v.path[0]
	for i := range v.ids {
		if _, s := v.eyes.Get(v.ids[i]); s.Tile != f[i] || !v.eyes.Visible(grid.Team(i%crowdTeams), f[i]) {
			t.Fatalf("unit %d is at %v, want %v, and seen by its own team", i, s.Tile, f[i])
		}
	}
}

// walk is a crowd on the march: every unit goes one tile every tick, in one of
// eight directions, turns now and then, and never leaves the map. The same seed
// makes the same march for every implementation.
type walk struct {
	w, h  int
	at    []grid.Tile
	dir   []uint8
	every []uint8 // ticks until the unit turns by itself
	rng   *rand.Rand
}

var directions = [8][2]int16{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

func newWalk(w, h, units int) *walk {
	k := &walk{w: w, h: h, rng: rand.New(rand.NewPCG(1, 2))}
	for range units {
		k.at = append(k.at, grid.Tile{X: int16(k.rng.IntN(w)), Y: int16(k.rng.IntN(h))})
		k.dir = append(k.dir, uint8(k.rng.IntN(8)))
		k.every = append(k.every, uint8(1+k.rng.IntN(40)))
	}
	return k
}

// tick moves every unit by one tile.
func (k *walk) tick() {
	for i := range k.at {
		if k.every[i]--; k.every[i] == 0 {
			k.every[i] = uint8(1 + k.rng.IntN(40))
			k.dir[i] = uint8(k.rng.IntN(8))
		}
		for !k.step(i) {
			k.dir[i] = uint8(k.rng.IntN(8))
		}
	}
}

func (k *walk) step(i int) bool {
	d := directions[k.dir[i]]
	x, y := k.at[i].X+d[0], k.at[i].Y+d[1]
	if x < 0 || y < 0 || int(x) >= k.w || int(y) >= k.h {
		return false
	}
	k.at[i] = grid.Tile{X: x, Y: y}
	return true
}

// pathTicks is the length of a path: there and back again.
const pathTicks = 256

// newPath returns where each unit is at each tick of a march that leads back to
// where it began, so that it can be walked again and again.
func newPath(w, h, units int) [][]grid.Tile {
	k := newWalk(w, h, units)
	path := make([][]grid.Tile, pathTicks)
	path[0] = append([]grid.Tile(nil), k.at...)
	for i := 1; i <= pathTicks/2; i++ {
		k.tick()
		path[i] = append([]grid.Tile(nil), k.at...)
		path[(pathTicks-i)%pathTicks] = path[i]
	}
	return path
}

// hills returns a map of rolling hills of 8 levels with cliffs where the ground rises: a
// hard case for high ground and line of sight. The ground is value noise, in integers, over
// a lattice of 16 tiles.
func hills(w, h int, o grid.Occlusion) *grid.Map {
	m := grid.NewMap("hills", w, h)
	m.Occlusion = o
	const cell = 16
	rng := rand.New(rand.NewPCG(3, 4))
	lw := w/cell + 2
	lattice := make([]int, lw*(h/cell+2))
	for i := range lattice {
		lattice[i] = rng.IntN(8 * 64)
	}
	for i := range m.Levels {
		x, y := i%w, i/w
		fx, fy := x%cell, y%cell
		l := lattice[y/cell*lw+x/cell:]
		top := l[0]*(cell-fx) + l[1]*fx
		bottom := l[lw]*(cell-fx) + l[lw+1]*fx
		m.Levels[i] = grid.Level((top*(cell-fy) + bottom*fy) / (cell * cell * 64))
	}
	for i := range m.Levels {
		if i%w > 0 && m.Levels[i] > m.Levels[i-1] && i%3 != 0 {
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	return m
}
