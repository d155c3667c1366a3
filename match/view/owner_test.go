package view

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A change of owner is told at once, to clients that have the tick before and to
// those that missed it. What only the former owner knew is not told again, and the
// new owner is told all of it.
func TestAChangeOfOwnerIsTold(t *testing.T) {
	tr := NewTracker(Rules{W: 64, H: 64, TickRate: 20, Keep: 200})
	owns := func(now grid.Tick, slot grid.Slot) {
		v := View{Tick: now, W: 64, H: 64, Units: []Unit{{Handle: 1, Entered: 1, Owner: slot, Exact: true}}, Owners: []OwnerState{{Slot: 0}, {Slot: 1}}}
		v.Owners[slot].Units = []OwnerUnit{{Handle: 1, Doing: 3}}
		tr.Update(&v)
	}
	told := func(base grid.Tick, slot grid.Slot) (owners []OwnerRow, tasks []TaskRow) {
		var d Diff
		var own OwnerDiff
		tr.Diff(&d, base, MaskOptions{})
		tr.DiffOwner(&own, slot, base)
		return d.Owners, own.Tasks
	}
	owns(1, 0)
	owns(2, 0)
	owns(3, 1)
	for _, base := range []grid.Tick{1, 2} {
		owners, tasks := told(base, 0)
		if len(owners) != 1 || owners[0] != (OwnerRow{1, 1}) {
			t.Errorf("from tick %d: told of owners %v", base, owners)
		}
		if len(tasks) != 0 {
			t.Errorf("from tick %d: the former owner is told %v", base, tasks)
		}
		if _, tasks = told(base, 1); len(tasks) != 1 || tasks[0].Doing != 3 {
			t.Errorf("from tick %d: the new owner is told %v", base, tasks)
		}
	}
	owns(4, 1)
	if owners, tasks := told(3, 1); len(owners)+len(tasks) != 0 {
		t.Errorf("told again: %v, %v", owners, tasks)
	}
	owns(5, 0) // and back: a client from before has it as its own, and forgets what it was told of it
	owners, tasks := told(2, 0)
	if len(owners) != 1 || owners[0].Owner != 0 || len(tasks) != 1 || tasks[0].Doing != 3 {
		t.Errorf("it came back: told of owners %v, tasks %v", owners, tasks)
	}
	short := tr.NewDeltaState(4)
	var d Diff
	if tr.DiffWithin(&d, short, 4, MaskOptions{}, Interest{}, 0); len(d.Owners) != 1 {
		t.Errorf("a client without room is told of owners %v", d.Owners)
	}
}
