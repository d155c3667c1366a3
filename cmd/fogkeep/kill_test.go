package main

import (
	"bytes"
	"context"
	"github.com/fogkeep/fogkeep/internal/cli"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/view"
)

// asProgram makes the test's own binary the program, see TestMain.
const asProgram = "FOGKEEP_TEST_AS_PROGRAM"

// run runs one command line of fogkeep in this process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return cli.Run(ctx, "fogkeep", description, &commands{}, args, stdout, stderr)
}

// fogkeep is [run] with its output as texts.
func fogkeep(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// thisProgram is the test's own binary as the program.
func thisProgram() clustertest.Program {
	return clustertest.Program{Path: os.Args[0], Env: []string{asProgram + "=fogkeep"}}
}

// long skips what another test shows in less time, or another package without processes.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		t.Skip("FOGKEEP_TEST_LONG=1 (make test-long) runs it")
	}
}

// process is a server that can be killed and started again at the same address.
type process struct {
	*clustertest.Node
	t *testing.T
}

func newProcess(t *testing.T, args ...string) *process {
	t.Helper()
	return newProcessOf(t, thisProgram(), args...)
}

// newProcessOf is newProcess with a program of another build.
func newProcessOf(t *testing.T, program clustertest.Program, args ...string) *process {
	t.Helper()
	var ports clustertest.Ports
	t.Cleanup(ports.Close)
	n, err := clustertest.NewNode(program, &ports, t.TempDir(), "node", args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		n.Kill()
		if err := n.Complaint(); err != nil {
			t.Error(err)
		}
	})
	return &process{n, t}
}

// start runs the server; it may not be open yet when start returns.
func (p *process) start() {
	p.t.Helper()
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// open waits until the server lets players in.
func (p *process) open() {
	p.t.Helper()
	if err := p.Open(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// TestKilledInAMatch kills the server again and again at random moments, once stops it in order. The players come
// back by themselves, answered orders stay answered and are carried out once, the players' frames agree with the
// journal, the server's bot plays on, the match ends and its result is taken once.
func TestKilledInAMatch(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	p := newProcess(t)
	p.start()
	p.open()
	kills, pauseMs, patience := 4, 700, 100*time.Second
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		kills, pauseMs, patience = 24, 9000, 8*time.Minute // several saved states are passed
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "kill", URLs: []string{p.URL}, Players: 2, Bots: 1, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	playing := func(more int) {
		t.Helper()
		if err := m.Playing(ctx, more); err != nil {
			t.Fatalf("%v\n%s", err, p.Output(4000))
		}
	}
	for kill := range kills {
		playing(3)
		time.Sleep(time.Duration(random.IntN(pauseMs)) * time.Millisecond) // a kill comes at any time
		if kill == kills/2 {
			p.Stop(20 * time.Second)
		} else {
			p.Kill()
		}
		p.start()
	}
	playing(8)
	for _, c := range m.Players {
		c.Quit()
	}
	if err := m.Wait(ctx); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	bot := -1
	for i, team := range []uint8{0, 1, 2} {
		if team != uint8(m.Players[0].Team()) && team != uint8(m.Players[1].Team()) {
			bot = i
		}
	}
	for _, c := range m.Players {
		if n := c.Again(); n < kills {
			t.Errorf("%s: only %d orders were asked about again", c.Name, n)
		}
		if w := c.Ended().Winners; len(w) != 1 || int(w[0]) != bot {
			t.Errorf("%s saw %v win, not the bot, %d", c.Name, w, bot)
		}
		if got := c.Players()[bot].State; got != view.Playing {
			t.Errorf("%s sees the bot in state %d", c.Name, got)
		}
	}
	wantResult(t, m, bot)
	p.Stop(20 * time.Second)
	wantJournal(t, p, m)
}

// wantResult waits until the lobby has the result, and wants it once in the host's
// history.
func wantResult(t *testing.T, m *clustertest.Match, winner int) {
	t.Helper()
	var l api.Lobby
	eventually.Holds(t, "the lobby has the result", func() (ended bool) {
		var err error
		if l, err = m.Host.Lobby(t.Context(), m.Lobby); err != nil {
			t.Fatal(err)
		}
		return l.State == "ended"
	}, &l)
	if l.Result == nil || len(l.Result.Winners) != 1 || l.Result.Winners[0] != winner {
		t.Errorf("result %+v", l.Result)
	}
	if history, err := m.Host.History(t.Context()); err != nil || len(history) != 1 || history[0].Outcome != "lost" {
		t.Errorf("history %+v, %v", history, err)
	}
}

// wantJournal verifies the match's journal and its players' frames.
func wantJournal(t *testing.T, p *process, m *clustertest.Match) {
	t.Helper()
	sum, err := journal.Walk(p.Journal(m.ID), nil)
	if err != nil || !sum.Delivered {
		t.Errorf("the journal's last record does not say that the result was delivered: %v", err)
	}
	r := clustertest.Verify(p.Journal(m.ID), m.Players, true)
	if r.Err() != nil {
		t.Error(r.Err())
	}
	if r.Accepted < 20 || r.Frames < 30 {
		t.Errorf("only %d orders were accepted, and %d frames compared", r.Accepted, r.Frames)
	}
	t.Logf("%d ticks, %d frames, %d orders accepted of %d", r.Ticks, r.Frames, r.Accepted, r.Orders)
}

// TestOneServerADataFolder: a second server on a folder in use says so and leaves the folder as it is.
func TestOneServerADataFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first := start(t, dir)
	var out, errs output
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	args := []string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0", "--data-dir", dir}
	if code := run(ctx, args, &out, &errs); code != 1 || !strings.Contains(errs.String(), dir) || !strings.Contains(errs.String(), "in use by another server") {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	first.end(t)
	start(t, dir)
}
