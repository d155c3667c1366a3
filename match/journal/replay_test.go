package journal

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

func anyTick(t *rapid.T) *Tick {
	handle := rapid.Custom(func(t *rapid.T) grid.Handle { return grid.Handle(rapid.Uint32().Draw(t, "handle")) })
	pos := rapid.Custom(func(t *rapid.T) grid.Pos {
		return grid.Pos{X: rapid.Int32().Draw(t, "x"), Y: rapid.Int32().Draw(t, "y")}
	})
	input := rapid.Custom(func(t *rapid.T) sim.Input {
		in := sim.Input{
			Kind: sim.InputKind(rapid.IntRange(0, int(sim.InputSaidRefused)).Draw(t, "kind")),
			Slot: grid.Slot(rapid.Byte().Draw(t, "slot")), Seq: rapid.Uint32().Draw(t, "seq"), Lag: rapid.Byte().Draw(t, "lag"),
		}
		switch in.Kind {
		case sim.InputOrder:
			in.AsOf = grid.Tick(rapid.Uint32().Draw(t, "asof"))
			in.Order = orders.Order{
				Kind: orders.Kind(rapid.Byte().Draw(t, "order")), Queued: rapid.Bool().Draw(t, "queued"), Together: rapid.Bool().Draw(t, "together"),
				Target: handle.Draw(t, "target"), HasPoint: rapid.Bool().Draw(t, "has"), Point: pos.Draw(t, "point"),
				Type: rapid.Uint16().Draw(t, "type"), Ability: rapid.Byte().Draw(t, "ability"), Item: rapid.Byte().Draw(t, "item"),
				Request: rapid.Uint32().Draw(t, "request"),
			}
			if n := rapid.IntRange(0, 4).Draw(t, "units"); n > 0 {
				in.Order.Units = rapid.SliceOfN(handle, n, n).Draw(t, "of")
			}
		case sim.InputChat:
			in.All, in.Text = rapid.Bool().Draw(t, "all"), rapid.String().Draw(t, "text")
		case sim.InputKept:
			in.All = rapid.Bool().Draw(t, "on")
		case sim.InputOrderRefused, sim.InputSaidRefused:
			in.Code = orders.Reject(rapid.Byte().Draw(t, "code"))
		case sim.InputPing:
			in.Ping = sim.PingKind(rapid.Byte().Draw(t, "ping"))
			in.Point = pos.Draw(t, "at")
		}
		return in
	})
	answer := rapid.Custom(func(t *rapid.T) sim.Answer {
		a := sim.Answer{Slot: grid.Slot(rapid.Byte().Draw(t, "slot")), Seq: rapid.Uint32().Draw(t, "seq"),
			Code: orders.Reject(rapid.Byte().Draw(t, "code")), Acts: grid.Tick(rapid.Uint32().Draw(t, "acts")), Again: rapid.Bool().Draw(t, "again")}
		for range rapid.IntRange(0, 3).Draw(t, "left") {
			a.Left = append(a.Left, orders.LeftOut{Unit: handle.Draw(t, "unit"), Code: orders.Reject(rapid.Byte().Draw(t, "why"))})
		}
		return a
	})
	tick := &Tick{Tick: grid.Tick(rapid.Uint32().Draw(t, "tick"))}
	for range rapid.IntRange(0, 4).Draw(t, "inputs") {
		tick.Inputs = append(tick.Inputs, input.Draw(t, "input"))
	}
	for range rapid.IntRange(0, 4).Draw(t, "answers") {
		tick.Answers = append(tick.Answers, answer.Draw(t, "answer"))
	}
	if rapid.Bool().Draw(t, "hashed") {
		tick.Hashed, tick.Hash = true, rapid.Uint64().Draw(t, "hash")
	}
	return tick
}

func TestTicksComeBackAsTheyWent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyTick(t)
		b := AppendTick(nil, want)
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got.Tick, want) {
			t.Fatalf("got %+v, %v\nwant %+v", got.Tick, err, want)
		}
		for cut := 1; cut < len(b); cut++ {
			if _, err := Decode(b[:cut]); err == nil {
				t.Fatalf("cut at %d of %d is taken for whole", cut, len(b))
			}
		}
	})
}

// TestInputHasNoFieldThatIsNotWritten fails when an input or order grows a
// field: a journal that forgets one does not replay.
func TestInputHasNoFieldThatIsNotWritten(t *testing.T) {
	for _, c := range []struct {
		v    any
		want []string
	}{
		{sim.Input{}, []string{"Kind", "Slot", "Seq", "AsOf", "Lag", "Order", "All", "Text", "Point", "Ping", "Code"}},
		{orders.Order{}, []string{"Kind", "Queued", "Together", "Units", "Target", "HasPoint", "Point", "Type", "Ability", "Item", "Request"}},
		{sim.Answer{}, []string{"Slot", "Seq", "Code", "Left", "Acts", "Again"}},
	} {
		var got []string
		for i := range reflect.TypeOf(c.v).NumField() {
			got = append(got, reflect.TypeOf(c.v).Field(i).Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%T has %v, the journal writes %v: extend tick.go and Format", c.v, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(AppendTick(nil, &Tick{Tick: 7, Inputs: []sim.Input{
		{Kind: sim.InputOrder, Seq: 3, Order: orders.Order{Kind: orders.Move, Units: []grid.Handle{1, 2}, HasPoint: true, Point: grid.Pos{X: 5, Y: -6}}},
		{Kind: sim.InputChat, Text: "hello"},
	}, Answers: []sim.Answer{{Seq: 3, Acts: 9}}, Hashed: true, Hash: 1}))
	f.Add(EndedRecord(sim.Result{Tick: 9, Reason: "surrender"}))
	f.Add(FailedRecord("panic"))
	f.Add(DeliveredRecord())
	f.Add([]byte("T\x01\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Decode(b)
		if err != nil || r.Tick == nil {
			return
		}
		again, err := Decode(AppendTick(nil, r.Tick))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Fatalf("%+v comes back as %+v, %v", r.Tick, again.Tick, err)
		}
	})
}

// A journal of another format says so, with any other content.
func TestAnotherFormatIsNamed(t *testing.T) {
	for _, head := range []string{`S{"format":1}`, `S{"format":99,"seed":{"of":"a later kind"}}`} {
		_, err := Decode([]byte(head))
		if err == nil || !strings.Contains(err.Error(), "; this build reads format 4") {
			t.Errorf("%s: error %v, want one that names the formats", head, err)
		}
	}
}

// played returns the records of a short match in which two players order
// their armies at each other.
func played(t *testing.T) [][]byte {
	t.Helper()
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	s := sim.Setup{Map: m, Rules: rules, Seed: 42, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	recs, err := SetupRecords(Header{Match: "m", Build: "test"}, s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		var in []sim.Input
		if n%10 == 3 {
			for slot := range 2 {
				all := make([]grid.Handle, 0, 40)
				for h := range grid.Handle(40) {
					all = append(all, h+1)
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: grid.Slot(slot), Seq: uint32(n/10 + 1), AsOf: w.Tick(),
					Order: orders.Order{Kind: orders.AttackMove, Units: all, HasPoint: true, Point: m.Starts[1-slot].Center()}})
			}
		}
		out := w.Step(in)
		rec := Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() {
			recs = append(recs, AppendTick(nil, &rec))
		}
	}
	return recs
}

func replaying(recs [][]byte) Reader {
	return func(each func(uint64, []byte) error) error {
		for n, r := range recs {
			if err := each(uint64(n), r); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestReplayComesToTheSameState(t *testing.T) {
	recs := played(t)
	steps := 0
	w, sum, err := Replay(replaying(recs), func(*sim.World, sim.Outcome) error { steps++; return nil })
	if err != nil {
		t.Fatal(err)
	}
	if w.Tick() != 100 || steps != 100 || sum.Hashes != 5 || sum.Orders != 20 || sum.Inputs != 20 {
		t.Errorf("world at %d after %d steps, %+v", w.Tick(), steps, sum)
	}
}

// TestReplayCatchesADivergence plants one in an answer, in a hash, and in an order: it shows that the detector works.
func TestReplayCatchesADivergence(t *testing.T) {
	clean := played(t)
	for name, plant := range map[string]func(*Tick) bool{
		"answer": func(k *Tick) bool {
			if len(k.Answers) == 0 {
				return false
			}
			k.Answers[0].Code++
			return true
		},
		"state hash": func(k *Tick) bool { k.Hash ^= 1; return k.Hashed },
		"order": func(k *Tick) bool {
			if len(k.Inputs) == 0 {
				return false
			}
			k.Inputs[0].Order.Point = grid.Pos{X: 1 << 14, Y: 1 << 13}
			return true
		},
	} {
		recs := slices.Clone(clean)
		planted := false
		for i := 3; i < len(recs) && !planted; i++ {
			r, err := Decode(recs[i])
			if err != nil {
				t.Fatal(err)
			}
			if plant(r.Tick) {
				planted = true
				recs[i] = AppendTick(nil, r.Tick)
			}
		}
		_, _, err := Replay(replaying(recs), nil)
		var d *DivergedError
		if !planted || !errors.As(err, &d) {
			t.Errorf("a changed %s: planted %v, %v", name, planted, err)
		} else if name != "order" && !strings.Contains(d.What, name) {
			t.Errorf("a changed %s is called %q", name, d.What)
		}
	}
}

func TestReplayRefusesWhatIsNoMatch(t *testing.T) {
	recs := played(t)
	for name, bad := range map[string][][]byte{
		"nothing":          {},
		"no map":           {recs[0], recs[2]},
		"a setup twice":    {recs[0], recs[0]},
		"ticks backwards":  append(slices.Clone(recs), recs[3]),
		"a tick far ahead": append(slices.Clone(recs), AppendTick(nil, &Tick{Tick: 1 << 30})),
		"an unknown kind":  append(slices.Clone(recs), []byte("?")),
		"another format":   append([][]byte{[]byte(`S{"format":1}`)}, recs[1:]...),
	} {
		if _, _, err := Replay(replaying(bad), nil); err == nil {
			t.Errorf("%s is taken for a match", name)
		}
	}
}

// TestReplayFromAnySavedState plays a match again from its state after each
// second: every way leads to the same end, and a state that is not the
// journal's is refused.
func TestReplayFromAnySavedState(t *testing.T) {
	recs := played(t)
	var states []State
	straight, _, err := Replay(replaying(recs), func(w *sim.World, out sim.Outcome) error {
		if out.Hashed {
			states = append(states, State{Tick: out.Tick, Hash: out.Hash, Bytes: w.Save(nil)})
		}
		return nil
	})
	if err != nil || len(states) != 5 {
		t.Fatal(len(states), err)
	}
	for i := range states {
		steps := 0
		w, sum, err := ReplayFrom(replaying(recs), &states[i], func(*sim.World, sim.Outcome) error { steps++; return nil })
		if err != nil {
			t.Fatal(err)
		}
		if w.Hash() != straight.Hash() || steps != 100-int(states[i].Tick) || sum.Hashes != 5-i || sum.Header.Match != "m" {
			t.Errorf("from tick %d: %d steps to tick %d, hash %016x, want %016x; %+v", states[i].Tick, steps, w.Tick(), w.Hash(), straight.Hash(), sum)
		}
	}
	for name, bad := range map[string]State{
		"of another tick":    {Tick: states[1].Tick, Hash: states[1].Hash, Bytes: states[2].Bytes},
		"of no hashed tick":  {Tick: 33, Hash: states[1].Hash, Bytes: states[1].Bytes},
		"of a tick to come":  {Tick: 140, Hash: states[1].Hash, Bytes: states[1].Bytes},
		"of another match":   {Tick: states[1].Tick, Hash: states[1].Hash + 1, Bytes: states[1].Bytes},
		"with other bytes":   {Tick: states[1].Tick, Hash: states[1].Hash, Bytes: flip(states[1].Bytes, 40)},
		"with too few bytes": {Tick: states[1].Tick, Hash: states[1].Hash, Bytes: states[1].Bytes[:99]},
	} {
		var refused *StateError
		if w, _, err := ReplayFrom(replaying(recs), &bad, nil); w != nil || !errors.As(err, &refused) {
			t.Errorf("a state %s: %v", name, err)
		}
	}
}
