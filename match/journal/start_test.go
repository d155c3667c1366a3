package journal

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// branched returns the setup of a match that begins at tick 33, and its first records,
// with the state in parts of so many bytes.
func branched(t testing.TB, partBytes int) (sim.Setup, [][]byte) {
	t.Helper()
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	s := sim.Setup{Map: m, Rules: set, Seed: 42, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	w, err := sim.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for range 33 {
		w.Step(nil)
	}
	if s, err = sim.Branch(s, w.Save(nil), s.Players); err != nil {
		t.Fatal(err)
	}
	recs, err := SetupRecords(Header{Match: "branch", Start: &StartOf{Match: "first"}}, s)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	parts, of, err := startRecords(enc, &StartOf{Match: "first"}, s.Start, partBytes)
	if err != nil {
		t.Fatal(err)
	}
	h, err := decodeHeader(recs[0][1:])
	if err != nil {
		t.Fatal(err)
	}
	h.Start = of
	return s, append([][]byte{headRecord(t, h), recs[1], recs[2]}, parts...)
}

func headRecord(t testing.TB, h *Header) []byte {
	t.Helper()
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{kindSetup}, b...)
}

func yield(recs [][]byte) Reader {
	return func(each func(uint64, []byte) error) error {
		for n, rec := range recs {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestJournalHoldsItsStart: the state that a match begins with is read from the parts
// that the journal has of it, and the match is played on from its tick.
func TestJournalHoldsItsStart(t *testing.T) {
	for _, partBytes := range []int{startPartBytes, 600} {
		s, recs := branched(t, partBytes)
		if parts := len(recs) - setupRecords; (parts == 1) != (partBytes == startPartBytes) {
			t.Fatalf("%d parts of %d bytes", parts, partBytes)
		}
		w, err := sim.New(s)
		if err != nil {
			t.Fatal(err)
		}
		setup := len(recs)
		for range 40 {
			out := w.Step(nil)
			if out.Hashed {
				recs = append(recs, AppendTick(nil, &Tick{Tick: out.Tick, Hashed: true, Hash: out.Hash}))
			}
		}
		again, sum, err := Replay(yield(recs), nil)
		if err != nil {
			t.Fatal(err)
		}
		h := &sum.Header
		if h.First() != 33 || h.SetupRecords() != uint64(setup) || h.Start.Match != "first" || sum.Ticks != 60 || sum.Hashes != 2 || again.Tick() != 60 {
			t.Errorf("first %d, %d setup records, start %+v, ticks %d, hashes %d, world at %d", h.First(), h.SetupRecords(), h.Start, sum.Ticks, sum.Hashes, again.Tick())
		}
		if sum, err := Walk(yield(recs[:setup-1]), nil); err != nil || sum.Begun || sum.Ticks != 33 {
			t.Errorf("without the last part: begun %v at %d, %v", sum.Begun, sum.Ticks, err)
		}
		if _, err := ReplayTail(&sum, yield(nil), &State{Tick: 50}, nil); err == nil {
			t.Error("an empty tail replays")
		}
	}
}

// TestDamagedStart: a start that is not what the setup names is refused, with the record.
func TestDamagedStart(t *testing.T) {
	_, good := branched(t, 600)
	n := len(good)
	head := func(change func(*StartOf)) []byte {
		h, err := decodeHeader(good[0][1:])
		if err != nil {
			t.Fatal(err)
		}
		change(h.Start)
		return headRecord(t, h)
	}
	tick := AppendTick(nil, &Tick{Tick: 40, Hashed: true, Hash: 1})
	for _, tt := range []struct {
		name, want string
		recs       [][]byte
	}{
		{"two parts swapped", "start: ", slices.Concat(good[:3], [][]byte{good[4], good[3]}, good[5:])},
		{"a part too many", "a part of a start that the setup does not name", slices.Concat(good, [][]byte{good[3]})},
		{"a tick before the last part", "a journal begins with", slices.Concat(good[:n-1], [][]byte{tick})},
		{"a part cut", "start: ", slices.Concat(good[:n-1], [][]byte{good[n-1][:len(good[n-1])-9]})},
		{"an empty part", "0 bytes", slices.Concat(good[:3], [][]byte{{kindStart}})},
		{"another hash", "the setup names", slices.Concat([][]byte{head(func(o *StartOf) { o.Hash++ })}, good[1:])},
		{"another tick", "tick is 33, the setup names 34", slices.Concat([][]byte{head(func(o *StartOf) { o.Tick++ })}, good[1:])},
		{"fewer bytes", "start: ", slices.Concat([][]byte{head(func(o *StartOf) { o.Bytes-- })}, good[1:])},
		{"no parts", "0 parts", [][]byte{head(func(o *StartOf) { o.Parts = 0 })}},
		{"many parts", "17 parts", [][]byte{head(func(o *StartOf) { o.Parts = startPartsMax + 1 })}},
		{"a huge state", "a state of", [][]byte{head(func(o *StartOf) { o.Bytes = sim.StartBytesMax + 1 })}},
	} {
		_, _, err := Replay(yield(tt.recs), nil)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "record ") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}
