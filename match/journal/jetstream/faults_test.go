package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process returns a store as a process of its own has it.
func process(t *testing.T, conn *nats.Conn, replicas int, name string) *Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s, err := New(ctx, Config{Conn: conn, Owner: name, Replicas: replicas, Shards: replicas, StoreBytes: 1 << 30, Logger: slog.New(slog.DiscardHandler), Registerer: prometheus.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// faults are the failures of requests of a process that append to journals.
type faults struct {
	mu     sync.Mutex
	next   func() fault // of the next append; nil: all is well
	silent atomic.Bool  // nothing arrives, appends or not
}

type fault int

const (
	fine     fault = iota
	lost           // the request does not arrive
	unheard        // it arrives, the answer is lost
	late           // it arrives, the caller gives up before, and it is done a moment later
	inFlight       // it arrives; the answer is code 10164
	elected        // nobody answers
	twice          // it arrives twice
	fates
)

// spoil makes the store's appends go wrong.
func (f *faults) spoil(s *Store) {
	real := s.request
	s.request = func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
		if f.silent.Load() {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if !strings.HasPrefix(m.Subject, "fogkeep.j") {
			return real(ctx, m)
		}
		what := fine
		f.mu.Lock()
		if f.next != nil {
			what = f.next()
		}
		f.mu.Unlock()
		switch what {
		case lost:
			return nil, context.DeadlineExceeded
		case unheard:
			_, _ = real(ctx, m)
			return nil, context.DeadlineExceeded
		case late:
			go func() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				time.Sleep(3 * time.Millisecond) // the message arrives after its sender gave up
				_, _ = real(ctx, m)
			}()
			return nil, context.DeadlineExceeded
		case inFlight:
			_, _ = real(ctx, m)
			return &nats.Msg{Data: []byte(`{"error":{"code":400,"err_code":10164,"description":"wrong last sequence"},"stream":"","seq":0}`)}, nil
		case elected:
			return nil, nats.ErrNoResponders
		case twice:
			_, _ = real(ctx, m)
			return real(ctx, m)
		}
		return real(ctx, m)
	}
}

func (f *faults) set(next func() fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = next
}

// once returns what f says once, and then that all is well.
func once(f fault) func() fault {
	return func() fault {
		now := f
		f = fine
		return now
	}
}

// TestEachFault: with every fault of an append, its record is in the journal once, and
// the log goes on.
func TestEachFault(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	s := process(t, c.Nodes[0].Conn(), 1, "a")
	var f faults
	f.spoil(s)
	for what := fine; what < fates; what++ {
		id := fmt.Sprintf("fault-%d", what)
		l, err := s.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Fill(t, l, 0, 3)
		f.set(once(what))
		journaltest.Fill(t, l, 3, 6)
		f.set(nil)
		journaltest.Fill(t, l, 6, 9)
		journaltest.Check(t, l, 0, 9)
		if err := l.Close(); err != nil {
			t.Error(what, err)
		}
		// The same while a match is made, and while it is taken.
		f.set(once(what))
		l, err = s.Create(id + "-made")
		if err != nil {
			t.Fatal(what, err)
		}
		journaltest.Fill(t, l, 0, 3)
		if err := l.Close(); err != nil {
			t.Error(what, err)
		}
		f.set(once(what))
		if l, err = s.Open(id); err != nil {
			t.Fatal(what, err)
		}
		f.set(nil)
		journaltest.Fill(t, l, 9, 12)
		journaltest.Check(t, l, 0, 12)
		if err := l.Close(); err != nil {
			t.Error(what, err)
		}
	}
}

// While a stream has no leader, a log asks for no end of its subject: each such question goes
// without an answer for a second, in which the new leader could have had the message.
func TestALogAsksNoLeaderThatIsAway(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	s := process(t, c.Nodes[0].Conn(), 1, "a")
	l, err := s.Create("lives")
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Fill(t, l, 0, 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var f faults
	f.spoil(s)
	spoilt, asked, away := s.request, atomic.Int32{}, atomic.Int32{}
	s.request = func(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
		if away.Load() > 0 && strings.HasPrefix(m.Subject, "$JS.API.STREAM.MSG.GET.") {
			asked.Add(1)
		}
		return spoilt(ctx, m)
	}
	if l, err = s.Open("lives"); err != nil {
		t.Fatal(err)
	}
	for _, what := range []fault{elected, lost} {
		away.Store(3)
		f.set(func() fault {
			if away.Add(-1) >= 0 {
				return what
			}
			return fine
		})
		n := l.Next()
		journaltest.Fill(t, l, n, n+1)
		if asked.Load() != 0 {
			t.Errorf("fault %d: it asked %d times", what, asked.Load())
		}
	}
	f.set(nil)
	journaltest.Check(t, l, 0, l.Next())
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestTheZombie: a replaced owner cannot write any more, with any call, and is told so. It is the case of a process
// that was stopped and goes on.
func TestTheZombie(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	a, b := process(t, c.Nodes[0].Conn(), 1, "a"), process(t, c.Nodes[0].Conn(), 1, "b")
	var f faults
	f.spoil(a)
	old, err := a.Create("zombie")
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Fill(t, old, 0, 5)
	// From now on no message of a arrives, as if it did not run.
	f.silent.Store(true)
	began := time.Now()
	l, err := b.Open("zombie")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	journaltest.Fill(t, l, 5, 8)
	// Until its lease is over it may think that the match is its own, and no longer.
	over, cancel := context.WithCancel(t.Context())
	cancel()
	eventually.Holds(t, "the lease is over", func() bool {
		asked := time.Now()
		ended := old.Confirm(over) != nil
		if !ended && asked.Sub(began) > journal.Lease {
			t.Fatal("it goes on without an answer")
		}
		return ended
	})
	if err := old.Confirm(over); !errors.Is(err, context.Canceled) {
		t.Errorf("without an answer: %v", err)
	}
	if err := old.Append(5, []byte("told to nobody")); err != nil {
		t.Errorf("it cannot know yet: %v", err)
	}
	f.silent.Store(false)
	if err := old.Confirm(t.Context()); !errors.Is(err, journal.ErrFenced) {
		t.Errorf("confirm: %v", err)
	}
	for what, err := range map[string]error{
		"wait": old.Wait(t.Context(), 5), "append": old.Append(6, []byte("x")), "close": old.Close(),
		"retire": a.Retire("zombie"), "remove": a.Remove("zombie"),
	} {
		if !errors.Is(err, journal.ErrFenced) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := a.SaveState("zombie", journal.State{}); err == nil {
		t.Error("its state was saved")
	}
	if n := testutil.ToFloat64(a.metrics.fenced); n != 1 {
		t.Errorf("counted %v", n)
	}
	journaltest.Check(t, l, 0, 8)
	if err := l.Confirm(over); err != nil {
		t.Errorf("the new owner: %v", err)
	}
}

// TestManyWhoWantTheSameMatch: of several processes that create or take one match at the same moment,
// exactly one goes on.
func TestManyWhoWantTheSameMatch(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	stores := make([]*Store, 8)
	for i := range stores {
		stores[i] = process(t, c.Nodes[0].Conn(), 1, fmt.Sprint(i))
	}
	for round := range 5 {
		id := fmt.Sprintf("wanted-%d", round)
		for what, call := range []func(*Store) (journal.Log, error){
			func(s *Store) (journal.Log, error) { return s.Create(id) },
			func(s *Store) (journal.Log, error) { return s.Open(id) },
		} {
			logs, errs := make([]journal.Log, len(stores)), make([]error, len(stores))
			var all sync.WaitGroup
			for i, s := range stores {
				all.Go(func() { logs[i], errs[i] = call(s) })
			}
			all.Wait()
			// One may take it after another: then the other is fenced. In
			// the end one alone can write.
			wrote := 0
			for i, l := range logs {
				if l == nil {
					if !errors.Is(errs[i], journal.ErrExists) && !errors.Is(errs[i], journal.ErrFenced) && !strings.Contains(errs[i].Error(), "open in this process") {
						t.Errorf("%d: %v", what, errs[i])
					}
					continue
				}
				if err := l.Append(l.Next(), []byte("x")); err != nil && !errors.Is(err, journal.ErrFenced) {
					t.Error(err)
				} else if err == nil && l.Wait(t.Context(), l.Next()-1) == nil {
					wrote++
				}
			}
			if wrote != 1 {
				t.Errorf("%d: %d wrote", what, wrote)
			}
			for _, s := range stores {
				if l := s.log0(id); l != nil {
					_ = l.Close() // fenced ones say so
				}
			}
		}
	}
}

// TestKilledWhileEnding: a process that was killed between the last message of a match
// and its archive leaves it to the next one.
func TestKilledWhileEnding(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	a, b := process(t, c.Nodes[0].Conn(), 1, "a"), process(t, c.Nodes[0].Conn(), 1, "b")
	for _, what := range []byte{overArchive, overRemove} {
		id := fmt.Sprintf("ending-%d", what)
		l, err := a.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		journaltest.Fill(t, l, 0, 30)
		if err := errors.Join(a.SaveState(id, journal.State{Tick: 3}), l.Close()); err != nil {
			t.Fatal(err)
		}
		at := l.(*Log).at
		last, m, err := a.end(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		next, sum, err := m.after()
		if err != nil {
			t.Fatal(err)
		}
		h := head{kind: kindOver, epoch: m.epoch, owner: a.owner, next: next, sum: sum}
		x := seal(append(h.appendTo(nil), what))
		if _, _, err := a.take(t.Context(), at, x, last); err != nil {
			t.Fatal(err)
		}
		// Half of what follows was done, too: its entry in the index is gone.
		if err := a.states.Purge(t.Context(), natsjs.WithPurgeSubject(indexOf(id).subject)); err != nil {
			t.Fatal(err)
		}
		if ids, err := b.List(); err != nil || len(ids) != 1 {
			t.Fatal(ids, err)
		}
		if l, err := b.Open(id); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(l, err)
		}
		if ids, err := b.List(); err != nil || len(ids) != 0 {
			t.Errorf("%v, %v", ids, err)
		}
		path := filepath.Join(t.TempDir(), "m.journal")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(b.Export(t.Context(), id, f), f.Close())
		if what == overRemove {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a removed journal was exported: %v", err)
			}
			continue
		}
		n := 0
		if torn, e := journal.ReadFile(path, func(i uint64, rec []byte) error {
			if n++; !bytes.Equal(rec, journaltest.Record(i)) {
				t.Errorf("record %d: %q", i, rec)
			}
			return nil
		}); err != nil || e != nil || torn || n != 30 {
			t.Errorf("%d records, torn %v, %v, %v", n, torn, err, e)
		}
		if past, err := b.past.List(t.Context()); err != nil || len(past) != 1 || past[0].Name != id {
			t.Errorf("%v, %v", past, err)
		}
	}
}

// lagging is an archive whose first answer describes a journal that was rewritten since: a part of it arrives, and
// the rest never does.
type lagging struct {
	natsjs.ObjectStore
	answers int
}

func (l *lagging) Get(ctx context.Context, name string, opts ...natsjs.GetObjectOpt) (natsjs.ObjectResult, error) {
	o, err := l.ObjectStore.Get(ctx, name, opts...)
	if l.answers++; l.answers > 1 || err != nil {
		return o, err
	}
	return &withoutEnd{ObjectResult: o, ctx: ctx}, nil
}

type withoutEnd struct {
	natsjs.ObjectResult
	ctx  context.Context
	read int
}

func (o *withoutEnd) Read(p []byte) (int, error) {
	if o.read > 0 {
		<-o.ctx.Done()
		return 0, os.ErrDeadlineExceeded
	}
	n, err := o.ObjectResult.Read(p[:10])
	o.read += n
	return n, err
}

// TestAStaleDescription: a past journal is read again when what a server described does not arrive.
func TestAStaleDescription(t *testing.T) {
	a := process(t, natstest.Start(t, 1, 0).Nodes[0].Conn(), 1, "a")
	l, err := a.Create("stale")
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Fill(t, l, 0, 30)
	if err := errors.Join(l.Close(), a.Retire("stale")); err != nil {
		t.Fatal(err)
	}
	past := &lagging{ObjectStore: a.past}
	a.past = past
	f, err := a.Follow("stale")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	if err := f.Read(func(i uint64, rec []byte) error {
		if n++; !bytes.Equal(rec, journaltest.Record(i)) {
			t.Errorf("record %d: %q", i, rec)
		}
		return nil
	}); err != nil || n != 30 || past.answers != 2 {
		t.Errorf("%d records, %d answers, %v", n, past.answers, err)
	}
}

// TestDamage: changed bytes are an error with their place, and
// never records.
func TestDamage(t *testing.T) {
	var messages [][]byte
	h := head{kind: kindEpoch, epoch: 1, owner: 7}
	add := func(m *message, pending ...[]byte) {
		b := seal(append(m.head.appendTo(nil), m.body...))
		if m.kind == kindRecords {
			var out outgoing
			out, b = compose(nil, m.head, pending, 0)
			h.next, h.sum = h.next+uint64(out.records), out.sum
		}
		messages = append(messages, b)
	}
	add(&message{head: h, body: []byte("a")})
	for n := range uint64(10) {
		h.kind = kindRecords
		add(&message{head: h}, journaltest.Record(2*n), journaltest.Record(2*n+1))
		if n == 4 {
			h.kind, h.epoch, h.owner = kindEpoch, 2, 8
			add(&message{head: h, body: []byte("b")})
		}
	}
	h.kind = kindAlive
	add(&message{head: h})
	read := func(list [][]byte) (n uint64, err error) {
		c := chainReader{name: "m"}
		for i, b := range list {
			if err := c.take(uint64(i+1), b, func(at uint64, rec []byte) error {
				if at != n || !bytes.Equal(rec, journaltest.Record(n)) {
					t.Errorf("record %d: %q", at, rec)
				}
				n++
				return nil
			}); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	if n, err := read(messages); n != 20 || err != nil {
		t.Fatal(n, err)
	}
	damaged := func(what string, list [][]byte) {
		t.Helper()
		var d *journal.DamageError
		if n, err := read(list); !errors.As(err, &d) {
			t.Errorf("%s: %d records, %v", what, n, err)
		}
	}
	for i := range messages {
		for at := range messages[i] {
			list := append([][]byte(nil), messages...)
			list[i] = bytes.Clone(list[i])
			list[i][at] ^= 0x55
			damaged(fmt.Sprintf("byte %d of message %d", at, i), list)
		}
		list := append([][]byte(nil), messages...)
		list[i] = list[i][:len(list[i])-1]
		damaged("a cut", list)
		if i < len(messages)-1 { // the end is known from the leader
			damaged("a missing message", append(append([][]byte(nil), messages[:i]...), messages[i+1:]...))
		}
		if i > 0 && i < len(messages)-1 {
			list = append([][]byte(nil), messages...)
			list[i], list[i+1] = list[i+1], list[i]
			damaged("two that changed places", list)
			damaged("a message that is there twice", append(append([][]byte(nil), messages[:i+1]...), messages[i:]...))
		}
	}
	// A zombie's message, as if the fence had failed.
	old := head{kind: kindRecords, epoch: 1, owner: 7, next: h.next, sum: h.sum}
	_, b := compose(nil, old, [][]byte{[]byte("x")}, 0)
	damaged("an old owner's message", append(append([][]byte(nil), messages...), b))
}

// FuzzParse: no bytes make the reader panic or allocate beyond them.
func FuzzParse(f *testing.F) {
	h := head{kind: kindRecords, epoch: 1, owner: 7}
	_, b := compose(nil, h, [][]byte{[]byte("one"), []byte("two")}, 0)
	f.Add(b[:len(b)-4])
	h.kind = kindPart
	f.Add(appendPart(h.appendTo(nil), 1, make([]byte, partBytes+9), partBytes))
	f.Fuzz(func(t *testing.T, b []byte) {
		c := chainReader{name: "m", loose: true}
		_ = c.take(1, seal(b), func(uint64, []byte) error { return nil })
		if m, err := parse(seal(b)); err == nil {
			_, _, _ = m.after()
		}
	})
}

// TestOwnersAndFaults is the property that all rests on: with any faults in the appends of owners that take a match
// from each other, each acknowledged record is in the journal exactly once, in its order. Besides these the journal
// has only last appends without an answer.
func TestOwnersAndFaults(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	const owners = 3
	var stores [owners]*Store
	var spoiled [owners]faults
	for i := range stores {
		stores[i] = process(t, c.Nodes[0].Conn(), 1, fmt.Sprint(i))
		spoiled[i].spoil(stores[i])
	}
	match := 0
	rapid.Check(t, func(t *rapid.T) {
		match++
		id := fmt.Sprintf("faults-%d", match)
		for i := range spoiled {
			seed := rapid.Uint64().Draw(t, "seed")
			spoiled[i].set(func() fault {
				seed = seed*6364136223846793005 + 1442695040888963407
				if what := fault(seed >> 33 % (2 * uint64(fates))); what < fates {
					return what
				}
				return fine
			})
		}
		var logs [owners]journal.Log
		defer func() {
			for i, l := range logs {
				spoiled[i].set(nil)
				if l != nil {
					_ = l.Close() // fenced ones say so
				}
			}
		}()
		told := map[uint64]string{} // what is known to be written
		var err error
		if logs[0], err = stores[0].Create(id); err != nil {
			t.Fatal(err)
		}
		serial := 0
		for range rapid.IntRange(3, 12).Draw(t, "steps") {
			i := rapid.IntRange(0, owners-1).Draw(t, "owner")
			l := logs[i]
			if l == nil {
				if logs[i], err = stores[i].Open(id); err != nil {
					t.Fatal(err)
				}
				continue
			}
			from := l.Next()
			var texts []string
			for range rapid.IntRange(1, 4).Draw(t, "records") {
				serial++
				texts = append(texts, fmt.Sprintf("%d by %d", serial, i))
				if err = l.Append(from+uint64(len(texts)-1), []byte(texts[len(texts)-1])); err != nil {
					break
				}
			}
			if err == nil && rapid.Bool().Draw(t, "wait") {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				err = l.Wait(ctx, l.Next()-1)
				cancel()
			}
			if err != nil && !errors.Is(err, journal.ErrFenced) {
				t.Fatal(err)
			}
			for n := from; n < min(l.Synced(), from+uint64(len(texts))); n++ {
				if was, ok := told[n]; ok && was != texts[n-from] {
					t.Fatalf("record %d was told to be %q and %q", n, was, texts[n-from])
				}
				told[n] = texts[n-from]
			}
			if err != nil {
				_ = l.Close()
				logs[i], err = nil, nil
			}
		}
		// Appends without a wait are told at the end, if at all.
		for i := range spoiled {
			spoiled[i].set(nil)
		}
		l := logs[0]
		if l != nil {
			_ = l.Close()
		}
		if logs[0], err = stores[0].Open(id); err != nil {
			t.Fatal(err)
		}
		got := map[uint64]string{}
		seen := map[string]bool{}
		if err := logs[0].Read(0, func(n uint64, rec []byte) error {
			if n != uint64(len(got)) || seen[string(rec)] {
				return fmt.Errorf("record %d: %q is there twice, or out of order", n, rec)
			}
			got[n], seen[string(rec)] = string(rec), true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for n, text := range told {
			if got[n] != text {
				t.Fatalf("record %d is %q, an owner was told %q", n, got[n], text)
			}
		}
	})
}

// TestAFullStore: a full store does not acknowledge, and does not lose records. When a finished match has left it,
// the others go on.
func TestAFullStore(t *testing.T) {
	c := natstest.Start(t, 1, 0)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s, err := New(ctx, Config{Conn: c.Nodes[0].Conn(), Owner: "a", Replicas: 1, Shards: 1, StoreBytes: 64 * messageBytesMax, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	over, err := s.Create("over")
	if err != nil {
		t.Fatal(err)
	}
	big := bytes.Repeat([]byte("x"), partBytes)
	for n := range uint64(20) {
		if err := over.Append(n, big); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(over.Wait(ctx, 19), over.Close()); err != nil {
		t.Fatal(err)
	}
	l, err := s.Create("goes-on")
	if err != nil {
		t.Fatal(err)
	}
	const records = 40
	for n := range uint64(records) {
		if err := l.Append(n, big); err != nil {
			t.Fatal(err)
		}
	}
	eventually.Holds(t, "the log says that the store is full", func() bool { err = l.Stalled(); return errors.Is(err, errFull) }, &err)
	if errors.Is(l.Stalled(), journal.ErrCutOff) {
		t.Error("a full store is taken for a lost connection")
	}
	written := l.Synced()
	if err := s.Retire("over"); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(ctx, records-1); err != nil || written >= records || l.Stalled() != nil {
		t.Fatal(err, written, l.Stalled())
	}
	n := 0
	if err := l.Read(0, func(_ uint64, rec []byte) error {
		if n++; !bytes.Equal(rec, big) {
			t.Error("another record")
		}
		return nil
	}); err != nil || n != records {
		t.Errorf("%d records: %v", n, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// TestServersDie: with three journal servers the loss of one costs no record. If it is a
// follower, the log goes on at once. If it is the leader, the log says that it is
// stalled, and goes on after the election; that form is long.
func TestServersDie(t *testing.T) {
	c := natstest.Start(t, 3, 1)
	s := process(t, c.Nodes[3].Conn(), 3, "n1")
	l, err := s.Create("lives")
	if err != nil {
		t.Fatal(err)
	}
	journaltest.Fill(t, l, 0, 20)
	kill := func(leader bool) int {
		t.Helper()
		info, err := s.streams[int(l.(*Log).at.stream[len("fogkeep_j")]-'0')].Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range c.Nodes[:3] {
			if n != nil && (n.ServerName() == info.Cluster.Leader) == leader {
				c.Kill(i)
				return i
			}
		}
		t.Fatal("nobody to kill")
		return 0
	}
	began := time.Now()
	gone := kill(false)
	journaltest.Fill(t, l, 20, 40)
	t.Logf("follower killed: %s until the next twenty records were written", time.Since(began))
	journaltest.Check(t, l, 0, 40)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		c.Restart(t, gone)
		journaltest.Fill(t, l, 40, 60)
		began = time.Now()
		kill(true)
		said := make(chan error, 1)
		go func() {
			// The log has no event for a stall, and the election takes a moment only.
			for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if err := l.Stalled(); err != nil {
					said <- err
					return
				}
			}
			said <- nil
		}()
		journaltest.Fill(t, l, 60, 80)
		t.Logf("leader killed: %s", time.Since(began))
		if err := <-said; err == nil || errors.Is(err, journal.ErrCutOff) && s.conn.IsConnected() {
			t.Errorf("while there was no leader it said: %v", err)
		}
		journaltest.Check(t, l, 0, 80)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	// A node that takes it over while a server is away finds the whole journal.
	b := process(t, c.Nodes[3].Conn(), 3, "n2")
	n := l.Next()
	if l, err = b.Open("lives"); err != nil {
		t.Fatal(err)
	}
	journaltest.Check(t, l, 0, n)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
