package queue

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// queueHub tells the watchers of matchmaking about changes, and knows which players are
// present. Beside the signs of life of the last second, it holds only state that is in
// the store.
type queueHub struct {
	mu      sync.Mutex
	watches map[model.AccountID]map[*QueueWatch]bool
	tokens  map[model.AccountID]string // of the parties, as the last poll saw them
	seen    map[model.AccountID]bool   // since they were stored last
	noted   time.Time                  // when that was
	until   time.Time                  // no pairing before
}

func newQueueHub() *queueHub {
	return &queueHub{watches: map[model.AccountID]map[*QueueWatch]bool{}, tokens: map[model.AccountID]string{}, seen: map[model.AccountID]bool{}}
}

// QueueWatch is one account that watches where it stands. One goroutine uses it.
type QueueWatch struct {
	s       *Service
	account model.AccountID
	wake    chan struct{} // holds a token when something may have changed
	again   chan struct{} // holds a token when its session may have ended
}

// WatchStanding starts watching. The caller ends it with [QueueWatch.Close]. As long
// as an account watches, it keeps its place.
func (s *Service) WatchStanding(a model.AccountID) *QueueWatch {
	w := &QueueWatch{s: s, account: a, wake: make(chan struct{}, 1), again: make(chan struct{}, 1)}
	s.queueHub.mu.Lock()
	defer s.queueHub.mu.Unlock()
	if s.queueHub.watches[a] == nil {
		s.queueHub.watches[a] = map[*QueueWatch]bool{}
	}
	s.queueHub.watches[a][w] = true
	return w
}

// Next waits until the standing may have changed, and returns it. It returns
// [ErrSession] after a quiet time, and when sessions of the account have changed.
func (w *QueueWatch) Next(ctx context.Context, quiet time.Duration) (Standing, error) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return Standing{}, ctx.Err()
	case <-w.again:
		return Standing{}, event.ErrSession
	case <-timer.C:
		return Standing{}, event.ErrSession
	case <-w.wake:
		st, err := w.s.Standing(ctx, w.account)
		if err != nil {
			event.Note(w.wake) // what changed was not told: who waits again is told at once
		}
		return st, err
	}
}

// Close ends the watch.
func (w *QueueWatch) Close() {
	h := w.s.queueHub
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[w.account] = true // to the end
	delete(h.watches[w.account], w)
	if len(h.watches[w.account]) == 0 {
		delete(h.watches, w.account)
		delete(h.tokens, w.account)
	}
}

func (h *queueHub) see(a model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[a] = true
}

// seenEvery is how often the signs of life are stored.
const seenEvery = 5 * time.Second

// takeSeen returns the accounts seen since the last call: watchers and callers. It
// returns an empty list if the last store is recent.
func (h *queueHub) takeSeen(now time.Time) []model.AccountID {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now.Before(h.noted.Add(seenEvery)) {
		return nil
	}
	h.noted = now
	for a := range h.watches {
		h.seen[a] = true
	}
	out := slices.Sorted(maps.Keys(h.seen))
	clear(h.seen)
	return out
}

// recheck makes the watchers of an account check whether their session is still valid;
// "": the watchers of all accounts.
func (h *queueHub) recheck(a model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for account, watches := range h.watches {
		for w := range watches {
			if a == "" || a == account {
				event.Note(w.again)
			}
		}
	}
}

// poll wakes the watchers of changed parties, here or in another process.
func (h *queueHub) poll(ctx context.Context, s *Service) error {
	h.mu.Lock()
	accounts := slices.Sorted(maps.Keys(h.watches))
	h.mu.Unlock()
	if len(accounts) == 0 {
		return nil
	}
	tokens, err := core.Get(ctx, s.Core, func(tx *db.Tx) (map[model.AccountID]string, error) { return tx.PartyTokens(accounts) })
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range accounts {
		if h.tokens[a] == tokens[a] {
			continue
		}
		if len(h.watches[a]) > 0 {
			h.tokens[a] = tokens[a]
		}
		for w := range h.watches[a] {
			event.Note(w.wake)
		}
	}
	return nil
}

// pause keeps this process from pairing until then.
func (h *queueHub) pause(until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = until
}

func (h *queueHub) paused(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return now.Before(h.until)
}
