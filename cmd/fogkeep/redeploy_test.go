package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/pgtest"
)

// TestRedeploy replaces the server again and again while a match runs: each new process waits for the one before to
// stop its match, and takes the match from its journal. The players come back by themselves at the same address, and no
// order is lost or done twice. It prints the longest time without a frame.
func TestRedeploy(t *testing.T) {
	t.Parallel()
	redeploy(t, thisProgram(), 3)
}

// A server with its data in PostgreSQL is replaced in the same way.
func TestRedeployOnPostgres(t *testing.T) {
	long(t)
	t.Parallel()
	redeploy(t, thisProgram(), 1, "--database-url", pgtest.NewWire(t, pgtest.New(t, "")).URL)
}

// TestUpgrade replaces a server of the earliest build whose matches this build has to continue, in test-long: the one
// of the commit that last changed the recorded behaviour of the simulation, or the protocol. Its database is older too.
func TestUpgrade(t *testing.T) {
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		t.Skip("FOGKEEP_TEST_LONG=1 builds the earlier program")
	}
	t.Parallel()
	dir := t.TempDir()
	shell := func(script string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "sh", "-ec", script, "sh", dir)
		c.Dir = "../.."
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, &errs)
		}
		return strings.TrimSpace(string(out))
	}
	commit := shell("git log -1 --format=%h -- match/sim/testdata/behaviour.golden proto/wire/client.go")
	shell("git archive " + commit + ` | tar -x -C "$1"; cd "$1"; go build -o earlier ./cmd/fogkeep`)
	t.Log("from commit ", commit)
	redeploy(t, clustertest.Program{Path: filepath.Join(dir, "earlier")}, 1)
}

func redeploy(t *testing.T, first clustertest.Program, rounds int, args ...string) {
	p := newProcessOf(t, first, append([]string{"--grace=1m"}, args...)...)
	p.start()
	p.open()
	patience := 100 * time.Second
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		rounds, patience = 10*rounds, 8*time.Minute
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{Name: "redeploy", URLs: []string{p.URL}, Players: 2, Bots: 1, Seed: 5})
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
	var worst time.Duration
	var gone []*clustertest.Node
	// A request that lasts delays the end of the first process, and not its successor.
	slow, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	if err == nil {
		_, err = fmt.Fprint(slow, "POST /api/guest HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	for round := range rounds {
		playing(10)
		before, began := p.Node, time.Now()
		p.Node = before.Successor(thisProgram())
		p.start()
		t.Cleanup(before.Kill)
		for _, c := range m.Players {
			eventually.Holds(t, "the player has a seat in the new process", func() bool { return c.Seats() == round+2 }, p)
		}
		playing(5)
		for _, c := range m.Players {
			worst = max(worst, c.Gap(began, time.Now()))
		}
		gone = append(gone, before)
		if round == 0 {
			if !before.Runs() {
				t.Error("the first process has ended in spite of a request that lasts")
			}
			slow.Close()
		}
	}
	t.Logf("%d redeploys, at most %v without a frame", rounds, worst.Round(time.Millisecond))
	for _, c := range m.Players {
		c.Quit()
	}
	if err := m.Wait(ctx); err != nil {
		t.Fatalf("%v\n%s", err, p.Output(4000))
	}
	bot := 3 - int(m.Players[0].Team()) - int(m.Players[1].Team())
	wantResult(t, m, bot)
	p.Stop(20 * time.Second)
	wantJournal(t, p, m)
	for _, n := range gone {
		eventually.Holds(t, "the processes before have ended by themselves", func() bool { return !n.Runs() })
	}
	if n := strings.Count(p.Output(1<<20), "another server takes this one's place"); n != rounds {
		t.Errorf("%d of %d processes made way", n, rounds)
	}
}

// A process that could not take a server's place says so before that server stops.
func TestReplaceFailsBeforeTheServerStops(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for flag, want := range map[string]string{
		"--addr=" + other.Addr().String(): "player address " + other.Addr().String() + " is in use",
		"--queues=/nowhere":               "--queues",
		"--bytes-per-second=1":            "--bytes-per-second",
	} {
		var out, errs output
		args := []string{"replace", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0", "--data-dir", dir, flag}
		if code := run(ctx, args, &out, &errs); code != 1 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d: %s", flag, code, &errs)
		}
	}
	if code, body, _ := get(t, s.url(t, "play")+"/readyz"); code != http.StatusOK {
		t.Errorf("the server has stopped: %d %s", code, body)
	}
}
