package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchPathsCmd sends units through a maze, and measures how soon they set out.
type benchPathsCmd struct {
	Side    int  `default:"1024" help:"Side of the maze in tiles, 96 to 1024."`
	Units   int  `default:"500" help:"Units of a player."`
	Seconds int  `default:"10" help:"Seconds of match time, of each scene."`
	JSON    bool `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchPathsCmd) Run(in *invocation) error {
	r, err := bench.Paths(in.Ctx, bench.PathsConfig{Side: c.Side, Units: c.Units, Seconds: c.Seconds})
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(in.Stdout).Encode(r)
	} else {
		err = r.Text(in.Stdout)
	}
	if err == nil && !r.OK {
		err = errors.New("bench paths: " + strings.Join(r.Why, "; "))
	}
	return err
}
