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
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/telemetry"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// attackServer serves like fogkeep, writes a line of JSON with its addresses and a
// studio's key, and answers each line of its input, which names matches, with a line of
// JSON about itself.
type attackServer struct{ server.Config }

func (c *attackServer) Run(in *cli.Invocation) error {
	sampler := sampler{took: map[string][]time.Duration{}}
	c.Hooks.Ticked = sampler.ticked
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			s, err := sampler.sample(strings.Split(lines.Text(), ","))
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

// sampler gathers the figures of the server that it is part of.
type sampler struct {
	mu   sync.Mutex
	took map[string][]time.Duration // the ticks of each match since the last sample
	cpu  time.Duration
}

// ticksMax bounds the kept ticks of a match between two samples.
const ticksMax = 1 << 16

func (s *sampler) ticked(match string, took, _ time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.took[match]) < ticksMax {
		s.took[match] = append(s.took[match], took)
	}
}

// sample returns the figures since the last call, and of the memory now.
func (s *sampler) sample(matches []string) (out ServerSample, err error) {
	cpu, err := cpuTime()
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var took []time.Duration
	for _, match := range matches {
		took = append(took, s.took[match]...)
	}
	clear(s.took)
	out.CPUSeconds, s.cpu = (cpu - s.cpu).Seconds(), cpu
	out.RSSMB, out.Ticks, out.TickP99Ms = clustertest.MemoryMB(os.Getpid()), len(took), millis(took, 99)
	return out, nil
}

// attacked is a server in a process of its own.
type attacked struct {
	*child
	self clustertest.Program
	dir  string
	at   AttackTarget
}

func startAttacked(ctx context.Context, stderr io.Writer) (_ *attacked, err error) {
	s := &attacked{}
	if s.self, err = ownProgram(); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "fogkeep-attack-"); err != nil {
		return nil, err
	}
	if s.child, err = startChild(ctx, s.self, stderr, "attack-server", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0",
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

// sample returns the server's own figures since the last call. The ticks belong to the named matches.
func (s *attacked) sample(matches []string) (r ServerSample, err error) {
	if _, err := fmt.Fprintln(s.In, strings.Join(matches, ",")); err != nil {
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

func (s *attacked) Close() error { return errors.Join(s.child.Close(), os.RemoveAll(s.dir)) }

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

// attack runs an attack in a process of its own, with the least right to the processor: it stands for machines
// elsewhere.
func (s *attacked) attack(ctx context.Context, stderr io.Writer, name string, seconds int) (r AttackerReport, err error) {
	args := []string{s.self.Path, "attacker", "--name", name, "--url", s.at.URL, "--service", s.at.Service, "--key", s.at.Key, "--seconds", strconv.Itoa(seconds)}
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
