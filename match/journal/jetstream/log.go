package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
)

// Times of a log.
const (
	// alivePeriod is the pause after which the owner sends an empty message as a sign of life, so that Confirm has an
	// answer. It leaves half of the lease for the answer to arrive.
	alivePeriod = journal.Lease / 2
	// attemptTime is how long the answer to a message is waited for; to a question, half as long.
	attemptTime = 2 * time.Second
	retryFirst  = 10 * time.Millisecond
	retryMost   = 500 * time.Millisecond
	// closeWait is how long Close waits for unwritten records: longer than an election of a log leader.
	closeWait = 12 * time.Second
	// cutOffAfter is how long without an answer makes a process cut off: an election of
	// a log leader takes up to nine seconds.
	cutOffAfter = 10 * time.Second
	// readStall is how long Read waits for a message that the log has.
	readStall = 10 * time.Second
)

// pendingBytesMax bounds the records that wait to be written. The match stops long before.
const pendingBytesMax = 4 * journal.RecordBytesMax

// Log is the journal of one match that this process owns. One goroutine, the writer,
// sends its messages.
type Log struct {
	store *Store
	match string
	at    place
	done  chan struct{} // closed when the writer has ended
	wake  chan struct{} // something was appended or asked for, or the log closed
	lease atomic.Int64  // until when Confirm needs no answer, on the store's clock
	ctx   context.Context
	stop  context.CancelFunc // ends the writer's attempts

	mu      sync.Mutex
	changed chan struct{} // closed, and made anew, when a field below changes
	owner   *Owner
	err     error // the first failure; the log then refuses records
	closed  bool
	stalled error
	since   time.Duration // when it was stalled first, on the store's clock
	index   []position    // of messages written, sparse
	hint    position      // of the saved state that was read
	slot    byte          // for the parts of the next saved state
}

// position is where a message lies: its sequence, and its head's numbers.
type position struct {
	seq  uint64
	next uint64
}

// The index has a position for each indexStep of time, the newest indexMax.
const (
	indexStep = 250 * time.Millisecond
	indexMax  = 1024
)

var _ journal.Log = (*Log)(nil)

// start begins the writer of a log whose epoch message is the subject's last one.
func (s *Store) start(match string, at place, o *Owner) *Log {
	ctx, stop := context.WithCancel(context.Background())
	l := &Log{
		store: s, match: match, at: at, done: make(chan struct{}), wake: make(chan struct{}, 1), changed: make(chan struct{}), owner: o, ctx: ctx, stop: stop,
	}
	l.lease.Store(int64(o.lease))
	go l.write()
	return l
}

// Name returns the stream and the subject.
func (l *Log) Name() string { return l.at.stream + "/" + l.at.subject }

func (l *Log) Next() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner.Next()
}

func (l *Log) Append(n uint64, record []byte) error {
	if len(record) == 0 || len(record) > journal.RecordBytesMax {
		return fmt.Errorf("journal: record %d of %d bytes: want 1 to %d", n, len(record), journal.RecordBytesMax)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.closed:
		return journal.ErrClosed
	}
	if err := l.owner.Append(n, record); err != nil {
		return fmt.Errorf("journal %s: %w", l.Name(), err)
	}
	l.poke()
	return nil
}

// poke wakes the writer.
func (l *Log) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// change wakes the goroutines that wait for a change. l.mu is held.
func (l *Log) change() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Log) Synced() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owner.Synced()
}

func (l *Log) Wait(ctx context.Context, n uint64) error {
	for {
		l.mu.Lock()
		durable, err, changed := l.owner.Synced(), l.err, l.changed
		ended := l.closed && n >= l.owner.Next()
		l.mu.Unlock()
		switch {
		case durable > n:
			return nil
		case err != nil:
			return err
		case ended:
			return journal.ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stalled implements journal.Log: the log's stream has no leader, cannot be reached, or
// is full. Without a connection, or without an answer for longer than an election takes,
// this process is cut off.
func (l *Log) Stalled() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stalled == nil || errors.Is(l.stalled, errFull) {
		return l.stalled
	}
	if !l.store.conn.IsConnected() || l.store.now()-l.since > cutOffAfter {
		return fmt.Errorf("%w: %w", journal.ErrCutOff, l.stalled)
	}
	return l.stalled
}

// Confirm implements journal.Log. Any goroutine may call it.
func (l *Log) Confirm(ctx context.Context) error {
	for {
		if int64(l.store.now()) < l.lease.Load() {
			return nil
		}
		l.mu.Lock()
		err, closed, changed := l.err, l.closed, l.changed
		owns := err == nil && l.owner.Owns(l.store.now())
		l.mu.Unlock()
		switch {
		case owns:
			return nil
		case err != nil:
			return err
		case closed:
			return journal.ErrClosed
		}
		l.poke()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// doubt ends the lease: another node says that it has the match, or takes it.
func (l *Log) doubt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner.Doubt(l.store.now())
	l.lease.Store(0)
	l.poke()
}

// Read implements journal.Log. From a record that the newest saved state names, or a later one, it reads only the
// needed records.
func (l *Log) Read(from uint64, each func(n uint64, record []byte) error) error {
	l.mu.Lock()
	to, durable, err := l.owner.Last(), l.owner.Synced(), l.err
	begin := l.positionOf(from)
	if l.hint.next <= from && l.hint.next > begin.next {
		begin = l.hint
	}
	l.mu.Unlock()
	if err != nil {
		return err
	}
	if from >= durable {
		return nil
	}
	c := chainReader{name: l.Name(), loose: begin.seq > 0}
	err = l.store.read(l.store.ctx, l.at, begin.seq, to, func(seq uint64, data []byte) error {
		return c.take(seq, data, func(n uint64, record []byte) error {
			if n < from {
				return nil
			}
			return each(n, record)
		})
	})
	if err == nil && c.next != durable {
		return &journal.DamageError{File: c.name, Offset: int64(to), Number: c.next, Why: fmt.Sprintf("it ends there, %d records were written", durable)}
	}
	return err
}

// positionOf returns a known position at or before a record. l.mu is held.
func (l *Log) positionOf(n uint64) (p position) {
	for _, at := range l.index {
		if at.next > n {
			break
		}
		p = at
	}
	return p
}

// Close implements journal.Log. Records not written after twelve seconds are lost: they were never acknowledged. A
// second call has no effect.
func (l *Log) Close() error {
	l.mu.Lock()
	l.closed = true
	l.change()
	l.mu.Unlock()
	l.poke()
	stop := time.AfterFunc(closeWait, l.stop)
	<-l.done
	stop.Stop()
	l.stop()
	l.store.forget(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// write is the writer's loop: it makes a message of the waiting records, or a sign of life, and sends it.
func (l *Log) write() {
	defer close(l.done)
	defer l.setStalled(nil)
	defer panics.Catch(l.store.log, "journal", func() { l.fail(fmt.Errorf("journal %s: internal error", l.Name())) })
	alive := time.NewTimer(alivePeriod)
	defer alive.Stop()
	var buf []byte
	var indexed time.Duration
	for {
		l.mu.Lock()
		first, whole := l.owner.Synced(), l.owner.offset == 0
		done := l.closed && len(l.owner.pending) == 0
		pause := l.owner.Due(l.store.now())
		if pause == 0 {
			buf = l.owner.Message(buf[:0])
		}
		l.mu.Unlock()
		if done {
			return
		}
		if pause > 0 {
			alive.Reset(pause)
			select {
			case <-l.wake:
			case <-alive.C:
			}
			continue
		}
		began := l.store.now()
		seq, sent, err := l.send(buf)
		if err != nil {
			l.fail(err)
			return
		}
		met := l.store.metrics
		met.seconds.Observe((l.store.now() - began).Seconds())
		met.appends.Inc()

		l.mu.Lock()
		if l.stalled != nil {
			l.stalled = nil
			met.stalled.Dec()
		}
		if whole && began-indexed >= indexStep {
			indexed = began
			if len(l.index) == indexMax {
				l.index = l.index[:copy(l.index, l.index[indexMax/2:])]
			}
			l.index = append(l.index, position{seq, first})
		}
		met.records.Add(float64(l.owner.Written(seq, sent)))
		l.lease.Store(int64(l.owner.lease))
		l.change()
		l.mu.Unlock()
	}
}

// send writes a message behind the last one, and returns its sequence, and when the
// attempt was begun by which it is certain that the match was still this process's. It
// tries until it knows that the message is written, that another process has the match,
// or that the log is given up.
func (l *Log) send(b []byte) (seq uint64, sent time.Duration, err error) {
	l.mu.Lock()
	last := l.owner.Last()
	l.mu.Unlock()
	first := l.store.now()
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		sent = l.store.now()
		seq, err := l.store.publish(l.ctx, l.at, last, b)
		if err == nil {
			return seq, sent, nil
		}
		if isTooLarge(err) {
			return 0, 0, fmt.Errorf("journal %s: %w", l.Name(), err)
		}
		if l.ctx.Err() != nil {
			return 0, 0, l.givenUp(err)
		}
		// The message may be written all the same. An answer that another write is in flight proves no failure either:
		// that write may be ours.
		if !isInFlight(err) {
			l.setStalled(err)
		}
		if needsTail(err) {
			seq, err = l.settle(b, err)
			if err == nil {
				return seq, first, nil
			}
			if errors.Is(err, journal.ErrFenced) {
				return 0, 0, err
			}
		}
		select {
		case <-l.ctx.Done():
			return 0, 0, l.givenUp(err)
		case <-time.After(wait):
		}
	}
}

// settle reads the subject's end after an attempt with an unknown outcome. It returns the message's sequence if it is
// written, ErrFenced if another process has the match, and any other error if it cannot conclude anything.
func (l *Log) settle(b []byte, why error) (uint64, error) {
	seq, data, err := l.store.tail(l.ctx, l.at)
	switch {
	case errors.Is(err, errNoMessage) && isMismatch(why):
		// The leader compared with an empty subject: the journal was retired or removed, which its owner alone does.
		return 0, l.fenced(fmt.Errorf("its journal is gone: %w", journal.ErrFenced))
	case err != nil:
		return 0, err
	}
	l.mu.Lock()
	written, err := l.owner.Settle(b, seq, data)
	l.mu.Unlock()
	switch {
	case written:
		return seq, nil
	case errors.Is(err, journal.ErrFenced):
		return 0, l.fenced(err)
	case err != nil:
		return 0, err
	}
	return 0, why
}

func (l *Log) fenced(why error) error {
	l.store.metrics.fenced.Inc()
	l.store.log.Warn("another process has taken a match over", "match", l.match, "why", why)
	return fmt.Errorf("journal %s: %w", l.Name(), why)
}

func (l *Log) givenUp(err error) error {
	return fmt.Errorf("journal %s: closed before all was written: %w", l.Name(), err)
}

func (l *Log) setStalled(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil && l.stalled == nil:
		l.since = l.store.now()
		l.store.metrics.stalled.Inc()
	case err == nil && l.stalled != nil:
		l.store.metrics.stalled.Dec()
	}
	l.stalled = err
}

// fail ends the log: it accepts no more records.
func (l *Log) fail(err error) {
	l.lease.Store(0)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err, l.owner.pending, l.owner.bytes, l.closed = err, nil, 0, true
	l.change()
}
