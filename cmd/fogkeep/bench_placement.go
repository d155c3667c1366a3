package main

import (
	"encoding/json"
	"errors"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchPlacementCmd lets simulated nodes die.
type benchPlacementCmd struct {
	Nodes    int    `default:"1000" help:"Nodes, 2 to 5000."`
	Matches  int    `default:"100000" help:"Matches that they run, 1 to 500000."`
	Clusters int    `default:"20" help:"Clusters with a log of their own that the nodes are in. At least two nodes each."`
	Cores    int    `default:"4" help:"Cores of a node, 1 to 256."`
	Trials   int    `default:"5" help:"Times that nodes die, for each row; 1 to 100."`
	Seed     uint64 `default:"1" help:"Of what is left to chance."`
	JSON     bool   `name:"json" help:"Write one JSON object."`
}

// Run simulates and prints.
func (c *benchPlacementCmd) Run(in *invocation) error {
	switch {
	case c.Nodes < 2 || c.Nodes > 5000 || c.Matches < 1 || c.Matches > 500_000:
		return errors.New("want 2 to 5000 nodes and 1 to 500000 matches")
	case c.Clusters < 1 || 2*c.Clusters > c.Nodes || c.Cores < 1 || c.Cores > 256 || c.Trials < 1 || c.Trials > 100:
		return errors.New("want two nodes or more a cluster, 1 to 256 cores and 1 to 100 trials")
	}
	r, err := bench.Placement(in.Ctx, bench.PlacementConfig{Nodes: c.Nodes, Matches: c.Matches, Clusters: c.Clusters, Cores: c.Cores, Trials: c.Trials, Seed: c.Seed})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}
