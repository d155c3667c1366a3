package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchRecoveryCmd brings a battle back from its journal.
type benchRecoveryCmd struct {
	Players int    `default:"8" help:"Players, each a team of its own."`
	Units   int    `default:"200" help:"Units a player; what falls is trained anew."`
	Map     string `required:"" placeholder:"PATH" help:"The map."`
	Seconds int    `default:"600" help:"Seconds of match time."`
	Seed    uint64 `default:"1" help:"Seed of the match."`
	Every   int    `name:"state-seconds" default:"30" help:"Match time between two saved states; 10 in a cluster."`
	Cluster bool   `help:"Take many copies of the battle over at once from a log server, as a node does when others have died."`
	AtOnce  int    `default:"20" help:"How many, with --cluster."`
	JSON    bool   `name:"json" help:"Write one JSON object."`
}

// Run fights, recovers and prints.
func (c *benchRecoveryCmd) Run(in *invocation) error {
	m, err := mapfile.Open(c.Map)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-recovery-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	progress(in, "fighting for %d seconds of match time", c.Seconds)
	config := bench.RecoveryConfig{Dir: dir, Map: m, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed, StateSeconds: c.Every}
	if c.Cluster {
		config.AtOnce = c.AtOnce
	}
	r, err := bench.Recovery(in.Ctx, config)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	_, err = fmt.Fprintf(in.Stdout, "%s, %d players, %d units each, %d ticks, %d orders\n"+
		"journal   %.2f MB\nstate     %.2f MB, %.2f MB packed\n"+
		"saving    p50 %d us, max %d us of a tick, then %d ms beside the match\n"+
		"recovery  %d ms and %.2f core-seconds from the saved state, %d ms from the start (%.0f times faster than life)\n",
		r.Map, r.Players, r.Units, r.Ticks, r.Orders, float64(r.JournalBytes)/1e6, float64(r.SaveBytes)/1e6, float64(r.StateBytes)/1e6,
		r.CopyP50Us, r.CopyMaxUs, r.WriteP50Ms, r.FromStateMs, r.TakeoverCore, r.FromStartMs, r.PlayedTimes)
	if many := r.AtOnce; err == nil && many != nil {
		_, err = fmt.Fprintf(in.Stdout, "%d at once  the first goes on after %.2f s, half after %.2f s, all after %.2f s on %d cores; %.2f core-seconds a match\n",
			many.Matches, many.FirstS, many.P50S, many.AllS, many.Cores, many.CoreS)
	}
	return err
}
