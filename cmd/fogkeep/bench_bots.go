package main

import (
	"encoding/json"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchBotsCmd lets the levels of bots play each other.
type benchBotsCmd struct {
	Seeds   int      `default:"6" help:"Matches of each pair on each map; 100 for the table of the docs."`
	First   int      `default:"0" help:"The first seed."`
	Maps    []string `help:"Ids of shipped maps, separated by commas; all without it."`
	Pairs   []string `help:"Pairs of levels, or idle, such as hard-medium; without it hard-medium, medium-easy and easy-idle."`
	Without []string `help:"Types that the first of each pair, of level hard, never makes: what one type is worth."`
	Rate    int      `default:"10" help:"Ticks a second: fewer are faster, and each match time is the same."`
	Journal string   `placeholder:"DIR" help:"Folder that gets a journal of each match, for fogkeep replay."`
	JSON    bool     `name:"json" help:"Write one JSON object."`
}

// Run plays and prints.
func (c *benchBotsCmd) Run(in *invocation) error {
	progress(in, "%d matches of each pair on each map", c.Seeds)
	r, err := bench.Bots(in.Ctx, bench.BotsConfig{Seeds: c.Seeds, First: c.First, Maps: c.Maps, Pairs: c.Pairs, Without: c.Without, TickRate: c.Rate, Journals: c.Journal})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}
