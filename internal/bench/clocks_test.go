package bench

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match"
)

// BenchmarkClocks compares how 200 matches of a process may be woken 20 times a
// second: each by its own timer, as the server does, and by one goroutine, in ten
// groups or all at once. A tick here is 30 us of arithmetic. "core" is what waking and
// ticking cost; "alone" is the arithmetic, without any wake-up.
func BenchmarkClocks(b *testing.B) {
	const (
		matches = 200
		period  = 50 * time.Millisecond
		span    = 5 * time.Second
		ticks   = int(span / period)
	)
	tick := func() {
		x := uint64(1)
		for range 30_000 {
			x = x*6364136223846793005 + 1
		}
		if x == 0 {
			b.Error("the arithmetic ends at 0")
		}
	}
	// together is one goroutine that wakes a group of matches after the other.
	together := func(groups int) func(start time.Time, note func(late time.Duration)) {
		return func(start time.Time, note func(time.Duration)) {
			var all sync.WaitGroup
			due := make([]chan time.Time, matches)
			for i := range due {
				due[i] = make(chan time.Time, ticks)
				all.Go(func() {
					for at := range due[i] {
						note(time.Since(at))
						tick()
					}
				})
			}
			for k := range ticks * groups {
				at := start.Add(time.Duration(k) * period / time.Duration(groups))
				match.Wall{}.Wait(at, nil)
				for i := k % groups; i < matches; i += groups {
					due[i] <- at
				}
			}
			for _, c := range due {
				close(c)
			}
			all.Wait()
		}
	}
	for _, way := range []struct {
		name string
		run  func(start time.Time, note func(late time.Duration))
	}{
		{"alone", func(_ time.Time, note func(time.Duration)) {
			for range ticks * matches {
				note(0)
				tick()
			}
		}},
		{"each its own", func(start time.Time, note func(time.Duration)) {
			var all sync.WaitGroup
			for i := range matches {
				all.Go(func() {
					for k := range ticks {
						at := start.Add(period*time.Duration(i)/matches + period*time.Duration(k))
						match.Wall{}.Wait(at, nil)
						note(time.Since(at))
						tick()
					}
				})
			}
			all.Wait()
		}},
		{"one in ten groups", together(10)},
		{"one for all at once", together(1)},
	} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				var mu sync.Mutex
				late := make([]time.Duration, 0, matches*ticks)
				before, err := cpuTime()
				if err != nil {
					b.Fatal(err)
				}
				way.run(time.Now(), func(d time.Duration) {
					mu.Lock()
					late = append(late, d)
					mu.Unlock()
				})
				after, err := cpuTime()
				if err != nil {
					b.Fatal(err)
				}
				if len(late) != matches*ticks {
					b.Fatalf("%d ticks, want %d", len(late), matches*ticks)
				}
				slices.Sort(late)
				b.ReportMetric((after-before).Seconds()/span.Seconds(), "core")
				b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "late-p99-ms")
			}
		})
	}
}
