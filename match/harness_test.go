package match

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// harness is a live match that a test moves by hand, in one goroutine: the test
// puts messages into inboxes as readers do and takes frames out of outboxes as
// writers do. Its journal is in memory. Two harnesses that are moved alike are
// alike to the byte, resume tokens included.
type harness struct {
	fail  failer
	m     *live
	log   *memoryLog
	clock *Manual
}

// failer is a testing.T or a rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func newHarness(t testing.TB, fail failer, spec Spec, cfg Config) harness {
	fail.Helper()
	dir := journaltest.OpenDir(t)
	h := harness{fail: fail, log: &memoryLog{}, clock: NewManual(time.Unix(1000, 0))}
	cfg.Journals, cfg.Clock, cfg.Key = dir, h.clock, make([]byte, keyBytes)
	library := playback.New(playback.Config{Journals: h.log})
	t.Cleanup(library.Close)
	cfg.Library = library
	var err error
	if h.m, err = newLive(New(cfg).host, spec); err != nil {
		fail.Fatalf("%v", err)
	}
	if err := h.m.journal.log.Close(); err != nil {
		fail.Fatalf("%v", err)
	}
	h.m.journal.log = h.log
	h.m.journal.busy.Store(true) // so that no goroutine saves the state meanwhile
	return h
}

// now is the tick of the match, which goes on for spectators when its world
// stands still.
func (h *harness) now() grid.Tick { return h.m.world.Tick() + grid.Tick(h.m.spectators.beyond) }

// turn moves the match by one tick; once it is over, the spectators' broadcasts.
func (h *harness) turn(over bool) {
	h.fail.Helper()
	if h.m.spec.Spectators > 0 && h.log.head == nil {
		h.log.begin(h.fail, h.m)
	}
	defer h.turnLate()
	if over {
		h.m.spectators.beyond++
		h.m.spectators.watch(h.now(), nil)
	} else if !h.m.tick() {
		h.fail.Fatalf("tick %d: the match failed: %s", h.now(), h.m.end.failed)
	}
}

// turnLate runs the late broadcasts, which have goroutines of their own in the product.
func (h *harness) turnLate() {
	h.fail.Helper()
	for _, g := range h.m.spectators.broadcasts {
		if g.late == nil || g.late.failed != nil {
			continue
		}
		var err error
		if g.late.rec == nil {
			err = g.late.open(context.Background())
		}
		if err == nil {
			err = g.late.turn(func(work func(more func() bool) error) error { return work(func() bool { return true }) })
		}
		if err != nil {
			g.late.fail(err)
		}
	}
}

// elapse moves the clock by a tick.
func (h *harness) elapse() {
	h.clock.Advance(time.Second / time.Duration(h.m.rate))
}

// admit gives a client with a first message a seat.
func (h *harness) admit(hello wire.Hello, applied grid.Tick, who Seat) (*connection, error) {
	hello.Protocol = wire.Protocol
	s := newConnection(nil, wire.ClientFrame{Hello: &hello, Applied: applied}, &caller{})
	return s, h.m.join(s, who)
}

// deliver puts a message into a connection's inbox, as its reader does. Without a
// connection it is lost.
func (h *harness) deliver(s *connection, b []byte) {
	h.fail.Helper()
	f, err := wire.DecodeClient(b)
	if err != nil {
		h.fail.Fatalf("tick %d: a client's message: %v", h.now(), err)
	}
	if s != nil {
		s.In <- f
	}
}

// memoryLog is a journal with a disk of the test's speed.
type memoryLog struct {
	next, synced uint64
	records      [][]byte
	head         [][]byte // of the match with its world as it is before its first turn
}

// begin makes the records before the first tick. They contain a test's staged changes.
func (l *memoryLog) begin(fail failer, m *live) {
	fail.Helper()
	if len(l.records) > 0 { // the test has written them
		l.head = [][]byte{}
		return
	}
	setup, h := m.spec.Setup(), journal.Header{Match: m.spec.ID, Start: &journal.StartOf{}, Extra: m.spec.Extra()}
	setup.Start = m.world.Save(nil)
	var err error
	if l.head, err = journal.SetupRecords(h, setup); err != nil {
		fail.Fatalf("%v", err)
	}
}

// Follow implements journal.Follower.
func (l *memoryLog) Follow(string) (journal.Tail, error) { return &memoryTail{log: l}, nil }

// memoryTail reads a memoryLog, from the first tick's record on.
type memoryTail struct {
	log  *memoryLog
	head bool // it was read
	next int  // in records
}

func (t *memoryTail) Read(each func(n uint64, record []byte) error) error {
	n := uint64(len(t.log.head) + t.next)
	if !t.head {
		for i, rec := range t.log.head {
			if err := each(uint64(i), rec); err != nil {
				return err
			}
		}
		t.head = true
	}
	for ; t.next < len(t.log.records) && uint64(t.next) < t.log.synced; t.next++ {
		if err := each(n, t.log.records[t.next]); err != nil {
			return err
		}
		n++
	}
	return nil
}

func (t *memoryTail) Close() error { return nil }

func (l *memoryLog) Next() uint64   { return l.next }
func (l *memoryLog) Synced() uint64 { return l.synced }
func (l *memoryLog) Append(n uint64, rec []byte) error {
	if n != l.next {
		return journal.ErrOrder
	}
	l.next++
	l.records = append(l.records, slices.Clone(rec))
	return nil
}
func (l *memoryLog) Wait(_ context.Context, n uint64) error {
	l.synced = max(l.synced, n+1)
	return nil
}
func (l *memoryLog) Read(uint64, func(n uint64, record []byte) error) error { return nil }
func (l *memoryLog) Close() error                                           { return nil }
func (l *memoryLog) Name() string                                           { return "memory" }
func (l *memoryLog) Stalled() error                                         { return nil }
func (l *memoryLog) Confirm(context.Context) error                          { return nil }
