package bench

import (
	"context"
	"runtime"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
	"github.com/fogkeep/fogkeep/visibility/obvious"
	"github.com/fogkeep/fogkeep/visibility/refcount"
)

// The crowd that the vision benchmark moves.
const (
	visionUnits = 1600
	visionTeams = 8
)

// VisionReport is what the vision benchmark measured: nanoseconds for one unit
// that moves by one tile, the step that brings the masks up to it included.
// 1,600 units in 8 teams, everyone moves every tick, on one thread. R8 is a
// sight radius of 8 tiles; the map is 256x256 where no size is given.
type VisionReport struct {
	R8Flat      float64 `json:"r8_flat_ns"`
	R16Flat     float64 `json:"r16_flat_ns"`
	R8High      float64 `json:"r8_highground_ns"`
	R8LOS       float64 `json:"r8_los_ns"`
	R8Flat512   float64 `json:"r8_flat_512_ns"`
	R8Flat1024  float64 `json:"r8_flat_1024_ns"`
	RefcountR8  float64 `json:"refcount_r8_ns"`
	ObviousR8   float64 `json:"obvious_r8_ns"`
	LookupAll   float64 `json:"lookup_all_teams_ns"` // for one tile, for all 8 teams: 16,000 looks after a step
	AllocsATick float64 `json:"allocs_per_tick"`     // the most of the engine's cases
}

// Each case is measured in windows of some ticks, a window about a millisecond.
// The cases take turns, so that a busy machine hits them alike, and the best of
// a case's windows counts: what disturbs only ever adds, and a window is
// shorter than the time slices that a busy machine gives. A case is warmed up
// by a few ticks, as the others had the caches.
const (
	visionRounds = 200
	windowTicks  = 16
	warmTicks    = 4
)

// Vision measures the visibility engine against its baselines. It takes some
// seconds, and stops early only by ctx, whose error it returns.
func Vision(ctx context.Context) (*VisionReport, error) {
	r := &VisionReport{}
	type test struct {
		to    *float64
		ticks int // a round
		tick  func()
	}
	var tests []test
	var engines []test
	var first *visionCase
	for _, c := range []struct {
		to     *float64
		side   int
		radius visibility.Radius
		rule   grid.Occlusion
	}{
		{&r.R8Flat, 256, 16, grid.OcclusionNone},
		{&r.R16Flat, 256, 32, grid.OcclusionNone},
		{&r.R8High, 256, 16, grid.OcclusionHighGround},
		{&r.R8LOS, 256, 16, grid.OcclusionLineOfSight},
		{&r.R8Flat512, 512, 16, grid.OcclusionNone},
		{&r.R8Flat1024, 1024, 16, grid.OcclusionNone},
	} {
		v, err := newVisionCase(c.side, c.radius, c.rule)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = v
		}
		engines = append(engines, test{c.to, windowTicks, v.tick})
	}
	tests = append(tests, engines...)
	tests = append(tests, test{&r.RefcountR8, windowTicks, newRefcountCase(256, 16)})

	for range visionRounds {
		for _, t := range tests {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			timeOf(warmTicks, t.tick)
			ns := timeOf(t.ticks, t.tick) / visionUnits
			if *t.to == 0 || ns < *t.to {
				*t.to = ns
			}
		}
		timeOf(warmTicks, first.tick) // as after any step: masks in the caches, no look answered
		if ns := lookupTime(first); r.LookupAll == 0 || ns < r.LookupAll {
			r.LookupAll = ns
		}
	}
	for _, t := range engines {
		r.AllocsATick = max(r.AllocsATick, allocsOf(pathTicks, t.tick))
	}
	// A single tick of the obvious scan takes as long as thousands of the
	// engine's.
	r.ObviousR8 = timeOf(1, newObviousCase(256, 16)) / visionUnits
	return r, ctx.Err()
}

// timeOf returns the nanoseconds a tick takes.
func timeOf(ticks int, tick func()) float64 {
	begin := time.Now()
	for range ticks {
		tick()
	}
	return float64(time.Since(begin).Nanoseconds()) / float64(ticks)
}

// allocsOf returns the allocations of a tick.
func allocsOf(ticks int, tick func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range ticks {
		tick()
	}
	runtime.ReadMemStats(&after)
	return float64((after.Mallocs - before.Mallocs) / uint64(ticks)) // the runtime's own few round down, as in package testing
}

// visionCase is an engine and a crowd on the march.
type visionCase struct {
	eyes *visibility.Engine
	ids  []visibility.SourceID
	path [][]grid.Tile
	now  int
}

// newVisionCase returns a case that went its path once: all tables are made.
func newVisionCase(side int, radius visibility.Radius, rule grid.Occlusion) (*visionCase, error) {
	return newCrowdCase(side, side, radius, rule)
}

// newCrowdCase is newVisionCase with the crowd in a square of so many tiles a side, in
// the middle of the map.
func newCrowdCase(side, crowd int, radius visibility.Radius, rule grid.Occlusion) (*visionCase, error) {
	e, err := visibility.New(visibility.Config{Map: hills(side, side, rule), Teams: visionTeams})
	if err != nil {
		return nil, err
	}
	v := &visionCase{eyes: e, path: newPath(crowd, crowd, visionUnits)}
	edge := int16(side-crowd) / 2
	seen := map[*grid.Tile]bool{} // a march goes back over the same ticks
	for _, at := range v.path {
		for i := range at {
			if seen[&at[0]] {
				break
			}
			at[i].X, at[i].Y = at[i].X+edge, at[i].Y+edge
		}
		seen[&at[0]] = true
	}
	for i, at := range v.path[0] {
		v.ids = append(v.ids, e.Add(grid.Team(i%visionTeams), visibility.Source{Tile: at, Radius: radius}))
	}
	for range v.path {
		v.tick()
	}
	return v, nil
}

// tick moves everyone by a tile.
func (v *visionCase) tick() {
	for i, at := range v.path[v.now%len(v.path)] {
		v.eyes.Move(v.ids[i], at)
	}
	v.now++
	v.eyes.Step(grid.Tick(v.now))
}

// newRefcountCase returns a tick of the same crowd over the counting baseline.
func newRefcountCase(side, radius int) func() {
	c := refcount.New(side, side, visionTeams)
	path := newPath(side, side, visionUnits)
	at := append([]grid.Tile(nil), path[0]...)
	for i := range at {
		c.Add(grid.Team(i%visionTeams), at[i], radius)
	}
	now := 0
	tick := func() {
		for i, to := range path[now%len(path)] {
			c.Move(grid.Team(i%visionTeams), at[i], to, radius)
			at[i] = to
		}
		c.Flush()
		now++
	}
	for range path {
		tick()
	}
	return tick
}

// newObviousCase returns a tick of the same crowd by the obvious scan.
func newObviousCase(side, radius int) func() {
	f := obvious.NewField(hills(side, side, grid.OcclusionNone))
	path := newPath(side, side, visionUnits)
	seen := make([]bool, side*side)
	now := 0
	return func() {
		for team := range visionTeams {
			var sources []obvious.Source
			for i := team; i < visionUnits; i += visionTeams {
				at := path[now%len(path)][i]
				sources = append(sources, obvious.Source{X: int(at.X), Y: int(at.Y), Radius: radius})
			}
			f.ScanInto(seen, sources)
		}
		now++
	}
}

// lookupTime returns the nanoseconds it takes to ask which of the 8 teams see
// a unit, over all units.
func lookupTime(v *visionCase) float64 {
	const rounds = 10
	found := grid.TeamSet(0)
	begin := time.Now()
	for range rounds {
		for _, at := range v.path[0] {
			found |= v.eyes.TeamsSeeing(at)
		}
	}
	ns := float64(time.Since(begin).Nanoseconds()) / (rounds * visionUnits)
	if found == 0 {
		panic("bench: nobody sees anything") // and so that the loop is not for nothing
	}
	return ns
}

// vision is the command.
type vision struct{ asJSON }

// Run measures and prints.
func (c *vision) Run(in *cli.Invocation) error {
	in.Progress("moving 1,600 units in 8 teams")
	r, err := Vision(in.Ctx)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, r)
}
