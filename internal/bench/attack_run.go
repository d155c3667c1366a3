package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/lobby"
)

// Run floods a server of its own. The server, the honest players and the attacker are
// three processes, so that each one's cost is its own.
func (c *AttackConfig) Run(in *cli.Invocation) error {
	if c.Seconds < 2 || c.Seconds > 600 {
		return fmt.Errorf("--seconds %d: want 2 to 600", c.Seconds)
	}
	c.Server, c.Attacker = attackedServer(in.Stderr), attackerProcess(in.Stderr)
	c.Progress = func(s string) { in.Progress("%s", s) }
	r, err := Attack(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, r)
}

// Text writes the report for a person.
func (r *AttackReport) Text(out io.Writer) error {
	var t bytes.Buffer
	fmt.Fprintf(&t, "two matches of two players and a log-in a second; %d s each, compared with the %d s before\n\n", r.Seconds, r.Seconds)
	max := func(key string) float64 { return r.Targets[key] }
	fmt.Fprintf(&t, "%-16s %8s %8s %9s %9s %8s %8s %8s | %8s %9s %8s %9s\n", "attack", "tries", "refused", "attacker", "server", "memory", "disk", "tick", "frames", "order", "log-in", "disk")
	fmt.Fprintf(&t, "%-16s %8s %8s %9s %9s %8s %8s %8s | %8s %9s %8s %10s\n", "", "", "", "core", "core", "+MB", "first MB", "p99 ms", "late ms", "longer ms", "p99 ms", "KiB/s each")
	fmt.Fprintf(&t, "%-82s | %8.0f %9.0f %8.0f %9.0f\n", "targets: at most", max("victim_frame_late_p99_ms"), max("victim_order_longer_ms"), max("victim_login_p99_ms"), max("disk_each_b_per_s")/1024)
	for _, x := range append([]AttackResult{r.Quiet}, r.Attacks...) {
		fmt.Fprintf(&t, "%-16s %8d %8d %9.2f %9.2f %8.1f %8.1f %8.2f | %8.1f %9.1f %8.0f %9.1f", x.Name, x.Attacker.Tries, x.Attacker.Refused, x.Attacker.Core,
			x.ServerCore, x.RSSGrowthMB, x.DiskFirstMB, x.VictimTickP99Ms, x.VictimFrameLateP99Ms, x.VictimOrderLongerMs, x.VictimLoginP99Ms, x.DiskEachBPerS/1024)
		if len(x.Missed) > 0 {
			fmt.Fprintf(&t, "  missed: %s", strings.Join(x.Missed, ", "))
		}
		fmt.Fprintln(&t)
		if x.LoginsFailed > 0 {
			fmt.Fprintf(&t, "  %d of %d honest log-ins failed: %s\n", x.LoginsFailed, x.Logins, x.FirstFailure)
		}
	}
	_, err := t.WriteTo(out)
	return err
}

// attackServer serves like fogkeep, writes a line of JSON with its addresses and a
// studio's key, and answers each line of its input, which names matches, with a line of
// JSON about itself.
type attackServer struct{ server.Config }

func (c *attackServer) Run(in *cli.Invocation) error {
	var sampler Sampler
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
	log, err := telemetry.NewLogger(in.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	c.Hooks.Logger = log
	var key lobby.KeySecret
	c.Hooks.Ready = func(s *server.Server) {
		at := AttackTarget{s.Addresses().Players, s.Addresses().Services, string(key)}
		if err := json.NewEncoder(in.Stdout).Encode(at); err != nil {
			fmt.Fprintln(in.Stderr, err)
		}
	}
	s, err := server.New(in.Ctx, c.Config)
	if err != nil {
		return err
	}
	_, key, err = s.Lobby().OperatorSession(lobby.Operator{Name: "bench"}).AddServiceKey(in.Ctx, lobby.NewServiceKey{
		Name: "studio", Issuer: "studio", Scopes: lobby.Scopes(),
	})
	return errors.Join(err, s.Run(in.Ctx))
}

// writtenOnly is the question that is about the disk alone.
const writtenOnly = "written"

// attacked is a server in a process of its own.
type attacked struct {
	cmd   *exec.Cmd
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	at    AttackTarget
	ended bool
	mu    sync.Mutex // one question at a time
}

func attackedServer(stderr io.Writer) func(context.Context) (AttackServer, error) {
	return func(ctx context.Context) (_ AttackServer, err error) {
		self, err := ownProgram()
		if err != nil {
			return nil, err
		}
		s := &attacked{}
		if s.dir, err = os.MkdirTemp("", "fogkeep-attack-"); err != nil {
			return nil, err
		}
		s.cmd = start(ctx, self, stderr, "attack-server", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0",
			"--service-addr=127.0.0.1:0", "--webhook-allow=127.0.0.0/8", "--data-dir", s.dir, "--trusted-proxies=127.0.0.0/8", "--log-level=error")
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
		line, err := s.out.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &s.at)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the server did not start: %w", err), s.Close())
		}
		return s, nil
	}
}

func (s *attacked) Target() AttackTarget { return s.at }

func (s *attacked) Sample(matches []string) (ServerSample, error) {
	return s.ask(strings.Join(matches, ","))
}

func (s *attacked) Written() (int64, error) {
	r, err := s.ask(writtenOnly)
	return r.WrittenB, err
}

func (s *attacked) ask(question string) (r ServerSample, err error) {
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

func (s *attacked) Close() error {
	if s.ended {
		return nil
	}
	s.ended = true
	s.in.Close()
	_ = s.cmd.Process.Signal(os.Interrupt)
	err := s.cmd.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// attackerCmd is one attack.
type attackerCmd struct {
	AttackTarget
	Name    string
	Seconds int
}

func (c *attackerCmd) Run(in *cli.Invocation) error {
	ctx, cancel := context.WithTimeout(in.Ctx, time.Duration(c.Seconds)*time.Second)
	defer cancel()
	r, err := RunAttack(ctx, c.Name, c.AttackTarget)
	if err != nil {
		return err
	}
	return json.NewEncoder(in.Stdout).Encode(r)
}

// attackerProcess runs an attack in a process of its own, with the least right
// to the processor: it stands for machines elsewhere.
func attackerProcess(stderr io.Writer) func(context.Context, string, AttackTarget, int) (AttackerReport, error) {
	return func(ctx context.Context, name string, at AttackTarget, seconds int) (r AttackerReport, err error) {
		self, err := os.Executable()
		if err != nil {
			return r, err
		}
		args := []string{self, "attacker", "--name", name, "--url", at.URL, "--service", at.Service, "--key", at.Key, "--seconds", strconv.Itoa(seconds)}
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
