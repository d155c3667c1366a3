package main

import (
	"encoding/json"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchVisionCmd measures the visibility engine.
type benchVisionCmd struct {
	JSON bool `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchVisionCmd) Run(in *invocation) error {
	progress(in, "moving 1,600 units in 8 teams")
	r, err := bench.Vision(in.Ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}
