package jetstream

import (
	"bytes"
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
	// attemptTime is how long an answer is waited for before the subject's end is read.
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
	epoch uint64
	done  chan struct{} // closed when the writer has ended
	wake  chan struct{} // something was appended or asked for, or the log closed
	lease atomic.Int64  // until when Confirm needs no answer, on the store's clock
	ctx   context.Context
	stop  context.CancelFunc // ends the writer's attempts

	mu      sync.Mutex
	changed chan struct{} // closed, and made anew, when a field below changes
	pending [][]byte
	bytes   int    // of pending
	next    uint64 // number of the next record
	durable uint64 // numbers below it are written
	sum     uint32 // of the last record written
	seq     uint64 // of the last message written
	urgent  bool   // Confirm waits for a message
	err     error  // the first failure; the log then refuses records
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
func (s *Store) start(match string, at place, m *message, seq uint64, sent time.Duration) *Log {
	ctx, stop := context.WithCancel(context.Background())
	l := &Log{
		store: s, match: match, at: at, epoch: m.epoch,
		done: make(chan struct{}), wake: make(chan struct{}, 1), changed: make(chan struct{}),
		next: m.next, durable: m.next, sum: m.sum, seq: seq, ctx: ctx, stop: stop,
	}
	l.own(sent)
	go l.write()
	return l
}

// Name returns the stream and the subject.
func (l *Log) Name() string { return l.at.stream + "/" + l.at.subject }

func (l *Log) Next() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
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
	case n != l.next:
		return fmt.Errorf("%w: got %d, want %d", journal.ErrOrder, n, l.next)
	case l.bytes+len(record) > pendingBytesMax:
		return fmt.Errorf("journal %s: %d bytes wait to be written, without room for more", l.Name(), l.bytes)
	}
	l.pending = append(l.pending, record)
	l.bytes += len(record)
	l.next++
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
	return l.durable
}

func (l *Log) Wait(ctx context.Context, n uint64) error {
	for {
		l.mu.Lock()
		durable, err, changed := l.durable, l.err, l.changed
		ended := l.closed && n >= l.next
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
		l.urgent = true
		l.mu.Unlock()
		switch {
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

// own notes that the match was this process's when a message was sent that was written
// after all.
func (l *Log) own(sent time.Duration) { l.lease.Store(int64(sent + journal.Lease)) }

// Read implements journal.Log. From a record that the newest saved state names, or a later one, it reads only the
// needed records.
func (l *Log) Read(from uint64, each func(n uint64, record []byte) error) error {
	l.mu.Lock()
	to, durable, err := l.seq, l.durable, l.err
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
	var offset int // into the first pending record, which is sent in parts
	var indexed time.Duration
	for {
		l.mu.Lock()
		pending, closed, urgent := l.pending, l.closed, l.urgent
		h := head{kind: kindAlive, epoch: l.epoch, owner: l.store.owner, next: l.durable, sum: l.sum}
		l.mu.Unlock()
		due := l.store.now() >= time.Duration(l.lease.Load())-journal.Lease+alivePeriod
		if len(pending) == 0 {
			if closed {
				return
			}
			if !urgent && !due {
				alive.Reset(time.Duration(l.lease.Load()) - journal.Lease + alivePeriod - l.store.now())
				select {
				case <-l.wake:
				case <-alive.C:
				}
				continue
			}
		}
		var m outgoing
		m, buf = compose(buf[:0], h, pending, offset)
		began := l.store.now()
		seq, sent, err := l.send(buf)
		if err != nil {
			l.fail(err)
			return
		}
		l.own(sent)
		met := l.store.metrics
		met.seconds.Observe((l.store.now() - began).Seconds())
		met.appends.Inc()
		met.records.Add(float64(m.records))

		l.mu.Lock()
		if l.stalled != nil {
			l.stalled = nil
			met.stalled.Dec()
		}
		if (offset == 0) && began-indexed >= indexStep {
			indexed = began
			if len(l.index) == indexMax {
				l.index = l.index[:copy(l.index, l.index[indexMax/2:])]
			}
			l.index = append(l.index, position{seq, h.next})
		}
		offset = m.offset
		for _, r := range l.pending[:m.records] {
			l.bytes -= len(r)
		}
		l.pending = l.pending[m.records:]
		if len(l.pending) == 0 {
			l.pending = nil
		}
		l.durable += uint64(m.records)
		l.sum, l.seq, l.urgent = m.sum, seq, false
		l.change()
		l.mu.Unlock()
	}
}

// outgoing describes the content of a message.
type outgoing struct {
	records int    // that are whole with it
	offset  int    // into the next record: this much has been sent
	sum     uint32 // of the last whole record
}

// compose makes a message of the waiting records. offset bytes of the first record were sent before.
func compose(b []byte, h head, pending [][]byte, offset int) (outgoing, []byte) {
	m := outgoing{sum: h.sum}
	switch {
	case len(pending) == 0:
		b = h.appendTo(b)
	case len(pending[0]) > partBytes:
		h.kind = kindPart
		sum := journal.Chain(h.sum, pending[0])
		b = appendPart(h.appendTo(b), sum, pending[0], offset)
		if m.offset = offset + partBytes; m.offset >= len(pending[0]) {
			m = outgoing{1, 0, sum}
		}
	default:
		h.kind = kindRecords
		b = h.appendTo(b)
		for _, r := range pending {
			if len(r) > partBytes || m.records > 0 && len(b)+len(r) > batchBytes {
				break
			}
			m.sum = journal.Chain(m.sum, r)
			b = appendRecord(b, m.sum, r)
			m.records++
		}
	}
	return m, seal(b)
}

// send writes a message behind the last one, and returns its sequence, and when the
// attempt was begun by which it is certain that the match was still this process's. It
// tries until it knows that the message is written, that another process has the match,
// or that the log is given up.
func (l *Log) send(b []byte) (seq uint64, sent time.Duration, err error) {
	l.mu.Lock()
	last := l.seq
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
			seq, err = l.settle(b, last, err)
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
func (l *Log) settle(b []byte, last uint64, why error) (uint64, error) {
	seq, data, err := l.store.tail(l.ctx, l.at)
	switch {
	case errors.Is(err, errNoMessage) && isMismatch(why):
		// The leader compared with an empty subject: the journal was retired or removed, which its owner alone does.
		return 0, l.fenced("its journal is gone")
	case err != nil:
		return 0, err
	case seq > last && bytes.Equal(data, b): // seq: two that say no more than alive are alike
		return seq, nil
	}
	m, err := parse(data)
	switch {
	case err != nil:
		return 0, err
	case m.epoch > l.epoch:
		return 0, l.fenced(fmt.Sprintf("owner %d follows owner %d", m.epoch, l.epoch))
	case m.epoch == l.epoch && seq > last:
		return 0, l.fenced("another writer continued its journal under this owner's number")
	}
	return 0, why // the end is that from before, or an old one
}

func (l *Log) fenced(why string) error {
	l.store.metrics.fenced.Inc()
	l.store.log.Warn("another process has taken a match over", "match", l.match, "why", why)
	return fmt.Errorf("journal %s: %w", l.Name(), journal.ErrFenced)
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
	l.err, l.pending, l.bytes, l.closed = err, nil, 0, true
	l.change()
}
