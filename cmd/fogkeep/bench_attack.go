package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchAttackCmd floods a server of its own. The server, the honest players and
// the attacker are three processes, so that each one's cost is its own.
type benchAttackCmd struct {
	Seconds int      `default:"6" help:"Seconds of each attack, and of the quiet time before it."`
	Only    []string `help:"Names of attacks; none is all."`
	JSON    bool     `name:"json" help:"Write one JSON object."`
}

func (c *benchAttackCmd) Run(in *invocation) error {
	if c.Seconds < 2 || c.Seconds > 600 {
		return fmt.Errorf("--seconds %d: want 2 to 600", c.Seconds)
	}
	r, err := bench.Attack(in.Ctx, bench.AttackConfig{
		Seconds: c.Seconds, Only: c.Only, Server: attackedServer(in.Stderr), Attacker: attackerProcess(in.Stderr),
		Progress: func(s string) { progress(in, "%s", s) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	printAttacks(in.Stdout, r)
	return nil
}

func printAttacks(out io.Writer, r *bench.AttackReport) {
	fmt.Fprintf(out, "two matches of two players and a log-in a second; %d s each, compared with the %d s before\n\n", r.Seconds, r.Seconds)
	fmt.Fprintf(out, "%-16s %8s %8s %9s %9s %8s %8s %8s %8s %8s %9s\n", "attack", "tries", "refused", "attacker", "server", "memory", "disk", "disk", "tick", "log-in", "frames")
	fmt.Fprintf(out, "%-16s %8s %8s %9s %9s %8s %8s %8s %8s %8s %9s\n", "", "", "", "core", "core", "+MB", "first MB", "kB/s", "p99", "p99", "late p99")
	for _, x := range append([]bench.AttackResult{r.Quiet}, r.Attacks...) {
		fmt.Fprintf(out, "%-16s %8d %8d %9.2f %9.2f %8.1f %8.1f %8.1f %7.2fx %7.2fx %6.0f ms\n", x.Name, x.Attacker.Tries, x.Attacker.Refused, x.Attacker.Core,
			x.ServerCore, x.RSSGrowthMB, x.DiskFirstMB, x.DiskBPerS/1000, x.VictimTickP99Ratio, x.VictimLoginP99Ratio, x.VictimFrameLateP99Ms)
		if x.LoginsFailed > 0 {
			fmt.Fprintf(out, "  %d of %d honest log-ins failed: %s\n", x.LoginsFailed, x.Logins, x.FirstFailure)
		}
	}
}

// benchAttackServerCmd is serve, and answers each line of its input, which names
// matches, with a line of JSON about itself.
type benchAttackServerCmd struct{ serveCmd }

func (c *benchAttackServerCmd) Run(in *invocation) error {
	var sampler bench.Sampler
	c.Hooks.Ticked = sampler.Ticked
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			s, err := sampler.Written()
			if lines.Text() != writtenOnly {
				s, err = sampler.Sample(strings.Split(lines.Text(), ","))
			}
			if err == nil {
				err = json.NewEncoder(in.Stdout).Encode(s)
			}
			if err != nil {
				fmt.Fprintln(in.Stderr, err)
				return
			}
		}
	}()
	return c.serveCmd.Run(in)
}

// writtenOnly is the question that is about the disk alone.
const writtenOnly = "written"

// measuredServer is a server in a process of its own.
type measuredServer struct {
	cmd   *exec.Cmd
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	url   string
	ended bool
	mu    sync.Mutex // one question at a time
}

var playLine = regexp.MustCompile(`^ +play +(http\S+)`)

func attackedServer(stderr io.Writer) func(context.Context) (bench.AttackServer, error) {
	return func(ctx context.Context) (_ bench.AttackServer, err error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		s := &measuredServer{}
		if s.dir, err = os.MkdirTemp("", "fogkeep-attack-"); err != nil {
			return nil, err
		}
		s.cmd = exec.CommandContext(ctx, self, "bench", "attack-server", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0",
			"--data-dir", s.dir, "--trusted-proxies=127.0.0.0/8", "--log-level=error")
		s.cmd.Stderr = stderr
		s.cmd.Cancel = func() error { return s.cmd.Process.Signal(os.Interrupt) }
		s.cmd.WaitDelay = 20 * time.Second
		if s.in, err = s.cmd.StdinPipe(); err != nil {
			return nil, err
		}
		out, err := s.cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := s.cmd.Start(); err != nil {
			os.RemoveAll(s.dir)
			return nil, err
		}
		s.out = bufio.NewReader(out)
		for {
			line, err := s.out.ReadString('\n')
			if m := playLine.FindStringSubmatch(line); m != nil {
				s.url = m[1]
			}
			if strings.Contains(line, "Log in as") { // the last it says at the first start
				return s, nil
			}
			if err != nil {
				return nil, errors.Join(fmt.Errorf("the server did not start: %w", err), s.Close())
			}
		}
	}
}

func (s *measuredServer) URL() string { return s.url }

func (s *measuredServer) Sample(matches []string) (bench.ServerSample, error) {
	return s.ask(strings.Join(matches, ","))
}

func (s *measuredServer) Written() (int64, error) {
	r, err := s.ask(writtenOnly)
	return r.WrittenB, err
}

func (s *measuredServer) ask(question string) (r bench.ServerSample, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := fmt.Fprintln(s.in, question); err != nil {
		return r, fmt.Errorf("the server takes no question: %w", err)
	}
	for {
		line, err := s.out.ReadString('\n')
		if err != nil {
			return r, fmt.Errorf("the server does not answer: %w", err)
		}
		if strings.HasPrefix(line, "{") {
			return r, json.Unmarshal([]byte(line), &r)
		}
	}
}

func (s *measuredServer) Close() error {
	if s.ended {
		return nil
	}
	s.ended = true
	s.in.Close()
	_ = s.cmd.Process.Signal(os.Interrupt)
	err := s.cmd.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// benchAttackerCmd is one attack.
type benchAttackerCmd struct {
	Name    string
	URL     string
	Seconds int
}

func (c *benchAttackerCmd) Run(in *invocation) error {
	ctx, cancel := context.WithTimeout(in.Ctx, time.Duration(c.Seconds)*time.Second)
	defer cancel()
	r, err := bench.RunAttack(ctx, c.Name, c.URL)
	if err != nil {
		return err
	}
	return json.NewEncoder(in.Stdout).Encode(r)
}

// attackerProcess runs an attack in a process of its own, with the least right
// to the processor: it stands for machines elsewhere.
func attackerProcess(stderr io.Writer) func(context.Context, string, string, int) (bench.AttackerReport, error) {
	return func(ctx context.Context, name, url string, seconds int) (r bench.AttackerReport, err error) {
		self, err := os.Executable()
		if err != nil {
			return r, err
		}
		args := []string{self, "bench", "attacker", "--name", name, "--url", url, "--seconds", strconv.Itoa(seconds)}
		if nice, err := exec.LookPath("nice"); err == nil {
			args = append([]string{nice, "-n", "19"}, args...)
		}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stderr = stderr
		cmd.WaitDelay = 20 * time.Second
		out, err := cmd.Output()
		if err != nil {
			return r, fmt.Errorf("attacker: %w", err)
		}
		return r, json.Unmarshal(out, &r)
	}
}
