package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/lobby/api"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// BesideConfig is what [ReplayBeside] measures.
type BesideConfig struct {
	Host
	Matches  int // live ones, of two players with one client each
	Units    int // a player
	Viewings int
	Length   int // seconds of play of the match that is watched
	Seconds  int // that are measured, without viewings and with them
	Seed     uint64
}

// BesideReport is what people who watch replays cost the live matches of the same server.
type BesideReport struct {
	Matches  int `json:"matches"`
	Units    int `json:"units"` // a player
	Viewings int `json:"viewings"`
	Seconds  int `json:"seconds"`

	TickLateP99Ms       float64 `json:"tick_late_p99_ms"` // how late ticks of live matches began, without viewings
	BesideTickLateP99Ms float64 `json:"beside_tick_late_p99_ms"`
	TickP99Ms           float64 `json:"tick_p99_ms"`
	BesideTickP99Ms     float64 `json:"beside_tick_p99_ms"`
	LateRatio           float64 `json:"late_ratio"` // with viewings against without
	TickRatio           float64 `json:"tick_ratio"`
	ServerCore          float64 `json:"server_core"`
	BesideServerCore    float64 `json:"beside_server_core"`

	TicksPerS  float64 `json:"replay_ticks_per_s"` // played for viewings
	Seeks      int     `json:"seeks"`
	Frames     int     `json:"frames"` // that viewings were shown
	Waits      int     `json:"waits"`  // times that a viewing waited for live matches
	SliceP99Ms float64 `json:"slice_p99_ms"`
}

// besideSeeks are the random seeks of a viewing each time that it came to the end.
const besideSeeks = 5

// ReplayBeside plays live matches in one server process, first alone, then while others
// watch a match that is over: each plays it at sixteen times its speed, goes to some ticks
// at random, and begins again.
func ReplayBeside(ctx context.Context, c BesideConfig) (BesideReport, error) {
	r := BesideReport{Matches: c.Matches, Units: c.Units, Viewings: c.Viewings, Seconds: c.Seconds}
	if c.Matches < 1 || c.Units < 1 || c.Viewings < 1 || c.Length < 1 || c.Seconds < 1 {
		return r, errors.New("want at least 1 live match, 1 unit a player, 1 viewing, and 1 second each of the match that is watched and of measuring")
	}
	var played LoadReport
	l, end, err := startLoad(ctx, LoadConfig{
		Host: c.Host, Matches: c.Matches + 1, Players: 2, Units: c.Units, Seconds: c.Seconds, OrdersPerS: 1, Seed: c.Seed,
	}, &played, "replay-viewings.account", "replay-viewings.process", "replay-tickets.account")
	if err != nil {
		return r, err
	}
	defer end()
	if err := l.beside(ctx, &c, &r); err != nil {
		return r, fmt.Errorf("%w\n%s", err, l.node.Output(2000))
	}
	return r, nil
}

func (l *load) beside(ctx context.Context, c *BesideConfig, r *BesideReport) error {
	if err := l.chooseMap(ctx); err != nil {
		return err
	}
	l.Progress("%d matches of %d players are made", l.Matches, l.Players)
	if err := l.begin(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	past, leave := context.WithCancel(ctx) // of those who play the match that is watched
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	defer leave()
	for i, p := range l.clients {
		as := ctx
		if i < l.Players {
			as = past
		}
		running.Go(func() { p.run(as) })
	}
	if err := l.playing(ctx); err != nil {
		return err
	}
	l.Progress("one match is played for %d s, to be watched", c.Length)
	if err := sleep(ctx, c.Length); err != nil {
		return err
	}
	watched := l.clients[:l.Players]
	l.clients, l.Matches = l.clients[l.Players:], l.Matches-1
	leave()
	if err := watched[0].ended(ctx); err != nil {
		return err
	}
	l.Progress("playing for %d s without viewings", c.Seconds)
	quiet, err := l.play(ctx)
	if err != nil {
		return err
	}
	r.TickLateP99Ms, r.TickP99Ms, r.ServerCore = quiet.lateP99(), quiet.tookP99(), l.report.ServerCore

	var frames, seeks atomic.Int64
	var viewers []*replayViewer
	for i := range c.Viewings {
		v, err := clustertest.NewViewer(ctx, fmt.Sprint("viewer ", i), []string{l.node.URL}, watched[i%len(watched)].who, watched[0].match)
		if err != nil {
			return err
		}
		if err := v.Open(ctx, l.node.URL, l.node.URL); err != nil {
			return fmt.Errorf("viewer %d: %w", i, err)
		}
		x := &replayViewer{Viewer: v, random: rand.New(rand.NewPCG(c.Seed, uint64(i))), frames: &frames, seeks: &seeks}
		viewers = append(viewers, x)
		running.Go(func() { x.run(ctx) })
	}
	if err := until(ctx, "all viewers were to be shown the match", viewers, func(v *replayViewer) bool { return v.Tick() > 0 || v.failed() != nil }); err != nil {
		return err
	}
	l.Progress("playing for %d s beside %d viewings", c.Seconds, c.Viewings)
	before, err := l.replays(ctx)
	if err != nil {
		return err
	}
	framesBefore, seeksBefore := frames.Load(), seeks.Load()
	busy, err := l.play(ctx)
	if err != nil {
		return err
	}
	after, err := l.replays(ctx)
	if err != nil {
		return err
	}
	for _, v := range viewers {
		if err := v.failed(); err != nil {
			return err
		}
	}
	r.BesideTickLateP99Ms, r.BesideTickP99Ms, r.BesideServerCore = busy.lateP99(), busy.tookP99(), l.report.ServerCore
	r.LateRatio, r.TickRatio = ratio(r.BesideTickLateP99Ms, r.TickLateP99Ms), ratio(r.BesideTickP99Ms, r.TickP99Ms)
	r.TicksPerS, r.Waits = (after.ticks-before.ticks)/float64(c.Seconds), int(after.waits-before.waits)
	r.SliceP99Ms = after.slices.Since(before.slices).Percentile(99) * 1000
	r.Frames, r.Seeks = int(frames.Load()-framesBefore), int(seeks.Load()-seeksBefore)
	if r.Frames == 0 || r.TicksPerS == 0 {
		return errors.New("bench replay: no viewing ran during the measurement of the live matches")
	}
	return nil
}

// ended ends the match of a client who plays no more, and waits until it can be watched.
func (c *loadClient) ended(ctx context.Context) error {
	if _, err := c.who.Leave(ctx, c.lobby); err != nil {
		return err
	}
	for end := time.Now().Add(waitMax); ; time.Sleep(50 * time.Millisecond) {
		var facts api.ReplayFacts
		if err := c.who.Call(ctx, http.MethodGet, "/api/replays/"+c.match, nil, &facts); err != nil {
			return err
		}
		if facts.Unavailable == "" && facts.Live == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("bench replay: the match cannot be watched: %s", facts.Unavailable)
		}
	}
}

// replaying is what the server has done for viewings so far.
type replaying struct {
	ticks, waits float64
	slices       clustertest.Histogram
}

func (l *load) replays(ctx context.Context) (x replaying, err error) {
	if x.ticks, err = l.node.Counter(ctx, "fogkeep_replay_ticks_total"); err != nil {
		return x, err
	}
	if x.waits, err = l.node.Counter(ctx, "fogkeep_replay_waits_total"); err != nil {
		return x, err
	}
	x.slices, err = l.node.Histogram(ctx, "fogkeep_replay_slice_seconds")
	return x, err
}

// replayViewer watches a match over and over.
type replayViewer struct {
	*clustertest.Viewer
	random        *rand.Rand
	frames, seeks *atomic.Int64

	mu  sync.Mutex
	err error
}

func (v *replayViewer) failed() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.err
}

func (v *replayViewer) run(ctx context.Context) {
	defer v.Close()
	if err := v.watch(ctx); err != nil && ctx.Err() == nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.err = fmt.Errorf("%s: %w", v.Name, err)
	}
}

func (v *replayViewer) watch(ctx context.Context) error {
	last := v.State().Welcome.Replay.Last
	seek := func(tick uint32) error {
		v.seeks.Add(1)
		return v.Control(&pb.ReplayControl{Seek: proto.Uint32(tick), Percent: proto.Uint32(1600), Paused: proto.Bool(false)})
	}
	for ctx.Err() == nil {
		if err := seek(1); err != nil {
			return err
		}
		for uint32(v.State().Tick()) < last {
			f, err := v.Next()
			if err != nil {
				return err
			}
			if f.IsFrame() {
				v.frames.Add(1)
			}
		}
		for range besideSeeks {
			if err := seek(1 + v.random.Uint32N(last)); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
