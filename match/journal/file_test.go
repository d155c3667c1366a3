package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func create(t *testing.T, id string) (*Dir, Log) {
	t.Helper()
	d, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Create(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return d, l
}

// record returns a record that tells its number and differs in length.
func record(n int) []byte {
	return []byte(fmt.Sprintf("%d:%s", n, strings.Repeat("x", n*7%50)))
}

func fill(t *testing.T, l Log, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		if err := l.Append(uint64(n), record(n)); err != nil {
			t.Fatal(err)
		}
	}
	if to > from {
		if err := l.Wait(t.Context(), uint64(to-1)); err != nil {
			t.Fatal(err)
		}
	}
}

func check(t *testing.T, l Log, from, to int) {
	t.Helper()
	want := from
	err := l.Read(uint64(from), func(n uint64, rec []byte) error {
		if int(n) != want || !bytes.Equal(rec, record(want)) {
			t.Errorf("record %d = %q, want record %d", n, rec, want)
		}
		want++
		return nil
	})
	if err != nil || want != to {
		t.Errorf("read up to %d, want %d: %v", want, to, err)
	}
}

func TestRecordsAreReadAcrossReopening(t *testing.T) {
	d, l := create(t, "m")
	fill(t, l, 0, 40)
	check(t, l, 0, 40)
	check(t, l, 17, 40)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Append(40, record(40)); !errors.Is(err, ErrClosed) {
		t.Errorf("append after close: %v", err)
	}
	l, err := d.Open("m")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Next() != 40 || l.Synced() != 40 {
		t.Fatalf("next %d, synced %d, want 40", l.Next(), l.Synced())
	}
	fill(t, l, 40, 60)
	check(t, l, 0, 60)
}

func TestOrderAndBounds(t *testing.T) {
	d, l := create(t, "m")
	if err := l.Append(1, record(1)); !errors.Is(err, ErrOrder) {
		t.Errorf("a gap: %v", err)
	}
	fill(t, l, 0, 2)
	if err := l.Append(1, record(1)); !errors.Is(err, ErrOrder) {
		t.Errorf("a number given out: %v", err)
	}
	if err := l.Append(2, nil); err == nil {
		t.Error("an empty record was taken")
	}
	if err := l.Append(2, make([]byte, RecordBytesMax+1)); err == nil {
		t.Error("a record over the bound was taken")
	}
	if _, err := d.Create("m"); !errors.Is(err, ErrExists) {
		t.Errorf("a second journal of one match: %v", err)
	}
	for _, id := range []string{"", "../m", ".m", `a\b`} {
		if _, err := d.Create(id); err == nil {
			t.Errorf("match id %q was taken", id)
		}
	}
	if ids, err := d.List(); err != nil || len(ids) != 1 || ids[0] != "m" {
		t.Errorf("list = %v, %v", ids, err)
	}
	if err := errors.Join(l.Close(), d.Remove("m")); err != nil {
		t.Error(err)
	}
	if ids, _ := d.List(); len(ids) != 0 {
		t.Errorf("list after remove = %v", ids)
	}
}

func TestWaitEnds(t *testing.T) {
	_, l := create(t, "m")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := l.Wait(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting for nothing: %v", err)
	}
	gone := make(chan error, 1)
	go func() { gone <- l.Wait(context.Background(), 5) }()
	fill(t, l, 0, 3)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-gone; !errors.Is(err, ErrClosed) {
		t.Errorf("waiting for a record that never comes: %v", err)
	}
}

// TestAKillAnywhereLosesOnlyTheTail cuts a journal at every byte, as a kill
// may: all whole records come back, and the log goes on.
func TestAKillAnywhereLosesOnlyTheTail(t *testing.T) {
	d, l := create(t, "m")
	fill(t, l, 0, 6)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(d.Path("m"))
	if err != nil {
		t.Fatal(err)
	}
	ends := []int{len(fileMagic)}
	for n := range 6 {
		ends = append(ends, ends[n]+headBytes+len(record(n)))
	}
	for _, zeroed := range []bool{false, true} {
		for cut := len(fileMagic); cut <= len(whole); cut++ {
			b := bytes.Clone(whole[:cut])
			if zeroed {
				b = append(b, make([]byte, 100)...)
			}
			kept := 0
			for kept < 6 && ends[kept+1] <= cut {
				kept++
			}
			id := fmt.Sprintf("cut%d-%v", cut, zeroed)
			if err := os.WriteFile(d.Path(id), b, 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := d.Open(id)
			if zeroed && cut != ends[kept] {
				// The tail's length is there and zeros are its payload, or the
				// length itself is cut: either way it ends the file or is damage.
				if err == nil {
					check(t, got, 0, kept)
					got.Close()
				}
				os.Remove(d.Path(id))
				continue
			}
			if err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if int(got.Next()) != kept {
				t.Fatalf("cut at %d: %d records, want %d", cut, got.Next(), kept)
			}
			fill(t, got, kept, kept+2)
			check(t, got, 0, kept+2)
			if err := errors.Join(got.Close(), os.Remove(d.Path(id))); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestDamageIsNamed flips every byte of all records but the last: no changed byte may go unnoticed.
func TestDamageIsNamed(t *testing.T) {
	d, l := create(t, "m")
	fill(t, l, 0, 4)
	l.Close()
	whole, err := os.ReadFile(d.Path("m"))
	if err != nil {
		t.Fatal(err)
	}
	last := len(whole) - headBytes - len(record(3))
	for at := range last {
		b := bytes.Clone(whole)
		b[at] ^= 0x41
		path := d.Path("damaged")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := 0
		torn, err := ReadFile(path, func(n uint64, rec []byte) error {
			if !bytes.Equal(rec, record(int(n))) {
				t.Errorf("byte %d flipped: record %d came back as %q", at, n, rec)
			}
			got++
			return nil
		})
		var damage *DamageError
		switch {
		case errors.As(err, &damage):
			if damage.Offset > int64(at) || damage.File != path {
				t.Errorf("byte %d flipped: %v", at, damage)
			}
		case err == nil && torn && got < 4: // a length that points past the end
		default:
			t.Errorf("byte %d flipped: %d records, torn %v, error %v", at, got, torn, err)
		}
	}
}

// TestSyncedIsOnDisk reads the file behind the log's back while it is written:
// what Synced covers is there.
func TestSyncedIsOnDisk(t *testing.T) {
	d, l := create(t, "m")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := range 300 {
			if l.Append(uint64(n), record(n)) != nil {
				return
			}
		}
	}()
	for l.Synced() < 300 {
		covered := l.Synced()
		got := uint64(0)
		if _, err := ReadFile(d.Path("m"), func(uint64, []byte) error { got++; return nil }); err != nil {
			t.Fatal(err)
		}
		if got < covered {
			t.Fatalf("%d records on disk, %d said to be", got, covered)
		}
	}
	<-done
}

func TestAFailedWriteStopsTheLog(t *testing.T) {
	_, l := create(t, "m")
	fill(t, l, 0, 1)
	l.(*File).f.Close() // the disk is gone
	if err := l.Append(1, record(1)); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(t.Context(), 1); err == nil {
		t.Error("a record that was not written counts as synced")
	}
	if err := l.Append(2, record(2)); err == nil || !strings.Contains(err.Error(), l.Name()) {
		t.Errorf("append to a failed log: %v, want an error that names the file", err)
	}
	if l.Synced() != 1 {
		t.Errorf("synced = %d", l.Synced())
	}
}

func FuzzScan(f *testing.F) {
	d, err := OpenDir(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	l, err := d.Create("m")
	if err != nil {
		f.Fatal(err)
	}
	for n := range 3 {
		l.Append(uint64(n), record(n))
	}
	l.Close()
	b, err := os.ReadFile(d.Path("m"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:len(b)-3])
	f.Add([]byte(fileMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := uint64(0)
		s, torn, err := scan(bytes.NewReader(b), "fuzz", func(i uint64, rec []byte) error {
			if i != n || len(rec) == 0 {
				t.Fatalf("record %d of %d bytes, want number %d", i, len(rec), n)
			}
			n++
			return nil
		})
		if err == nil && (s.end > int64(len(b)) || torn == (s.end == int64(len(b)))) {
			t.Fatalf("end %d of %d, torn %v", s.end, len(b), torn)
		}
	})
}

func BenchmarkAppendAndWait(b *testing.B) {
	d, err := OpenDir(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	l, err := d.Create("m")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	rec := make([]byte, 200)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if err := l.Append(uint64(n), rec); err != nil {
			b.Fatal(err)
		}
		if err := l.Wait(b.Context(), uint64(n)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPastIsOutOfTheWay: a retired journal is found by its match's id, is not
// listed, and keeps its name from being given again.
func TestPastIsOutOfTheWay(t *testing.T) {
	d, l := create(t, "m")
	fill(t, l, 0, 3)
	if err := errors.Join(l.Close(), d.SaveState("m", State{Tick: 7, Bytes: []byte("s")}), d.Retire("m")); err != nil {
		t.Fatal(err)
	}
	if ids, err := d.List(); err != nil || len(ids) != 0 {
		t.Errorf("list = %v, %v", ids, err)
	}
	got := 0
	if _, err := ReadFile(d.Path("m"), func(uint64, []byte) error { got++; return nil }); err != nil || got != 3 {
		t.Errorf("read %d records, %v", got, err)
	}
	if _, err := d.Create("m"); !errors.Is(err, ErrExists) {
		t.Errorf("a second journal of one match: %v", err)
	}
	if _, err := d.Open("m"); err == nil {
		t.Error("a past journal was opened to append to it")
	}
	if s, err := d.State("m"); s != nil || err != nil {
		t.Errorf("its state is still there: %v, %v", s, err)
	}
	if err := d.Retire("m"); err == nil {
		t.Error("retired twice")
	}
	if err := d.Remove("m"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(d.Path("m")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed, and there: %v", err)
	}
}

// TestPurgeTakesTheOldAlone: past journals of long ago go; younger ones, journals that matches still need, and
// other files stay.
func TestPurgeTakesTheOldAlone(t *testing.T) {
	d, l := create(t, "old")
	if err := errors.Join(l.Close(), d.Retire("old")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"young", "live"} {
		l, err := d.Create(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	notes := filepath.Join(filepath.Dir(d.Path("old")), "notes.txt")
	if err := errors.Join(d.Retire("young"), os.WriteFile(notes, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, path := range []string{d.Path("old"), d.Path("live"), notes} {
		if err := os.Chtimes(path, now, now.Add(-48*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := d.Purge(now.Add(-24 * time.Hour)); n != 1 || err != nil {
		t.Errorf("purged %d, %v; want the old one alone", n, err)
	}
	for _, path := range []string{d.Path("young"), d.Path("live"), notes} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(d.Path("old")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old one: %v", err)
	}
}

// TestAnExportIsTheFile, to the byte.
func TestAnExportIsTheFile(t *testing.T) {
	d, l := create(t, "m")
	fill(t, l, 0, 40)
	var out bytes.Buffer
	if err := Export(&out, func(each func(uint64, []byte) error) error { return l.Read(0, each) }); err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(d.Path("m")); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%d bytes, the file has %d, %v", out.Len(), len(want), err)
	}
}

// TestStatesComeBackAsTheyWent, and a damaged file is an error that names it.
func TestStatesComeBackAsTheyWent(t *testing.T) {
	d, _ := create(t, "m")
	for n := range 3 { // each in place of the one before
		want := State{Tick: 20, Hash: 1 << 63, Bytes: bytes.Repeat([]byte{byte(n), 1, 2}, 5000), Record: 7, Extra: []byte("seats")[:n]}
		if err := d.SaveState("m", want); err != nil {
			t.Fatal(err)
		}
		got, err := d.State("m")
		if err != nil || got.Tick != want.Tick || got.Hash != want.Hash || got.Record != want.Record || !bytes.Equal(got.Bytes, want.Bytes) || !bytes.Equal(got.Extra, want.Extra) {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	path := d.statePath("m")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{
		"empty": {}, "cut in the head": whole[:stateHead-1], "cut in the save": whole[:len(whole)-3],
		"another version": append([]byte("fogkstt\x01"), whole[8:]...), "flipped": flip(whole, len(whole)-9),
		"flipped in the head": flip(whole, 9), "flipped in the extra part": flip(whole, stateHead), "a longer extra part": flip(whole, stateHead-4),
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := d.State("m"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func flip(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 0x55
	return b
}

func TestOtherVersionsAreNamed(t *testing.T) {
	d, l := create(t, "m")
	l.Close()
	path := d.Path("m")
	if err := os.WriteFile(path, []byte("fogkjrn\x07rest"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Open("m"); err == nil || !strings.Contains(err.Error(), "version 7") {
		t.Errorf("%v", err)
	}
}
