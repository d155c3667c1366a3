package main

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/view"
)

// asProgram makes the test's own binary the program, see TestMain.
const asProgram = "FOGKEEP_TEST_AS_PROGRAM"

// process is a server that can be killed and started again at the same address.
type process struct {
	t    *testing.T
	dir  string
	args []string
	url  string
	cmd  *exec.Cmd
	out  *output
}

func newProcess(t *testing.T) *process {
	t.Helper()
	p := &process{t: t, dir: filepath.Join(t.TempDir(), "data")}
	p.args = []string{"serve", "--data-dir", p.dir, "--log-level=info"}
	for i, flag := range []string{"--addr", "--admin-addr", "--metrics-addr"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // its port is free for the server from here on
		if p.args = append(p.args, flag, l.Addr().String()); i == 0 {
			p.url = "http://" + l.Addr().String()
		}
	}
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	return p
}

// start runs the server; it may not be open yet when start returns.
func (p *process) start() {
	p.t.Helper()
	p.out = &output{}
	p.cmd = exec.Command(os.Args[0], p.args...)
	p.cmd.Env = append(os.Environ(), asProgram+"=1")
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.out
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
}

// open waits until the server lets players in.
func (p *process) open() {
	p.t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		r, err := http.Get(p.url + "/healthz")
		if err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
			if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
				p.t.Fatalf("a server that is starting answers %s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
			}
		}
		if time.Now().After(end) {
			p.t.Fatalf("the server does not open: %v\n%s", err, p.out)
		}
	}
}

// end ends the server with a signal.
func (p *process) end(sig syscall.Signal) {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(sig) // it may have ended
	_ = p.cmd.Wait()              // a killed one has no good exit code
	p.cmd = nil
	if out := p.out.String(); strings.Contains(out, "DATA RACE") || strings.Contains(out, "panic") {
		p.t.Errorf("the server says:\n%s", out)
	}
}

// TestKilledInAMatch kills the server again and again at moments that nobody
// chose, once stops it in order, and plays on: the players come back by
// themselves, what was answered stays so and is done once, the server's
// bot plays on, the match ends and its result is taken once, and the journal
// replays from its first record to its last.
func TestKilledInAMatch(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	p := newProcess(t)
	p.start()
	p.open()
	players, id := threePlayers(t, p.url)
	kills, pauseMs, patience := 4, 700, 100*time.Second
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		kills, pauseMs, patience = 24, 9000, 8*time.Minute // several saved states are passed
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var side sync.WaitGroup
	defer side.Wait()
	defer cancel()
	for _, c := range players {
		side.Go(func() { c.run(ctx) })
	}
	// playing waits until both have had so many more frames.
	playing := func(more int) {
		t.Helper()
		for _, c := range players {
			from, _ := c.count()
			for now := from; now < from+more; now, _ = c.count() {
				if ctx.Err() != nil {
					t.Fatalf("nobody plays any more:\n%s", p.out)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
	}
	for kill := range kills {
		playing(3)
		time.Sleep(time.Duration(random.IntN(pauseMs)) * time.Millisecond)
		sig := syscall.SIGKILL
		if kill == kills/2 {
			sig = syscall.SIGTERM
		}
		p.end(sig)
		p.start()
	}
	playing(8)
	for _, c := range players {
		c.mu.Lock()
		c.quits = true
		c.mu.Unlock()
	}
	side.Wait()
	for _, c := range players {
		ended := c.result()
		if ended == nil {
			t.Fatalf("slot %d has not seen the end:\n%s", c.Slot(), p.out)
		}
		if _, again := c.count(); again < kills {
			t.Errorf("slot %d: only %d orders were asked about again", c.Slot(), again)
		}
		if len(ended.Winners) != 1 || ended.Winners[0] != 2 {
			t.Errorf("slot %d saw %v win, not the bot", c.Slot(), ended.Winners)
		}
		if c.states[2] != view.Playing {
			t.Errorf("slot %d sees the bot in state %d", c.Slot(), c.states[2])
		}
	}
	wantResult(t, p, players[0].lobby, id)
	p.end(syscall.SIGTERM)
	wantJournal(t, p, players)
}

// wantResult waits until the lobby has the result, and wants it once in the
// player's history.
func wantResult(t *testing.T, p *process, player *e2eClient, id string) {
	t.Helper()
	var l api.Lobby
	for end := time.Now().Add(30 * time.Second); l.State != "ended"; time.Sleep(50 * time.Millisecond) {
		var err error
		if l, err = player.Lobby(t.Context(), id); err != nil || time.Now().After(end) {
			t.Fatalf("the result did not come: %+v %v\n%s", l, err, p.out)
		}
	}
	if l.Result == nil || len(l.Result.Winners) != 1 || l.Result.Winners[0] != 2 {
		t.Errorf("result %+v", l.Result)
	}
	if history, err := player.History(t.Context()); err != nil || len(history) != 1 || history[0].Outcome != "lost" {
		t.Errorf("history %+v, %v", history, err)
	}
}

// wantJournal verifies the match's journal, and that what players were told was
// accepted is in it, once.
func wantJournal(t *testing.T, p *process, players []*e2ePlayer) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "journals", "past", "*.journal"))
	if err != nil || len(files) != 1 {
		t.Fatalf("journals: %v, %v", files, err)
	}
	var out, errs output
	if code := run(t.Context(), []string{"replay", "verify", files[0]}, &out, &errs); code != 0 || !strings.Contains(out.String(), "verified") {
		t.Errorf("replay verify: %d\n%s%s", code, &out, &errs)
	}
	type key struct {
		slot grid.Slot
		seq  uint32
	}
	done, delivered := map[key]int{}, false
	if _, err := journal.ReadFile(files[0], func(_ uint64, rec []byte) error {
		r, err := journal.Decode(rec)
		if err != nil {
			return err
		}
		delivered = r.Delivered
		if r.Tick != nil {
			for _, a := range r.Tick.Answers {
				if a.Code == 0 && !a.Again {
					done[key{a.Slot, a.Seq}]++
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !delivered {
		t.Error("the journal's last record does not say that the result was delivered")
	}
	accepted := 0
	for _, c := range players {
		for seq, code := range c.verdict {
			if n := done[key{c.Slot(), seq}]; code == 0 && n != 1 {
				t.Errorf("slot %d: order %d was accepted, and is in the journal %d times", c.Slot(), seq, n)
			} else if code == 0 {
				accepted++
			}
		}
	}
	if accepted < 20 {
		t.Errorf("only %d orders were accepted", accepted)
	}
	t.Logf("%d orders accepted", accepted)
}

// TestOneServerADataFolder: a second server on a folder in use says so and
// touches nothing.
func TestOneServerADataFolder(t *testing.T) {
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
