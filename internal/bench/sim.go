package bench

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// SimConfig is what [Sim] measures.
type SimConfig struct {
	Battle `set:"seconds=60"`
	asJSON
	// The run fails if fewer than half of the units are engaged, or the armies shrink.
	Engaged bool `help:"Let the armies begin among each other, with ten times the health. Fails if fewer than half of the units fight."`
}

// Run fights and prints.
func (c *SimConfig) Run(in *cli.Invocation) error {
	r, err := Sim(*c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, &r)
}

// SimReport is what a run of the simulation cost. Times are of single steps, as fast as
// it goes. As in a match, helpers take parts of a step if there are many entities.
type SimReport struct {
	Map           string           `json:"map"`
	Players       int              `json:"players"`
	Units         int              `json:"units"`
	Ticks         int              `json:"ticks"`
	TickP50Us     int64            `json:"tick_p50_us"`
	TickP99Us     int64            `json:"tick_p99_us"`
	TickMaxUs     int64            `json:"tick_max_us"`
	AllocsPerTick float64          `json:"allocs_per_tick"`
	Deaths        int              `json:"deaths"`
	OrdersPerS    float64          `json:"orders_per_s"`         // accepted, a second of match time
	EngagedShare  float64          `json:"engaged_share"`        // units that fired or were hit in the last second, mean over all ticks
	EngagedMiddle float64          `json:"engaged_middle_share"` // and over the middle third of the run
	UnitsMean     float64          `json:"units_mean"`           // alive, all players
	PhaseUs       map[string]int64 `json:"phase_us"`             // mean a tick
	Hash          string           `json:"hash"`                 // of the state at the end: the same in every run
}

// ArmyRules returns the skirmish rules for a battle that lasts: each player
// begins with an army of n units around its start and the structures to
// replace what falls, at no cost to speak of and fast, and which do not fall
// themselves. Everything of the units, health, weapons, speeds, sight, is as
// in the game.
func ArmyRules(n int) (*rules.Ruleset, error) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		return nil, err
	}
	rs := *shipped
	rs.Types = slices.Clone(rs.Types)
	rs.Settings.PopMax = 1 << 20
	for i := range rs.Settings.StartStock {
		rs.Settings.StartStock[i] = 1 << 30
	}
	rs.Settings.OrdersPerSecond, rs.Settings.OrderBurst = 1000, 1000
	for i := range rs.Types {
		t := &rs.Types[i]
		t.Pop = 0
		switch t.Class {
		case rules.ClassUnit:
			t.BuildMs = 200
		case rules.ClassStructure:
			t.Health *= 100 // no army runs out of barracks
		}
	}
	rs.Start = nil
	add := func(name string, count int) error {
		typ, ok := rs.TypeByName(name)
		if !ok {
			return fmt.Errorf("bench: the rules have no %q", name)
		}
		if count > 0 {
			rs.Start = append(rs.Start, rules.StartEntry{Type: typ, Count: int32(count)})
		}
		return nil
	}
	soldiers := n - n/10 - 4*(n/20)
	return &rs, errors.Join(
		add("command-centre", 1), add("barracks", 3), add("factory", 1),
		add("soldier", soldiers), add("scout", n/10), add("artillery", n/20), add("caster", n/20),
		add("flyer", n/20), add("raider", n/20),
	)
}

// Sim fights a battle and measures each step.
func Sim(c SimConfig) (SimReport, error) {
	if c.Players < 1 || c.Units < 1 || c.Seconds < 1 {
		return SimReport{}, fmt.Errorf("bench sim: players, units and seconds must be at least 1")
	}
	begin := NewBattle
	if c.Engaged {
		begin = newCloseBattle
	}
	w, err := begin(c.Map.Map, c.Players, c.Units, c.Seed)
	if err != nil {
		return SimReport{}, err
	}
	generals := NewGenerals(w, c.Units)
	generals.close = c.Engaged
	hand := helpers.New(runtime.GOMAXPROCS(0) - 1).Hand()
	r := SimReport{Map: c.Map.Name, Players: c.Players, Units: c.Units, PhaseUs: map[string]int64{}}
	if c.Engaged { // until they stand where they fight
		for range engagedWarmUp * w.TickRate() {
			w.Step(generals.Orders())
		}
	}
	var phases [sim.Phases]time.Duration
	var last time.Time
	w.OnPhase(func(p sim.Phase) {
		now := time.Now()
		phases[p] += now.Sub(last)
		last = now
	})
	ticks := c.Seconds * w.TickRate()
	spent := make([]int64, 0, ticks)
	var before, after runtime.MemStats
	var mallocs uint64
	accepted, share, middle, units := 0, 0.0, 0.0, 0.0
	runtime.GC()
	for i := range ticks {
		inputs := generals.Orders()
		w.SetRunner(nil)
		if w.Len() >= match.ShareFrom {
			w.SetRunner(hand.Run)
		}
		runtime.ReadMemStats(&before)
		last = time.Now()
		start := last
		out := w.Step(inputs)
		spent = append(spent, time.Since(start).Microseconds())
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		for _, a := range out.Answers {
			if a.Code == orders.OK {
				accepted++
			}
		}
		for _, e := range w.Events() {
			if e.Kind == sim.EventDied {
				r.Deaths++
			}
		}
		engaged, alive := engagedUnits(w)
		now := float64(engaged) / float64(max(alive, 1))
		share += now
		units += float64(alive)
		if i >= ticks/3 && i < ticks*2/3 {
			middle += now
		}
	}
	slices.Sort(spent)
	r.Ticks = ticks
	r.TickP50Us, r.TickP99Us, r.TickMaxUs = spent[ticks/2], spent[ticks*99/100], spent[ticks-1]
	r.AllocsPerTick = float64(mallocs) / float64(ticks)
	r.OrdersPerS = float64(accepted) / float64(c.Seconds)
	r.EngagedShare, r.EngagedMiddle = share/float64(ticks), middle/float64(max(1, ticks*2/3-ticks/3))
	r.UnitsMean = units / float64(ticks)
	for p, d := range phases {
		r.PhaseUs[sim.Phase(p).String()] = d.Microseconds() / int64(ticks)
	}
	r.Hash = fmt.Sprintf("%016x", w.Hash())
	if c.Engaged && (r.EngagedShare < engagedLeast || r.UnitsMean < unitsLeast*float64(c.Players*c.Units)) {
		return r, fmt.Errorf("bench sim: %.0f%% of %.0f units were engaged in the mean: at least %.0f%% of %d are to be, and the armies are to last",
			100*r.EngagedShare, r.UnitsMean, 100*engagedLeast, c.Players*c.Units)
	}
	return r, nil
}

// What [SimConfig.Engaged] asks of a run.
const (
	engagedLeast = 0.5
	unitsLeast   = 0.9

	engagedWarmUp = 5 // seconds before it is measured
)

func engagedUnits(w *sim.World) (engaged, alive int) {
	for _, e := range w.Entities() {
		if e.Class() != rules.ClassUnit {
			continue
		}
		alive++
		if e.Engaged(w.Tick(), grid.Ticks(w.TickRate())) {
			engaged++
		}
	}
	return engaged, alive
}
