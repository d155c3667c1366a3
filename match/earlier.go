package match

import (
	"sync"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/playback"
)

// earlier holds two of a match's saved states, packed, from which a new broadcast begins.
// They lie more than a delay apart, so one is older than the delay. The state on disk is
// too new for most spectators.
type earlier struct {
	delay grid.Tick // the spectators'; 0: they watch live, or may not watch

	mu     sync.Mutex
	states [2][]byte // the older one first
	newest grid.Tick
}

// add takes in a state, if it is due.
func (e *earlier) add(s *journal.State) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.delay == 0 || e.states[1] != nil && s.Tick <= e.newest+e.delay {
		return nil
	}
	b, err := journal.AppendState(nil, s)
	if err == nil {
		e.states, e.newest = [2][]byte{e.states[1], b}, s.Tick
	}
	return err
}

// seed adds the states to the checkpoints of the match's recording.
func (e *earlier) seed(rec *playback.Recording) error {
	e.mu.Lock()
	states := e.states
	e.mu.Unlock()
	for _, b := range states {
		if b == nil {
			continue
		}
		s, err := journal.ParseState(b)
		if err == nil {
			err = rec.Seed(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
