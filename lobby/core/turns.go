package core

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// turns lets a bounded number of transactions run at a time, as many as the store has
// connections. The others wait for their turn, in the order in which they came. When a
// thousand people log in at once, the last waits for the others and gets no error about
// a missing database: the time limit of a transaction begins with its turn.
//
// A caller waits for at most [Core.TurnTimeout], and not for a store that has
// answered no caller for [Core.StoreTimeout].
//
// A transaction runs on a goroutine that is not its caller's. A database's code needs a
// deep stack. A caller that waits on afterwards, like thousands of event streams, would
// keep that stack. The goroutine goes on with the next waiting transaction: its stack
// has grown already.
type turns struct {
	born time.Time

	line     *Line[*turn]
	answered atomic.Int64 // when the store last answered a caller, in time since born
}

// turn is one transaction.
type turn struct {
	ctx   context.Context
	until time.Duration // it waits for its turn, since the turns' born
	limit time.Duration // from its beginning
	do    func(context.Context) error
	done  chan struct{} // closed when do has returned, or w is refused
	err   error
	panic string // what do died of
}

func newTurns(places int) *turns { return &turns{born: time.Now(), line: NewLine[*turn](places, 1)} }

// errTurn refuses a caller that has waited for too long.
var errTurn = &model.Error{Code: model.Busy, RetryAfter: model.RetryAfter(model.Busy)}

// inTurn runs one transaction in its turn, inside the store's time limit.
func (t *turns) inTurn(ctx context.Context, c *Options, do func(context.Context) error) error {
	w := &turn{ctx: ctx, until: time.Since(t.born) + c.TurnTimeout, limit: c.StoreTimeout, do: do, done: make(chan struct{})}
	if t.line.Enter(0, "", w) {
		go t.work(w)
	} else if err := t.await(w, c.StoreTimeout); err != nil && t.line.Leave(0, "", w) {
		return err
	}
	<-w.done
	if w.panic != "" {
		panic(w.panic) // in the request that asked for it
	}
	return w.err
}

// await returns once w is done, or has waited for too long. Its turn may have come then.
func (t *turns) await(w *turn, stall time.Duration) error {
	began := time.Since(t.born)
	timer := time.NewTimer(min(w.until-began, stall))
	defer timer.Stop()
	for {
		select {
		case <-w.done:
			return nil
		case <-w.ctx.Done():
			return w.ctx.Err()
		case <-timer.C:
		}
		alive := max(began, time.Duration(t.answered.Load())) + stall
		now := time.Since(t.born)
		switch {
		case now >= w.until:
			return errTurn
		case now >= alive:
			return model.ErrUnavailable
		}
		timer.Reset(min(w.until, alive) - now)
	}
}

// work runs w, and then the waiting transactions.
func (t *turns) work(w *turn) {
	for w != nil {
		answered := w.transact()
		next := t.next(answered)
		close(w.done)
		w = next
	}
}

// next hands the place to the first waiting transaction whose time to wait is not over,
// and returns it; nil if the line is empty.
func (t *turns) next(answered bool) *turn {
	now := time.Since(t.born)
	if answered {
		t.answered.Store(int64(now))
	}
	for w, ok := t.line.Next(); ok; w, ok = t.line.Next() {
		if now < w.until {
			return w
		}
		w.err = errTurn
		close(w.done)
	}
	return nil
}

// transact runs the transaction, and reports whether the store has answered.
func (w *turn) transact() (answered bool) {
	ctx, cancel := context.WithTimeout(w.ctx, w.limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			w.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	w.err = w.do(ctx)
	return !errors.Is(w.err, model.ErrUnavailable) && ctx.Err() == nil
}
