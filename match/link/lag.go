package link

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A player's lag is the delay that docs/reference/rules.md makes up for when a player orders a shot. It is the lesser of two
// measurements, so that a client that feigns slowness has to be slow in both:
//
//	frame of tick t ────► client applies it ────► message with applied = t     ticks
//	ping ────► the client's websocket ────► pong                               time
//
// Of each measurement the least of the last seconds counts: queues, a busy page and a slow client add to the others.

// lagSeconds is how long a trip counts at least; twice that at most.
const lagSeconds = 5

// trips is how long frames took to be told applied, of late.
type trips struct {
	start       grid.Tick // the span in work began
	least, last int       // ticks, in the span in work and in the one before; -1: no trip yet
	begun       bool
}

// add notes that word of a frame came so many ticks after it was sent.
func (t *trips) add(ticks int, now grid.Tick, perS int) {
	switch {
	case !t.begun:
		*t = trips{start: now, least: -1, last: -1, begun: true}
	case int(now-t.start) >= lagSeconds*perS:
		t.start, t.least, t.last = now, -1, t.least
	}
	if t.least < 0 || ticks < t.least {
		t.least = ticks
	}
}

// low returns the least of late.
func (t *trips) low() (ticks int, ok bool) {
	switch {
	case !t.begun:
		return 0, false
	case t.last >= 0 && t.last < t.least:
		return t.last, true
	}
	return t.least, true
}

// TripTimer is a transport that measures round trips itself. Without an answer so far it counts as fast.
type TripTimer interface {
	RoundTrip() (least time.Duration, ok bool)
}

// Lag returns the player's lag in whole ticks, for its orders.
func (s *Conn) Lag(perS int) uint8 {
	ticks, ok := s.trips.low()
	if !ok {
		return 0
	}
	if t, measures := s.Transport.(TripTimer); measures {
		trip, ok := t.RoundTrip()
		if !ok {
			return 0
		}
		ticks = min(ticks, int(trip*time.Duration(perS)/time.Second))
	}
	return uint8(min(ticks, math.MaxUint8))
}

// pingsKept is of how many pings the least counts.
const pingsKept = 5

// pings times the pings of a socket. One goroutine sends them, another reads the
// answers, a third asks.
type pings struct {
	mu    sync.Mutex
	n     uint64    // of the last pings
	at    time.Time // when the first of them was sent; zero: it was answered
	took  [pingsKept]time.Duration
	count int // answered
}

// next returns the content of the ping sent now: it stays the same until a ping is answered.
func (p *pings) next(now time.Time) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() {
		p.n, p.at = p.n+1, now
	}
	return binary.BigEndian.AppendUint64(nil, p.n)
}

// answered takes in a pong, and ignores a pong that answers no open ping.
func (p *pings) answered(data string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at.IsZero() || len(data) != 8 || binary.BigEndian.Uint64([]byte(data)) != p.n {
		return
	}
	p.took[p.count%pingsKept] = max(0, now.Sub(p.at))
	p.count++
	p.at = time.Time{}
}

// low returns the least of the last answered pings.
func (p *pings) low() (least time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count == 0 {
		return 0, false
	}
	return slices.Min(p.took[:min(p.count, pingsKept)]), true
}
