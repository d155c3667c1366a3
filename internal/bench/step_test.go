package bench

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/sim"
)

// BenchmarkColdStep is the step of the walkers as a live match has it: 50 ms after the last one, with cold caches.
// us/step is the mean of the steps alone.
func BenchmarkColdStep(b *testing.B) {
	for _, units := range []int{200, 1000, 8000} {
		for _, shared := range []bool{false, true} {
			name := fmt.Sprint("w1/", units)
			if shared {
				name += "/shared"
			}
			b.Run(name, func(b *testing.B) {
				r, err := newWalkingHarness(units)
				if err != nil {
					b.Fatal(err)
				}
				if shared {
					r.share(helpers.New(runtime.GOMAXPROCS(0) - 1).Hand().Run)
				}
				for range 600 {
					r.w.Step(nil)
				}
				other := make([]uint64, 8<<20) // 64 MB: more than the caches hold
				sum, spent, least := uint64(0), time.Duration(0), time.Hour
				for b.Loop() {
					for i := range other {
						sum += other[i]
						other[i] = sum
					}
					began := time.Now()
					r.w.Step(nil)
					took := time.Since(began)
					spent += took
					least = min(least, took)
				}
				b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "us/step")
				b.ReportMetric(float64(least.Microseconds()), "us-least")
			})
		}
	}
}

// BenchmarkFreeze is the cost of a save of so many walkers in its tick, and of writing it down at once.
func BenchmarkFreeze(b *testing.B) {
	for _, units := range []int{200, 8000} {
		r, err := newWalkingHarness(units)
		if err != nil {
			b.Fatal(err)
		}
		for range 600 {
			r.w.Step(nil)
		}
		var f sim.Frozen
		var saved []byte
		b.Run(fmt.Sprint("freeze/", units), func(b *testing.B) {
			for b.Loop() {
				r.w.Freeze(&f)
			}
		})
		b.Run(fmt.Sprint("save/", units), func(b *testing.B) {
			for b.Loop() {
				saved = r.w.Save(saved[:0])
			}
			b.ReportMetric(float64(len(saved)), "bytes")
		})
		r.share(helpers.New(runtime.GOMAXPROCS(0) - 1).Hand().Run)
		b.Run(fmt.Sprint("freeze/", units, "/shared"), func(b *testing.B) {
			for b.Loop() {
				r.w.Freeze(&f)
			}
		})
	}
}
