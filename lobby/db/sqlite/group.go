package sqlite

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// group lets concurrent writers share a transaction: its begin and end take as long as
// the statements of most writers.
//
//	first:  BEGIN, its statements
//	next:   SAVEPOINT, its statements, RELEASE (or ROLLBACK TO, if it fails)
//	...
//	        COMMIT, then all return
//
// A writer that finds no leader leads: it does the work of later writers, in the order
// in which they came, until a group is full. Then the next waiting writer leads. Each
// sees the changes of the writers before it, as if they had committed.
type group struct {
	mu      sync.Mutex
	led     bool // a writer leads; else no writer waits
	waiting []*writer
}

// A group takes no more after so many, or so long: the first writer waits for the last.
const (
	groupMax  = 64
	groupTime = 20 * time.Millisecond
)

// writer is one call of Write.
type writer struct {
	ctx   context.Context
	fn    func(*db.Tx) error
	turn  chan bool // true: it leads; false: its work is done, or failed
	err   error
	panic string // the panic of its fn
}

// enter reports whether w leads. Else it waits.
func (g *group) enter(w *writer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.led {
		g.led = true
		return true
	}
	g.waiting = append(g.waiting, w)
	return false
}

// withdraw takes a waiting writer out of the queue. It returns false if its turn has
// come.
func (g *group) withdraw(w *writer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == w {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return true
		}
	}
	return false
}

// next returns the first waiting writer, or nil.
func (g *group) next() *writer {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		return nil
	}
	w := g.waiting[0]
	g.waiting = g.waiting[1:]
	return w
}

// leave lets the first waiting writer lead.
func (g *group) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		g.led = false
		return
	}
	g.waiting[0].turn <- true
	g.waiting = g.waiting[1:]
}

// Write implements [db.Store].
func (s *Store) Write(ctx context.Context, fn func(*db.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	w := &writer{ctx: ctx, fn: fn, turn: make(chan bool, 1)}
	leads := s.group.enter(w)
	if !leads {
		select {
		case leads = <-w.turn:
		case <-ctx.Done():
			if s.group.withdraw(w) {
				return unavailable(ctx.Err())
			}
			leads = <-w.turn
		}
	}
	if leads {
		s.lead(w)
	}
	if w.panic != "" {
		panic(w.panic)
	}
	return w.err
}

// lead does the work of w and of the writers that come meanwhile.
func (s *Store) lead(w *writer) {
	defer s.group.leave()
	// Immediate transactions meet another process's lock at BEGIN only;
	// busy in the middle comes from recovery of the log, and is rare.
	for s.round(w) {
	}
}

// round is one try. It reports whether w is worth another.
func (s *Store) round(w *writer) (again bool) {
	var others []*writer
	err := errBroken
	defer func() {
		for _, o := range others {
			if o.err == nil && o.panic == "" {
				o.err = unavailable(err)
			}
			o.turn <- false
		}
	}()
	err = s.together(w, &others)
	w.err = unavailable(err)
	return busy(err) && w.ctx.Err() == nil && len(others) == 0
}

// errBroken is the error of writers whose leader panicked.
var errBroken = errors.New("sqlite: internal error")

// together runs one transaction. It appends the writers that shared it with w, and
// returns why it, or w's part, was not kept. If w fails, no other writer shares it.
func (s *Store) together(w *writer, others *[]*writer) error {
	tx, err := s.writer.begin(w.ctx, "BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	defer tx.rollback()
	if err := w.run(tx, s); err != nil || w.panic != "" {
		return err
	}
	for began := time.Now(); len(*others) < groupMax-1 && time.Since(began) < groupTime; {
		o := s.group.next()
		if o == nil {
			break
		}
		*others = append(*others, o)
		if o.err = unavailable(o.ctx.Err()); o.err != nil {
			continue
		}
		if err := o.within(tx, s); err != nil {
			return err
		}
	}
	return tx.commit()
}

// within runs w in a shared transaction, and undoes w's changes if it fails. The error
// is the whole transaction's.
func (w *writer) within(tx *transaction, s *Store) error {
	if _, err := tx.exec("SAVEPOINT one"); err != nil {
		return err
	}
	if w.err = unavailable(w.run(tx, s)); w.err != nil || w.panic != "" {
		if _, err := tx.exec("ROLLBACK TO one"); err != nil {
			// SQLite has taken back everything already, as for a full disk. Only w gets
			// its own error: the others get an error of the database.
			return errors.Join(model.ErrUnavailable, err)
		}
	}
	_, err := tx.exec("RELEASE one")
	return err
}

// run calls fn. The caller of fn gets its panic.
func (w *writer) run(tx *transaction, s *Store) error {
	defer func() {
		if p := recover(); p != nil {
			w.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	return w.fn(db.NewTx(w.ctx, conn{tx}, &s.dialect))
}
