package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay"
)

// ReplayConfig is what [Replay] measures.
type ReplayConfig struct {
	Battle          `set:"seconds=1800"`
	Dir             string `kong:"-"` // for the journal
	Seeks           int    `default:"200" help:"Random ticks to go to."`
	CheckpointBytes int    `kong:"-"` // 0: as a replay has it
}

// replayBench goes to random ticks of a battle that was played. With --beside it
// measures the cost of viewers for live matches.
type replayBench struct {
	ReplayConfig
	Host
	asJSON
	Beside   int `placeholder:"N" help:"Play N live matches of two players instead: first without viewings of another match, then with viewings."`
	Viewings int `default:"8" help:"With --beside: viewings."`
	Length   int `default:"60" help:"With --beside: seconds of the match that they watch."`
	Measure  int `default:"30" help:"With --beside: measured seconds, each time."`
}

// Run fights, opens, seeks and prints.
func (c *replayBench) Run(in *cli.Invocation) error {
	if c.Beside > 0 {
		end, err := c.prepare(in)
		if err != nil {
			return err
		}
		defer end()
		r, err := ReplayBeside(in.Ctx, BesideConfig{
			Host: c.Host, Matches: c.Beside, Units: c.Units, Viewings: c.Viewings, Length: c.Length, Seconds: c.Measure, Seed: c.Seed,
		})
		if err != nil {
			return err
		}
		return c.print(in.Stdout, &r)
	}
	in.Progress("fighting for %d seconds of match time", c.Seconds)
	var err error
	if c.ReplayConfig.Dir, err = os.MkdirTemp("", Name+"-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.ReplayConfig.Dir)
	r, err := Replay(in.Ctx, c.ReplayConfig)
	if err != nil {
		return err
	}
	return c.print(in.Stdout, &r)
}

// ReplayReport is what it costs to go to any tick of a battle.
type ReplayReport struct {
	Map             string  `json:"map"`
	Players         int     `json:"players"`
	Units           int     `json:"units"`
	Seconds         int     `json:"seconds"`
	Ticks           int     `json:"ticks"`
	JournalBytes    int64   `json:"journal_bytes"`
	OpenMs          float64 `json:"open_ms"`     // reading and checking the journal
	TicksPerS       float64 `json:"ticks_per_s"` // of the first pass, which makes the checkpoints
	Checkpoints     int     `json:"checkpoints"`
	CheckpointBytes int     `json:"checkpoint_bytes"`
	Seeks           int     `json:"seeks"`
	SeekP50Ms       float64 `json:"seek_p50_ms"` // to random ticks, after the first pass, with a picture of one team
	SeekP95Ms       float64 `json:"seek_p95_ms"`
	SeekMaxMs       float64 `json:"seek_max_ms"`
	FromStartP50Ms  float64 `json:"from_start_p50_ms"` // the floor: the same seeks without checkpoints, a few of them
	RSSMB           float64 `json:"rss_mb"`
}

// fromStartSeeks are made without checkpoints, for comparison: each plays half the
// match.
const fromStartSeeks = 3

// Replay fights a battle, opens its journal as a viewer does, and goes to random
// ticks.
func Replay(ctx context.Context, c ReplayConfig) (ReplayReport, error) {
	b := &c.Battle
	r := ReplayReport{Players: b.Players, Units: b.Units, Seconds: b.Seconds, Seeks: c.Seeks}
	if b.Map.Map == nil || b.Players < 1 || b.Units < 1 || b.Seconds < 1 || c.Seeks < 1 {
		return r, errors.New("bench replay: a map is needed; players, units, seconds and seeks must be at least 1")
	}
	r.Map = b.Map.Name
	f, err := fightToJournal(ctx, *b, match.StateSeconds, c.Dir)
	if err != nil {
		return r, err
	}
	r.Ticks, r.JournalBytes = f.ticks, f.journalBytes
	read := func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(f.dir.Path(foughtMatch), each)
		return err
	}
	open := func() (*replay.Replay, time.Duration, error) {
		began := time.Now()
		p, err := replay.Open(read, replay.Options{CheckpointBytes: c.CheckpointBytes})
		return p, time.Since(began), err
	}
	p, took, err := open()
	if err != nil {
		return r, err
	}
	r.OpenMs = milliseconds(took)
	began := time.Now()
	if err := p.Index(ctx, nil); err != nil {
		return r, err
	}
	r.TicksPerS = float64(p.Last()) / time.Since(began).Seconds()
	r.Checkpoints, r.CheckpointBytes = p.Checkpoints()
	rnd := rand.New(rand.NewPCG(b.Seed, 1))
	times, err := seekTimes(ctx, p, rnd, c.Seeks)
	if err != nil {
		return r, err
	}
	r.SeekP50Ms, r.SeekP95Ms, r.SeekMaxMs = times[len(times)/2], times[len(times)*95/100], times[len(times)-1]
	debug.FreeOSMemory() // what is left of the battle itself
	r.RSSMB = clustertest.MemoryMB(os.Getpid())
	var floor []float64
	for range fromStartSeeks {
		p.Drop()
		t, err := seekTimes(ctx, p, rnd, 1)
		if err != nil {
			return r, err
		}
		floor = append(floor, t...)
	}
	slices.Sort(floor)
	r.FromStartP50Ms = floor[len(floor)/2]
	return r, nil
}

// seekTimes goes to n random ticks, and returns how long each took with a picture of
// the first team, in milliseconds, sorted.
func seekTimes(ctx context.Context, p *replay.Replay, rnd *rand.Rand, n int) ([]float64, error) {
	var out []float64
	for range n {
		t := 1 + grid.Tick(rnd.IntN(int(p.Last())))
		began := time.Now()
		if err := p.Seek(ctx, t); err != nil {
			return nil, err
		}
		if _, err := p.Picture(0); err != nil {
			return nil, err
		}
		out = append(out, milliseconds(time.Since(began)))
	}
	slices.Sort(out)
	return out, nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
