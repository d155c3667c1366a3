package main

import (
	"encoding/json"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchMatchmakingCmd lets simulated people wait in queues.
type benchMatchmakingCmd struct {
	Players int    `default:"500" help:"Players of the server, 20 to 5000."`
	Hours   int    `default:"24" help:"Hours that they play, 1 to 240."`
	Seed    uint64 `default:"1" help:"Of the simulated people."`
	JSON    bool   `name:"json" help:"Write one JSON object."`
}

// Run simulates and prints.
func (c *benchMatchmakingCmd) Run(in *invocation) error {
	if c.Players < 20 || c.Players > 5000 || c.Hours < 1 || c.Hours > 240 {
		return fmt.Errorf("want 20 to 5000 players and 1 to 240 hours")
	}
	r, err := bench.Matchmaking(in.Ctx, bench.MatchmakingConfig{Players: c.Players, Hours: c.Hours, Seed: c.Seed})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}
