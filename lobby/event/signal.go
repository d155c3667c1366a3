package event

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// ErrSession is what a watch returns when the watcher's session may have ended. The
// caller checks the session, and goes on if it is still valid.
var ErrSession = errors.New("lobby: the session may have ended")

// Signal wakes one account that watches something. One goroutine waits for it.
type Signal struct {
	account model.AccountID
	wake    chan struct{} // holds a token when the watcher is to look itself
	recheck chan struct{} // holds a token when its session may have ended
	changes chan *change  // from a feed; nil without one
}

func newSignal(a model.AccountID, changes chan *change) *Signal {
	return &Signal{account: a, wake: make(chan struct{}, 1), recheck: make(chan struct{}, 1), changes: changes}
}

// Wake has the next [Signal.Wait] return at once.
func (s *Signal) Wake() { note(s.wake) }

// Wait waits until something may have changed. It returns [ErrSession] after a quiet
// time, and when sessions of the account have changed.
func (s *Signal) Wait(ctx context.Context, quiet time.Duration) error {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	_, err := s.wait(ctx, timer.C)
	return err
}

// wait returns the next change; nil: the watcher is to look itself.
func (s *Signal) wait(ctx context.Context, quiet <-chan time.Time) (*change, error) {
	select {
	case <-s.recheck: // a lost session ends the wait before any news
		return nil, ErrSession
	default:
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.recheck:
		return nil, ErrSession
	case <-quiet:
		return nil, ErrSession
	case <-s.wake:
		return nil, nil
	case c := <-s.changes:
		return c, nil
	}
}

// note puts a token into a channel of capacity one, unless it has one.
func note(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// watched is a thing with its watchers. V is its version.
type watched[V comparable] struct {
	signals map[*Signal]bool
	feed    *feed // reads for all watchers; nil: each reads itself
	polled  V     // the version that the last poll saw
}

// wake has the news of the thing read.
func (w *watched[V]) wake() {
	if w.feed != nil {
		note(w.feed.wake)
		return
	}
	for s := range w.signals {
		s.Wake()
	}
}

// watches are the watched things by their keys.
type watches[K, V comparable] map[K]*watched[V]

// add adds a signal, and returns its thing.
func (m watches[K, V]) add(key K, s *Signal) *watched[V] {
	if m[key] == nil {
		m[key] = &watched[V]{signals: map[*Signal]bool{}}
	}
	m[key].signals[s] = true
	return m[key]
}

// remove removes a signal, and returns the thing that has no more signals; else nil.
func (m watches[K, V]) remove(key K, s *Signal) *watched[V] {
	w := m[key]
	if w == nil || !w.signals[s] {
		return nil
	}
	if delete(w.signals, s); len(w.signals) > 0 {
		return nil
	}
	delete(m, key)
	return w
}

// recheck makes the watchers of an account check their session; "": all watchers.
func (m watches[K, V]) recheck(a model.AccountID) {
	for _, w := range m {
		for s := range w.signals {
			if a == "" || s.account == a {
				note(s.recheck)
			}
		}
	}
}

// change is what happened in a lobby between two reads. All watchers share it, so
// it is never changed.
type change struct {
	lobby  *model.Lobby
	events []model.Event // after the number, without a gap
	after  int64
	err    error // in place of all else: NotFound

	encode  sync.Once
	encoded []byte
}

// feed reads one watched lobby.
type feed struct {
	id   model.LobbyID
	wake chan struct{} // holds one token when something may have happened
	stop context.CancelFunc
	done chan struct{}
}
