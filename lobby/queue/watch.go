package queue

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// presence has the signs of life of the last seconds: the only state of matchmaking that
// is not in the store.
type presence struct {
	mu    sync.Mutex
	seen  map[model.AccountID]bool // since they were stored last
	noted time.Time                // when that was
}

// QueueWatch is one account that watches where it stands. One goroutine uses it.
type QueueWatch struct {
	s       *Service
	account model.AccountID
	signal  *event.Signal
	done    func()
}

// WatchStanding starts watching. The caller ends it with [QueueWatch.Close]. As long
// as an account watches, it keeps its place.
func (s *Service) WatchStanding(a model.AccountID) *QueueWatch {
	signal, done := s.Room.Hub.WatchStanding(a)
	return &QueueWatch{s, a, signal, done}
}

// Next waits until the standing may have changed, and returns it. It returns
// [event.ErrSession] after a quiet time, and when sessions of the account have changed.
func (w *QueueWatch) Next(ctx context.Context, quiet time.Duration) (Standing, error) {
	if err := w.signal.Wait(ctx, quiet); err != nil {
		return Standing{}, err
	}
	st, err := w.s.Standing(ctx, w.account)
	if err != nil {
		w.signal.Wake() // what changed was not told: who waits again is told at once
	}
	return st, err
}

// Close ends the watch.
func (w *QueueWatch) Close() {
	w.s.presence.see(w.account) // to the end
	w.done()
}

func (p *presence) see(a model.AccountID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[a] = true
}

// seenEvery is how often the signs of life are stored.
const seenEvery = 5 * time.Second

// takeSeen returns the accounts seen since the last call: watchers and callers. It
// returns an empty list if the last store is recent.
func (p *presence) takeSeen(now time.Time, watchers []model.AccountID) []model.AccountID {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.noted.Add(seenEvery)) {
		return nil
	}
	p.noted = now
	out := slices.AppendSeq(watchers, maps.Keys(p.seen))
	clear(p.seen)
	slices.Sort(out)
	return slices.Compact(out)
}
