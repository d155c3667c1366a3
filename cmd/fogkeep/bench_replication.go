package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// benchWalkCmd measures replication on armies that walk.
type benchWalkCmd struct {
	Units   int    `help:"Units a team; 0 is the workload's own number. With fewer the run is not the workload, and says so."`
	Seconds int    `default:"60" help:"Seconds that are measured, after a warm-up of five. With fewer than 60 the run is not the workload, and says so."`
	JSON    bool   `name:"json" help:"Write one JSON object."`
	Side    int    `help:"Tiles a side of the map; 0 is the workload's own number. With more the run is not the workload, and says so."`
	Floor   bool   `help:"First run the same armies on two servers that do the least that the workload asks for, and print the ratio of processor time."`
	Beats   bool   `help:"Tell the teams what they see ten times a second, as matches do, and not at each tick. The run is not the workload then, and says so."`
	Apart   bool   `help:"Keep the server on one processor and the clients on another, so that a write does not do the receiver's work."`
	Profile string `placeholder:"FILE" help:"Write a CPU profile of the server's measured seconds there, for go tool pprof; those of the floors to FILE.writers and FILE.bare."`
}

type (
	benchW1Cmd      struct{ benchWalkCmd }
	benchW2Cmd      struct{ benchWalkCmd }
	benchW1SmallCmd struct{ benchWalkCmd }
)

func (c *benchW1Cmd) Run(in *invocation) error      { return c.run(in, "w1") }
func (c *benchW2Cmd) Run(in *invocation) error      { return c.run(in, "w2") }
func (c *benchW1SmallCmd) Run(in *invocation) error { return c.run(in, "w1-small") }

func (c *benchWalkCmd) run(in *invocation, name string) error {
	w := bench.Workload{Name: name, Units: c.Units, Seconds: c.Seconds, Side: c.Side, Beats: c.Beats}
	start := startServer(in.Stderr)
	if c.Apart {
		var err error
		if start, err = bench.Apart(start); err != nil {
			return err
		}
	}
	var floors *bench.Floors
	if c.Floor {
		floors = &bench.Floors{}
		for _, f := range []struct {
			kind   bench.FloorKind
			report **bench.FloorReport
		}{{bench.FloorWriters, &floors.Writers}, {bench.FloorBare, &floors.Bare}} {
			if c.Profile != "" {
				w.Profile = c.Profile + "." + string(f.kind)
			}
			var err error
			if *f.report, err = bench.Floor(in.Ctx, w, f.kind, start, func(s string) { fmt.Fprintln(in.Stderr, s) }); err != nil {
				return err
			}
		}
	}
	w.Profile = c.Profile
	return measure(in, w, start, floors, c.JSON)
}

// benchBattleCmd measures replication on a battle.
type benchBattleCmd struct {
	Map     string `required:"" placeholder:"PATH" help:"The map."`
	Players int    `default:"8" help:"Players, each a team of its own, one client each."`
	Units   int    `default:"200" help:"Units a player; what falls is trained anew."`
	Seconds int    `default:"60" help:"Seconds that are measured, after a warm-up of five. With fewer than 60 seconds, 200 units or 8 players the run is not the workload, and says so."`
	Seed    uint64 `default:"1" help:"Seed of the match."`
	JSON    bool   `name:"json" help:"Write one JSON object."`
	Profile string `placeholder:"FILE" help:"Write a CPU profile of the server's measured seconds there, for go tool pprof."`
}

func (c *benchBattleCmd) Run(in *invocation) error {
	m, err := mapfile.Open(c.Map)
	if err != nil {
		return err
	}
	return measure(in, bench.Workload{
		Name: "battle", Map: m, MapPath: c.Map, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed,
		Profile: c.Profile,
	}, startServer(in.Stderr), nil, c.JSON)
}

// measure runs a workload and fails if a client ever held what it should not,
// or lacked what it should hold. floors is what was measured of the floors, nil:
// nothing.
func measure(in *invocation, w bench.Workload, start bench.StartServer, floors *bench.Floors, asJSON bool) error {
	r, err := bench.Replication(in.Ctx, w, start, func(s string) { fmt.Fprintln(in.Stderr, s) })
	if err != nil {
		return err
	}
	if floors != nil {
		r.Beside(floors)
	}
	if asJSON {
		if err := json.NewEncoder(in.Stdout).Encode(r); err != nil {
			return err
		}
	} else {
		printReplication(in.Stdout, r)
	}
	return r.Good()
}

func printReplication(out io.Writer, r *bench.ReplicationReport) {
	fmt.Fprintf(out, "%s: %d clients, %d units a team, %d ticks, %.0f visible in the mean\n", r.Workload, r.Clients, r.Units, r.Ticks, r.VisibleMean)
	if !r.FullWorkload {
		fmt.Fprintf(out, "NOT THE FULL WORKLOAD: %s. No figure below is one of %s.\n", strings.Join(r.Short, ", "), r.Workload)
	}
	fmt.Fprintf(out, "payload   %.0f B/s a client, p99 second %.0f\n", r.BytesPerS, r.BytesP99PerS)
	fmt.Fprintf(out, "wire      %.0f B/s a client, p99 second %.0f, join %.0f B\n", r.WirePerS, r.WireP99PerS, r.JoinBytes)
	fmt.Fprintf(out, "tick      p50 %d us, p99 %d us, late p99 %d us, %.1f allocations, %.1f context switches\n", r.TickP50Us, r.TickP99Us, r.LateP99Us, r.AllocsPerTick, r.Switches)
	fmt.Fprintf(out, "          %d of %d took longer than a tick has; %d s of match time in %.1f s\n", r.TicksOver, r.Ticks, r.Seconds, r.WallS)
	fmt.Fprintf(out, "server    %.4f core, %.0f%% of it the kernel's, %.1f MB\n", r.CPU, 100*r.SystemShare, r.RSSMB)
	if r.FloorCore > 0 {
		fmt.Fprintf(out, "floor     %.4f core, tick p50 %.2f ms, p99 %.2f ms, %.0f B/s a client; the server takes %.2f times its core\n",
			r.FloorCore, r.FloorTickP50Ms, r.FloorTickP99Ms, r.FloorBytesPerS, r.CoreRatio)
		fmt.Fprintf(out, "bare      %.4f core with writes from the tick's own goroutine; the server takes %.2f times its core\n", r.BareCore, r.BareRatio)
	}
	if r.Workload == "battle" {
		fmt.Fprintf(out, "battle    %d deaths, %.1f orders/s, %.0f%% engaged\n", r.Deaths, r.OrdersPerS, 100*r.EngagedShare)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Parts)) {
		fmt.Fprintf(out, "  %-14s %8.0f B/s %8.1f rows/s\n", name, r.Parts[name], r.Rows[name])
	}
	fmt.Fprintf(out, "checked   %d entities held, %d wrong, %d resyncs; %d comparisons not made; %d frames were not whole\n", r.Compared, r.Mismatches, r.Resyncs, r.Uncompared, r.FramesCut)
}

// startServer starts this very program as the measured server.
func startServer(stderr io.Writer) bench.StartServer {
	return func(ctx context.Context, w bench.Workload) (io.ReadCloser, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self, "bench", "server", "--workload", w.Name, "--players", strconv.Itoa(w.Players),
			"--units", strconv.Itoa(w.Units), "--seconds", strconv.Itoa(w.Seconds), "--seed", strconv.FormatUint(w.Seed, 10), "--map", w.MapPath,
			"--profile", w.Profile, "--side", strconv.Itoa(w.Side), "--floor", string(w.Floor), "--beats="+strconv.FormatBool(w.Beats))
		cmd.Stderr = stderr
		return startChild(cmd)
	}
}

// startChild starts a process that ends with its context, as an interrupt asks it to.
func startChild(cmd *exec.Cmd) (io.ReadCloser, error) {
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &child{pipe, cmd}, nil
}

// child is what a process writes; closing it ends the process and waits.
type child struct {
	io.ReadCloser
	cmd *exec.Cmd
}

func (c *child) Close() error {
	c.cmd.Process.Signal(os.Interrupt)
	return c.cmd.Wait()
}

// benchServerCmd is the measured server; measure starts it.
type benchServerCmd struct {
	Workload string
	Players  int
	Units    int
	Seconds  int
	Seed     uint64
	Map      string
	Profile  string
	Side     int
	Floor    string
	Beats    bool
}

func (c *benchServerCmd) Run(in *invocation) error {
	w := bench.Workload{Name: c.Workload, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed, MapPath: c.Map, Profile: c.Profile, Side: c.Side, Floor: bench.FloorKind(c.Floor), Beats: c.Beats}
	if c.Map != "" {
		m, err := mapfile.Open(c.Map)
		if err != nil {
			return err
		}
		w.Map = m
	}
	if err := w.Check(); err != nil {
		return err
	}
	if c.Floor != "" {
		return bench.ServeFloor(in.Ctx, w, in.Stdout)
	}
	return bench.ServeWorkload(in.Ctx, w, in.Stdout)
}
