package playback

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testTicks = 130 // at ten ticks a second, with a hash each second

// store has one match, "m", and counts the journals that are open.
type store struct {
	*journal.Dir
	t         *testing.T
	log       journal.Log
	records   [][]byte
	ticks     []grid.Tick // of each record; 0: of the setup
	followed  atomic.Int32
	following atomic.Int32
}

type tail struct {
	journal.Tail
	of *store
}

func (s *store) Follow(match string) (journal.Tail, error) {
	t, err := s.Dir.Follow(match)
	if err != nil {
		return nil, err
	}
	s.followed.Add(1)
	s.following.Add(1)
	return &tail{t, s}, nil
}

func (t *tail) Close() error {
	t.of.following.Add(-1)
	return t.Tail.Close()
}

func newStore(t *testing.T) *store {
	t.Helper()
	dir := journaltest.OpenDir(t)
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	setup := sim.Setup{Map: m, Rules: set, Seed: 7, TickRate: 10, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	s := &store{Dir: dir, t: t}
	if s.records, err = journal.SetupRecords(journal.Header{Match: "m", Build: "test"}, setup); err != nil {
		t.Fatal(err)
	}
	s.ticks = make([]grid.Tick, len(s.records))
	w, err := sim.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	for range testTicks {
		out := w.Step(nil)
		if rec := (journal.Tick{Tick: out.Tick, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}); !rec.Empty() {
			s.records, s.ticks = append(s.records, journal.AppendTick(nil, &rec)), append(s.ticks, out.Tick)
		}
	}
	if s.log, err = dir.Create("m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.log.Close() })
	return s
}

// grow writes the records up to a tick, and the end if it is over.
func (s *store) grow(to grid.Tick, over bool) {
	s.t.Helper()
	put := func(rec []byte) {
		n := s.log.Next()
		if err := errors.Join(s.log.Append(n, rec), s.log.Wait(s.t.Context(), n)); err != nil {
			s.t.Fatal(err)
		}
	}
	for n := s.log.Next(); n < uint64(len(s.records)) && s.ticks[n] <= to; n++ {
		put(s.records[n])
	}
	if over {
		put(journal.FailedRecord("the test is over"))
	}
}

func newLibrary(t *testing.T, s *store, change func(*Config)) *Library {
	t.Helper()
	cfg := Config{Journals: s}
	if change != nil {
		change(&cfg)
	}
	l := New(cfg)
	t.Cleanup(func() {
		l.Close()
		if open, bytes := l.Usage(); open != 0 || bytes != 0 || s.following.Load() != 0 {
			t.Errorf("%d matches with %d bytes and %d journals are left open", open, bytes, s.following.Load())
		}
	})
	return l
}

func open(t *testing.T, l *Library, admin bool) *Recording {
	t.Helper()
	r, err := l.Open(t.Context(), "m", admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func await(t *testing.T, r *Recording, tick grid.Tick) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := r.Await(ctx, tick); err != nil {
		t.Fatalf("tick %d: %v, it reached %d", tick, err, r.Reached())
	}
}

// TestOneRecording: the users of a match share its journal, checkpoints and timeline, and
// the last one closes it.
func TestOneRecording(t *testing.T) {
	s := newStore(t)
	s.grow(testTicks, true)
	l := newLibrary(t, s, nil)
	if _, err := l.Open(t.Context(), "none", false); !errors.Is(err, fs.ErrNotExist) || l.Has("none") || !l.Has("m") {
		t.Errorf("a match without a journal: %v", err)
	}
	s.followed.Store(0)
	a, b := open(t, l, false), open(t, l, false)
	if a.Recording != b.Recording || s.followed.Load() != 1 {
		t.Fatalf("the journal was opened %d times", s.followed.Load())
	}
	a.Index()
	await(t, a, testTicks)
	c, err := b.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := b.Checkpoints(); n == 0 {
		t.Error("the pass of one user made no checkpoints for another")
	}
	b.Timeline(func(line *timeline.Timeline) {
		if line.Last != testTicks {
			t.Errorf("the timeline ends at tick %d", line.Last)
		}
	})
	for _, tick := range []grid.Tick{77, 12, testTicks} {
		if err := c.Seek(t.Context(), tick); err != nil || c.Tick() != tick {
			t.Fatalf("a seek to tick %d: %v, at %d", tick, err, c.Tick())
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if err := c.Seek(gone, 5); !errors.Is(err, context.Canceled) {
			t.Fatalf("a seek for one who is gone: %v", err)
		}
	}
	if err := c.Seek(t.Context(), testTicks+1); !errors.As(err, new(*replay.RangeError)) {
		t.Errorf("a seek behind the end: %v", err)
	}
	a.Close()
	a.Close()
	if open, _ := l.Usage(); open != 1 || s.following.Load() != 1 {
		t.Error("a match is closed that one still uses")
	}
	b.Close()
	if open, bytes := l.Usage(); open != 0 || bytes != 0 || s.following.Load() != 0 {
		t.Errorf("%d matches with %d bytes are open, %d journals", open, bytes, s.following.Load())
	}
}

// TestFollow: a follower gets each tick once and in order, from the first on, also of a match that was played
// before, and of a running one as it grows.
func TestFollow(t *testing.T) {
	s := newStore(t)
	s.grow(40, false)
	l := newLibrary(t, s, nil)
	follow := func() (*Recording, *[]grid.Tick) {
		r, got := open(t, l, false), &[]grid.Tick{}
		r.Follow(func(c *replay.Replay) { *got = append(*got, c.Tick()) })
		return r, got
	}
	check := func(got []grid.Tick, last grid.Tick) {
		t.Helper()
		if len(got) != int(last)+1 {
			t.Fatalf("%d ticks of %d: %v", len(got), last, got)
		}
		for i, tick := range got {
			if tick != grid.Tick(i) {
				t.Fatalf("tick %d comes as number %d", tick, i)
			}
		}
	}
	first, a := follow()
	await(t, first, 40)
	second, b := follow()
	await(t, second, 40)
	s.grow(testTicks, true)
	for _, r := range []*Recording{first, second} {
		await(t, r, testTicks)
	}
	third, c := follow()
	await(t, third, testTicks)
	check(*a, testTicks)
	check(*b, testTicks)
	check(*c, testTicks)
}

// TestBroken: a match that this build plays differently fails its users, and the next one
// opens it anew.
func TestBroken(t *testing.T) {
	s := newStore(t)
	for i, rec := range s.records {
		if s.ticks[i] != 60 {
			continue
		}
		r, err := journal.Decode(rec)
		if err != nil {
			t.Fatal(err)
		}
		r.Tick.Hash++
		s.records[i] = journal.AppendTick(nil, r.Tick)
	}
	s.grow(testTicks, true)
	l := newLibrary(t, s, nil)
	for n := range int32(2) {
		r := open(t, l, false)
		r.Index()
		var diverged *journal.DivergedError
		if err := r.Await(t.Context(), testTicks); !errors.As(err, &diverged) || diverged.Tick != 60 || !errors.Is(r.Failure(), err) {
			t.Errorf("%v, failure %v", err, r.Failure())
		}
		if got := s.followed.Load(); got != n+1 {
			t.Errorf("the journal was opened %d times, want %d", got, n+1)
		}
	}
}

// TestUntil: a match that runs is shown up to its last hash minus the delay, and once it is
// over up to its end as time goes by.
func TestUntil(t *testing.T) {
	s := newStore(t)
	s.grow(59, false)
	l := newLibrary(t, s, nil)
	r := open(t, l, false)
	now := time.Now()
	at := func(delay, want grid.Tick, late time.Duration) {
		t.Helper()
		if got := r.Until(delay, now.Add(late)); got != want {
			t.Errorf("%d ticks late, after %v: tick %d, want %d", delay, late, got, want)
		}
	}
	at(20, 30, time.Hour)
	at(50, 0, time.Hour)
	s.grow(testTicks, true)
	if err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	now = r.of.overAt
	at(20, testTicks-20, 0)
	at(20, testTicks-10, time.Second)
	at(20, testTicks, time.Minute)
}

// TestLiveMatchesFirst: while live matches need the processor viewers and admins play in
// short slices with pauses between them.
func TestLiveMatchesFirst(t *testing.T) {
	s := newStore(t)
	s.grow(testTicks, true)
	var busy atomic.Bool
	var asked atomic.Int64
	l := newLibrary(t, s, func(c *Config) {
		c.Busy = busy.Load
		// A step takes half a slice, on any machine.
		c.Clock = func() time.Time { return time.Now().Add(time.Duration(asked.Add(1)) * busySlice / 2) }
	})
	busy.Store(true)
	for _, admin := range []bool{false, true} {
		r := open(t, l, admin)
		c, err := r.Cursor()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), busyPause/2)
		defer cancel()
		if err := c.Seek(ctx, 90); !errors.Is(err, context.DeadlineExceeded) || c.Tick() > 4 {
			t.Errorf("while live matches are late, admin %v: %v, at tick %d", admin, err, c.Tick())
		}
		began := c.Tick()
		if err := c.Seek(t.Context(), began+4); err != nil || c.Tick() != began+4 {
			t.Errorf("the share of a late server, admin %v: %v, at tick %d of %d", admin, err, c.Tick(), began+4)
		}
	}
	if first, second := l.MayPlay(), l.MayPlay(); first && second {
		t.Error("two viewers play at the same time on a late server")
	}
	busy.Store(false)
	if first, second := l.MayPlay(), l.MayPlay(); !first || !second {
		t.Error("a viewer waits though no live match is late")
	}
}

// TestMemory: a match that does not fit is refused, but to admins, and counts while it is open.
func TestMemory(t *testing.T) {
	s := newStore(t)
	s.grow(testTicks, true)
	l := newLibrary(t, s, func(c *Config) {
		c.Ledger = quota.New(quota.Limits{{Resource: quota.ReplayBytes, Most: [5]int64{quota.Process: 30 << 20}}})
	})
	admin := open(t, l, true)
	viewer := open(t, l, false)
	for n := 0; ; n++ {
		if _, err := viewer.Cursor(); errors.Is(err, ErrFull) {
			break
		} else if err != nil || n > 3 {
			t.Fatalf("%d worlds in 30 MiB: %v", n, err)
		}
	}
	if _, err := admin.Cursor(); err != nil {
		t.Fatalf("an admin: %v", err)
	}
	if !l.Full() {
		t.Error("it is not full")
	}
	viewer.Close()
	if l.Full() {
		t.Error("it is full of what is closed")
	}
	if _, err := viewer.Cursor(); !errors.Is(err, ErrClosed) {
		t.Errorf("a cursor of what is closed: %v", err)
	}
}

// TestCheck: a journal is looked at without opening its match.
func TestCheck(t *testing.T) {
	s := newStore(t)
	s.grow(40, false)
	l := newLibrary(t, s, nil)
	for _, x := range []struct {
		match string
		whole bool
		want  error
	}{{"m", true, ErrRuns}, {"m", false, nil}, {"none", true, fs.ErrNotExist}} {
		if playable, err := l.Check(x.match, x.whole); !playable || !errors.Is(err, x.want) {
			t.Errorf("%v: %v, %v", x, playable, err)
		}
	}
	s.grow(testTicks, true)
	if playable, err := l.Check("m", true); !playable || err != nil {
		t.Errorf("a match that is over: %v, %v", playable, err)
	}
	other, err := s.Create("other")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := errors.Join(other.Append(0, []byte("no record")), other.Wait(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	if playable, err := l.Check("other", false); playable || err == nil {
		t.Errorf("a journal of another format: %v, %v", playable, err)
	}
}

// reads counts how often the notes were read.
type reads struct{ n atomic.Int32 }

func (x *reads) Read(string) (*notes.Notes, error) {
	x.n.Add(1)
	return &notes.Notes{Lost: 3}, nil
}

// TestNotes: the notes of a match that is over are read once.
func TestNotes(t *testing.T) {
	s := newStore(t)
	s.grow(testTicks, true)
	x := &reads{}
	l := newLibrary(t, s, func(c *Config) { c.Notes = x })
	a, b := open(t, l, false), open(t, l, false)
	for _, r := range []*Recording{a, b, a} {
		if n, err := r.Notes(); err != nil || n.Lost != 3 {
			t.Errorf("%+v, %v", n, err)
		}
	}
	if n := x.n.Load(); n != 1 {
		t.Errorf("they were read %d times", n)
	}
}
