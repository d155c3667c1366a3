package sim

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// TestTalkIsBounded: the bounds of a line or a ping, each at the limit and one beyond, and
// the receivers.
func TestTalkIsBounded(t *testing.T) {
	chat := func(text string) Input { return Input{Kind: InputChat, Text: text} }
	ping := func(k PingKind, at grid.Pos) Input { return Input{Kind: InputPing, Ping: k, Point: at} }
	edge := grid.Pos{X: 64<<10 - 1, Y: 64<<10 - 1}
	for _, c := range []struct {
		name string
		in   Input
		want orders.Reject
	}{
		{"a line", chat("hi"), orders.OK},
		{"the longest line", chat(strings.Repeat("x", TextBytesMax)), orders.OK},
		{"a line too long", chat(strings.Repeat("x", TextBytesMax+1)), orders.Malformed},
		{"a line that is no text", chat("a\xff"), orders.Malformed},
		{"an empty line", chat(""), orders.Malformed},
		{"a ping", ping(PingHelp, edge), orders.OK},
		{"a ping of no kind", ping(0, edge), orders.Malformed},
		{"a ping off the map", ping(PingLook, grid.Pos{X: 64 << 10}), orders.OffMap},
		{"a line has no place", Input{Kind: InputChat, Text: "hi", Point: grid.Pos{X: -1}}, orders.OK},
	} {
		w := newWorld(t, Setup{Seed: 1, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
		c.in.Slot, c.in.Seq = 1, 9
		out := w.Step([]Input{c.in})
		if len(out.Answers) != 1 || out.Answers[0].Code != c.want || out.Answers[0].Seq != 9 || out.Answers[0].Slot != 1 {
			t.Errorf("%s: answers %+v, want %v", c.name, out.Answers, c.want)
		}
		if said := len(out.Said) == 1; said != (c.want == orders.OK) {
			t.Errorf("%s: said %+v", c.name, out.Said)
		} else if said && (out.Said[0].To != grid.TeamSet(0).With(1) || out.Said[0].Text != c.in.Text || out.Said[0].Ping != c.in.Ping) {
			t.Errorf("%s: said %+v", c.name, out.Said)
		}
	}
	w := newWorld(t, Setup{Seed: 1})
	out := w.Step([]Input{{Kind: InputChat, Slot: 0, Seq: 1, All: true, Text: "hi"}})
	if len(out.Said) != 1 || !out.Said[0].To.Has(0) || !out.Said[0].To.Has(1) {
		t.Errorf("a line to all goes to %+v", out.Said)
	}
}

// TestTalkIsLimited: SaidBurst lines at once, then one each second, to the tick. A refused
// line is free, and a repeated number gets the same answer again.
func TestTalkIsLimited(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	seq := uint32(0)
	say := func(text string) orders.Reject {
		seq++
		return w.Step([]Input{{Kind: InputChat, Seq: seq, Text: text}}).Answers[0].Code
	}
	all := func(n int) (in []Input) {
		for range n {
			seq++
			in = append(in, Input{Kind: InputChat, Seq: seq, Text: "x"})
		}
		return in
	}
	for range 3 * int(w.TickRate()) * SaidBurst {
		w.Step(nil)
	}
	for i, a := range w.Step(all(SaidBurst + 1)).Answers {
		if want := i < SaidBurst; (a.Code == orders.OK) != want || !want && a.Code != orders.RateLimited {
			t.Errorf("line %d at once: %v", i+1, a.Code)
		}
	}
	out := w.Step([]Input{{Kind: InputChat, Seq: 1, Text: "x"}, {Kind: InputChat, Seq: seq, Text: "x"}})
	if len(out.Said) != 0 || !out.Answers[0].Again || out.Answers[0].Code != orders.OK || out.Answers[1].Code != orders.RateLimited {
		t.Errorf("numbers that come again: %+v, said %+v", out.Answers, out.Said)
	}
	rate := int(w.TickRate()) / SaidPerSecond
	for range rate - 3 {
		w.Step(nil)
	}
	if code := say("early"); code != orders.RateLimited {
		t.Errorf("a tick before its second: %v", code)
	}
	if code := say("in time"); code != orders.OK {
		t.Errorf("a second after the last: %v", code)
	}
}

// TestInputsOfNobody: an input of a missing seat or an unknown kind has no answer, no
// effect, and no place in Compact's output.
func TestInputsOfNobody(t *testing.T) {
	w, twin := newWorld(t, Setup{Seed: 1}), newWorld(t, Setup{Seed: 1})
	odd := []Input{
		{Kind: InputOrder, Slot: 2, Seq: 1, Order: orders.Order{Kind: orders.Surrender}},
		{Kind: InputChat, Slot: grid.NoSlot, Seq: 1, Text: "x"},
		{Kind: InputLeft, Slot: 2},
		{Kind: inputEnd, Slot: 0, Seq: 1},
		{Kind: inputEnd + 9, Slot: 0, Seq: 2},
	}
	good := Input{Kind: InputChat, Slot: 1, Seq: 1, Text: "y"}
	out := w.Step(append(odd, good))
	if len(out.Answers) != 1 || out.Answers[0].Slot != 1 {
		t.Errorf("answers %+v", out.Answers)
	}
	twin.Step([]Input{good})
	if !bytes.Equal(w.Save(nil), twin.Save(nil)) {
		t.Error("inputs of nobody changed the world")
	}
	kept := Compact(nil, append(odd[:2:2], good), out.Answers, 2)
	if len(kept) != 1 || kept[0].Kind != good.Kind || kept[0].Slot != good.Slot || kept[0].Text != good.Text {
		t.Errorf("kept %+v, want the line of slot 1 alone", kept)
	}
	if kept = Compact(nil, []Input{good}, nil, 2); len(kept) != 0 {
		t.Errorf("kept without an answer: %+v", kept)
	}
}

// TestCompactKeepsRefusalsShort: Compact keeps only number and code of any input that was
// refused, or answered before.
func TestCompactKeepsRefusalsShort(t *testing.T) {
	order := Input{Kind: InputOrder, Slot: 1, Seq: 4, Order: orders.Order{Kind: orders.Stop, Units: []grid.Handle{1}}}
	line := Input{Kind: InputChat, Slot: 1, Seq: 5, Text: "x"}
	here := Input{Kind: InputJoined, Slot: 1}
	for _, c := range []struct {
		name   string
		answer Answer
		in     Input
		short  InputKind // 0: kept whole
	}{
		{"an order taken", Answer{Seq: 4}, order, 0},
		{"an order refused", Answer{Seq: 4, Code: orders.BadTarget}, order, InputOrderRefused},
		{"an order that comes again", Answer{Seq: 4, Again: true}, order, InputOrderRefused},
		{"a line taken", Answer{Seq: 5}, line, 0},
		{"a line refused", Answer{Seq: 5, Code: orders.RateLimited}, line, InputSaidRefused},
		{"a line that comes again", Answer{Seq: 5, Again: true}, line, InputSaidRefused},
	} {
		kept := Compact(nil, []Input{here, c.in}, []Answer{c.answer}, 2)
		if len(kept) != 2 || kept[0].Kind != InputJoined {
			t.Errorf("%s: kept %+v", c.name, kept)
			continue
		}
		got, want := kept[1], c.in
		if c.short != 0 {
			want = Input{Kind: c.short, Slot: 1, Seq: c.in.Seq, Code: c.answer.Code}
		}
		if got.Kind != want.Kind || got.Slot != want.Slot || got.Seq != want.Seq || got.Code != want.Code || got.Text != want.Text || len(got.Order.Units) != len(want.Order.Units) {
			t.Errorf("%s: kept as %+v, want %+v", c.name, got, want)
		}
	}
}

// TestHandlesAreMeantAsOfTheFrame: a handle names something from the frame in
// which it was given out, not from the tick before.
func TestHandlesAreMeantAsOfTheFrame(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	for range 5 {
		w.Step(nil)
	}
	j := judge{w}
	c := client{w: w}
	typ := c.named("worker")
	s, ok := w.Knowledge(0).Sighted(typ[0])
	if !ok {
		t.Fatal("the worker is out of sight")
	}
	e := w.Entity(s.ID)
	made := (Editor{w}).Add(0, e.typ, e.Pos())
	w.Step(nil)
	h, ok := w.Knowledge(0).HandleOf(made)
	if !ok {
		t.Fatal("the new worker is out of sight")
	}
	since := w.Tick()
	for asOf, want := range map[grid.Tick]bool{since - 1: false, since: true, since + 1: true} {
		if _, ok := j.Unit(0, h, asOf); ok != want {
			t.Errorf("unit as of tick %d: %v", asOf, ok)
		}
		if _, ok := j.Target(0, h, asOf); ok != want {
			t.Errorf("target as of tick %d: %v", asOf, ok)
		}
	}
}

// TestGhostsAreMeantAsOfTheirFirstSight: a ghost keeps the handle that the
// structure had, from the tick in which it was first seen.
func TestGhostsAreMeantAsOfTheirFirstSight(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	c := client{w: w}
	scout := w.Entity(must(w.Knowledge(0).Sighted(c.named("worker")[0])).ID)
	home := scout.Pos()
	typ, _ := w.rules.TypeByName("barracks")
	theirs := (Editor{w}).Add(1, typ, grid.Tile{X: 32, Y: 32}.Center())
	theirs.unbuilt = true
	w.Step(nil)
	(Editor{w}).Move(scout, grid.Tile{X: 29, Y: 33}.Center())
	w.Step(nil)
	h, ok := w.Knowledge(0).HandleOf(theirs)
	if !ok {
		t.Fatal("the barracks is out of sight")
	}
	first := w.Tick()
	(Editor{w}).Move(scout, home)
	w.Step(nil)
	g, ok := w.Knowledge(0).Ghost(h)
	if !ok {
		t.Fatal("no ghost")
	}
	j := judge{w}
	for asOf, want := range map[grid.Tick]bool{first - 1: false, first: true, w.Tick(): true} {
		got, ok := j.Target(0, h, asOf)
		if ok != want {
			t.Errorf("as of tick %d: %v", asOf, ok)
		}
		if ok && (!got.Ghost || got.ID != 0 || got.Relation != orders.Enemy || got.Unbuilt != g.Unbuilt || !got.Unbuilt || got.Type != typ || got.At != g.At) {
			t.Errorf("as of tick %d: %+v, the ghost is %+v", asOf, got, g)
		}
		if _, ok := j.Unit(0, h, asOf); ok {
			t.Errorf("as of tick %d: a ghost is a unit", asOf)
		}
	}
}

func must(s Sighting, ok bool) Sighting {
	if !ok {
		panic("out of sight")
	}
	return s
}

// TestRelations of each pair of players and teams.
func TestRelations(t *testing.T) {
	for _, c := range []struct {
		slot grid.Slot
		team grid.Team
		want orders.Relation
	}{{3, 1, orders.Own}, {4, 1, orders.Ally}, {5, 2, orders.Enemy}, {grid.NoSlot, grid.NoTeam, orders.Neutral}} {
		if got := relation(3, 1, c.slot, c.team); got != c.want {
			t.Errorf("slot %d of team %d is %v, want %v", c.slot, c.team, got, c.want)
		}
	}
}
