package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/cli"
)

// FitConfig is what [Fit] measures.
type FitConfig struct {
	Host
	asJSON
	Players int    `default:"2" help:"Players per match, one client each."`
	Units   int    `default:"50" help:"Units per player."`
	Matches int    `default:"128" help:"Matches at once in the last of three steps. The others play a quarter and half of them."`
	Seconds int    `default:"12" help:"Measured seconds of each step."`
	Share   int    `default:"70" help:"Percent of the processors that matches may take."`
	Memory  int    `default:"80" help:"Percent of the memory that matches may take."`
	Seed    uint64 `default:"1" help:"Seed of the clients' choices."`
}

// Run measures and prints.
func (c *FitConfig) Run(in *cli.Invocation) error {
	end, err := c.prepare(in)
	if err != nil {
		return err
	}
	defer end()
	r, err := Fit(in.Ctx, *c)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, &r)
}

// FitReport is how many matches and players this machine holds, and their use of it,
// computed from the last step in time. Clients share the machine with the server while it
// is measured.
type FitReport struct {
	Players       int     `json:"players"`
	Matches       int     `json:"matches"`
	BoundBy       string  `json:"bound_by"` // processor or memory
	Cores         float64 `json:"cores"`    // that these matches take
	RSSMB         float64 `json:"rss_mb"`
	MbitPerS      float64 `json:"mbit_per_s"` // to players, headers of IP, TCP and websocket included
	DiskMBPerHour float64 `json:"disk_mb_per_hour"`
	EgressGB      float64 `json:"egress_gb_per_1000_player_hours"`

	PlayersAMatch int     `json:"players_per_match"`
	Units         int     `json:"units"` // a player
	MachineCores  int     `json:"machine_cores"`
	MachineMB     float64 `json:"machine_mb"`
	IdleMB        float64 `json:"idle_mb"` // of a server without matches
	Resyncs       int     `json:"resyncs"` // masks that a client derived wrong

	Steps []FitStep `json:"steps"`
}

// FitStep is a number of matches that ran at once, and their use of the machine.
type FitStep struct {
	Matches       int     `json:"matches"`
	ServerCore    float64 `json:"server_core"`
	RSSMB         float64 `json:"rss_mb"`
	TickLateP99Ms float64 `json:"tick_late_p99_ms"`
	OrderRTTP99Ms float64 `json:"order_rtt_p99_ms"`
	BytesPerS     float64 `json:"bytes_per_s_per_player"` // on the wire
	DiskPerS      float64 `json:"disk_bytes_per_s"`
	InTime        bool    `json:"in_time"` // its ticks were; else the step does not count
}

const (
	fitMost      = 3 * time.Minute // of a whole measurement
	fitLateMsMax = 20              // of the 99th percentile of ticks, as the alert FogkeepTicksLate has it
)

// Fit plays more and more matches on one server, and computes from the last step with
// ticks in time how many matches the machine holds. It is an error if no step was, or if
// less ran than was asked for.
func Fit(ctx context.Context, c FitConfig) (FitReport, error) {
	r := FitReport{PlayersAMatch: c.Players, Units: c.Units, MachineCores: runtime.GOMAXPROCS(0), MachineMB: server.MemoryMost() / (1 << 20)}
	switch {
	case c.Matches < 4 || c.Players < 2 || c.Units < 1 || c.Seconds < 5:
		return r, errors.New("bench fit: want at least 4 matches, 2 players, 1 unit a player and 5 seconds")
	case c.Share < 1 || c.Share > 100 || c.Memory < 1 || c.Memory > 100:
		return r, fmt.Errorf("bench fit: --share %d, --memory %d: want percentages from 1 to 100", c.Share, c.Memory)
	case r.MachineMB == 0:
		return r, errors.New("bench fit: the memory of this machine is not known: set GOMEMLIMIT")
	}
	ctx, cancel := context.WithTimeoutCause(ctx, fitMost, fmt.Errorf("bench fit: the steps did not end within %v: try fewer --matches", fitMost))
	defer cancel()
	var played LoadReport
	l, end, err := startLoad(ctx, LoadConfig{Host: c.Host, Players: c.Players, Units: c.Units, Seconds: c.Seconds, OrdersPerS: 0.5, Rejoins: 0.002, Seed: c.Seed}, &played)
	if err != nil {
		return r, err
	}
	defer end()
	l.keeps = false
	if err := l.fit(ctx, c.Matches, &r); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return r, fmt.Errorf("%w\n%s", err, l.node.Output(2000))
	}
	return r, r.compute(c.Share, c.Memory)
}

// fit plays a quarter, half and all of so many matches.
func (l *load) fit(ctx context.Context, most int, r *FitReport) error {
	if err := l.chooseMap(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	r.IdleMB = l.node.RSSMB()
	for _, l.Matches = range []int{most / 4, most / 2, most} {
		if err := l.enter(ctx, &running); err != nil {
			return err
		}
		step, err := l.fitStep(ctx)
		if err != nil {
			return err
		}
		r.Steps = append(r.Steps, step)
		if !step.InTime {
			break // more would be late too
		}
	}
	for _, c := range l.clients {
		r.Resyncs += int(c.resyncs.Load())
	}
	if r.Resyncs > 0 {
		return fmt.Errorf("bench fit: clients derived %d wrong masks", r.Resyncs)
	}
	return nil
}

// fitStep measures the matches that run.
func (l *load) fitStep(ctx context.Context) (s FitStep, err error) {
	l.Progress("%d matches are measured for %d s", l.Matches, l.Seconds)
	sent := func() (n int64) {
		for _, c := range l.clients {
			n += c.received.Load()
		}
		return n
	}
	began, bytes := time.Now(), sent()
	disk, err := folderBytes(l.node.Data)
	if err != nil {
		return s, err
	}
	_, err = l.play(ctx)
	short := errors.Is(err, errShort)
	if err != nil && !short {
		return s, err
	}
	seconds := time.Since(began).Seconds()
	bytes = sent() - bytes
	after, err := folderBytes(l.node.Data)
	r := l.report
	return FitStep{
		Matches: l.Matches, ServerCore: r.ServerCore, RSSMB: r.RSSMB, TickLateP99Ms: r.TickLateP99Ms, OrderRTTP99Ms: r.OrderRTTP99Ms,
		BytesPerS: float64(bytes) / seconds / float64(len(l.clients)), DiskPerS: float64(after-disk) / seconds,
		InTime: !short && (r.TickLateP99Ms <= fitLateMsMax || l.AnyPace),
	}, err
}

// folderBytes returns the sizes of all files in a folder. Files that go meanwhile do not
// count.
func folderBytes(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = d.Info(); err == nil {
				bytes += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return bytes, err
}

// compute fills in what the machine holds, of a share of its processors and memory in
// percent.
func (r *FitReport) compute(share, memory int) error {
	n := len(r.Steps)
	for n > 0 && !r.Steps[n-1].InTime {
		n--
	}
	if n == 0 {
		return fmt.Errorf("bench fit: %d matches have ticks that are late (%.0f ms, at most %d): let the machine do less else, or measure fewer --matches", r.Steps[0].Matches, r.Steps[0].TickLateP99Ms, fitLateMsMax)
	}
	s := r.Steps[n-1]
	per := 1 / float64(s.Matches)
	core, mb := s.ServerCore*per, (s.RSSMB-r.IdleMB)*per
	if core <= 0 || mb <= 0 {
		return fmt.Errorf("bench fit: %d matches took %.3f cores and %.0f MB more than none: measure more --matches", s.Matches, s.ServerCore, s.RSSMB-r.IdleMB)
	}
	r.BoundBy, r.Matches = "processor", int(float64(r.MachineCores*share)/100/core)
	if room := int((r.MachineMB*float64(memory)/100 - r.IdleMB) / mb); room < r.Matches {
		r.BoundBy, r.Matches = "memory", max(0, room)
	}
	all := float64(r.Matches)
	r.Players = r.Matches * r.PlayersAMatch
	r.Cores, r.RSSMB = all*core, r.IdleMB+all*mb
	r.MbitPerS = float64(r.Players) * s.BytesPerS * 8 / 1e6
	r.DiskMBPerHour = all * s.DiskPerS * per * 3600 / 1e6
	r.EgressGB = s.BytesPerS * 3600 * 1000 / 1e9
	return nil
}
