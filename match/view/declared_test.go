package view

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// The numbers of declaredRules.
const (
	declaredPlain = iota // on change, at 10 per second
	declaredOnce
	declaredStep // in steps of 5, in its tick
	declaredLow  // of a low priority
)

var declaredRules = []rules.Value{
	{Name: "plain", Max: 100, PerS: 10, Step: 1, Priority: 100},
	{Name: "once", Max: 100, When: rules.ValueInitial, PerS: 10, Step: 1},
	{Name: "steps", Min: -100, Max: 100, Step: 5},
	{Name: "low", Max: 100, Step: 1, Priority: 1},
}

// declaredScene tells one unit's values, tick after tick.
type declaredScene struct {
	tr  *Tracker
	now grid.Tick
}

// next plays a tick with the values [number, difference from the start]; a missing one is at its start.
func (s *declaredScene) next(entered grid.Tick, values ...[2]int32) {
	s.now++
	v := View{Tick: s.now, W: 16, H: 16, Owners: []OwnerState{{Slot: 0}}}
	if entered != 0 {
		v.Units = []Unit{{Handle: 3, Entered: entered, Owner: 0}}
		u := OwnerUnit{Handle: 3, Actions: []OwnAction{{}}}
		for _, x := range values {
			d := Declared{Value: uint8(x[0]), N: uint32(x[1]<<1) ^ uint32(x[1]>>31)}
			u.Declared = append(u.Declared, d)
			d.Handle = 3
			v.Declared = append(v.Declared, d)
		}
		v.Owners[0].Units = []OwnerUnit{u}
	} else {
		v.Removed = []Removed{{Handle: 3}}
	}
	s.tr.Update(&v)
}

// told returns the rows for a client of the tick before, or of another base: the rows of its eyes, which the owner is
// told in its own part too.
func (s *declaredScene) told(t *testing.T, base grid.Tick) (out []string) {
	t.Helper()
	var d Diff
	var own OwnerDiff
	s.tr.Diff(&d, base, MaskOptions{})
	s.tr.DiffOwner(&own, 0, base)
	for _, x := range d.Declared {
		if x.Handle != 3 {
			t.Errorf("a row of %d", x.Handle)
		}
		out = append(out, fmt.Sprintf("%s %d", declaredRules[x.Value].Name, ValueOf(0, x.N)))
	}
	if !slices.Equal(d.Declared, own.Declared) {
		t.Errorf("tick %d, base %d: eyes are told %v, the owner %v", s.now, base, d.Declared, own.Declared)
	}
	return out
}

// Values are told as the entity comes into sight, and then as their declarations say: once, at a rate, in steps; and
// always as they leave their start and come back to it. Each stay begins anew.
func TestDeclaredValuesAreTold(t *testing.T) {
	s := &declaredScene{tr: NewTracker(Rules{W: 16, H: 16, TickRate: 20, Keep: 100, Values: declaredRules})}
	for i, c := range []struct {
		entered grid.Tick
		values  [][2]int32
		want    string
	}{
		{1, [][2]int32{{declaredOnce, 4}, {declaredStep, -7}}, "[once 4 steps -7]"}, // tick 1
		{1, [][2]int32{{declaredPlain, 1}, {declaredOnce, 9}, {declaredStep, -7}}, "[plain 1]"},
		{1, [][2]int32{{declaredPlain, 2}, {declaredOnce, 9}, {declaredStep, -7}}, "[]"}, // not at this tick
		{1, [][2]int32{{declaredPlain, 2}, {declaredStep, -11}}, "[plain 2]"},            // a step is not done
		{1, [][2]int32{{declaredPlain, 2}, {declaredStep, -12}}, "[steps -12]"},
		{1, [][2]int32{{declaredPlain, 2}, {declaredStep, -8}}, "[]"},
		{1, [][2]int32{{declaredPlain, 2}}, "[steps 0]"}, // back at the start
		{1, [][2]int32{{declaredPlain, 2}, {declaredStep, 1}}, "[steps 1]"},
		{1, [][2]int32{{declaredPlain, 3}, {declaredStep, 1}}, "[]"},
		{1, [][2]int32{{declaredStep, 1}}, "[plain 0]"},
		{0, nil, "[]"},
		{12, [][2]int32{{declaredOnce, 6}}, "[once 6]"}, // it has come back
		{12, [][2]int32{{declaredOnce, 7}, {declaredStep, 2}}, "[steps 2]"},
	} {
		s.next(c.entered, c.values...)
		if got := fmt.Sprint(s.told(t, s.now-1)); got != c.want {
			t.Errorf("step %d, tick %d: told %s, want %s", i, s.now, got, c.want)
		}
	}
	for base, want := range map[grid.Tick]string{0: "[once 6 steps 2]", 5: "[once 6 steps 2]", 12: "[steps 2]", 13: "[once 6 steps 2]"} {
		if got := fmt.Sprint(s.told(t, base)); got != want {
			t.Errorf("from base %d: told %s, want %s", base, got, want)
		}
	}
}

// A client that missed ticks is told the newest value of each, also that it is back at its start.
func TestDeclaredValuesOfSeveralTicks(t *testing.T) {
	s := &declaredScene{tr: NewTracker(Rules{W: 16, H: 16, TickRate: 20, Keep: 100, Values: declaredRules})}
	s.next(1, [2]int32{declaredPlain, 5})
	s.next(1, [2]int32{declaredPlain, 6}, [2]int32{declaredLow, 3})
	s.next(1, [2]int32{declaredPlain, 6}, [2]int32{declaredLow, 4})
	s.next(1)
	for base, want := range map[grid.Tick]string{0: "[]", 1: "[plain 0 low 0]", 2: "[plain 0 low 0]", 3: "[plain 0 low 0]"} {
		if got := fmt.Sprint(s.told(t, base)); got != want {
			t.Errorf("from base %d: told %s, want %s", base, got, want)
		}
	}
}

// A change that waits for its tick keeps the entity in the views.
func TestAWaitingValueIsNotQuiet(t *testing.T) {
	tr := NewTracker(Rules{W: 16, H: 16, TickRate: 20, Keep: 100, Values: declaredRules})
	v := View{W: 16, H: 16, Quiet: tr.Quiet(), Units: []Unit{{Handle: 1, Entered: 1}}}
	quiet := func(rows ...Declared) bool {
		v.Tick++
		v.Quiet, v.Declared = tr.Quiet(), rows
		tr.Update(&v)
		return tr.Quiet()[1] > v.Tick+1
	}
	for range restTicks + 2 {
		quiet()
	}
	if !quiet() {
		t.Fatal("a unit at rest is not quiet")
	}
	for v.Tick%2 == 1 {
		quiet()
	}
	if quiet(Declared{1, declaredPlain, 2}) {
		t.Error("quiet, and a change of its value is not told yet")
	}
	if !quiet(Declared{1, declaredPlain, 2}) {
		t.Error("told, and not quiet")
	}
	if !quiet(Declared{1, declaredPlain, 2}, Declared{1, declaredOnce, 8}) {
		t.Error("not quiet, for a value that is not told again")
	}
}

// A client that is short of bytes gets changes of values by their priority, not by the priority of their entity's type; with
// other news of the entity, by the type's.
func TestValuesHaveTheirPriority(t *testing.T) {
	for _, c := range []struct {
		value uint8
		hurt  bool
		first grid.Handle
	}{{declaredLow, false, 2}, {declaredPlain, false, 1}, {declaredLow, true, 1}} {
		s := newScene(2)
		s.tr.rules.Values, s.looks = declaredRules, Interest{Priority: []uint8{0, 200, 50}}
		d := s.step(1, func(of map[grid.Handle]*Unit) {
			s.view.Declared = []Declared{{1, c.value, 2}}
			hurt(of, 2)
			if c.hurt {
				hurt(of, 1)
			}
		})
		first := grid.Handle(2)
		if len(d.Declared) > 0 {
			first = 1
		}
		if first != c.first || s.short.Pending() != 1 {
			t.Errorf("value %d, other news %v: %d is told first, want %d; %d wait", c.value, c.hurt, first, c.first, s.short.Pending())
		}
		if d = s.step(100, nil); s.short.Pending() != 0 || len(d.Declared) != int(c.first)-1 {
			t.Errorf("with room: %v are told, %d wait", d.Declared, s.short.Pending())
		}
	}
}

func TestValueOf(t *testing.T) {
	for _, x := range []int32{0, 1, -1, 7, -2_000_000_000, 2_000_000_000} {
		if got := ValueOf(0, uint32(x<<1)^uint32(x>>31)); got != x {
			t.Errorf("%d is %d", x, got)
		}
	}
	if ValueOf(-5, 9) != -10 || ValueOf(3, 4) != 5 {
		t.Error("the start does not count")
	}
}
