package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/clustertest/faults"
)

// ChaosConfig is how [Chaos] breaks a cluster.
type ChaosConfig struct {
	Host
	asJSON
	Minutes float64 `default:"3" help:"Minutes of faults. The last round ends after them."`
	Matches int     `default:"4" help:"Matches of two players, each a client that orders all the time; every other match has a bot too."`
	Logs    int     `default:"3" help:"Journal servers apart from the nodes; 0: each node runs one, and faults of the way to the journal are left out."`
	Next    string  `placeholder:"FILE" help:"Another build of fogkeep: rolling upgrades change from one to the other. Default: each node is replaced by its own build."`
	Seed    uint64  `default:"0" help:"Seed of faults and places; 0: a new one."`
}

// Run breaks and prints.
func (c *ChaosConfig) Run(in *cli.Invocation) error {
	return c.seeded(in, &c.Seed, func() error {
		r, err := Chaos(in.Ctx, *c)
		return errors.Join(c.print(in.Stdout, &r), err)
	})
}

// ChaosReport is what a cluster survived. A freeze is the longest time that a client had
// no new frame, from the beginning of a fault until all play on after it was mended.
type ChaosReport struct {
	Seed    uint64         `json:"seed"`
	Minutes float64        `json:"minutes"`
	Rounds  int            `json:"rounds"` // each with new matches, which are compared whole at its end
	Faults  int            `json:"faults_survived"`
	ByKind  map[string]int `json:"faults"`

	Orders         int `json:"orders"` // answered
	LostOrders     int `json:"lost_orders"`
	DoubleOrders   int `json:"double_orders"`
	FramesCompared int `json:"frames_compared"`   // with replays of the journals
	Entities       int `json:"entities_compared"` // that clients held
	Wrong          int `json:"wrong"`             // differences, of players and late spectators

	FreezeP50S float64 `json:"freeze_p50_s"`
	FreezeP99S float64 `json:"freeze_p99_s"`
	FreezeMaxS float64 `json:"freeze_max_s"`

	// Of the node that had most, after the first and the last fault, and at any time.
	FirstMB          float64 `json:"first_rss_mb"`
	LastMB           float64 `json:"last_rss_mb"`
	MaxMB            float64 `json:"max_rss_mb"`
	FirstDescriptors int     `json:"first_descriptors"`
	LastDescriptors  int     `json:"last_descriptors"`
	MaxDescriptors   int     `json:"max_descriptors"`
}

// faultsPerRound bounds what the clients of a round remember for the comparison.
const faultsPerRound = 5

// Chaos plays faults by chance on a cluster of three nodes with its own PostgreSQL until
// the time is over. The first fault that the cluster does not survive is an error.
func Chaos(ctx context.Context, c ChaosConfig) (r ChaosReport, err error) {
	r = ChaosReport{Seed: c.Seed, ByKind: map[string]int{}}
	if c.Minutes <= 0 || c.Matches < 1 || c.Logs != 0 && c.Logs != 3 {
		return r, errors.New("bench chaos: want minutes, at least 1 match, and 3 or 0 journal servers")
	}
	began := time.Now()
	over := began.Add(time.Duration(c.Minutes * float64(time.Minute)))
	s, err := faults.New(ctx, faults.Config{
		Program: c.Program, Next: clustertest.Program{Path: c.Next, Env: c.Program.Env}, Dir: c.Dir, Logs: c.Logs, Seed: c.Seed, Outage: 5 * time.Second, Log: c.Progress,
	})
	if err != nil {
		return r, err
	}
	defer s.Close()
	var freezes []time.Duration
	defer func() {
		if len(freezes) > 0 {
			r.FreezeP50S, r.FreezeP99S, r.FreezeMaxS = millis(freezes, 50)/1000, millis(freezes, 99)/1000, slices.Max(freezes).Seconds()
		}
		r.Orders, r.LostOrders, r.DoubleOrders = s.Checked.Orders, s.Checked.Lost, s.Checked.Doubled
		r.FramesCompared, r.Entities, r.Wrong = s.Checked.Frames, s.Checked.Entities, r.Wrong+len(s.Checked.Wrong)
		r.Minutes = time.Since(began).Minutes()
	}()
	for time.Now().Before(over) {
		if err := s.Begin(ctx, c.Matches); err != nil {
			return r, err
		}
		watched, err := watch(ctx, s)
		if err != nil {
			return r, err
		}
		for n := 0; n < faultsPerRound && time.Now().Before(over); n++ {
			f, since := s.Any(), time.Now()
			if err := s.Play(ctx, f); err != nil {
				return r, err
			}
			for _, m := range s.Matches {
				for _, p := range m.Players {
					freezes = append(freezes, p.Gap(since, time.Now()))
				}
			}
			r.ByKind[f.Name]++
			r.Faults++
			r.measure(s)
		}
		err = s.End(ctx)
		if wrong := watched(); wrong != nil {
			r.Wrong++
			err = errors.Join(err, wrong)
		}
		if err != nil {
			return r, err
		}
		r.Rounds++
	}
	if r.Faults == 0 || s.Checked.Orders == 0 || s.Checked.Entities == 0 {
		return r, fmt.Errorf("bench chaos: only %d faults, %d orders and %d entities in %v", r.Faults, s.Checked.Orders, s.Checked.Entities, time.Since(began).Round(time.Second))
	}
	return r, nil
}

// watch lets a spectator watch the first match, late, over all faults. The returned
// function ends that, and returns what differed.
func watch(ctx context.Context, s *faults.Scene) (func() error, error) {
	v, err := clustertest.NewSpectator(ctx, "late", s.URLs(), s.Matches[0])
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		v.Run(ctx)
	}()
	return func() error {
		cancel()
		<-done
		_, _, _, wrong := v.Shown()
		return wrong
	}, nil
}

// measure notes what the largest node takes.
func (r *ChaosReport) measure(s *faults.Scene) {
	r.LastMB, r.LastDescriptors = 0, 0
	for _, n := range s.Nodes {
		r.LastMB, r.LastDescriptors = max(r.LastMB, n.RSSMB()), max(r.LastDescriptors, n.Descriptors())
	}
	if r.Faults == 1 {
		r.FirstMB, r.FirstDescriptors = r.LastMB, r.LastDescriptors
	}
	r.MaxMB, r.MaxDescriptors = max(r.MaxMB, r.LastMB), max(r.MaxDescriptors, r.LastDescriptors)
}
