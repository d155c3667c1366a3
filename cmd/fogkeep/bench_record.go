package main

import (
	"os"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchRecordCmd writes what a client is sent, for a bench of the browser's client.
type benchRecordCmd struct {
	Workload string `default:"w1" enum:"w1,w2,w1-small" help:"Whose armies walk: w1, w2 or w1-small."`
	Units    int    `help:"Units a team; 0 is the workload's own number."`
	Seconds  int    `default:"20" help:"Seconds of match time, after the armies have spread over the map."`
	Side     int    `help:"Tiles a side of the map; 0 is the workload's own number."`
	Out      string `arg:"" placeholder:"FILE" help:"The file."`
}

func (c *benchRecordCmd) Run(*invocation) error {
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	err = bench.Record(bench.Workload{Name: c.Workload, Units: c.Units, Seconds: c.Seconds, Side: c.Side}, f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
