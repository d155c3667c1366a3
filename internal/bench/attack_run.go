package bench

import (
	"bufio"
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
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/studio"
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
	var key studio.KeySecret
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
	_, key, err = s.Lobby().Admin.OperatorSession(admin.Operator{Name: "bench"}).Keys().Add(in.Ctx, studio.NewServiceKey{
		Name: "studio", Issuer: "studio", Scopes: studio.Scopes(),
	})
	return errors.Join(err, s.Run(in.Ctx))
}

// writtenOnly is the question that is about the disk alone.
const writtenOnly = "written"

// attacked is a server in a process of its own.
type attacked struct {
	*child
	dir   string
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
		if s.child, err = startChild(ctx, self, stderr, "attack-server", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0",
			"--service-addr=127.0.0.1:0", "--webhook-allow=127.0.0.0/8", "--data-dir", s.dir, "--trusted-proxies=127.0.0.0/8", "--log-level=error"); err != nil {
			return nil, errors.Join(err, os.RemoveAll(s.dir))
		}
		line, err := s.ReadBytes('\n')
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
	if _, err := fmt.Fprintln(s.In, question); err != nil {
		return r, fmt.Errorf("the server takes no question: %w", err)
	}
	for {
		line, err := s.ReadString('\n')
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
	return errors.Join(s.child.Close(), os.RemoveAll(s.dir))
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
