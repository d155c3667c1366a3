package replay_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A journal from outside is hostile input. These tests change journals of the corpus and
// write their sums anew, as somebody would who wants to do harm.

// namesPlace reports whether an error of reading a journal names the fault's place: in which record, or in the
// setup as a whole.
func namesPlace(err error) bool {
	var record *journal.RecordError
	var other *journal.OtherBuildError
	if errors.As(err, &record) || errors.As(err, &other) {
		return true
	}
	for _, of := range []string{"replay: the journal ends before the match begins", "replay: the setup's seats: ", "replay: the setup: "} {
		if strings.HasPrefix(err.Error(), of) {
			return true
		}
	}
	return false
}

// TestRefusalsNameThePlace: for each record of a file that is damaged, or stands in a wrong place, the error has
// its number and its offset.
func TestRefusalsNameThePlace(t *testing.T) {
	for _, name := range []string{"people", "scripted"} {
		recs := corpusJournal(t, name)
		offsets := []int64{8} // behind the file's magic number
		for _, rec := range recs {
			offsets = append(offsets, offsets[len(offsets)-1]+8+int64(len(rec)))
		}
		for _, c := range []struct {
			what   string
			change func(n int) [][]byte // the records with a change in record n
		}{
			{"an unknown kind", func(n int) [][]byte {
				out := slices.Clone(recs)
				out[n] = append([]byte{'?'}, recs[n][1:]...)
				return out
			}},
			{"cut off", func(n int) [][]byte {
				out := slices.Clone(recs)
				out[n] = recs[n][:1+(len(recs[n])-1)/2]
				return out
			}},
			{"twice", func(n int) [][]byte { return slices.Insert(slices.Clone(recs), n, recs[n]) }},
			{"a setup", func(n int) [][]byte { return slices.Insert(slices.Clone(recs), n, recs[0]) }},
		} {
			for n := range recs {
				changed := c.change(n)
				kind := recs[n][0]
				if c.what == "cut off" && (kind == 'F' || len(recs[n]) == 1) || c.what == "twice" && (kind == 'E' || kind == 'D' || kind == 'H') || c.what == "a setup" && n == 0 {
					continue // is as good as the whole, or says the same twice
				}
				at := n
				if c.what == "twice" || c.what == "a setup" && n == 0 {
					at = n + 1
				}
				file := filepath.Join(t.TempDir(), "changed.journal")
				f, err := os.Create(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(journal.Export(f, reading(changed)), f.Close()); err != nil {
					t.Fatal(err)
				}
				_, err = replay.Open(func(each func(uint64, []byte) error) error {
					_, err := journal.ReadFile(file, each)
					return err
				}, replay.Options{})
				var of *journal.RecordError
				if !errors.As(err, &of) || of.Record != uint64(at) || of.Offset != offsets[at] {
					t.Fatalf("%s: record %d, %q, %s: %v, want record %d at offset %d", name, n, kind, c.what, err, at, offsets[at])
				}
			}
		}
	}
}

// FuzzReplay changes bytes of a journal, and drops, repeats and swaps its records. It is
// refused with the place, or goes another way at a tick, or is played: it takes no more memory than its bounds, and
// never panics.
func FuzzReplay(f *testing.F) {
	var journals [][][]byte
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.journal"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no corpus: %v", err)
	}
	for _, file := range files {
		var recs [][]byte
		if _, err := journal.ReadFile(file, func(_ uint64, rec []byte) error {
			recs = append(recs, slices.Clone(rec))
			return nil
		}); err != nil {
			f.Fatal(err)
		}
		journals = append(journals, recs)
	}
	edit := func(list ...uint16) (b []byte) {
		for _, n := range list {
			b = binary.LittleEndian.AppendUint16(b, n)
		}
		return b
	}
	f.Add(uint8(0), edit())
	f.Add(uint8(1), edit(0, 60, '9'))         // the header
	f.Add(uint8(2), edit(1, 9, 0xff))         // the packed map
	f.Add(uint8(3), edit(4, 3, 0x7f))         // a tick
	f.Add(uint8(4), edit(5, editDrop, 0))     // a record is missing
	f.Add(uint8(5), edit(2, editTwice, 0))    // the rules twice
	f.Add(uint8(6), edit(3, editSwap, 6))     // in another order
	f.Add(uint8(1), edit(0xffff, editCut, 1)) // cut off
	errEnough := errors.New("played enough")
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		recs := edited(journals[int(which)%len(journals)], edits)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := replay.Open(reading(recs), replay.Options{CheckpointBytes: 1 << 20})
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 512<<20 {
			t.Fatalf("%d bytes to open it", grown)
		}
		if err != nil {
			var room *sim.StartError // its armies find no room
			if !namesPlace(err) && !errors.As(err, &room) {
				t.Fatalf("%v: it names no place", err)
			}
			return
		}
		ticks := 0
		err = r.Index(context.Background(), func() error {
			if ticks++; ticks == 100 {
				return errEnough
			}
			return nil
		})
		var diverged *journal.DivergedError
		if err != nil && !errors.As(err, &diverged) && !errors.Is(err, errEnough) {
			t.Fatal(err)
		}
	})
}

// The edits of a record besides changing a byte.
const (
	editDrop = 0xff00 + iota
	editTwice
	editSwap
	editCut
)

// edited changes records: each edit has three numbers, the record, the place in it or the kind of edit, and the value.
func edited(recs [][]byte, edits []byte) [][]byte {
	out := slices.Clone(recs)
	for ; len(edits) >= 6 && len(out) > 0; edits = edits[6:] {
		n := int(binary.LittleEndian.Uint16(edits)) % len(out)
		what, value := binary.LittleEndian.Uint16(edits[2:]), binary.LittleEndian.Uint16(edits[4:])
		switch what {
		case editDrop:
			out = slices.Delete(out, n, n+1)
		case editTwice:
			out = slices.Insert(out, n, out[n])
		case editSwap:
			m := int(value) % len(out)
			out[n], out[m] = out[m], out[n]
		case editCut:
			out[n] = out[n][:max(1, len(out[n])-int(value))]
		default:
			out[n] = bytes.Clone(out[n])
			out[n][int(what)%len(out[n])] = byte(value)
		}
	}
	return out
}
