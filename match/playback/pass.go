package playback

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay"
)

// Index makes the library play the match once, as far as it has come, and follow a running one until its end.
func (r *Recording) Index() {
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	s.index()
}

// index begins the pass unless it is under way. s.mu is held.
func (s *shared) index() {
	if s.passing || s.broken != nil {
		return
	}
	if s.passing = s.library.begin(s.pass); !s.passing {
		s.broken = ErrClosed
	}
}

// Follow makes the pass call f with each tick of the match in its order, from its first on.
// f must not keep the cursor. A recording follows once.
func (r *Recording) Follow(f func(*replay.Replay)) {
	s := r.of
	s.mu.Lock()
	defer s.mu.Unlock()
	r.follow, r.next = f, r.First()
	s.followers = append(s.followers, r)
	s.index()
}

// Reached returns the last tick that the pass has called Follow's function with, or, without a follower, that it
// has played.
func (r *Recording) Reached() grid.Tick {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	return r.reached()
}

func (r *Recording) reached() grid.Tick {
	if r.follow == nil {
		return r.Indexed()
	}
	return max(r.next, r.First()+1) - 1
}

// Await waits until the pass has reached a tick, and returns why it cannot.
func (r *Recording) Await(ctx context.Context, t grid.Tick) error {
	s := r.of
	for {
		s.mu.Lock()
		reached, broken, moved := r.reached() >= t && (r.follow == nil || r.next > r.First()), s.broken, s.moved
		s.mu.Unlock()
		switch {
		case reached:
			return nil
		case broken != nil:
			return broken
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Failure returns why the match cannot be read or played on, nil if it can.
func (r *Recording) Failure() error {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	return r.of.broken
}

// fail notes that the match cannot be read or played on. The next Open begins anew.
func (s *shared) fail(err error) {
	s.library.mu.Lock()
	s.forget()
	s.library.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = err
	s.signal()
}

// signal wakes callers that await a tick. s.mu is held.
func (s *shared) signal() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// wants returns the tick that the pass is to play next: the first tick that a follower lacks, or that no cursor has
// played.
func (s *shared) wants() grid.Tick {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.rec.Indexed() + 1
	for _, r := range s.followers {
		t = min(t, r.next)
	}
	return t
}

// pass is the goroutine that plays the match.
func (s *shared) pass() {
	l := s.library
	defer panics.Catch(l.cfg.Logger, "playback", func() { s.fail(errInternal) })
	wait := time.NewTimer(0)
	defer wait.Stop()
	pause := func(d time.Duration) bool {
		wait.Reset(d)
		select {
		case <-wait.C:
			return true
		case <-s.done:
		case <-l.ctx.Done():
		}
		return false
	}
	c := s.first
	refreshed := time.Now()
	for {
		done := c.Tick() >= c.Last() && s.wants() > c.Last()
		switch {
		case done && s.rec.Over():
			if !s.finished {
				s.finished = true
				c.EndTimeline()
			}
			if s.ended() {
				return
			}
		case !s.rec.Over() && time.Since(refreshed) >= s.gap():
			refreshed = time.Now()
			if err := s.refresh(); err != nil {
				s.fail(err)
				return
			}
		case done:
			if !pause(s.gap() / 4) {
				return
			}
		case !l.mayPlay(s.inspected()):
			if !pause(busyPause) {
				return
			}
		case l.wanting.Load() > 0:
			if !pause(yieldTime) {
				return
			}
			fallthrough // they do not keep it from going on at all
		default:
			select {
			case l.slots <- struct{}{}:
			case <-s.done:
				return
			case <-l.ctx.Done():
				return
			}
			if err := l.Hold(func(more func() bool) error { return s.advance(c, more) }); err != nil {
				s.fail(err)
				return
			}
		}
	}
}

// inspected reports whether an admin has the match open.
func (s *shared) inspected() bool {
	s.library.mu.Lock()
	defer s.library.mu.Unlock()
	return s.admins > 0
}

// gap is how long the journal is not read again.
func (s *shared) gap() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.followers) > 0 {
		return following
	}
	return refreshing
}

// ended ends the pass of a match that is over, unless there is a new follower.
func (s *shared) ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.followers {
		if r.next <= s.rec.Last() {
			return false
		}
	}
	s.passing = false
	return true
}

// advance plays on while there is more time.
func (s *shared) advance(c *replay.Replay, more func() bool) error {
	for more() {
		next := s.wants()
		if next > c.Last() && c.Tick() >= c.Last() {
			break
		}
		if at := min(max(next, c.First()+1)-1, c.Last()); c.Tick() != at {
			if err := c.Approach(at); err != nil {
				return err
			}
		}
		s.tell(c)
		if c.Tick() < c.Last() {
			if err := c.Step(); err != nil {
				return err
			}
			s.library.metrics.ticks.Inc()
			s.tell(c)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.signal()
	return nil
}

// tell hands the cursor's tick to waiting callers.
func (s *shared) tell(c *replay.Replay) {
	s.mu.Lock()
	var to []*Recording
	for _, r := range s.followers {
		if r.next == c.Tick() {
			to = append(to, r)
		}
	}
	s.mu.Unlock()
	for _, r := range to {
		r.follow(c)
		s.mu.Lock()
		r.next++
		s.mu.Unlock()
	}
}
