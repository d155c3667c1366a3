package match

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/journal/journaltest"
)

// lateClock is a clock of a busy machine: it wakes the match later than it was
// asked to, by as much as the test says. Only the match's goroutine uses it
// until it has ended.
type lateClock struct {
	now    time.Time
	late   func(wait int) time.Duration
	waits  int
	most   int
	begins []time.Time // of ticks
}

func (c *lateClock) Now() time.Time { return c.now }

func (c *lateClock) Wait(at time.Time, _ <-chan struct{}) bool {
	if c.waits++; c.waits > c.most {
		return false
	}
	if at.After(c.now) {
		c.now = at
	}
	c.now = c.now.Add(c.late(c.waits))
	c.begins = append(c.begins, c.now)
	return true
}

// paced plays a number of ticks and returns when each began, as ticks after the match's
// beginning.
func paced(t *testing.T, ticks int, late func(wait int) time.Duration) []float64 {
	t.Helper()
	dir := journaltest.OpenDir(t)
	begin := time.Unix(1000, 0)
	clock := &lateClock{now: begin, late: late, most: ticks}
	played := 0
	s := New(Config{Journals: dir, Clock: clock})
	err := s.Start(Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seats: []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
		OnTick: func(x Ticked) { played = int(x.World.Tick()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.running.Wait()
	s.Close()
	if played != ticks || len(clock.begins) != ticks {
		t.Fatalf("%d ticks were played, want %d", played, ticks)
	}
	var out []float64
	for _, at := range clock.begins {
		out = append(out, at.Sub(begin).Seconds()*20)
	}
	return out
}

// However late each tick is woken, within a tick, the match keeps its pace: the
// lateness does not add up.
func TestTicksDoNotDrift(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i, at := range paced(t, 2000, func(int) time.Duration { return time.Duration(rng.IntN(49)) * time.Millisecond }) {
		if due := float64(i + 1); at < due || at >= due+1 {
			t.Fatalf("tick %d began at %.2f", i+1, at)
		}
	}
}

// After less than a second of delay the match makes up for the missed ticks, and its time
// is right again.
func TestShortDelayIsMadeUpFor(t *testing.T) {
	begins := paced(t, 200, func(wait int) time.Duration {
		if wait == 100 {
			return 700 * time.Millisecond // 14 ticks
		}
		return 0
	})
	for i, at := range begins {
		due := float64(i + 1)
		if i+1 >= 100 && i+1 < 114 {
			due = 114 // all at once
		}
		if at != due {
			t.Fatalf("tick %d began at %.2f, want %.2f", i+1, at, due)
		}
	}
}

// After more than a second the match has paused: it goes on at its pace, later,
// and does not rush.
func TestLongDelayIsAPause(t *testing.T) {
	begins := paced(t, 200, func(wait int) time.Duration {
		if wait == 100 {
			return 3 * time.Second
		}
		return 0
	})
	for i, at := range begins {
		due := float64(i + 1)
		if i+1 >= 100 {
			due += 60
		}
		if at != due {
			t.Fatalf("tick %d began at %.2f, want %.2f", i+1, at, due)
		}
	}
}
