package account

import (
	"context"
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// lane is one of the queues for a worker of the [hasher].
type lane uint8

// The lanes. The first is served before all others. The other two take turns, so that
// neither a flood of log-ins nor one of other passwords makes the other wait for more
// than one hash each.
const (
	knownLane lane = iota // admins, and accounts from where they logged in before
	logInLane             // log-ins, new accounts, reset links
	otherLane             // passwords of lobbies, and other wishes of logged-in players
	lanes
)

// fairQueue gives a bounded number of places to the requests that wait. In each
// lane the addresses take turns, so that one with many requests delays itself.
type fairQueue struct {
	mu        sync.Mutex
	free      int // places; 0 while a requester waits
	lanes     [lanes]laneQueue
	logInNext bool // whose turn it is of the last two lanes
}

// laneQueue is one lane: requesters of one address in the order in which they came.
type laneQueue struct {
	turns   []string // addresses that wait, the next first
	waiting map[string][]chan struct{}
}

func newFairQueue(places int) *fairQueue {
	l := &fairQueue{free: places}
	for i := range l.lanes {
		l.lanes[i].waiting = map[string][]chan struct{}{}
	}
	return l
}

// wait returns nil with a place, which [fairQueue.done] gives back, or the context's
// error without one.
func (l *fairQueue) wait(ctx context.Context, a Requester) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	if l.free > 0 {
		l.free--
		l.mu.Unlock()
		return nil
	}
	key := a.In(budget.Address)
	if key == "" {
		key = a.Account
	}
	ready := make(chan struct{})
	l.lanes[a.lane].push(key, ready)
	l.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	waited := l.lanes[a.lane].remove(key, ready)
	l.mu.Unlock()
	if !waited { // it had got the place already
		l.done()
	}
	return ctx.Err()
}

// done hands the place to the next requester, if there is one.
func (l *fairQueue) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	order := [lanes]lane{knownLane, logInLane, otherLane}
	if !l.logInNext {
		order[1], order[2] = otherLane, logInLane
	}
	for _, i := range order {
		if next := l.lanes[i].pop(); next != nil {
			if i != knownLane {
				l.logInNext = i == otherLane
			}
			close(next)
			return
		}
	}
	l.free++
}

func (q *laneQueue) push(key string, ready chan struct{}) {
	if len(q.waiting[key]) == 0 {
		q.turns = append(q.turns, key)
	}
	q.waiting[key] = append(q.waiting[key], ready)
}

func (q *laneQueue) pop() chan struct{} {
	if len(q.turns) == 0 {
		return nil
	}
	key := q.turns[0]
	next := q.waiting[key][0]
	q.turns = q.turns[1:]
	if q.waiting[key] = q.waiting[key][1:]; len(q.waiting[key]) > 0 {
		q.turns = append(q.turns, key)
	} else {
		delete(q.waiting, key)
	}
	return next
}

// remove reports whether it still waited.
func (q *laneQueue) remove(key string, ready chan struct{}) bool {
	i := slices.Index(q.waiting[key], ready)
	if i < 0 {
		return false
	}
	if q.waiting[key] = slices.Delete(q.waiting[key], i, i+1); len(q.waiting[key]) == 0 {
		delete(q.waiting, key)
		q.turns = slices.DeleteFunc(q.turns, func(k string) bool { return k == key })
	}
	return true
}
