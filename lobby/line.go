package lobby

import (
	"context"
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// lane is one of the lines for a worker of the [hasher].
type lane uint8

// The lanes. Whoever waits in the first is served before all others. The other
// two take turns, so that neither a flood of log-ins nor one of other passwords
// makes the other wait for more than one hash each.
const (
	knownLane lane = iota // admins, and accounts from where they logged in before
	entryLane             // log-ins, new accounts, reset links
	wishLane              // passwords of lobbies, and what else one who is logged in wishes
	lanes
)

// line gives a bounded number of places to those who wait. In each lane the
// addresses take turns: one that asks often delays itself.
type line struct {
	mu    sync.Mutex
	free  int // places; 0 while anybody waits
	queue [lanes]queue
	entry bool // whose turn it is of the last two lanes
}

// queue is one lane: those of one address in the order in which they came.
type queue struct {
	turns   []string // addresses that wait, the next first
	waiting map[string][]chan struct{}
}

func newLine(places int) *line {
	l := &line{free: places}
	for i := range l.queue {
		l.queue[i].waiting = map[string][]chan struct{}{}
	}
	return l
}

// wait returns nil with a place, which [line.done] gives back, or the context's
// error without one.
func (l *line) wait(ctx context.Context, a asker) error {
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
	l.queue[a.lane].push(key, ready)
	l.mu.Unlock()
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	waited := l.queue[a.lane].remove(key, ready)
	l.mu.Unlock()
	if !waited { // it had got the place already
		l.done()
	}
	return ctx.Err()
}

// done hands the place to the next, if anybody waits.
func (l *line) done() {
	l.mu.Lock()
	defer l.mu.Unlock()
	order := [lanes]lane{knownLane, entryLane, wishLane}
	if !l.entry {
		order[1], order[2] = wishLane, entryLane
	}
	for _, i := range order {
		if next := l.queue[i].pop(); next != nil {
			if i != knownLane {
				l.entry = i == wishLane
			}
			close(next)
			return
		}
	}
	l.free++
}

func (q *queue) push(key string, ready chan struct{}) {
	if len(q.waiting[key]) == 0 {
		q.turns = append(q.turns, key)
	}
	q.waiting[key] = append(q.waiting[key], ready)
}

func (q *queue) pop() chan struct{} {
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
func (q *queue) remove(key string, ready chan struct{}) bool {
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
