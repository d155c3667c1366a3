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
	Profile string `placeholder:"FILE" help:"Write a CPU profile of the server's measured seconds there, for go tool pprof."`
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
	return measure(in, bench.Workload{Name: name, Units: c.Units, Seconds: c.Seconds, Profile: c.Profile}, c.JSON)
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
	}, c.JSON)
}

// measure runs a workload and fails if a client ever held what it should not,
// or lacked what it should hold.
func measure(in *invocation, w bench.Workload, asJSON bool) error {
	r, err := bench.Replication(in.Ctx, w, startServer(in.Stderr), func(s string) { fmt.Fprintln(in.Stderr, s) })
	if err != nil {
		return err
	}
	if asJSON {
		if err := json.NewEncoder(in.Stdout).Encode(r); err != nil {
			return err
		}
	} else {
		printReplication(in.Stdout, r)
	}
	if r.Mismatches > 0 || r.Resyncs > 0 {
		return fmt.Errorf("%s: %d entities were held wrong and %d masks: %v", r.Workload, r.Mismatches, r.Resyncs, r.First)
	}
	return nil
}

func printReplication(out io.Writer, r *bench.ReplicationReport) {
	fmt.Fprintf(out, "%s: %d clients, %d units a team, %d ticks, %.0f visible in the mean\n", r.Workload, r.Clients, r.Units, r.Ticks, r.VisibleMean)
	if !r.FullWorkload {
		fmt.Fprintf(out, "NOT THE FULL WORKLOAD: %s. No figure below is one of %s.\n", strings.Join(r.Short, ", "), r.Workload)
	}
	fmt.Fprintf(out, "payload   %.0f B/s a client, p99 second %.0f\n", r.BytesPerS, r.BytesP99PerS)
	fmt.Fprintf(out, "wire      %.0f B/s a client, p99 second %.0f, join %.0f B\n", r.WirePerS, r.WireP99PerS, r.JoinBytes)
	fmt.Fprintf(out, "tick      p50 %d us, p99 %d us, late p99 %d us, %.1f allocations\n", r.TickP50Us, r.TickP99Us, r.LateP99Us, r.AllocsPerTick)
	fmt.Fprintf(out, "          %d of %d took longer than a tick has; %d s of match time in %.1f s\n", r.TicksOver, r.Ticks, r.Seconds, r.WallS)
	fmt.Fprintf(out, "server    %.4f core, %.1f MB\n", r.CPU, r.RSSMB)
	if r.Workload == "battle" {
		fmt.Fprintf(out, "battle    %d deaths, %.1f orders/s, %.0f%% engaged\n", r.Deaths, r.OrdersPerS, 100*r.EngagedShare)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Parts)) {
		fmt.Fprintf(out, "  %-14s %8.0f B/s %8.1f rows/s\n", name, r.Parts[name], r.Rows[name])
	}
	fmt.Fprintf(out, "checked   %d entities held, %d wrong, %d resyncs\n", r.Compared, r.Mismatches, r.Resyncs)
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
			"--profile", w.Profile)
		cmd.Stderr = stderr
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
}

func (c *benchServerCmd) Run(in *invocation) error {
	w := bench.Workload{Name: c.Workload, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed, MapPath: c.Map, Profile: c.Profile}
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
	return bench.ServeWorkload(in.Ctx, w, in.Stdout)
}
