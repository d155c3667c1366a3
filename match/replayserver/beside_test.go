package replayserver

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// liveClock is a clock of a live match, whose ticks the test lets begin one by one, each
// as late as it says.
type liveClock struct {
	begin chan time.Duration

	mu  sync.Mutex
	now time.Time
}

func (c *liveClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *liveClock) Wait(at time.Time, stop <-chan struct{}) bool {
	select {
	case late := <-c.begin:
		c.mu.Lock()
		defer c.mu.Unlock()
		if at.After(c.now) {
			c.now = at
		}
		c.now = c.now.Add(late)
		return true
	case <-stop:
		return false
	}
}

// TestLiveMatchesGoFirst: beside a live match, by its clock and by counts of ticks. No
// replay is played for longer than a slice and a tick at a time. While the live match's
// ticks begin late, no viewer gets a single tick, for any request.
// Once it is on time again they all go on.
func TestLiveMatchesGoFirst(t *testing.T) {
	dir := journaltest.OpenDir(t)
	o := played(t)
	clock := &liveClock{begin: make(chan time.Duration), now: time.Unix(1000, 0)}
	live := match.New(match.Config{Journals: dir, Clock: clock})
	defer live.Close()
	if err := live.Start(spec.Match{
		ID: "0198c2f4-0000-7000-8000-000000000002", Map: o.setup.Map, Rules: o.setup.Rules, Seats: []spec.Seat{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}); err != nil {
		t.Fatal(err)
	}
	// ticks lets the live match play until a condition holds.
	ticks := func(late time.Duration, what string, until func(n int) bool) {
		t.Helper()
		for n := 0; !until(n); n++ {
			if n == 2000 {
				t.Fatalf("after %d ticks that are late by %v, %s", n, late, what)
			}
			clock.begin <- late
		}
	}
	metrics := prometheus.NewRegistry()
	played := func() int { return int(counterOf(t, metrics, "fogkeep_replay_ticks_total")) }
	began := time.Now()
	h := newStand(t, func(_ *Config, l *playback.Config) {
		l.Busy, l.Registerer = live.Busy, metrics
		l.Slots = 1 // the clock counts the ticks of all
		// Each tick of a replay takes a millisecond of the clock by which slots are held.
		l.Clock = func() time.Time { return began.Add(time.Duration(played()) * time.Millisecond) }
	})
	slots := h.service.cfg.Library.Slots()
	h.write(o, testTicks, true)
	ticks(0, "", func(n int) bool { return n == 40 })

	const viewings = 4
	var list []*watcher
	for i := range viewings {
		r := anyEyes()
		r.Account = shared.AccountID(fmt.Sprint("w", i))
		w := h.watch(o, r, true)
		w.control(&pb.ReplayControl{Seek: proto.Uint32(uint32(testTicks - i)), Paused: proto.Bool(true)})
		list = append(list, w)
	}
	if played() < testTicks {
		t.Fatalf("%d ticks were played", played())
	}

	// The live match falls behind.
	ticks(60*time.Millisecond, "the server says that it has time to spare", func(int) bool { return live.Busy() })
	for range cap(slots) { // what was under way is done
		slots <- struct{}{}
	}
	for range cap(slots) {
		release(h)
	}
	before := played()
	numbers := make([]uint32, viewings)
	for i, w := range list {
		numbers[i] = w.ask(&pb.ReplayControl{Seek: proto.Uint32(uint32(10 + i)), Paused: proto.Bool(false), Percent: proto.Uint32(1600)})
	}
	for i, w := range list {
		f := w.read(func(f *wire.ServerFrame) bool {
			return f.Replay.GetState() == pb.ReplayState_REPLAY_STATE_WAITING_FOR_SERVER
		})
		if f.Replay.Done >= numbers[i] {
			t.Errorf("viewing %d seeks while a live match is late", i)
		}
	}
	ticks(60*time.Millisecond, "", func(n int) bool { return n == 100 })
	if !live.Busy() {
		t.Error("the server says that it has time to spare")
	}
	// The clock stands but for the ticks played, so that viewers have one slice in all.
	if n := played() - before; n > 4 {
		t.Errorf("%d ticks of replays were played while a live match was late", n)
	}

	// It is on time again.
	ticks(0, "the server says that it is busy", func(int) bool { return !live.Busy() })
	for i, w := range list {
		w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil && f.Replay.Done >= numbers[i] })
	}
	if played() == before {
		t.Error("nothing was played since")
	}
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	const most = .005 // a slice of four milliseconds, and the tick that was begun
	slices, within := uint64(0), uint64(0)
	for _, f := range families {
		if f.GetName() != "fogkeep_replay_slice_seconds" {
			continue
		}
		slices = f.Metric[0].Histogram.GetSampleCount()
		for _, b := range f.Metric[0].Histogram.Bucket {
			if b.GetUpperBound() == most {
				within = b.GetCumulativeCount()
			}
		}
	}
	if within != slices || slices < uint64(played())/5 {
		t.Errorf("%d slices for %d ticks, %d of them of at most %v s", slices, played(), within, most)
	}
}

// counterOf returns the value of a counter.
func counterOf(t *testing.T, r *prometheus.Registry, name string) float64 {
	families, err := r.Gather()
	if err != nil {
		t.Error(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.Metric[0].Counter.GetValue()
		}
	}
	return 0
}
