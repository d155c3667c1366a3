package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// BenchmarkTick is a tick as a match's goroutine has it, without sockets: the
// step, then what each team is told, from the view to the bytes. An iteration
// is a tick; the metrics say where its time goes, all teams together.
func BenchmarkTick(b *testing.B) {
	for _, units := range []int{200, 1000, 8000} {
		b.Run(fmt.Sprint("w1/", units), func(b *testing.B) {
			r, err := newWalkingHarness(units)
			if err != nil {
				b.Fatal(err)
			}
			r.measure(b, 600)
		})
	}
	b.Run("w1/8000/shared", func(b *testing.B) {
		r, err := newWalkingHarness(8000)
		if err != nil {
			b.Fatal(err)
		}
		pool := helpers.New(runtime.GOMAXPROCS(0) - 1)
		r.share(pool.Hand().Run)
		r.measure(b, 600)
	})
	b.Run("battle/200", func(b *testing.B) {
		r, err := newBattleHarness(200)
		if err != nil {
			b.Fatal(err)
		}
		r.measure(b, 200)
	})
}

// BenchmarkColdTick is [BenchmarkTick] with caches as a live match finds them: it comes
// 50 ms after its last tick, and others have used the processor meanwhile.
func BenchmarkColdTick(b *testing.B) {
	for _, c := range []struct {
		name string
		warm int
		make func() (*harness, error)
	}{
		{"w1/200", 600, func() (*harness, error) { return newWalkingHarness(200) }},
		{"battle/200", 200, func() (*harness, error) { return newBattleHarness(200) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, err := c.make()
			if err != nil {
				b.Fatal(err)
			}
			r.cold = make([]byte, coldBytes)
			r.measure(b, c.warm)
		})
	}
}

// coldBytes are more than a processor's own caches hold.
const coldBytes = 64 << 20

// harness is a match without clock, journal and sockets.
type harness struct {
	w      *sim.World
	inputs func() []sim.Input
	cache  *view.Cache
	kinds  wire.Kinds
	values grid.Tick // health is told at every so many ticks
	beat   grid.Tick // frames are made for every so many ticks
	teams  []harnessTeam
	spent  [rigParts]time.Duration
	last   time.Time
	bytes  int
	seen   int
	run    grid.Runner
	look   func(i int)
	whole  bool   // views are complete
	cold   []byte // is written before each tick, so that the cache has only this
}

// share lets r compute parts of a tick side by side.
func (r *harness) share(run grid.Runner) {
	r.run, r.cache.Run = run, run
	r.w.SetRunner(run)
}

type harnessTeam struct {
	builder *view.Builder
	tracker *view.Tracker
	view    view.View
	diff    view.Diff
	own     view.OwnerDiff
	frame   []byte
}

// The parts of a tick that are measured.
const (
	rigStep = iota
	rigCache
	rigBuild
	rigTrack
	rigDiff
	rigEncode
	rigParts
)

var rigNames = [rigParts]string{"step-us", "cache-us", "build-us", "track-us", "diff-us", "encode-us"}

func newWalkingHarness(units int) (*harness, error) {
	work := Workload{Name: "w1", Units: units, Seconds: 1}
	if err := work.Check(); err != nil {
		return nil, err
	}
	rules, err := work.rules()
	if err != nil {
		return nil, err
	}
	setup := sim.Setup{Map: work.Map, Rules: rules}
	for i := range work.Players {
		setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
	}
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	g := newGauge(work, make(chan ServerLine, 1))
	g.stand(work.walkers())
	g.ready.Store(true)
	w.SetDriver(g.driver())
	return newHarness(w, func() []sim.Input { return nil }), nil
}

func newBattleHarness(units int) (*harness, error) {
	m := grid.NewMap("arena", 192, 192)
	for _, d := range []grid.Tile{{X: 64}, {X: 64, Y: 64}, {Y: 64}, {X: -64, Y: 64}, {X: -64}, {X: -64, Y: -64}, {Y: -64}, {X: 64, Y: -64}} {
		m.Starts = append(m.Starts, grid.Tile{X: 96 + d.X, Y: 96 + d.Y})
	}
	w, err := NewBattle(m, 8, units, 1)
	if err != nil {
		return nil, err
	}
	return newHarness(w, NewGenerals(w, units).Orders), nil
}

func newHarness(w *sim.World, inputs func() []sim.Input) *harness {
	r := &harness{w: w, inputs: inputs, cache: view.NewCache(w), kinds: wire.Kinds{Players: w.Players(), Types: len(w.Rules().Types)}}
	r.look = func(i int) {
		t := &r.teams[i]
		r.ask(t)
		t.builder.BuildFrom(r.cache, r.w, &t.view)
		t.tracker.Update(&t.view)
	}
	values := grid.Ticks(2)
	if w.Rules().Settings.FlushTick {
		values = 1
	}
	r.values = grid.Tick(values)
	every := view.BeatOf(w.Rules(), w.TickRate())
	r.beat = grid.Tick(every)
	for t := range w.Teams() {
		r.teams = append(r.teams, harnessTeam{
			builder: view.NewBuilder(grid.Team(t)),
			tracker: view.NewTracker(view.Rules{
				W: w.Map().W, H: w.Map().H, TickRate: view.TickRateOf(w.Rules(), w.TickRate()), Keep: 200, Every: every, Values: w.Rules().Values,
			}),
		})
	}
	return r
}

// ask has left out of a team's view what its tracker needs no row of.
func (r *harness) ask(t *harnessTeam) {
	if !r.whole {
		t.view.Quiet = t.tracker.Quiet()
	}
}

// took adds the time since the last call to a part.
func (r *harness) took(part int) {
	now := time.Now()
	r.spent[part] += now.Sub(r.last)
	r.last = now
}

// tick is one tick of the match.
func (r *harness) tick() {
	in := r.inputs()
	for i := 0; i < len(r.cold); i += 64 {
		r.cold[i]++
	}
	r.last = time.Now()
	r.w.Step(in)
	r.took(rigStep)
	r.cache.Prepare(r.w)
	r.took(rigCache)
	if r.run != nil {
		r.run.Run(len(r.teams), r.look)
		r.took(rigBuild) // and track
	}
	for i := range r.teams {
		t := &r.teams[i]
		if r.run == nil {
			r.ask(t)
			t.builder.BuildFrom(r.cache, r.w, &t.view)
			r.took(rigBuild)
			t.tracker.Update(&t.view)
			r.took(rigTrack)
		}
		r.seen += t.tracker.Len()
		if t.frame = t.frame[:0]; !r.atBeat() {
			continue
		}
		base := r.w.Tick() - r.beat
		t.tracker.Diff(&t.diff, base, view.MaskOptions{})
		for s := range r.w.Players() {
			if r.w.Player(grid.Slot(s)).Team == grid.Team(i) {
				t.tracker.DiffOwner(&t.own, grid.Slot(s), base)
			}
		}
		r.took(rigDiff)
		t.frame = wire.AppendTeam(t.frame, &t.diff, r.kinds)
		t.frame = wire.AppendOwn(t.frame, &t.own)
		r.took(rigEncode)
		r.bytes += len(t.frame)
	}
}

// atBeat reports whether the last tick has frames.
func (r *harness) atBeat() bool { return r.w.Tick()%r.beat == 0 }

// measure runs the harness until it is under way, and then for the benchmark.
func (r *harness) measure(b *testing.B, warm int) {
	for range warm {
		r.tick()
	}
	r.spent, r.bytes, r.seen = [rigParts]time.Duration{}, 0, 0
	b.ReportAllocs()
	for b.Loop() {
		r.tick()
	}
	per := float64(b.N)
	told := time.Duration(0)
	for i, d := range r.spent {
		b.ReportMetric(float64(d.Microseconds())/per, rigNames[i])
		if i > rigStep {
			told += d
		}
	}
	teams := per * float64(len(r.teams))
	b.ReportMetric(float64(told.Microseconds())/teams, "us/team-tick")
	b.ReportMetric(float64(r.bytes)/teams, "B/team-tick")
	b.ReportMetric(float64(r.seen)/teams, "seen")
}
