package notes

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
)

const id = "0190-match"

func openDir(t *testing.T) *Dir {
	t.Helper()
	d, err := OpenDir(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t *testing.T, d *Dir) *Notes {
	t.Helper()
	n, err := d.Read(id)
	if err != nil || n == nil {
		t.Fatalf("notes: %v, %v", n, err)
	}
	n.end = 0
	return n
}

func look(t grid.Tick, s grid.Slot, x, y int) Camera {
	return Camera{t, s, grid.Tile{X: int16(x), Y: int16(y)}, 12}
}

var (
	link  = Link{Tick: 20, Slot: 1, Sent: 900, Received: 80, Messages: 20, Pending: 3, Late: 150, Frame: 20, Acked: 17, InFlight: 3, Limit: 4000, Budget: 8000}
	times = Times{
		Tick: 20, Ticks: 20, Missed: 1, Step: Phase{300 * time.Microsecond, time.Millisecond}, Write: Phase{0, 2 * time.Microsecond},
		View: Phase{5 * time.Microsecond, 6 * time.Microsecond}, Encode: Phase{7 * time.Microsecond, 8 * time.Microsecond}, Late: Phase{9 * time.Microsecond, time.Second},
	}
	report  = Report{Tick: 19, Slot: 1, Account: Account{Seconds: 60, Frames: 1190, Late: 40, Gaps: 1, LongestMs: 1700, TripMs: 90, Corrections: 2, Drawn: 3500, Slow: 12}}
	refused = Refused{Tick: 21, Slot: 3, Input: []byte("what it said")}
)

// TestNotes: notes are read again, from a running match, after it goes on in
// another process, and once it is over.
func TestNotes(t *testing.T) {
	d := openDir(t)
	if n, err := d.Read(id); n != nil || err != nil {
		t.Errorf("before anything was noted: %v, %v", n, err)
	}
	l := d.Open(id, 0, 20)
	l.Camera(look(5, 0, 10, 11))
	l.Camera(look(10, 0, 10, 11)) // as it was
	l.Camera(look(10, 1, 10, 11))
	l.Camera(look(15, 0, 300, 11))
	l.Link(link)
	l.Times(times)
	l.Refused(refused)
	l.Report(report)
	l.Close()
	want := &Notes{
		Runs: []Run{{0, 20}}, Cameras: []Camera{look(5, 0, 10, 11), look(10, 1, 10, 11), look(15, 0, 300, 11)},
		Links: []Link{link}, Times: []Times{times}, Refused: []Refused{refused}, Reports: []Report{report},
	}
	if got := read(t, d); !reflect.DeepEqual(got, want) {
		t.Fatalf("read %+v\nwant %+v", got, want)
	}

	// The second process begins a few ticks before the first had ended.
	l = d.Open(id, 12, 20)
	l.Camera(look(14, 1, 1, 1))
	l.Close()
	want.Runs = append(want.Runs, Run{12, 20})
	want.Cameras = []Camera{want.Cameras[0], want.Cameras[1], look(14, 1, 1, 1), want.Cameras[2]}
	if got := read(t, d); !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v\nwant %+v", got, want)
	}
	d.Retire(id)
	if _, err := os.Stat(d.file(id, true)); err != nil {
		t.Error(err)
	}
	if got := read(t, d); len(got.Cameras) != 4 {
		t.Errorf("of the past: %+v", got)
	}
	d.Remove(id)
	if n, err := d.Read(id); n != nil || err != nil {
		t.Errorf("after its removal: %v, %v", n, err)
	}
	var none *Log
	none.Camera(Camera{})
	none.Link(Link{})
	none.Times(Times{})
	none.Refused(Refused{})
	none.Report(Report{})
	none.Flush()
	none.Close()
	if (*Dir)(nil).Open(id, 0, 20) != nil {
		t.Error("no folder keeps notes")
	}
}

// TestSeveralNodes: the notes of two processes about a match, each on its own disk, are read together from chunks
// of whole rows, while one process still writes.
func TestSeveralNodes(t *testing.T) {
	a, b := openDir(t), openDir(t)
	fetch := func(d *Dir, raw []byte) []byte {
		t.Helper()
		for {
			c, err := d.Chunk(id, int64(len(raw)))
			if err != nil {
				t.Fatal(err)
			}
			if len(c) == 0 {
				return raw
			}
			raw = append(raw, c...)
		}
	}
	if raw := fetch(a, nil); len(raw) != 0 {
		t.Errorf("of a match without notes: %d bytes", len(raw))
	}
	l := a.Open(id, 0, 20)
	l.Camera(look(5, 0, 10, 11))
	l.Camera(look(30, 0, 12, 11))
	l.Close()
	first := fetch(a, nil)
	m := b.Open(id, 20, 20)
	m.Camera(look(25, 0, 40, 40))
	m.Link(link)
	m.Close()
	// A row that is being written is not sent, and neither is a damaged one.
	f, err := os.OpenFile(b.file(id, false), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	row := appendRow(nil, kindLook, appendNumbers(nil, 26, 1, 3, 3, 9))
	if _, err := f.Write(row[:len(row)-2]); err != nil {
		t.Fatal(err)
	}
	second := fetch(b, nil)
	if _, err := f.Write(row[len(row)-2:]); err != nil {
		t.Fatal(err)
	}
	f.Close()
	b.Retire(id)
	second = fetch(b, second)
	n := Join(Parse(second), nil, Parse(first))
	n.end = 0
	want := &Notes{
		Runs: []Run{{0, 20}, {20, 20}}, Links: []Link{link},
		Cameras: []Camera{look(5, 0, 10, 11), look(25, 0, 40, 40), {26, 1, grid.Tile{X: 3, Y: 3}, 9}, look(30, 0, 12, 11)},
	}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("together %+v\nwant %+v", n, want)
	}
	for _, at := range []int64{-1, 3, int64(len(second)) + 1, 1 << 50} { // from no row on
		if c, err := b.Chunk(id, at); len(c) != 0 || err != nil {
			t.Errorf("from %d on: %d bytes, %v", at, len(c), err)
		}
	}
	for _, name := range []string{"", "../" + id, `..\x`, "."} {
		if c, err := b.Chunk(name, 0); len(c) != 0 || err != nil {
			t.Errorf("of %q: %d bytes, %v", name, len(c), err)
		}
	}
	if n := Parse([]byte("nothing of that kind")); len(n.Cameras) != 0 || !n.Torn {
		t.Errorf("other bytes say %+v", n)
	}
}

// TestCutOff: after a kill at any byte the whole rows are read, and the match goes on behind them.
func TestCutOff(t *testing.T) {
	d := openDir(t)
	l := d.Open(id, 0, 20)
	for i := range 20 {
		l.Camera(look(grid.Tick(i+1), 0, i, 200+i))
	}
	l.Close()
	whole, err := os.ReadFile(d.file(id, false))
	if err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		for _, junk := range [][]byte{nil, {0}, bytes.Repeat([]byte{0}, 40), bytes.Repeat([]byte{0xFF}, 40)} {
			if err := os.WriteFile(d.file(id, false), append(bytes.Clone(whole[:size]), junk...), 0o600); err != nil {
				t.Fatal(err)
			}
			before := len(Parse(whole[:size]).Cameras)
			l := d.Open(id, 100, 20)
			l.Camera(look(101, 0, 7, 7))
			l.Close()
			n := read(t, d)
			if n.Torn || len(n.Cameras) != before+1 || n.Cameras[before] != look(101, 0, 7, 7) {
				t.Fatalf("cut off at %d of %d: %+v", size, len(whole), n)
			}
		}
	}
	if err := os.WriteFile(d.file(id, false), []byte("something else altogether"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Read(id); err == nil {
		t.Errorf("no notes at all: %+v", n)
	}
}

// TestBounds: a match notes no more than it may, for all acts of its players, and says so.
func TestBounds(t *testing.T) {
	d := openDir(t)
	l := d.Open(id, 0, 20)
	l.room = 4000
	for i := range 400 {
		l.Link(Link{Tick: grid.Tick(20 * i), Sent: 1 << 30, Limit: 1 << 30})
		l.Flush()
		eventually.Holds(t, "the writer keeps up", func() bool { return len(l.queue) < cap(l.queue) })
	}
	l.Close()
	n := read(t, d)
	at, err := os.Stat(d.file(id, false))
	if err != nil || !n.Full || len(n.Links) < 50 || at.Size() > 4100 {
		t.Errorf("%d bytes, %d rows, full: %v, %v", at.Size(), len(n.Links), n.Full, err)
	}

	d = openDir(t)
	l = d.Open(id, 0, 20)
	for i := range 100 {
		l.Refused(Refused{Tick: grid.Tick(i), Slot: 2, Input: []byte{byte(i)}})
	}
	l.Refused(Refused{Tick: 200, Slot: 3, Input: make([]byte, RefusedBytesMax+1)})
	l.Refused(Refused{Tick: 200, Slot: 3, Input: make([]byte, RefusedBytesMax)})
	l.Close()
	if n = read(t, d); len(n.Refused) != 5*RefusedPerSecond+1 {
		t.Errorf("%d refused inputs are noted", len(n.Refused))
	}
}

// TestSlowDisk: a match does not wait for a stuck disk, and the notes name the gap.
func TestSlowDisk(t *testing.T) {
	d := openDir(t)
	r, w, err := os.Pipe() // whose buffer is soon full
	if err != nil {
		t.Fatal(err)
	}
	l := newLog(w, 0, 0, 20, d.log)
	began := time.Now()
	for i := range 64 {
		for range 1000 {
			l.Link(Link{Tick: grid.Tick(20 * i), Sent: i})
		}
		l.Flush()
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("the match waited %v", took)
	}
	got := make(chan *Notes)
	go func() {
		var b bytes.Buffer
		b.WriteString(magic)
		_, _ = b.ReadFrom(r)
		got <- Parse(b.Bytes())
	}()
	eventually.Holds(t, "the disk is back", func() bool {
		l.Link(Link{Tick: 9999})
		l.Flush()
		return l.drops == 0
	})
	l.Close()
	if n := <-got; n.Torn || n.Lost == 0 || n.Links[len(n.Links)-1].Tick != 9999 {
		t.Errorf("%d rows, %d buffers lost, torn: %v", len(n.Links), n.Lost, n.Torn)
	}
}

// TestPurge: notes go after the time of the journals, notes of matches that went on elsewhere too.
func TestPurge(t *testing.T) {
	d := openDir(t)
	for _, m := range []string{"old", "left", "new"} {
		d.Open(m, 0, 20).Close()
	}
	d.Retire("old")
	d.Retire("new")
	past := time.Now().Add(-48 * time.Hour)
	for _, f := range []string{d.file("old", true), d.file("left", false)} {
		if err := os.Chtimes(f, past, past); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(d.path, "other.journal")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(other, past, past); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Purge(time.Now().Add(-24 * time.Hour)); n != 2 || err != nil {
		t.Errorf("%d deleted, %v", n, err)
	}
	for m, kept := range map[string]bool{"old": false, "left": false, "new": true} {
		if n, err := d.Read(m); err != nil || (n != nil) != kept {
			t.Errorf("%s is kept: %v, %v", m, n != nil, err)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
}

// FuzzParse: bytes from outside are read without a panic, and a write gives the read bytes again.
func FuzzParse(f *testing.F) {
	row := appendRow([]byte(magic), kindRun, appendNumbers(nil, 0, 20))
	f.Add(row)
	row = appendRow(row, kindLook, appendNumbers(nil, 5, 1, 10, 11, 12))
	row = appendRow(row, kindLink, appendNumbers(nil, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
	row = appendRow(row, kindTimes, appendNumbers(nil, 20, 20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10))
	row = appendRow(row, kindOrder, append(appendNumbers(nil, 7, 1), "input"...))
	row = appendRow(row, 'z', []byte("of a later version"))
	row = appendRow(appendRow(row, kindGap, appendNumbers(nil, 3)), kindFull, nil)
	f.Add(row)
	f.Add(row[:len(row)-3])
	f.Fuzz(func(t *testing.T, raw []byte) {
		n := Parse(raw)
		if n.end > len(raw) {
			t.Fatalf("%d of %d bytes", n.end, len(raw))
		}
		if again := Parse(raw[:n.end]); n.end > 0 && again.Torn || len(again.Cameras) != len(n.Cameras) || len(again.Links) != len(n.Links) {
			t.Fatalf("%+v is read again as %+v", n, again)
		}
	})
}
