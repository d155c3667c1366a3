package view

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Changes are counted from the enter on, one a tick, however many hits it had,
// and of what is being built one each time that values are told.
func TestChangesAreCountedByTick(t *testing.T) {
	const told = 2
	b, shield := NewBuilder(0), uint32(0)
	a := &publicRow{changes: [len(Attributes)]uint16{900, 900}} // in the dark
	count := func(now, entered grid.Tick) uint32 {
		var values [ValueKinds]uint32
		b.countersSince(nil, a, 7, entered).change(a, now, told, &values)
		if n := values[ValueShieldChanges]; n != shield%ChangesWrap {
			t.Errorf("tick %d: %d changes of the shield, want %d", now, n, shield%ChangesWrap)
		}
		return values[ValueHealthChanges]
	}
	at := func(now grid.Tick, hits uint16) uint32 {
		a.changes[0] += hits
		if now%3 == 1 && a.unit.Values[ValueFlags] == 0 { // of each attribute on its own
			a.changes[1] += 2
			shield++
		}
		return count(now, 5)
	}
	want := uint32(0)
	for now, hits := range []uint16{0, 1, 3, 0, 1} {
		if hits > 0 {
			want++
		}
		if got := at(grid.Tick(5+now), hits); got != want {
			t.Errorf("tick %d: %d changes, want %d", 5+now, got, want)
		}
	}
	a.unit.Values[ValueFlags] = FlagBuilding
	for now := grid.Tick(10); now < 30; now++ {
		if now%told == 0 {
			want++
		}
		if got := at(now, 1); got != want {
			t.Errorf("tick %d, being built: %d changes, want %d", now, got, want)
		}
	}
	a.unit.Values[ValueFlags] = 0
	for now := grid.Tick(30); now < 200; now++ {
		if want = (want + 1) % ChangesWrap; at(now, 1) != want {
			t.Errorf("tick %d, built: not %d changes", now, want)
		}
	}
	shield = 0
	if got := count(300, 300); got != 0 {
		t.Errorf("%d changes at the next enter", got)
	}
}
