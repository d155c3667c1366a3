package journal

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
)

// fullDisk is a file on a disk that fills up: it takes room bytes more, the last
// of them in part of a write, and fails its syncs too if told so.
type fullDisk struct {
	Handle
	room, refused *atomic.Int64 // bytes, writes
	syncs         bool          // the sync fails, not the write
}

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.syncs {
		return f.Handle.Write(b)
	}
	if n := f.room.Load(); n < int64(len(b)) {
		n, _ := f.Handle.Write(b[:max(0, n)])
		f.refused.Add(1)
		return n, &fsError{syscall.ENOSPC}
	}
	f.room.Add(-int64(len(b)))
	return f.Handle.Write(b)
}

func (f *fullDisk) Sync() error {
	if f.syncs && f.room.Load() <= 0 {
		f.refused.Add(1)
		return &fsError{syscall.EDQUOT}
	}
	return f.Handle.Sync()
}

type fsError struct{ err error }

func (e *fsError) Error() string { return "write: " + e.err.Error() }
func (e *fsError) Unwrap() error { return e.err }

// TestFullDiskIsWaitedFor: what is appended while the disk is full is not on disk,
// and is, once, as soon as there is room.
func TestFullDiskIsWaitedFor(t *testing.T) {
	for _, syncs := range []bool{false, true} {
		dir, err := OpenDir(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		var room, refused atomic.Int64
		room.Store(100)
		dir.Wrap = func(h Handle) Handle { return &fullDisk{h, &room, &refused, syncs} }
		l, err := dir.Create("m")
		if err != nil {
			t.Fatal(err)
		}
		add := func() {
			t.Helper()
			if err := l.Append(l.Next(), fmt.Appendf(nil, "record %02d of twenty bytes", l.Next())); err != nil {
				t.Fatal(err)
			}
		}
		add()
		if err := l.Wait(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		room.Store(min(room.Load(), 10))
		if syncs {
			room.Store(0)
		}
		for range 5 {
			add()
		}
		eventually.Holds(t, "the log says that the disk is full, and tries again", func() bool { return l.Stalled() != nil && refused.Load() > 2 })
		if n := l.Synced(); n != 1 {
			t.Fatalf("%d records are on a full disk", n)
		}
		room.Store(1 << 20)
		add()
		if err := l.Wait(t.Context(), 6); err != nil || l.Stalled() != nil {
			t.Fatal(err, l.Stalled())
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		torn, err := ReadFile(dir.Path("m"), func(i uint64, rec []byte) error {
			if want := fmt.Sprintf("record %02d of twenty bytes", n); i != n || string(rec) != want {
				t.Errorf("record %d is %q", i, rec)
			}
			n++
			return nil
		})
		if torn || err != nil || n != 7 {
			t.Errorf("%d records, torn %v, %v", n, torn, err)
		}
	}
}

// TestClosedOnAFullDisk: a log that is closed while it waits for room says that it
// has not written everything, and leaves a whole file.
func TestClosedOnAFullDisk(t *testing.T) {
	dir, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var room atomic.Int64
	room.Store(60)
	dir.Wrap = func(h Handle) Handle { return &fullDisk{h, &room, new(atomic.Int64), false} }
	l, err := dir.Create("m")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := l.Append(uint64(i), []byte("a record of thirty bytes, or so")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			if err := l.Wait(t.Context(), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); !isFull(err) {
		t.Errorf("closed with %v", err)
	}
	n := 0
	if torn, err := ReadFile(dir.Path("m"), func(uint64, []byte) error { n++; return nil }); torn || err != nil || n != 1 {
		t.Errorf("%d records, torn %v, %v", n, torn, err)
	}
}
