package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchReplayCmd goes to random ticks of a battle that was played. With --beside it
// measures what people who watch cost live matches.
type benchReplayCmd struct {
	Players int    `default:"8" help:"Players, each a team of its own."`
	Units   int    `default:"200" help:"Units a player; what falls is trained anew."`
	Map     string `placeholder:"PATH" help:"The map; not with --beside."`
	Seconds int    `default:"1800" help:"Seconds of match time."`
	Seeks   int    `default:"200" help:"Random ticks to go to."`

	Beside   int `placeholder:"N" help:"Play N live matches of two players instead, without viewings of another match and with them."`
	Viewings int `default:"8" help:"With --beside: how many watch."`
	Length   int `default:"60" help:"With --beside: seconds of the match that they watch."`
	Measure  int `default:"30" help:"With --beside: seconds that are measured, each time."`

	Seed uint64 `default:"1" help:"Seed of the match and of the ticks."`
	JSON bool   `name:"json" help:"Write one JSON object."`
}

// Run fights, opens, seeks and prints.
func (c *benchReplayCmd) Run(in *invocation) error {
	if c.Beside > 0 {
		return c.beside(in)
	}
	if c.Map == "" {
		return errors.New("bench replay: want --map, or --beside")
	}
	m, err := mapfile.Open(c.Map)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-replay-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	progress(in, "fighting for %d seconds of match time", c.Seconds)
	r, err := bench.Replay(in.Ctx, bench.ReplayConfig{
		Battle: bench.RecoveryConfig{Dir: dir, Map: m, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed}, Seeks: c.Seeks,
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	_, err = fmt.Fprintf(in.Stdout, "%s, %d players, %d units each, %d ticks, journal %.2f MB\n"+
		"open         %.0f ms\n"+
		"first pass   %.0f ticks a second, %d checkpoints, %.1f MB\n"+
		"seek         p50 %.0f ms, p95 %.0f ms, max %.0f ms (%d seeks; without checkpoints p50 %.0f ms)\n"+
		"memory       %.0f MB\n",
		r.Map, r.Players, r.Units, r.Ticks, float64(r.JournalBytes)/1e6, r.OpenMs, r.TicksPerS, r.Checkpoints, float64(r.CheckpointBytes)/1e6,
		r.SeekP50Ms, r.SeekP95Ms, r.SeekMaxMs, r.Seeks, r.FromStartP50Ms, r.RSSMB)
	return err
}

// beside measures live matches beside viewings.
func (c *benchReplayCmd) beside(in *invocation) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-beside-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := bench.ReplayBeside(in.Ctx, bench.BesideConfig{
		Program: clustertest.Program{Path: path}, Dir: dir, Matches: c.Beside, Units: c.Units, Viewings: c.Viewings, Length: c.Length, Seconds: c.Measure, Seed: c.Seed,
		Progress: func(format string, args ...any) { progress(in, format, args...) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	_, err = fmt.Fprintf(in.Stdout, "%d live matches, %d units a player, %d viewings, %d s each\n"+
		"begun late   p99 %.1f ms without viewings, %.1f ms with them: %.2f times\n"+
		"ticks        p99 %.1f ms without viewings, %.1f ms with them: %.2f times\n"+
		"server       %.2f core without viewings, %.2f core with them\n"+
		"viewings     %.0f ticks a second, %d frames, %d seeks; waited %d times; slices p99 %.1f ms\n",
		r.Matches, r.Units, r.Viewings, r.Seconds, r.TickLateP99Ms, r.BesideTickLateP99Ms, r.LateRatio, r.TickP99Ms, r.BesideTickP99Ms, r.TickRatio,
		r.ServerCore, r.BesideServerCore, r.TicksPerS, r.Frames, r.Seeks, r.Waits, r.SliceP99Ms)
	return err
}
