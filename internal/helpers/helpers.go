package helpers

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Pool bounds how many helpers work at a time.
type Pool struct {
	busy chan struct{} // an element for each helper that works
}

// New returns a pool of n helpers. An idle helper has no goroutine, so a pool need not be closed.
func New(n int) *Pool { return &Pool{busy: make(chan struct{}, max(0, n))} }

// Size returns how many helpers there are.
func (p *Pool) Size() int { return cap(p.busy) }

// Hand is how one goroutine asks for help.
type Hand struct {
	pool *Pool
	help func() // a helper's work, made once

	f       func(int)
	n       int64
	next    atomic.Int64 // the next free call
	helping sync.WaitGroup

	mu     sync.Mutex
	failed *Panic
}

// Hand returns a hand for one goroutine.
func (p *Pool) Hand() *Hand {
	h := &Hand{pool: p}
	h.help = func() {
		defer h.helping.Done()
		defer func() { <-p.busy }()
		h.work()
	}
	return h
}

// Panic is a panic of a call, as [Hand.Run] raises it again.
type Panic struct {
	Value any
	Stack []byte // where it was
}

func (p *Panic) Error() string { return fmt.Sprintf("%v\n%s", p.Value, p.Stack) }

// Run calls f(0) to f(n-1), by itself and by helpers that are idle, and returns when
// all calls have returned. It is a grid.Runner. f may not call Run of the same hand.
func (h *Hand) Run(n int, f func(i int)) {
	h.f, h.n, h.failed = f, int64(n), nil
	h.next.Store(0)
	h.askForHelp(n - 1)
	h.work()
	h.helping.Wait()
	h.f = nil
	if h.failed != nil {
		panic(h.failed)
	}
}

// askForHelp starts at most n helpers, as far as they are idle.
func (h *Hand) askForHelp(n int) {
	for range n {
		select {
		case h.pool.busy <- struct{}{}:
			h.helping.Add(1)
			go h.help()
		default:
			return
		}
	}
}

// work takes calls until all are taken. After a panic the others are left.
func (h *Hand) work() {
	defer func() {
		if value := recover(); value != nil {
			h.next.Store(h.n)
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.failed == nil {
				h.failed = &Panic{value, debug.Stack()}
			}
		}
	}()
	for {
		i := h.next.Add(1) - 1
		if i >= h.n {
			return
		}
		h.f(int(i))
	}
}
