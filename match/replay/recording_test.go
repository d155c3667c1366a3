package replay

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// growing is a journal that yields the new records since the last read.
type growing struct {
	records [][]byte
	upTo    int
	read    int
}

func (g *growing) Read(each func(uint64, []byte) error) error {
	for ; g.read < g.upTo; g.read++ {
		if err := each(uint64(g.read), g.records[g.read]); err != nil {
			return err
		}
	}
	return nil
}

// TestARecordingGrows: a match that is not over is played as far as its journal has
// come, and a cursor that stands at its end goes on once there is more.
func TestARecordingGrows(t *testing.T) {
	o := play(t)
	g := &growing{records: o.records, upTo: 8}
	rec, err := Read(g.Read, Options{})
	if err != nil {
		t.Fatal(err)
	}
	early, err := rec.Cursor()
	if err != nil {
		t.Fatal(err)
	}
	for last := grid.Tick(0); ; {
		if rec.Last() < last || rec.Over() || rec.Last() > 0 && rec.Last() == last && g.upTo < len(g.records) {
			t.Fatalf("after %d records the last tick is %d, and was %d", g.upTo, rec.Last(), last)
		}
		last = rec.Last()
		for _, to := range []grid.Tick{last, last / 2, last} {
			if err := early.Seek(t.Context(), to); err != nil || early.World().Hash() != o.hashes[to] {
				t.Fatalf("tick %d of %d: %v", to, last, err)
			}
		}
		var beyond *RangeError
		if err := early.Step(); !errors.As(err, &beyond) || beyond.Last != last {
			t.Fatalf("a step beyond tick %d: %v", last, err)
		}
		if g.upTo == len(g.records) {
			break
		}
		g.upTo = min(g.upTo+5, len(g.records))
		if err := rec.Refresh(); err != nil {
			t.Fatal(err)
		}
	}
	g.records = append(g.records, journal.EndedRecord(sim.Result{Reason: "test"}))
	g.upTo++
	if err := rec.Refresh(); err != nil || !rec.Over() || rec.Summary().Ended.Reason != "test" {
		t.Errorf("the end of the match: over %v, %v", rec.Over(), err)
	}
	// A record that does not follow is refused, and the earlier ones stay.
	last := rec.Last()
	g.records, g.upTo = append(g.records, o.records[3]), g.upTo+1
	if err := rec.Refresh(); err == nil || !strings.Contains(err.Error(), "follows tick") || rec.Last() != last {
		t.Errorf("a tick again: %v, last tick %d", err, rec.Last())
	}
}

// TestCursorsShareARecording: many cursors on one recording go to random ticks side by
// side, while it is indexed and its checkpoints are dropped. Each sees the match's states.
func TestCursorsShareARecording(t *testing.T) {
	o := play(t)
	g := &growing{records: o.records, upTo: 10}
	rec, err := Read(g.Read, Options{CheckpointBytes: 60_000})
	if err != nil {
		t.Fatal(err)
	}
	rec.every = 10
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			c, err := rec.Cursor()
			if err != nil {
				t.Error(err)
				return
			}
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for n := range 25 {
				to := grid.Tick(random.IntN(int(rec.Last()) + 1))
				if err := c.Seek(t.Context(), to); err != nil || c.World().Hash() != o.hashes[to] {
					t.Errorf("cursor %d at tick %d: %v", i, to, err)
					return
				}
				switch {
				case i == 0 && n == 12:
					rec.Drop()
				case i == 1:
					if err := c.Index(t.Context(), nil); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for g.upTo < len(g.records) { // only Refresh reads it
		rec.reading.Lock()
		g.upTo++
		rec.reading.Unlock()
		if err := rec.Refresh(); err != nil {
			t.Fatal(err)
		}
	}
	all.Wait()
	if n, bytes := rec.Checkpoints(); n > 1 && bytes > rec.limit {
		t.Errorf("%d checkpoints take %d bytes, at most %d", n, bytes, rec.limit)
	}
	if rec.Bytes() == 0 {
		t.Error("it takes no memory")
	}
}

// TestARecordingIsBounded: a journal of more bytes than a recording may take is refused.
func TestARecordingIsBounded(t *testing.T) {
	o := play(t)
	if _, err := Read(reading(o.records), Options{RecordBytes: 1000}); err == nil || !strings.Contains(err.Error(), "more than 1000 bytes") {
		t.Errorf("%v", err)
	}
}
