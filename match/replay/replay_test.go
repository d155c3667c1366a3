package replay

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
)

// playedTicks is the length of the test's match: two checkpoints and a half.
const playedTicks = 250

// original is a match as it was played, tick by tick.
type original struct {
	records  [][]byte
	hashes   []uint64          // of the state after each tick
	pictures [3][]view.Picture // of all, and of each team
	answers  [][]sim.Answer
}

func play(t *testing.T) *original {
	t.Helper()
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	s := sim.Setup{Map: m, Rules: set, Seed: 42, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	o := &original{}
	if o.records, err = journal.SetupRecords(journal.Header{Match: "m", Build: "test", Extra: []byte(`{"seats":[{"Name":"Ada","Color":3},{"Name":"Bob","Color":5,"Bot":true}]}`)}, s); err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(s)
	if err != nil {
		t.Fatal(err)
	}
	keep := func(answers []sim.Answer) {
		o.hashes = append(o.hashes, w.Hash())
		o.answers = append(o.answers, answers)
		o.pictures[0] = append(o.pictures[0], *view.WholePicture(w))
		for team := range grid.Team(2) {
			o.pictures[1+team] = append(o.pictures[1+team], *view.TeamPicture(w, team))
		}
	}
	keep(nil)
	for n := range playedTicks {
		var in []sim.Input
		if n%10 == 3 {
			for slot := range 2 {
				var all []grid.Handle
				for h := range grid.Handle(40) {
					all = append(all, h+1)
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: grid.Slot(slot), Seq: uint32(n/10 + 1), AsOf: w.Tick(),
					Order: orders.Order{Kind: orders.AttackMove, Units: all, HasPoint: true, Point: m.Starts[1-slot].Center()}})
			}
		}
		out := w.Step(in)
		rec := journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() {
			o.records = append(o.records, journal.AppendTick(nil, &rec))
		}
		answers := slices.Clone(out.Answers)
		for i := range answers {
			answers[i].Left = slices.Clone(answers[i].Left)
		}
		keep(answers)
	}
	return o
}

func reading(recs [][]byte) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		for n, r := range recs {
			if err := each(uint64(n), r); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestEveryTickIsAsItWas goes to random ticks in random order, steps on, drops
// checkpoints and makes them again, with room for many, few and a single one: it shows the match's states.
func TestEveryTickIsAsItWas(t *testing.T) {
	o := play(t)
	rapid.Check(t, func(t *rapid.T) {
		r, err := Open(reading(o.records), Options{CheckpointBytes: rapid.SampledFrom([]int{0, 30_000, 1}).Draw(t, "room")})
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "all near") {
			r.Recording.every = 10
		}
		check := func(stepped bool) {
			t.Helper()
			at := r.Tick()
			if got := r.World().Hash(); got != o.hashes[at] {
				t.Fatalf("tick %d: hash %016x, want %016x", at, got, o.hashes[at])
			}
			for i, eyes := range []grid.Team{grid.NoTeam, 0, 1} {
				got, err := r.Picture(eyes)
				if err != nil || !reflect.DeepEqual(*got, o.pictures[i][at]) {
					t.Fatalf("tick %d: the picture of %d is another (%v)", at, eyes, err)
				}
			}
			if out := r.Outcome(); stepped && (out.Tick != at || !slices.EqualFunc(out.Answers, o.answers[at], func(a, b sim.Answer) bool {
				return a.Seq == b.Seq && a.Code == b.Code && a.Acts == b.Acts && len(a.Left) == len(b.Left)
			})) {
				t.Fatalf("tick %d: outcome %+v, want answers %+v", at, out, o.answers[at])
			}
		}
		for range rapid.IntRange(1, 8).Draw(t, "moves") {
			switch rapid.IntRange(0, 5).Draw(t, "move") {
			case 0:
				if err := r.Index(t.Context(), nil); err != nil || r.Indexed() != r.Last() {
					t.Fatal(r.Indexed(), err)
				}
				check(false)
			case 1:
				r.Drop()
				check(false)
			case 2:
				if r.Tick() < r.Last() {
					if err := r.Step(); err != nil {
						t.Fatal(err)
					}
					check(true)
				}
			default:
				to := grid.Tick(rapid.IntRange(0, int(r.Last())).Draw(t, "to"))
				if err := r.Seek(t.Context(), to); err != nil || r.Tick() != to {
					t.Fatalf("seek to %d: at %d, %v", to, r.Tick(), err)
				}
				check(to > 0)
			}
			if n, bytes := r.Checkpoints(); n > 1 && bytes > r.limit {
				t.Fatalf("%d checkpoints take %d bytes, at most %d", n, bytes, r.limit)
			}
		}
	})
}

// TestSeekPlaysLittle counts the ticks that a seek plays once the match was indexed.
func TestSeekPlaysLittle(t *testing.T) {
	o := play(t)
	r, err := Open(reading(o.records), Options{})
	if err != nil {
		t.Fatal(err)
	}
	stepped := 0
	if err := r.Index(t.Context(), func() error { stepped++; return nil }); err != nil || stepped != int(r.Last()) || stepped < playedTicks-10 {
		t.Fatalf("%d ticks: %v", stepped, err)
	}
	if n, _ := r.Checkpoints(); n != 2 {
		t.Fatalf("%d checkpoints, want 2", n)
	}
	if err := r.Index(t.Context(), func() error { t.Error("played twice"); return nil }); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ to, from grid.Tick }{{240, 200}, {100, 0}, {101, 100}, {200, 100}, {3, 0}, {201, 200}} {
		at := r.before(c.to - 1)
		from := grid.Tick(0)
		if at >= 0 {
			from = r.checkpoints[at].tick
		}
		if from != c.from {
			t.Errorf("a seek to %d begins at %d, want %d", c.to, from, c.from)
		}
	}
	if r.Seats[0] != (spec.Seat{Name: "Ada", Color: 3}) || r.Seats[1] != (spec.Seat{Name: "Bob", Color: 5, Bot: true}) {
		t.Errorf("seats %+v", r.Seats)
	}
}

// TestADivergenceIsNamed changes one answer: the replay says so at its tick, and goes
// on to work before it.
func TestADivergenceIsNamed(t *testing.T) {
	o := play(t)
	recs := slices.Clone(o.records)
	var at grid.Tick
	for i := len(recs) - 1; i > 0 && at == 0; i-- {
		if r, err := journal.Decode(recs[i]); err == nil && r.Tick != nil && len(r.Tick.Answers) > 0 {
			at = r.Tick.Tick
			r.Tick.Answers[0].Code++
			recs[i] = journal.AppendTick(nil, r.Tick)
		}
	}
	r, err := Open(reading(recs), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var d *journal.DivergedError
	if err := r.Index(t.Context(), nil); !errors.As(err, &d) || d.Tick != at {
		t.Fatalf("%v, want a divergence at tick %d", err, at)
	}
	if err := r.Seek(t.Context(), at-1); err != nil || r.World().Hash() != o.hashes[at-1] {
		t.Errorf("before it: %v", err)
	}
}

func TestOpenRefusesWhatIsNoMatch(t *testing.T) {
	recs := play(t).records
	far := journal.AppendTick(nil, &journal.Tick{Tick: 1 << 30, Hashed: true})
	for name, bad := range map[string]struct {
		recs [][]byte
		want string
	}{
		"nothing":          {nil, "ends before"},
		"only a setup":     {recs[:1], "ends before"},
		"no map":           {[][]byte{recs[0], recs[2]}, "begins with setup, map and rules"},
		"a map twice":      {append(slices.Clone(recs), recs[1]), "has them once"},
		"ticks backwards":  {append(slices.Clone(recs), recs[3]), "follows tick"},
		"a tick far ahead": {append(slices.Clone(recs), far), "follows tick"},
		"an unknown kind":  {append(slices.Clone(recs), []byte("?")), "unknown kind"},
	} {
		if _, err := Open(reading(bad.recs), Options{}); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: %v, want %q", name, err, bad.want)
		}
	}
	r, err := Open(reading(recs), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var beyond *RangeError
	if err := r.Seek(t.Context(), r.Last()+1); !errors.As(err, &beyond) || beyond.Last != r.Last() {
		t.Errorf("a tick after the last: %v", err)
	}
	if _, err := r.Picture(2); err == nil {
		t.Error("a team that the match does not have has eyes")
	}
}

// TestReplayOfABranch: a match that begins at tick T of another one has the ticks from T
// on, and each equals the original's: it got the same orders.
func TestReplayOfABranch(t *testing.T) {
	o := play(t)
	first, err := Open(reading(o.records), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const from = 117
	if err := first.Seek(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	setup := first.Setup
	setup.Start = first.World().Save(nil)
	records, err := journal.SetupRecords(journal.Header{Match: "b", Start: &journal.StartOf{Match: "m"}}, setup)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range o.records[3:] {
		if r, err := journal.Decode(rec); err != nil {
			t.Fatal(err)
		} else if r.Tick.Tick > from {
			records = append(records, rec)
		}
	}
	r, err := Open(reading(records), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.First() != from || r.Tick() != from || r.Last() != first.Last() {
		t.Errorf("ticks %d to %d, stands at %d", r.First(), r.Last(), r.Tick())
	}
	for _, at := range []grid.Tick{from, r.Last(), from + 1, 230, from, 180} {
		if err := r.Seek(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		if got := r.World().Hash(); got != o.hashes[at] || r.Tick() != at {
			t.Errorf("tick %d: hash %016x at %d, the original had %016x", at, got, r.Tick(), o.hashes[at])
		}
	}
	r.Drop()
	if err := r.Index(t.Context(), nil); err != nil || r.Indexed() != r.Last() {
		t.Errorf("indexed to %d: %v", r.Indexed(), err)
	}
	var out *RangeError
	if err := r.Seek(t.Context(), from-1); !errors.As(err, &out) || out.First != from {
		t.Errorf("before the first tick: %v", err)
	}
}

// TestHostileStart: a journal from outside may begin with any bytes as its state. It is refused, diverges, or is
// played, without a panic.
func TestHostileStart(t *testing.T) {
	o := play(t)
	first, err := Open(reading(o.records), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const from = 117
	if err := first.Seek(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	state := first.World().Save(nil)
	rng := rand.New(rand.NewPCG(1, 2))
	var refused, broke, played int
	for range 200 {
		setup := first.Setup
		setup.Start = slices.Clone(state)
		for range 1 + rng.IntN(4) {
			setup.Start[rng.IntN(len(state))] = byte(rng.Uint32())
		}
		records, err := journal.SetupRecords(journal.Header{Match: "b", Start: &journal.StartOf{Match: "m"}}, setup)
		if err != nil {
			refused++
			continue
		}
		for _, rec := range o.records[3:] {
			if r, err := journal.Decode(rec); err == nil && r.Tick != nil && r.Tick.Tick > from && r.Tick.Tick <= from+10 {
				records = append(records, rec)
			}
		}
		r, err := Open(reading(records), Options{})
		if err != nil {
			refused++
			continue
		}
		if err := r.Index(t.Context(), nil); err != nil {
			var diverged *journal.DivergedError
			var start *StartError
			if !errors.As(err, &diverged) && !errors.As(err, &start) {
				t.Fatal(err)
			}
			if start != nil {
				broke++
			}
			continue
		}
		played++
	}
	t.Logf("%d refused, %d broke while they were played, %d played to their end", refused, broke, played)
	if refused == 0 || played == 0 {
		t.Error("that proves little")
	}
}
