package journaltest_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
)

// everyStore tests a store. open returns a store as a new process would have it, on the data of the one before.
func everyStore(t *testing.T, open func(t *testing.T) journal.Store) {
	for name, test := range map[string]func(*testing.T, func(t *testing.T) journal.Store){
		"reopening": reopening, "order and bounds": orderAndBounds, "waiting": waiting, "long records": longRecords,
		"the end of a match": endOfMatch, "states": states, "reading stops": readingStops, "following": following, "put away while it is read": putAwayWhileRead, "rewriting": rewriting,
	} {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

func must(t testing.TB) func(l journal.Log, err error) journal.Log {
	return func(l journal.Log, err error) journal.Log {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
}

func reopening(t *testing.T, open func(t *testing.T) journal.Store) {
	s := open(t)
	l := must(t)(s.Create("reopened"))
	if l.Next() != 0 || l.Synced() != 0 || l.Name() == "" {
		t.Errorf("next %d, synced %d, name %q", l.Next(), l.Synced(), l.Name())
	}
	journaltest.Check(t, l, 0, 0)
	journaltest.Fill(t, l, 0, 40)
	journaltest.Check(t, l, 0, 40)
	journaltest.Check(t, l, 17, 40)
	journaltest.Check(t, l, 40, 40)
	if err := l.Confirm(t.Context()); err != nil {
		t.Error(err)
	}
	if err := l.Stalled(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(40, journaltest.Record(40)); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	for _, s := range []journal.Store{s, open(t)} {
		l = must(t)(s.Open("reopened"))
		n := l.Next()
		if n != l.Synced() || n < 40 {
			t.Fatalf("next %d, synced %d, want 40 or more", n, l.Synced())
		}
		journaltest.Check(t, l, 0, n)
		journaltest.Fill(t, l, n, n+20)
		journaltest.Check(t, l, 0, n+20)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func orderAndBounds(t *testing.T, open func(t *testing.T) journal.Store) {
	s := open(t)
	l := must(t)(s.Create("ordered"))
	if err := l.Append(1, journaltest.Record(1)); !errors.Is(err, journal.ErrOrder) {
		t.Errorf("a gap: %v", err)
	}
	journaltest.Fill(t, l, 0, 2)
	if err := l.Append(1, journaltest.Record(1)); !errors.Is(err, journal.ErrOrder) {
		t.Errorf("a number given out: %v", err)
	}
	if err := l.Append(2, nil); err == nil {
		t.Error("an empty record was taken")
	}
	if err := l.Append(2, make([]byte, journal.RecordBytesMax+1)); err == nil {
		t.Error("a record over the bound was taken")
	}
	if _, err := s.Create("ordered"); !errors.Is(err, journal.ErrExists) {
		t.Errorf("a second journal of one match: %v", err)
	}
	if _, err := open(t).Create("ordered"); !errors.Is(err, journal.ErrExists) {
		t.Errorf("a second journal of one match, in another process: %v", err)
	}
	for _, id := range []string{"", "../m", ".m", `a\b`} {
		if _, err := s.Create(id); err == nil {
			t.Errorf("match id %q was taken", id)
		}
	}
	for _, id := range []string{"", "none", "../ordered"} {
		if _, err := s.Open(id); !errors.Is(err, fs.ErrNotExist) && id == "none" || err == nil {
			t.Errorf("%q was opened: %v", id, err)
		}
	}
	journaltest.Check(t, l, 0, 2)
}

func waiting(t *testing.T, open func(t *testing.T) journal.Store) {
	l := must(t)(open(t).Create("waited"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := l.Wait(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for nothing: %v", err)
	}
	gone := make(chan error, 1)
	go func() { gone <- l.Wait(context.Background(), 5) }()
	journaltest.Fill(t, l, 0, 3)
	// Close writes appends that were not waited for.
	if err := errors.Join(l.Append(3, journaltest.Record(3)), l.Close()); err != nil || l.Synced() != 4 {
		t.Fatal(err, l.Synced())
	}
	if err := <-gone; !errors.Is(err, journal.ErrClosed) {
		t.Errorf("waiting for a record that never comes: %v", err)
	}
}

// Long records lie among short ones, as the setup's records do.
func longRecords(t *testing.T, open func(t *testing.T) journal.Store) {
	random := rand.NewChaCha8([32]byte{})
	var want [][]byte
	for _, n := range []int{3, 512 << 10, 512<<10 + 1, 20, 3<<20 + 7, 200 << 10, 200 << 10, 5} {
		b := make([]byte, n)
		_, _ = random.Read(b)
		want = append(want, b)
	}
	s := open(t)
	l := must(t)(s.Create("long"))
	for n, b := range want {
		if err := l.Append(uint64(n), b); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Wait(t.Context(), uint64(len(want)-1)); err != nil {
		t.Fatal(err)
	}
	check := func(l journal.Log) {
		t.Helper()
		var got [][]byte
		if err := l.Read(0, func(_ uint64, b []byte) error { got = append(got, b); return nil }); err != nil || !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%d records of %d came back, or others: %v", len(got), len(want), err)
		}
	}
	check(l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	check(must(t)(open(t).Open("long")))
}

func endOfMatch(t *testing.T, open func(t *testing.T) journal.Store) {
	s := open(t)
	before, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"ended-c", "ended-a", "ended-b"} {
		l := must(t)(s.Create(id))
		journaltest.Fill(t, l, 0, 5)
		if err := errors.Join(s.SaveState(id, journal.State{Tick: 1, Bytes: []byte("state")}), l.Close()); err != nil {
			t.Fatal(err)
		}
	}
	list := func(want ...string) {
		t.Helper()
		ids, err := s.List()
		want = append(slices.Clone(before), want...)
		slices.Sort(want)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("list = %v, want %v: %v", ids, want, err)
		}
	}
	list("ended-a", "ended-b", "ended-c")
	if err := s.Retire("ended-b"); err != nil {
		t.Fatal(err)
	}
	list("ended-a", "ended-c")
	if _, err := s.Open("ended-b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a past journal was opened: %v", err)
	}
	if err := errors.Join(s.Remove("ended-a"), s.Remove("ended-b")); err != nil {
		t.Fatal(err)
	}
	list("ended-c")
	for _, id := range []string{"ended-a", "ended-b"} {
		if st, err := s.State(id); st != nil || err != nil {
			t.Errorf("the state of %s: %v, %v", id, st, err)
		}
		if err := s.Remove(id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s was removed twice: %v", id, err)
		}
	}
	// A match whose making failed may begin again.
	l := must(t)(s.Create("ended-a"))
	journaltest.Fill(t, l, 0, 3)
	journaltest.Check(t, l, 0, 3)
}

func states(t *testing.T, open func(t *testing.T) journal.Store) {
	s := open(t)
	if st, err := s.State("stated"); st != nil || err != nil {
		t.Fatal(st, err)
	}
	l := must(t)(s.Create("stated"))
	random := rand.NewChaCha8([32]byte{})
	var want journal.State
	for i, size := range []int{0, 1000, 5 << 20, 2 << 20, 100} { // each in place of the one before
		journaltest.Fill(t, l, l.Next(), l.Next()+20)
		want = journal.State{Tick: 20, Hash: 1 << 63, Bytes: make([]byte, size), Record: l.Next() - 7, Extra: []byte("seats")[:i]}
		_, _ = random.Read(want.Bytes)
		if err := s.SaveState("stated", want); err != nil {
			t.Fatal(err)
		}
		got, err := s.State("stated")
		if err != nil || got.Tick != want.Tick || got.Hash != want.Hash || got.Record != want.Record || !bytes.Equal(got.Bytes, want.Bytes) || !bytes.Equal(got.Extra, want.Extra) {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	journaltest.Check(t, l, want.Record, l.Next())
	next := l.Next()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t)
	l = must(t)(s.Open("stated"))
	got, err := s.State("stated")
	if err != nil || got.Record != want.Record {
		t.Fatal(got, err)
	}
	journaltest.Check(t, l, got.Record, next)
	journaltest.Check(t, l, 0, next)
}

// A journal is followed while it grows, from its own process and from another, across
// a new owner and its retirement, and each record comes once.
func following(t *testing.T, open func(t *testing.T) journal.Store) {
	s, other := open(t), open(t)
	for _, id := range []string{"", "none", "../followed"} {
		if tail, err := s.(journal.Follower).Follow(id); tail != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q is followed: %v", id, err)
		}
	}
	l := must(t)(s.Create("followed"))
	journaltest.Fill(t, l, 0, 3)
	type follower struct {
		journal.Tail
		next uint64
	}
	var all []*follower
	follow := func(from journal.Store) {
		t.Helper()
		tail, err := from.(journal.Follower).Follow("followed")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := tail.Close(); err != nil {
				t.Error(err)
			}
		})
		all = append(all, &follower{Tail: tail})
	}
	check := func(to uint64) {
		t.Helper()
		for i, f := range all {
			err := f.Read(func(n uint64, rec []byte) error {
				if n != f.next || !bytes.Equal(rec, journaltest.Record(n)) {
					t.Errorf("follower %d: record %d = %.40q, want record %d", i, n, rec, f.next)
				}
				f.next = n + 1
				return nil
			})
			if err != nil || f.next != to {
				t.Fatalf("follower %d has read up to %d, want %d: %v", i, f.next, to, err)
			}
		}
	}
	follow(s)
	follow(other)
	check(3)
	check(3)
	journaltest.Fill(t, l, 3, 40)
	check(40)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = must(t)(s.Open("followed"))
	n := l.Next()
	journaltest.Fill(t, l, n, n+10)
	follow(other)
	check(n + 10)
	journaltest.Fill(t, l, n+10, n+15)
	if err := errors.Join(l.Close(), s.Retire("followed")); err != nil {
		t.Fatal(err)
	}
	follow(s)
	follow(other)
	check(n + 15)
	check(n + 15)
	enough := errors.New("enough")
	tail, err := s.(journal.Follower).Follow("followed")
	if err != nil {
		t.Fatal(err)
	}
	defer tail.Close()
	if err := tail.Read(func(uint64, []byte) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("it ends with %v", err)
	}
}

// A reader continues in the archive if the match ends, and its journal is archived,
// between two of the records that it reads.
func putAwayWhileRead(t *testing.T, open func(t *testing.T) journal.Store) {
	s, other := open(t), open(t)
	l := must(t)(s.Create("put-away"))
	const records = 120
	for n := range uint64(records) {
		journaltest.Fill(t, l, n, n+1) // a message each
	}
	tail, err := other.(journal.Follower).Follow("put-away")
	if err != nil {
		t.Fatal(err)
	}
	var next uint64
	err = tail.Read(func(n uint64, rec []byte) error {
		if n != next || !bytes.Equal(rec, journaltest.Record(n)) {
			t.Errorf("record %d = %.40q, want record %d", n, rec, next)
		}
		next = n + 1
		if n == 3 {
			return errors.Join(l.Close(), s.Retire("put-away"))
		}
		return nil
	})
	if err != nil || next != records {
		t.Errorf("it has read up to %d, want %d: %v", next, records, err)
	}
	if err := tail.Close(); err != nil {
		t.Error(err)
	}
}

// A reader that has enough ends the reading, with its own error.
func readingStops(t *testing.T, open func(t *testing.T) journal.Store) {
	l := must(t)(open(t).Create("stopped"))
	journaltest.Fill(t, l, 0, 100)
	enough := errors.New("enough")
	for _, most := range []int{1, 3, 99} {
		read := 0
		err := l.Read(0, func(uint64, []byte) error {
			if read++; read == most {
				return enough
			}
			return nil
		})
		if !errors.Is(err, enough) || read != most {
			t.Errorf("%d read: %v", read, err)
		}
	}
	journaltest.Check(t, l, 0, 100)
}

// rewriting: records of a past journal are replaced, and of no other; an open reader goes on with the old ones.
func rewriting(t *testing.T, open func(t *testing.T) journal.Store) {
	s := open(t)
	rewrite := func(match string, n uint64) error {
		return s.(journal.Rewriter).Rewrite(match, func(at uint64, rec []byte) ([]byte, error) {
			if at == n {
				return []byte("another"), nil
			}
			return rec, nil
		})
	}
	read := func() (out []string) {
		t.Helper()
		tail, err := s.(journal.Follower).Follow("rewritten")
		if err == nil {
			err = errors.Join(tail.Read(func(_ uint64, rec []byte) error { out = append(out, string(rec)); return nil }), tail.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if err := rewrite("rewritten", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a journal that there is not: %v", err)
	}
	if err := rewrite("../rewritten", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no match id: %v", err)
	}
	l := must(t)(s.Create("rewritten"))
	journaltest.Fill(t, l, 0, 40)
	if err := rewrite("rewritten", 1); !errors.Is(err, journal.ErrNotPast) {
		t.Errorf("a live journal: %v", err)
	}
	if err := errors.Join(l.Close(), s.Retire("rewritten")); err != nil {
		t.Fatal(err)
	}
	was := read()
	early, err := s.(journal.Follower).Follow("rewritten")
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	if err := rewrite("rewritten", 99); err != nil || !slices.Equal(read(), was) {
		t.Errorf("nothing is another: %v", err)
	}
	broken := errors.New("broken")
	if err := s.(journal.Rewriter).Rewrite("rewritten", func(n uint64, rec []byte) ([]byte, error) {
		if n == 30 {
			return nil, broken
		}
		return []byte("x"), nil
	}); !errors.Is(err, broken) || !slices.Equal(read(), was) {
		t.Errorf("broken off: %v", err)
	}
	if err := rewrite("rewritten", 17); err != nil {
		t.Fatal(err)
	}
	now := slices.Clone(was)
	now[17] = "another"
	if !slices.Equal(read(), now) {
		t.Errorf("read %q", read())
	}
	var seen []string
	if err := early.Read(func(_ uint64, rec []byte) error { seen = append(seen, string(rec)); return nil }); err != nil || !slices.Equal(seen, was) {
		t.Errorf("whoever had it open reads %d records, %v", len(seen), err)
	}
}
