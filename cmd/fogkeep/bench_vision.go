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
func (c *benchVisionCmd) Run(a *app) error {
	progress(a, "moving 1,600 units in 8 teams")
	r, err := bench.Vision(a.Ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(a.Stdout).Encode(r)
	}
	return r.Text(a.Stdout)
}
