package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// changedTable returns the field table with one row changed.
func changedTable(t *testing.T, name string, change func(*Field)) *plan {
	t.Helper()
	fields, own := slices.Clone(Fields[:]), slices.Clone(OwnFields[:])
	for _, list := range [][]Field{fields, own} {
		for i := range list {
			list[i].Sent = slices.Clone(list[i].Sent)
			if list[i].Name == name {
				change(&list[i])
			}
		}
	}
	return planOf(fields, own)
}

// sentAt plays a unit whose health, amount, flags and place change at each tick,
// and returns at which of 40 ticks a difference told each one.
func sentAt(p *plan) (values [ValueKinds][]grid.Tick, moved []grid.Tick, entered Diff) {
	tr := NewTracker(Rules{W: 64, H: 64, TickRate: 20, Keep: 200})
	tr.plan = p
	var d Diff
	v := View{W: 64, H: 64, Units: []Unit{{Handle: 1, Entered: 1, FullSpeed: 4096, Pos: grid.Pos{X: 1 << 10, Y: 1 << 10}}}}
	for now := grid.Tick(1); now <= 40; now++ {
		u := &v.Units[0]
		v.Tick = now
		u.Values[ValueHealth], u.Values[ValueHealthChanges] = uint32(now), uint32(now)
		u.Values[ValueAmount], u.Values[ValueFlags] = uint32(now), FlagBuilding*uint32(now%2)
		u.Pos.X += 32 // 1/32 tile, of which its course says nothing
		tr.Update(&v)
		if now == 1 {
			tr.Diff(&entered, 0, MaskOptions{})
			continue
		}
		tr.Diff(&d, now-1, MaskOptions{})
		for i := range d.Values {
			if len(d.Values[i]) > 0 {
				values[i] = append(values[i], now)
			}
		}
		if len(d.Motion) > 0 {
			moved = append(moved, now)
		}
	}
	return values, moved, entered
}

// The tracker sends values when the table says: at their rate, in their steps, as
// something comes into sight or not, and some bits at once.
func TestTheTableSaysWhen(t *testing.T) {
	values, moved, entered := sentAt(tablePlan)
	if n := len(values[ValueHealth]); n != 20 {
		t.Errorf("health, at most ten a second, is sent at %d of 39 ticks at 20 a second", n)
	}
	if n := len(values[ValueFlags]); n != 39 {
		t.Errorf("the flag BUILDING, at once, is sent at %d of 39 ticks", n)
	}
	if len(entered.Values[ValueHealth]) != 1 {
		t.Error("health that is not full is not told as a unit comes into sight")
	}
	for _, tt := range []struct {
		name, row string
		change    func(*Field)
		right     func(values [ValueKinds][]grid.Tick, moves []grid.Tick, entered *Diff) bool
	}{
		{"five a second", "amount", func(f *Field) { f.Sent[0].When.PerS = 5 }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, _ *Diff) bool {
			return len(v[ValueAmount]) == 10 && len(v[ValueHealth]) == 20
		}},
		{"in the tick of the change", "amount", func(f *Field) { f.Sent[0].When.PerS = 0 }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, _ *Diff) bool {
			return len(v[ValueAmount]) == 39
		}},
		{"not on change", "amount", func(f *Field) { f.Sent[0].When.Change = false }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, e *Diff) bool {
			return len(v[ValueAmount]) == 0 && len(e.Values[ValueAmount]) == 1
		}},
		{"not at the start", "amount", func(f *Field) { f.Sent[0].When.Enter = false }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, e *Diff) bool {
			return len(v[ValueAmount]) == 20 && len(e.Values[ValueAmount]) == 0
		}},
		{"in steps of eight", "amount", func(f *Field) { f.Sent[0].Exact.Step = 8 }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, _ *Diff) bool {
			return len(v[ValueAmount]) < 6 && len(v[ValueAmount]) > 0
		}},
		{"no bit at once", "flags", func(f *Field) { f.Sent[0].When.AtOnce = 0 }, func(v [ValueKinds][]grid.Tick, _ []grid.Tick, _ *Diff) bool {
			return len(v[ValueFlags]) < 39
		}},
		{"a course a quarter of a tile off", "motion", func(f *Field) { f.Sent[motionSimulated].Exact.Off = grid.WUPerTile / 4 }, func(_ [ValueKinds][]grid.Tick, moves []grid.Tick, _ *Diff) bool {
			return len(moves) > 0 && len(moves) < len(moved)
		}},
		{"on its tile", "motion", func(f *Field) {
			f.Sent[motionSimulated].Exact = Exact{Off: 8 * grid.WUPerTile, Tile: true}
		}, func(_ [ValueKinds][]grid.Tick, moves []grid.Tick, _ *Diff) bool {
			return len(moves) == 1
		}},
	} {
		v, moves, e := sentAt(changedTable(t, tt.row, tt.change))
		if !tt.right(v, moves, &e) {
			t.Errorf("%s, of %s: the values are sent at %v, motion at %v, at first %v", tt.row, tt.name, v, moves, e.Values)
		}
	}
}

// Values that only the owner of a unit knows are sent when the table says.
func TestTheTableSaysWhenOfTheOwner(t *testing.T) {
	sent := func(p *plan) (n int) {
		tr := NewTracker(Rules{W: 64, H: 64, TickRate: 20, Keep: 200})
		tr.plan = p
		var d OwnerDiff
		for now := grid.Tick(1); now <= 41; now++ {
			own := OwnerUnit{Handle: 1}
			own.Values[OwnerEnergy] = uint32(now)
			tr.Update(&View{Tick: now, W: 64, H: 64, Units: []Unit{{Handle: 1, Entered: 1}}, Owners: []OwnerState{{Slot: 0, Units: []OwnerUnit{own}}}})
			if tr.DiffOwner(&d, 0, now-1); now > 1 {
				n += len(d.Values[OwnerEnergy])
			}
		}
		return n
	}
	if n := sent(tablePlan); n != 10 {
		t.Errorf("energy in steps of 4 is sent %d times while it grows by 40", n)
	}
	if n := sent(changedTable(t, "energy", func(f *Field) { f.Sent[0].Exact.Step = 1 })); n != 40 {
		t.Errorf("exact, it is sent %d times", n)
	}
	if n := sent(changedTable(t, "energy", func(f *Field) { f.Sent[0].Exact.Step, f.Sent[0].When.PerS = 1, 5 })); n != 10 {
		t.Errorf("exact and five times a second, it is sent %d times in two seconds", n)
	}
}

// A row whose audience its part of the frame does not have ends the program.
func TestTheTableIsKeptTo(t *testing.T) {
	refused := func(name, row string, change func(*Field)) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: taken", name)
			}
		}()
		changedTable(t, row, change)
	}
	refused("a value of all for its owner alone", "health", func(f *Field) { f.Audience = Owner })
	refused("an owner's value for all", "energy", func(f *Field) { f.Audience = Seeing })
	refused("health without its counter", "health", func(f *Field) { f.Sent[0].When.PerS = 5 })
	refused("a value without a row", "amount", func(f *Field) { f.Name = "quantity" })
}

// The builder tells a value of the entities that the table names: of all that are
// in sight, or of the team's own.
func TestTheTableSaysWho(t *testing.T) {
	w := duelWorld(t)
	edit := simtest.Edit(w)
	for slot, x := range []int16{48, 50} {
		edit.SetHealth(add(t, w, grid.Slot(slot), "soldier", x, 48), 30)
	}
	w.Step(nil)
	for _, tt := range []struct {
		who         Audience
		own, others bool
	}{{Seeing, true, true}, {Team, true, false}} {
		for _, eyes := range []grid.Team{0, 1, grid.NoTeam} {
			b := NewBuilder(eyes)
			b.plan = changedTable(t, "health", func(f *Field) { f.Audience = tt.who })
			var v View
			b.Build(w, &v)
			told := map[bool]int{}
			for i := range v.Units {
				own := eyes == grid.NoTeam || w.Player(v.Units[i].Owner).Team == grid.Team(eyes)
				if v.Units[i].Values[ValueHealth] != 0 {
					told[own]++
				}
			}
			if eyes != grid.NoTeam && ((told[true] > 0) != tt.own || (told[false] > 0) != tt.others) || eyes == grid.NoTeam && told[true] != 2 {
				t.Errorf("health for %s, eyes %d: told of %d of the team's own and %d others", tt.who, eyes, told[true], told[false])
			}
		}
	}
}
