package helpers

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every call is made once, with any number of helpers, and by many who ask at once.
func TestEveryCallOnce(t *testing.T) {
	for _, size := range []int{-1, 0, 1, 7} {
		p := New(size)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				h := p.Hand()
				for n := range 60 {
					calls := make([]atomic.Int32, n)
					h.Run(n, func(i int) { calls[i].Add(1) })
					for i := range calls {
						if got := calls[i].Load(); got != 1 {
							t.Errorf("%d helpers: call %d of %d was made %d times", size, i, n, got)
						}
					}
				}
			})
		}
		all.Wait()
		if busy := len(p.busy); busy != 0 {
			t.Errorf("%d of %d helpers work in the end", busy, size)
		}
	}
}

// A helper really helps, and no more goroutines work than the pool has helpers and
// there are that ask.
func TestHelpersAreBounded(t *testing.T) {
	const size, asking = 2, 3
	p := New(size)
	var now, most, helped atomic.Int32
	// Two calls that wait for each other need two goroutines.
	for helped.Load() == 0 {
		meet := make(chan struct{})
		p.Hand().Run(2, func(int) {
			select {
			case meet <- struct{}{}:
			case <-meet:
				helped.Add(1)
			case <-time.After(50 * time.Millisecond): // the machine is busy
			}
		})
	}
	var all sync.WaitGroup
	for range asking {
		all.Go(func() {
			h := p.Hand()
			for range 50 {
				h.Run(8, func(int) {
					n := now.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					time.Sleep(50 * time.Microsecond) // calls overlap
					now.Add(-1)
				})
			}
		})
	}
	all.Wait()
	if m := most.Load(); m > size+asking {
		t.Errorf("%d calls at a time, with %d helpers for %d", m, size, asking)
	}
}

// A panic of any call reaches the goroutine that asked, with the place where it was,
// and the pool goes on.
func TestPanicsComeBack(t *testing.T) {
	p := New(3)
	h := p.Hand()
	for bad := range 16 {
		func() {
			defer func() {
				v, ok := recover().(*Panic)
				if !ok || v.Value != "bad" || !strings.Contains(v.Error(), "TestPanicsComeBack") {
					t.Errorf("call %d: panic %v", bad, v)
				}
			}()
			h.Run(16, func(i int) {
				if i == bad {
					panic("bad")
				}
			})
		}()
		sum := atomic.Int64{}
		h.Run(10, func(i int) { sum.Add(int64(i)) })
		if sum.Load() != 45 {
			t.Fatalf("after a panic the calls add up to %d", sum.Load())
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	p := New(1)
	h, x := p.Hand(), make([]int, 8)
	f := func(i int) { x[i]++ }
	if n := testing.AllocsPerRun(200, func() { h.Run(len(x), f) }); n > 0 {
		t.Errorf("%.1f allocations a run", n)
	}
}
