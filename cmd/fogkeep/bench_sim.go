package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchSimCmd fights a battle in the simulation alone, as fast as it goes.
type benchSimCmd struct {
	Players int    `default:"8" help:"Players, each a team of its own."`
	Units   int    `default:"200" help:"Units a player; what falls is trained anew."`
	Map     string `required:"" placeholder:"PATH" help:"The map."`
	Seconds int    `default:"60" help:"Seconds of match time."`
	Seed    uint64 `default:"1" help:"Seed of the match."`
	Engaged bool   `help:"Let the armies begin among each other, with ten times the health. Fails if fewer than half of the units fight."`
	JSON    bool   `name:"json" help:"Write one JSON object."`
}

func (c *benchSimCmd) Run(in *invocation) error {
	m, err := mapfile.Open(c.Map)
	if err != nil {
		return err
	}
	r, err := bench.Sim(bench.SimConfig{Map: m, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed, Engaged: c.Engaged})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	fmt.Fprintf(in.Stdout, "%s, %d players, %d units each, %d ticks\n", r.Map, r.Players, r.Units, r.Ticks)
	fmt.Fprintf(in.Stdout, "tick      p50 %d us, p99 %d us, max %d us, %.1f allocations\n", r.TickP50Us, r.TickP99Us, r.TickMaxUs, r.AllocsPerTick)
	fmt.Fprintf(in.Stdout, "battle    %.0f units alive in the mean, %d deaths, %.0f%% engaged (%.0f%% in the middle third), %.0f orders/s\n",
		r.UnitsMean, r.Deaths, 100*r.EngagedShare, 100*r.EngagedMiddle, r.OrdersPerS)
	names := make([]string, 0, len(r.PhaseUs))
	for name := range r.PhaseUs {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int { return int(r.PhaseUs[y] - r.PhaseUs[x]) })
	for _, name := range names {
		fmt.Fprintf(in.Stdout, "  %-8s %d us\n", name, r.PhaseUs[name])
	}
	fmt.Fprintf(in.Stdout, "state     %s\n", r.Hash)
	return nil
}
