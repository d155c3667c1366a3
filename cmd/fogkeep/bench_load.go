package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/clustertest"
)

// benchLoadCmd plays many matches on one server.
type benchLoadCmd struct {
	Matches    int     `default:"200" help:"Matches at once."`
	Players    int     `default:"2" help:"Players a match, one client each."`
	Units      int     `default:"50" help:"Units a player."`
	Seconds    int     `default:"30" help:"Seconds of play that are measured."`
	Orders     float64 `default:"0.5" help:"Orders a second and client."`
	Rejoins    float64 `default:"0.002" help:"Share of the clients that lose their connection a second."`
	Spectators int     `default:"32" help:"Spectators of one of the matches; 0: nobody watches."`
	Delay      int     `default:"60" help:"Seconds that spectators are behind."`
	Idle       int     `default:"10000" help:"People who are logged in and wait, with an event stream each."`
	Bytes      int     `name:"bytes-per-second" help:"Most that one player is sent a second; 0: no limit."`
	Storm      int     `default:"2000" help:"Connections that are cut at once: those of all players, then of people who wait and log in again."`
	Seed       uint64  `default:"1" help:"Seed of what is random."`
	JSON       bool    `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchLoadCmd) Run(in *invocation) error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := bench.Load(in.Ctx, bench.LoadConfig{
		Program: clustertest.Program{Path: path}, Dir: dir, Matches: c.Matches, Players: c.Players, Units: c.Units, Seconds: c.Seconds,
		OrdersPerS: c.Orders, Rejoins: c.Rejoins, Spectators: c.Spectators, Delay: c.Delay, Idle: c.Idle, BytesPerS: c.Bytes, Storm: c.Storm, Seed: c.Seed,
		Progress: func(format string, args ...any) { progress(in, format, args...) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = json.NewEncoder(in.Stdout).Encode(r)
	} else {
		printLoad(in.Stdout, &r)
	}
	if err == nil && r.Mismatches+r.Resyncs > 0 {
		err = fmt.Errorf("bench load: %d entities were held wrong and %d masks: %v", r.Mismatches, r.Resyncs, r.FirstMismatches)
	}
	return err
}

// benchLoadFloorCmd is the server of the floor.
type benchLoadFloorCmd struct {
	Matches    int           `help:"Matches at once."`
	Mean, Slow time.Duration `help:"Processor time of a tick."`
}

// Run serves until its input ends.
func (c *benchLoadFloorCmd) Run(in *invocation) error {
	return bench.ServeStormFloor(in.Ctx, bench.StormFloor{Matches: c.Matches, Mean: c.Mean, Slow: c.Slow}, os.Stdin, in.Stdout)
}

func printLoad(out io.Writer, r *bench.LoadReport) {
	fmt.Fprintf(out, "%d matches, %d clients, %d units a player, %d s\n", r.Matches, r.Clients, r.Units, r.Seconds)
	fmt.Fprintf(out, "ticks     p99 %.1f ms, begun late p99 %.1f ms\n", r.TickP99Ms, r.TickLateP99Ms)
	fmt.Fprintf(out, "orders    %d answered after p50 %.0f ms, p99 %.0f ms\n", r.Orders, r.OrderRTTP50Ms, r.OrderRTTP99Ms)
	fmt.Fprintf(out, "rejoins   %d, a frame after p99 %.0f ms; first log-ins p99 %.0f ms\n", r.Rejoins, r.RejoinP99Ms, r.LoginP99Ms)
	fmt.Fprintf(out, "server    %.2f core, %.0f MB\n", r.ServerCore, r.RSSMB)
	if r.Spectators > 0 {
		fmt.Fprintf(out, "watched   by %d: ticks p99 %.2f times as long, begun late p99 %.1f ms\n", r.Spectators, r.WatchedTickP99, r.WatchedLateP99)
	}
	if r.IdleSockets > 0 {
		fmt.Fprintf(out, "waiting   %d people: %.0f MB more\n", r.IdleSockets, r.IdleRSSMB)
	}
	if r.Storm > 0 {
		fmt.Fprintf(out, "storm     %d cut at once: back after p99 %.2f s, log-ins p99 %.2f s, ticks p99 %.2f times as long, begun late p99 %.1f ms\n",
			r.Storm, r.ReconnectP99S, r.StormLoginP99S, r.StormTickP99, r.StormLateP99Ms)
		fmt.Fprintf(out, "its floor a server that does nothing: back after p99 %.2f s, log-ins p99 %.2f s, ticks p99 %.2f times as long\n",
			r.FloorReconnectP99S, r.FloorLoginP99S, r.FloorTickP99)
	}
	fmt.Fprintf(out, "checked   %d entities held, %d wrong, %d resyncs, %d short frames, %d comparisons not made for that\n", r.Compared, r.Mismatches, r.Resyncs, r.FramesShort, r.Uncompared)
}
