package replayserver

import (
	"errors"
	"sort"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay"
)

// Times of the work on replays.
const (
	slice      = 4 * time.Millisecond   // how long a slot is held at a time
	yieldTime  = 3 * time.Millisecond   // an index waits so long if somebody who watches wants its slot
	busyPause  = 100 * time.Millisecond // after it was told that live matches need the processor
	refreshing = time.Second            // between two looks at what a live match has become
)

// recording is a match that is watched: what all its viewings share.
type recording struct {
	service *Service
	match   string
	ready   chan struct{} // closed once the rest is there, or err
	err     error
	done    chan struct{} // closed when nobody watches any more
	users   int           // service.mu

	rec      *replay.Recording
	tail     journal.Tail
	bytes    int // reserved for it
	worldMem int // to be reserved for each world of it

	mu      sync.Mutex
	broken  error     // the journal cannot be played or read on
	overAt  time.Time // when the end of a match was seen that was not over at first; zero: it was over, or is not
	cameras [][]Camera
}

// bounds of a recording in parts of all memory.
const (
	checkpointShare = 8
	recordShare     = 4
	worldBytesLeast = 8 << 20
	worldsASave     = 8 // a world with its views takes so much more than its save
)

// recordingOf returns the recording of a match for one more who watches it.
func (s *Service) recordingOf(right Right) (*recording, error) {
	s.mu.Lock()
	r := s.recordings[right.Match]
	mine := r == nil
	if mine {
		r = &recording{service: s, match: right.Match, ready: make(chan struct{}), done: make(chan struct{})}
		s.recordings[right.Match] = r
	}
	r.users++
	s.mu.Unlock()
	if mine {
		func() {
			defer close(r.ready)
			r.err = errBroken
			defer panics.Catch(s.log, "replay", nil)
			r.err = r.open()
		}()
	}
	select {
	case <-r.ready:
	case <-s.ctx.Done():
		s.leave(r)
		return nil, errStops
	}
	err := r.err
	if err == nil && !right.Live && !r.rec.Over() {
		if err = r.refresh(); err == nil && !r.rec.Over() {
			err = errRuns
		}
	}
	if err != nil {
		s.leave(r)
		return nil, s.openError(right.Match, err)
	}
	return r, nil
}

// leave ends one's use of a recording. The last one drops it.
func (s *Service) leave(r *recording) {
	s.mu.Lock()
	r.users--
	last := r.users == 0
	if last {
		delete(s.recordings, r.match)
		s.reserved -= r.bytes
		r.bytes = 0
	}
	s.mu.Unlock()
	if last {
		close(r.done)
		if r.tail != nil {
			_ = r.tail.Close() // it was only read
		}
	}
}

// open reads the journal and begins its index.
func (r *recording) open() error {
	s := r.service
	began := time.Now()
	c, err := r.read()
	if err != nil {
		return err
	}
	if s.cfg.Cameras != nil {
		r.loadCameras()
	}
	s.metrics.opened.Observe(time.Since(began).Seconds())
	if !s.begin(func() { r.index(c) }) {
		return errStops
	}
	return nil
}

// read reads the journal, in a slot of those who work on replays. It returns the cursor
// of the index.
func (r *recording) read() (c *replay.Replay, err error) {
	s := r.service
	if s.full(0) {
		return nil, errFull
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return nil, errStops
	}
	if r.tail, err = s.cfg.Journals.Follow(r.match); err != nil {
		return nil, err
	}
	checkpoints := min(replay.CheckpointBytesDefault, s.cfg.MemoryBytes/checkpointShare)
	if r.rec, err = replay.Read(r.tail.Read, replay.Options{CheckpointBytes: checkpoints, RecordBytes: s.cfg.MemoryBytes / recordShare}); err != nil {
		return nil, err
	}
	if c, err = r.rec.Cursor(); err != nil {
		return nil, err
	}
	r.worldMem = max(worldBytesLeast, worldsASave*len(c.World().Save(nil)))
	bytes := r.rec.Bytes() + checkpoints + r.worldMem // one world for the index
	if err := s.reserve(bytes); err != nil {
		return nil, err
	}
	r.bytes = bytes
	return c, nil
}

// refresh reads what the journal has got.
func (r *recording) refresh() error {
	over := r.rec.Over()
	if err := r.rec.Refresh(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !over && r.rec.Over() && r.overAt.IsZero() {
		r.overAt = time.Now()
	}
	return nil
}

// index plays the match once, as far as it has come, and follows one that runs until
// its end.
func (r *recording) index(c *replay.Replay) {
	defer panics.Catch(r.service.log, "replay index", func() { r.fail(errors.New("internal error")) })
	s := r.service
	wait := time.NewTimer(0)
	defer wait.Stop()
	pause := func(d time.Duration) bool {
		wait.Reset(d)
		select {
		case <-wait.C:
			return true
		case <-r.done:
		case <-s.ctx.Done():
		}
		return false
	}
	refreshed := time.Now()
	for {
		switch {
		case c.Tick() >= c.Last() && r.rec.Over():
			c.EndTimeline()
			return
		case !r.rec.Over() && time.Since(refreshed) >= refreshing:
			refreshed = time.Now()
			if err := r.refresh(); err != nil {
				r.fail(err)
				return
			}
			if s.cfg.Cameras != nil {
				r.loadCameras()
			}
		case c.Tick() >= c.Last():
			if !pause(refreshing / 4) {
				return
			}
		case s.cfg.Busy():
			if !pause(busyPause) {
				return
			}
		case s.wanting.Load() > 0:
			if !pause(yieldTime) {
				return
			}
			fallthrough // they do not keep it from going on at all
		default:
			select {
			case s.slots <- struct{}{}:
			case <-r.done:
				return
			case <-s.ctx.Done():
				return
			}
			if err := s.hold(func(more func() bool) error { return r.advance(c, more) }); err != nil {
				r.fail(err)
				return
			}
		}
	}
}

// advance plays on while there is more time.
func (r *recording) advance(c *replay.Replay, more func() bool) error {
	for c.Tick() < c.Last() && more() {
		if err := c.Step(); err != nil {
			return err
		}
		r.service.metrics.ticks.Inc()
	}
	return nil
}

// fail notes that the journal cannot be played on: its viewings end.
func (r *recording) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = err
}

// failure returns why the journal cannot be played on, nil if it can.
func (r *recording) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.broken
}

// last returns the last tick that a right may be shown at the moment: the match's last
// one, or of one that runs, that before the delay. 0: none yet.
func (r *recording) last(right *Right, now time.Time) grid.Tick {
	if !right.Live {
		return r.rec.Last()
	}
	sum := r.rec.Summary()
	rate := sum.Header.TickRate
	delay := delayTicks(right, rate) - leakEarly()
	r.mu.Lock()
	defer r.mu.Unlock()
	reached := sum.Hashed // each second has a hash, whoever does what
	switch {
	case r.overAt.IsZero() && r.rec.Over():
		r.overAt = now // it is not known since when it is over
		fallthrough
	case !r.overAt.IsZero():
		beyond := now.Sub(r.overAt) * time.Duration(rate) / time.Second
		reached = sum.Hashed + grid.Tick(beyond)
	}
	if reached <= delay {
		return 0
	}
	return min(reached-delay, sum.Ticks)
}

// wait returns about how many ticks it takes until there is something to show.
func (r *recording) wait(right *Right) uint32 {
	sum := r.rec.Summary()
	first := sum.Header.First() + 1 + delayTicks(right, sum.Header.TickRate)
	return uint32(max(1, int64(first)-int64(sum.Hashed)))
}

// delayTicks returns how late a right's viewing is, rounded up.
func delayTicks(right *Right, rate int) grid.Tick {
	return grid.Tick((int64(right.Delay)*int64(rate) + int64(time.Second) - 1) / int64(time.Second))
}

// loadCameras takes over what is known of the players' cameras.
func (r *recording) loadCameras() {
	all, err := r.service.cfg.Cameras(r.match)
	if err != nil {
		r.service.log.Warn("the cameras of a match cannot be read", "match", r.match, "error", err)
		return
	}
	by := make([][]Camera, len(r.rec.Seats))
	for _, c := range all {
		if int(c.Slot) < len(by) {
			by[c.Slot] = append(by[c.Slot], c)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cameras = by
}

// cameraOf returns where a player looked at a tick.
func (r *recording) cameraOf(slot grid.Slot, t grid.Tick) (Camera, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if int(slot) >= len(r.cameras) {
		return Camera{}, false
	}
	list := r.cameras[slot]
	n := sort.Search(len(list), func(i int) bool { return list[i].Tick > t })
	if n == 0 {
		return Camera{}, false
	}
	return list[n-1], true
}
