package match

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBusy is why no match can start while the server cannot keep up with its present
// ones.
var ErrBusy = errors.New("the server is busy: it starts no match until it keeps up with its running matches")

// When a process cannot keep up, its matches share the processor: all run slower by the
// same factor, and tell their clients. So no match falls behind while others run at full
// speed, and no client gets its ticks in bursts.
//
//	each tick: begun too late? ──► pace, once per second ──► beats of all matches, Speed.held
//
// The simulation does not know the pace, and the journal does not have it.
const (
	paceFull  = 100 // percent of the speed that the players chose
	paceLeast = 25
	paceDown  = 10 // percent per second, while most ticks are late
	paceUp    = 5  // once in a while, when hardly any is
	paceOver  = time.Second
	// paceLate: a tick that begins so late, in periods of its match, is too late. It
	// began after the next one was due.
	paceLate = 1
	// paceWorse and paceCalm are how many seconds in a row it takes. One bad second
	// can be a machine that stood still.
	paceWorse, paceCalm = 2, 3
	// paceRefuse: with a lower pace no match is started.
	paceRefuse = 80
)

// pace is how much of their speed the matches of a process get.
type pace struct {
	percent atomic.Int32 // 0: paceFull

	mu          sync.Mutex
	start       time.Time
	ticks, late int
	bad, calm   int  // seconds in a row
	strained    bool // in the last second, some ticks were late
}

// of returns the percentage of its chosen speed that a match gets.
func (p *pace) of() int {
	if n := p.percent.Load(); n != 0 {
		return int(n)
	}
	return paceFull
}

// note takes in how late a tick began. Its match has a tick each period.
func (p *pace) note(now time.Time, late, period time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.start) >= paceOver {
		p.judge(now)
	}
	p.ticks++
	if late > paceLate*period {
		p.late++
	}
}

// judge changes the pace by the late ticks of the last second. p.mu is held.
func (p *pace) judge(now time.Time) {
	most, hardly := 2*p.late > p.ticks, 20*p.late <= p.ticks
	p.strained = !hardly
	p.ticks, p.late, p.start = 0, 0, now
	if p.bad++; !most {
		p.bad = 0
	}
	if p.calm++; !hardly {
		p.calm = 0
	}
	was := p.of()
	switch {
	case p.bad >= paceWorse:
		p.percent.Store(int32(max(paceLeast, was-paceDown)))
	case p.calm >= paceCalm && was < paceFull:
		p.calm = 0
		p.percent.Store(int32(min(paceFull, was+paceUp)))
	}
}

// rest forgets the lateness: no match runs any more, so no later tick would say that the
// process keeps up again.
func (p *pace) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.percent.Store(paceFull)
	p.ticks, p.late, p.bad, p.calm, p.strained = 0, 0, 0, 0, false
}

// busy reports whether there is no processor time to spare.
func (p *pace) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.strained || p.of() < paceFull
}

// watermark looks at the disk at most once per second.
type watermark struct {
	cfg     *Config
	metrics *metrics

	mu       sync.Mutex
	lastLook time.Time
	low      bool
}

// ErrDiskLow is why no match can be started while the disk is nearly full.
var ErrDiskLow = errors.New("the server's disk is nearly full: no match can be started until there is room")

// isLow reports whether less than the reserve is free. It says so in the log and in the
// metrics. A disk that does not answer counts as a disk with room.
func (w *watermark) isLow() bool {
	if w.cfg.Disk == nil || w.cfg.DiskReserve <= 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.cfg.Clock.Now()
	if !w.lastLook.IsZero() && now.Sub(w.lastLook) < time.Second {
		return w.low
	}
	w.lastLook = now
	free, err := w.cfg.Disk.Free()
	if err != nil {
		w.cfg.Logger.Error("the disk's room is not known", "error", err)
		w.low = false
		return false
	}
	w.metrics.diskFree.Set(float64(free))
	low := free < w.cfg.DiskReserve
	switch {
	case low && !w.low:
		w.cfg.Logger.Warn("the disk is nearly full: no match is started until there is room", "freeBytes", free, "reserveBytes", w.cfg.DiskReserve)
	case !low && w.low:
		w.cfg.Logger.Info("the disk has room again", "freeBytes", free)
	}
	if w.low = low; low {
		w.metrics.diskLow.Set(1)
	} else {
		w.metrics.diskLow.Set(0)
	}
	return low
}
