package match

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
)

// sharedStore is a store in memory for the journals of several processes. A journal has
// one owner: a process that opens it takes it. Its time goes on only as the test says,
// for all leases alike.
type sharedStore struct {
	mu       sync.Mutex
	now      time.Duration
	journals map[string]*sharedJournal
}

type sharedJournal struct {
	records [][]byte
	epoch   int
	state   *journal.State
	retired bool
}

// sharedProcess is a process's way to the store.
type sharedProcess struct {
	*sharedStore
	away bool // it is cut off from the store, or the process is stopped
}

// sharedLog is a process's journal of one match.
type sharedLog struct {
	p       *sharedProcess
	j       *sharedJournal
	name    string
	epoch   int
	next    uint64
	synced  uint64
	pending [][]byte
	sure    time.Duration // when it was last certain that the journal is ours
	asking  bool          // it has asked
	err     error
}

var (
	_ journal.Store  = (*sharedProcess)(nil)
	_ journal.Peeker = (*sharedProcess)(nil)
	_ journal.Log    = (*sharedLog)(nil)
)

func newSharedStore() *sharedStore { return &sharedStore{journals: map[string]*sharedJournal{}} }

// process returns a new process's way to the store.
func (s *sharedStore) process() *sharedProcess { return &sharedProcess{sharedStore: s} }

// elapse lets time go by.
func (s *sharedStore) elapse(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now += d
}

// cut cuts a process off, or brings it back.
func (p *sharedProcess) cut(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

// records returns a journal's records as they are.
func (s *sharedStore) records(match string) [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journals[match].records)
}

var errAway = fmt.Errorf("the test says so: %w", journal.ErrCutOff)

func (p *sharedProcess) Create(match string) (journal.Log, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.away:
		return nil, errAway
	case p.journals[match] != nil:
		return nil, journal.ErrExists
	}
	p.journals[match] = &sharedJournal{}
	return p.open(match), nil
}

func (p *sharedProcess) Open(match string) (journal.Log, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch j := p.journals[match]; {
	case p.away:
		return nil, errAway
	case j == nil || j.retired:
		return nil, fmt.Errorf("journal %s: %w", match, fs.ErrNotExist)
	}
	return p.open(match), nil
}

func (p *sharedProcess) open(match string) *sharedLog {
	j := p.journals[match]
	j.epoch++
	n := uint64(len(j.records))
	return &sharedLog{p: p, j: j, name: match, epoch: j.epoch, next: n, synced: n, sure: p.now}
}

// Follow implements journal.Follower.
func (p *sharedProcess) Follow(match string) (journal.Tail, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch j := p.journals[match]; {
	case p.away:
		return nil, errAway
	case j == nil:
		return nil, fmt.Errorf("journal %s: %w", match, fs.ErrNotExist)
	}
	return &sharedTail{of: p.sharedStore, match: match}, nil
}

type sharedTail struct {
	of    *sharedStore
	match string
	next  int
}

func (t *sharedTail) Read(each func(n uint64, record []byte) error) error {
	records := t.of.records(t.match)
	for ; t.next < len(records); t.next++ {
		if err := each(uint64(t.next), records[t.next]); err != nil {
			return err
		}
	}
	return nil
}

func (t *sharedTail) Close() error { return nil }

func (p *sharedProcess) Peek(match string) (*journal.Header, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.journals[match]
	if j == nil || len(j.records) == 0 {
		return nil, nil
	}
	r, err := journal.Decode(j.records[0])
	return r.Header, err
}

func (p *sharedProcess) List() (out []string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, j := range p.journals {
		if !j.retired {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (p *sharedProcess) Retire(match string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.journals[match].retired = true
	return nil
}

func (p *sharedProcess) Remove(match string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.journals, match)
	return nil
}

func (p *sharedProcess) SaveState(match string, s journal.State) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return errAway
	}
	s.Bytes = slices.Clone(s.Bytes)
	p.journals[match].state = &s
	return nil
}

func (p *sharedProcess) State(match string) (*journal.State, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.journals[match].state, nil
}

func (l *sharedLog) Name() string { return l.name }

func (l *sharedLog) Next() uint64 {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	return l.next
}

// flush writes waiting records, if it can. The store's mutex is held.
func (l *sharedLog) flush() {
	if l.err != nil || l.p.away {
		return
	}
	if l.j.epoch != l.epoch {
		l.err = fmt.Errorf("match %s: %w", l.name, journal.ErrFenced)
		return
	}
	l.j.records = append(l.j.records, l.pending...)
	l.pending, l.synced, l.sure = nil, uint64(len(l.j.records)), l.p.now
}

func (l *sharedLog) Append(n uint64, record []byte) error {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case n != l.next:
		return journal.ErrOrder
	}
	l.pending = append(l.pending, record)
	l.next++
	return nil
}

func (l *sharedLog) Synced() uint64 {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	l.flush()
	return l.synced
}

func (l *sharedLog) Wait(ctx context.Context, n uint64) error {
	return l.until(ctx, func() bool {
		l.flush()
		return l.synced > n
	})
}

// until waits until it holds, the log fails, or ctx ends.
func (l *sharedLog) until(ctx context.Context, holds func() bool) error {
	for {
		l.p.mu.Lock()
		ok := holds()
		err := l.err
		l.p.mu.Unlock()
		switch {
		case err != nil:
			return err
		case ok:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		time.Sleep(200 * time.Microsecond) // the log is a stand-in for a store that answers late
	}
}

func (l *sharedLog) Stalled() error {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.p.away {
		return errAway
	}
	return nil
}

// Confirm asks the store when the lease has run out. The answer takes until the next
// call, as a real one takes its time.
func (l *sharedLog) Confirm(ctx context.Context) error {
	return l.until(ctx, func() bool {
		if l.asking {
			l.asking = false
			l.flush()
		}
		if l.err == nil && l.p.now-l.sure < journal.Lease {
			return true
		}
		l.asking = true
		return false
	})
}

func (l *sharedLog) Read(from uint64, each func(n uint64, record []byte) error) error {
	l.p.mu.Lock()
	records := slices.Clone(l.j.records)
	l.p.mu.Unlock()
	for n := from; n < uint64(len(records)); n++ {
		if err := each(n, slices.Clone(records[n])); err != nil {
			return err
		}
	}
	return nil
}

func (l *sharedLog) Close() error {
	l.p.mu.Lock()
	defer l.p.mu.Unlock()
	if l.flush(); l.err == nil {
		l.err = journal.ErrClosed
		return nil
	}
	if errors.Is(l.err, journal.ErrClosed) {
		return nil
	}
	return l.err
}

// node is a process of a cluster: a service on a shared store.
type node struct {
	*serviceHarness
	process *sharedProcess
	fenced  chan string
}

// clusterSpec is a match for two players, with room for spectators.
func clusterSpec(t *testing.T) Spec {
	t.Helper()
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true,
		Seats:      []SeatSpec{{Name: "a", Team: 0}, {Name: "b", Team: 1, Start: 1}},
		Spectators: 2, SpectatorDelay: time.Second,
	}
}

// clusterKey is the nodes' key of resume tokens.
var clusterKey = make([]byte, keyBytes)

// node returns a new process on the store, without a match.
func (s *sharedStore) node(t *testing.T, spec Spec, cfg Config) *node {
	t.Helper()
	n := &node{process: s.process(), fenced: make(chan string, 4)}
	n.serviceHarness = &serviceHarness{t: t, clock: NewManual(time.Unix(1000, 0)), clerk: &clerk{results: make(chan Result, 4)}, spec: spec}
	cfg.Journals, cfg.Admitter, cfg.Reporter, cfg.Clock, cfg.Key = n.process, doormanOf(&spec), n.clerk, n.clock, clusterKey
	cfg.Fenced = func(match string) { n.fenced <- match }
	n.service = New(cfg)
	t.Cleanup(n.end)
	return n
}

// starts begins the match on the node.
func (n *node) starts() {
	n.t.Helper()
	if err := n.service.Start(n.spec); err != nil {
		n.t.Fatal(err)
	}
	n.live = n.service.find(n.spec.ID)
}

// takes lets the node take the match over.
func (n *node) takes() {
	n.t.Helper()
	if err := n.service.TakeOver(n.t.Context(), n.spec.ID, nil); err != nil {
		n.t.Fatal(err)
	}
	if n.live = n.service.find(n.spec.ID); n.live == nil {
		n.t.Fatal("the match does not run here after the take over")
	}
}

// gives lets the node hand the match over.
func (n *node) gives() error {
	done := make(chan error, 1)
	go func() { done <- n.service.HandOver(n.t.Context(), n.spec.ID) }()
	for {
		select {
		case err := <-done:
			return err
		case <-time.After(time.Millisecond):
			n.tick()
		}
	}
}

// leaves reads a client's remaining messages, to its closing.
func (n *node) leaves(cs ...*pipeClient) {
	n.t.Helper()
	for _, c := range cs {
		was := c.silent
		c.silent = true // the match takes no messages any more
		for c.closing == nil {
			c.read()
		}
		c.silent = was
		if c.closing.Code != "moved" || !c.closing.Retry {
			n.t.Fatalf("closed with %v, want moved", c.closing)
		}
		c.closing = nil
	}
}

// play lets so many ticks be played, and their frames be read.
func (n *node) play(ticks int, cs ...*pipeClient) {
	n.t.Helper()
	for range ticks {
		n.process.elapse(50 * time.Millisecond)
		n.tick()
		for _, c := range cs {
			c.read()
		}
	}
}

// replayed plays a match's journal as it is now and compares all that it says. The
// second world is played as if the match had never been moved.
func (s *sharedStore) replayed(t *testing.T, match string) (sum journal.Summary, tick grid.Tick, hash, unmoved uint64) {
	t.Helper()
	all := s.records(match)
	read := func(stops bool) journal.Reader {
		return func(each func(uint64, []byte) error) error {
			n := uint64(0)
			for _, r := range all {
				if d, err := journal.Decode(r); err == nil && d.Stop != nil && !stops {
					continue
				}
				if err := each(n, r); err != nil {
					return err
				}
				n++
			}
			return nil
		}
	}
	w, sum, err := journal.Replay(read(true), nil)
	if err != nil {
		t.Fatalf("the journal does not replay: %v", err)
	}
	straight, _, err := journal.Replay(read(false), nil)
	if err != nil {
		t.Fatalf("the journal does not replay without its stops: %v", err)
	}
	for straight.Tick() < w.Tick() {
		straight.Step(nil)
	}
	return sum, w.Tick(), w.Hash(), straight.Hash()
}
