package playback

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// Bounds of a recording in parts of all memory.
const (
	checkpointShare = 8
	recordShare     = 4
	worldBytesLeast = 8 << 20
	worldsASave     = 8 // a world with its views takes so much more than its save
)

// notesAge is the largest age of a live match's cached notes.
const notesAge = time.Second

// Recording is one's hold on an open match. Any goroutine may call it.
type Recording struct {
	*replay.Recording // shared with all others
	of                *shared
	admin             bool
	sure              bool          // it is not refused for want of memory
	closed            bool          // library.mu
	worlds            []*quota.Hold // of its cursors; library.mu

	follow func(*replay.Replay) // called by the pass with each tick; nil: no follower
	next   grid.Tick            // the tick that it is called with next; of.mu
}

// shared is a match that is open: what all who look at it share.
type shared struct {
	library *Library
	match   string
	ready   chan struct{} // closed once the rest is there, or err
	err     error
	done    chan struct{} // closed with its last user
	users   int           // library.mu
	admins  int           // of the users; library.mu

	rec      *replay.Recording
	first    *replay.Replay // the pass's
	finished bool           // the pass has ended the timeline
	bytes    []*quota.Hold
	worldMem int // to be reserved for each world of it

	reading sync.Mutex // held by who reads the journal or closes it
	tail    journal.Tail

	mu        sync.Mutex
	passing   bool
	followers []*Recording
	moved     chan struct{} // closed and made anew as the pass moves or breaks
	broken    error         // the journal cannot be played or read on
	overAt    time.Time     // when the end of a match was seen that was not over at first; zero: it was over, or is not

	noting    sync.Mutex
	notes     *notes.Notes
	notesRead time.Time
	notesLast grid.Tick // the last tick of the journal then
}

// Open opens a match, or joins the callers that have it open. The caller closes the recording.
// An admin's is not refused for want of memory. The error is fs.ErrNotExist if there is no
// journal.
func (l *Library) Open(ctx context.Context, match string, admin bool) (*Recording, error) {
	return l.openAs(ctx, match, admin, admin)
}

// OpenLive is Open for the late spectators of a match that runs here. They have seats in
// it, and are not refused.
func (l *Library) OpenLive(ctx context.Context, match string) (*Recording, error) {
	return l.openAs(ctx, match, false, true)
}

func (l *Library) openAs(ctx context.Context, match string, admin, sure bool) (*Recording, error) {
	l.mu.Lock()
	s := l.open[match]
	first := s == nil
	if first {
		s = &shared{library: l, match: match, ready: make(chan struct{}), done: make(chan struct{}), moved: make(chan struct{})}
		l.open[match] = s
	}
	s.users++
	if admin {
		s.admins++
	}
	l.mu.Unlock()
	r := &Recording{of: s, admin: admin, sure: sure}
	if first {
		func() {
			defer close(s.ready)
			s.err = errInternal
			defer panics.Catch(l.cfg.Logger, "playback", nil)
			s.err = s.read(r)
		}()
	}
	err := ErrClosed
	select {
	case <-s.ready:
		err = s.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-l.ctx.Done():
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.Recording = s.rec
	return r, nil
}

// read reads the journal, in a slot.
func (s *shared) read(of *Recording) (err error) {
	l := s.library
	began := time.Now()
	if !of.sure && l.Full() {
		return ErrFull
	}
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-l.ctx.Done():
		return ErrClosed
	}
	if s.tail, err = l.cfg.Journals.Follow(s.match); err != nil {
		return err
	}
	checkpoints := min(replay.CheckpointBytesDefault, l.memory()/checkpointShare)
	if s.rec, err = replay.Read(s.tail.Read, replay.Options{CheckpointBytes: checkpoints, RecordBytes: l.memory() / recordShare}); err != nil {
		return err
	}
	if s.first, err = s.rec.Cursor(); err != nil {
		return err
	}
	s.worldMem = max(worldBytesLeast, worldsASave*len(s.first.World().Save(nil)))
	bytes := s.rec.Bytes() + checkpoints + s.worldMem // one world for the pass
	if err := l.reserve(bytes, of, &s.bytes); err != nil {
		return err
	}
	l.metrics.opened.Observe(time.Since(began).Seconds())
	return nil
}

// Close ends one's use of the match. The last one drops it.
func (r *Recording) Close() {
	s, l := r.of, r.of.library
	l.mu.Lock()
	if r.closed {
		l.mu.Unlock()
		return
	}
	release(r.worlds)
	r.closed = true
	s.users--
	if r.admin {
		s.admins--
	}
	last := s.users == 0
	if last {
		s.forget()
		release(s.bytes)
	}
	l.mu.Unlock()
	s.mu.Lock()
	s.followers = slices.DeleteFunc(s.followers, func(f *Recording) bool { return f == r })
	s.mu.Unlock()
	if !last {
		return
	}
	close(s.done)
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.tail != nil {
		_ = s.tail.Close() // it was only read
		s.tail = nil
	}
}

// forget takes a match out of the library; its users keep it. library.mu is held.
func (s *shared) forget() {
	if s.library.open[s.match] == s {
		delete(s.library.open, s.match)
	}
}

// Refresh reads the journal's new records.
func (r *Recording) Refresh() error { return r.of.refresh() }

func (s *shared) refresh() error {
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.tail == nil {
		return nil // the last user left
	}
	over := s.rec.Over()
	if err := s.rec.Refresh(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !over && s.rec.Over() && s.overAt.IsZero() {
		s.overAt = time.Now()
	}
	return nil
}

// Until returns the last tick that may be shown at a moment with a delay, of a match that runs or has run while it
// was open; 0 before the first.
func (r *Recording) Until(delay grid.Tick, now time.Time) grid.Tick {
	sum := r.Summary()
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	reached := sum.Hashed // each second has a hash, whoever does what
	switch {
	case s.overAt.IsZero() && r.Over():
		s.overAt = now // it is not known since when it is over
		fallthrough
	case !s.overAt.IsZero():
		beyond := now.Sub(s.overAt) * time.Duration(r.Header.TickRate) / time.Second
		reached = sum.Hashed + grid.Tick(beyond)
	}
	if reached <= delay {
		return 0
	}
	return min(reached-delay, sum.Ticks)
}

// Notes returns the match's notes, at most a second old while it runs; or nil.
func (r *Recording) Notes() (*notes.Notes, error) {
	s := r.of
	if s.library.cfg.Notes == nil {
		return nil, nil
	}
	over, last := r.Over(), r.Last()
	s.noting.Lock()
	defer s.noting.Unlock()
	if !s.notesRead.IsZero() && (over && s.notesLast == last || time.Since(s.notesRead) < notesAge) {
		return s.notes, nil
	}
	n, err := s.library.cfg.Notes.Read(s.match)
	if err != nil {
		return nil, fmt.Errorf("the match's notes: %w", err)
	}
	s.notes, s.notesRead, s.notesLast = n, time.Now(), last
	return n, nil
}

// Cursor is one match that is played again, at a tick of its own. It has one owner.
type Cursor struct {
	*replay.Replay
	by *Recording

	Seating replay.Seating // as of the last Look
	views   *view.Cache
	viewed  *sim.World // of the views
}

// Look prepares the views of the cursor's tick, and finds out who sits where. The views
// are good until the cursor moves.
func (c *Cursor) Look() *view.Cache {
	w := c.World()
	if c.viewed != w {
		c.viewed, c.views = w, view.NewCache(w)
	}
	c.views.Prepare(w)
	c.Seating = c.by.Seating(w.Tick(), c.Seating)
	return c.views
}

// Turn runs f in a slot, once [Library.MayPlay] lets it. f steps worlds while more reports
// that there is time left.
func (r *Recording) Turn(ctx context.Context, f func(more func() bool) error) error {
	return r.of.library.turn(ctx, r.admin, f)
}

// Cursor returns a cursor at the match's first tick. Its memory is the recording's, and is
// given back with it.
func (r *Recording) Cursor() (*Cursor, error) {
	l := r.of.library
	if err := l.reserve(r.of.worldMem, r, &r.worlds); err != nil {
		return nil, err
	}
	c, err := r.Recording.Cursor()
	if err != nil {
		return nil, err
	}
	return &Cursor{Replay: c, by: r}, nil
}

// Step plays the next tick, in a slot of the caller's.
func (c *Cursor) Step() error {
	err := c.Replay.Step()
	if err == nil {
		c.by.of.library.metrics.ticks.Inc()
	}
	return err
}

// Seek goes to a tick, a slot's time at a time.
func (c *Cursor) Seek(ctx context.Context, t grid.Tick) error {
	if c.Tick() == t {
		return nil
	}
	for begun := false; !begun || c.Tick() < t; {
		err := c.by.Turn(ctx, func(more func() bool) error {
			if !begun {
				begun = true
				if err := c.Approach(t); err != nil {
					return err
				}
			}
			for c.Tick() < t && more() {
				if err := c.Step(); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
