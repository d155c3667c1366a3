package queue

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
)

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
		w.signal.Wake() // the watcher still lacks this change: its next wait ends at once
	}
	return st, err
}

// Close ends the watch.
func (w *QueueWatch) Close() {
	w.s.presence.see(w.account) // to the end
	w.done()
}
