package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools/bots"
	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

// Name and Description are of the program fogkeep-bench.
const (
	Name        = "fogkeep-bench"
	Description = "Measures fogkeep on this machine."
)

// Commands is the command line of fogkeep-bench. The configuration of a bench is its
// command.
type Commands struct {
	W1          w1                `cmd:"" name:"w1" help:"Send eight walking armies to eight clients."`
	W2          w2                `cmd:"" name:"w2" help:"The same, with health that changes."`
	W1Small     w1Small           `cmd:"" name:"w1-small" help:"The same with two small armies."`
	Battle      battle            `cmd:"" help:"Send a battle to its players."`
	Attack      AttackConfig      `cmd:"" help:"Flood a server in every known way, and measure the delay of honest players."`
	Lobby       lobbyBench        `cmd:"" help:"Admit guests: log-in, lobby, ticket, socket; on SQLite, and on PostgreSQL if --database-url names one."`
	Load        LoadConfig        `cmd:"" help:"Play many matches on one server, let people come and go and cut all connections at once."`
	Fit         FitConfig         `cmd:"" help:"Measure how many players this machine holds: more and more matches on one server, for about a minute."`
	Record      record            `cmd:"" help:"Write the frames for a client of walking armies into a file, for the bench of the browser's client."`
	Fog         FogConfig         `cmd:"" help:"Play matches in versions that differ in hidden things alone, and compare the bytes that a player receives."`
	Recovery    RecoveryConfig    `cmd:"" help:"Bring a battle back from its journal, as a server does after a kill."`
	Sim         SimConfig         `cmd:"" help:"Fight a battle in the simulation alone."`
	Replay      replayBench       `cmd:"" help:"Go to random ticks of a recorded battle."`
	Bots        bots.Command      `cmd:"" help:"Let the levels of bots play each other, without sockets."`
	Balance     bots.Balance      `cmd:"" help:"Let bots of equal level play the factions of a ruleset against each other, and print their shares of wins."`
	Matchmaking MatchmakingConfig `cmd:"" help:"Simulate people who wait in queues, with and without avoided accounts and vetoes: waiting times and fairness."`
	Cluster     ClusterConfig     `cmd:"" help:"Kill the nodes of a cluster under its players, and measure the interruption."`
	Chaos       ChaosConfig       `cmd:"" help:"Break a cluster in every known way, by chance, under its players, and compare all that they were sent."`

	Server       measuredServer `cmd:"" hidden:"" help:"The measured server of the workloads."`
	AttackServer attackServer   `cmd:"" hidden:"" help:"The server under attack."`
	Attacker     attackerCmd    `cmd:"" hidden:"" help:"One attack."`
}

// Host is the part of a bench that starts fogkeep in processes of its own. Tests fill it
// in; a command line fills in the flag, and prepare the rest.
type Host struct {
	Fogkeep string `placeholder:"FILE" help:"The fogkeep binary to measure. Default: the one in the folder of fogkeep-bench."`

	Program  clustertest.Program              `kong:"-"` // fogkeep, the measured product
	Self     clustertest.Program              `kong:"-"` // fogkeep-bench
	Dir      string                           `kong:"-"` // for folders and output of the servers
	Progress func(format string, args ...any) `kong:"-"`

	// AnyPace accepts a run that measured less than it was asked for. Tests of a bench
	// set it: the machine is busy with other tests, and no figure is kept.
	AnyPace bool `kong:"-"`
}

// prepare finds the programs and makes a folder. end removes the folder.
func (h *Host) prepare(in *cli.Invocation) (end func() error, err error) {
	if h.Self, err = ownProgram(); err != nil {
		return nil, err
	}
	h.Program.Path, h.Progress = h.Fogkeep, in.Progress
	if h.Fogkeep == "" {
		h.Program.Path = filepath.Join(filepath.Dir(h.Self.Path), "fogkeep")
	}
	if _, err := os.Stat(h.Program.Path); err != nil {
		return nil, fmt.Errorf("found no fogkeep to measure: %w: build it beside %s, or name it with --fogkeep", err, Name)
	}
	if h.Dir, err = os.MkdirTemp("", Name+"-"); err != nil {
		return nil, err
	}
	return func() error { return os.RemoveAll(h.Dir) }, nil
}

// seeded runs a bench with a seed, a new one for 0. After a failure it keeps the processes' output.
func (h *Host) seeded(in *cli.Invocation, seed *uint64, run func() error) error {
	end, err := h.prepare(in)
	if err != nil {
		return err
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	in.Progress("seed %d, output of the processes in %s", *seed, h.Dir)
	if err := run(); err != nil {
		return fmt.Errorf("seed %d: %w\nthe output of the processes is in %s", *seed, err, h.Dir)
	}
	return end()
}

// ownProgram returns this process's own program.
func ownProgram() (clustertest.Program, error) {
	path, err := os.Executable()
	return clustertest.Program{Path: path}, err
}

// child is a process of fogkeep-bench, which reads its output and can ask it.
type child struct {
	*bufio.Reader
	In  io.WriteCloser
	cmd *exec.Cmd
}

// startChild starts a child. An interrupt ends it.
func startChild(ctx context.Context, self clustertest.Program, stderr io.Writer, args ...string) (*child, error) {
	c := &child{cmd: exec.CommandContext(ctx, self.Path, args...)}
	c.cmd.Env, c.cmd.Stderr, c.cmd.WaitDelay = append(os.Environ(), self.Env...), stderr, 20*time.Second
	c.cmd.Cancel = func() error { return c.cmd.Process.Signal(os.Interrupt) }
	var err error
	if c.In, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Reader = bufio.NewReader(out)
	return c, c.cmd.Start()
}

// Close ends the child and waits.
func (c *child) Close() error {
	c.In.Close()
	_ = c.cmd.Process.Signal(os.Interrupt) // it may have ended
	return c.cmd.Wait()
}

// Map is a map as a flag names it: the id of a shipped one, or a file.
type Map struct {
	*grid.Map
	name string
}

// UnmarshalText opens the map.
func (m *Map) UnmarshalText(text []byte) (err error) {
	m.name = string(text)
	m.Map, err = mapfile.OpenNamed(m.name)
	return err
}

// Battle is a battle of equal armies. Training replaces the losses.
type Battle struct {
	Map     Map    `default:"eight-crowns" placeholder:"MAP" help:"The map: id of a shipped map, or a file."`
	Players int    `default:"8" help:"Players, each in a separate team."`
	Units   int    `default:"200" help:"Units per player; training replaces the losses."`
	Seconds int    `default:"${seconds}" help:"Seconds of match time."`
	Seed    uint64 `default:"1" help:"Seed of the match."`
}
