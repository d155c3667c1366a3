package matchkit

import (
	"sync"
	"time"
)

// Manual is a clock that a test moves, for a single match: [Manual.Tick] lets
// one wait end, and returns once the match waits again, so that everything the
// tick does is done.
type Manual struct {
	mu      sync.Mutex
	now     time.Time
	pending time.Time
	waiting chan struct{} // a token while the match waits
	release chan struct{}
}

// NewManual returns a clock that stands at start.
func NewManual(start time.Time) *Manual {
	return &Manual{now: start, waiting: make(chan struct{}, 1), release: make(chan struct{})}
}

// Advance moves the clock.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = m.now.Add(d)
}

// Now returns the clock's time.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// Wait waits until Tick lets it go.
func (m *Manual) Wait(at time.Time, stop <-chan struct{}) bool {
	m.mu.Lock()
	m.pending = at
	m.mu.Unlock()
	m.waiting <- struct{}{}
	select {
	case <-m.release:
		return true
	case <-stop:
		select {
		case <-m.waiting:
		default:
		}
		return false
	}
}

// Tick waits until the match waits, moves the clock to the awaited time and lets the
// match go; then Tick waits until the match waits again, or until end is closed. It
// reports whether the match still runs.
func (m *Manual) Tick(end <-chan struct{}) bool {
	select {
	case <-m.waiting:
	case <-end:
		return false
	}
	m.mu.Lock()
	if m.pending.After(m.now) {
		m.now = m.pending
	}
	m.mu.Unlock()
	select {
	case m.release <- struct{}{}:
	case <-end:
		return false
	}
	select {
	case <-m.waiting:
		m.waiting <- struct{}{}
		return true
	case <-end:
		return false
	}
}
