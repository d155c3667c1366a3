package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A change of owner is told at once, to clients that have the tick before and to clients that missed it. The former
// owner's private state is not told again, and the new owner is told all private state.
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

// ownOf returns a player's own state from a base, after views with one state a
// tick from tick 10 on.
func ownOf(base grid.Tick, states ...OwnerState) (d OwnerDiff) {
	tr := small()
	for i := range states {
		states[i].Slot = 3
		tr.Update(&View{Tick: grid.Tick(10 + i), W: 16, H: 16, Units: []Unit{{Handle: 5, Entered: 10, Owner: 3}, {Handle: 6, Entered: 10, Owner: 3}}, Owners: states[i : i+1]})
	}
	tr.DiffOwner(&d, 3, base)
	return d
}

// A client that has the tick of a change is not told again.
func TestOwnStateIsToldOnce(t *testing.T) {
	no := OwnerState{Resources: []uint32{1}, Production: []Production{{Handle: 5}}, Units: []OwnerUnit{{Handle: 5, Actions: []OwnAction{{}}}}}
	yes := OwnerState{Resources: []uint32{2}, Population: 4, PopulationMax: 9,
		Production: []Production{{Handle: 5, HasRally: true, Rally: grid.Pos{X: 2000, Y: 2000}, Types: []uint16{2}, Total: 1000}},
		Units:      []OwnerUnit{{Handle: 5, Doing: 2, Values: [OwnerValueKinds]uint32{7}, Actions: []OwnAction{{Grant: 1, On: true, Until: 900, Ready: 900}}}},
	}
	count := func(d OwnerDiff) []int {
		n := []int{len(d.Resources), 0, len(d.Queues), len(d.Rallies), len(d.Tasks), 0, len(d.Ready), len(d.Running), len(d.Grants)}
		if d.HasPopulation {
			n[1] = 1
		}
		for i := range d.Values {
			n[5] += len(d.Values[i])
		}
		return n
	}
	if got := count(ownOf(11, no, no, yes, yes)); !slices.Equal(got, []int{1, 1, 1, 1, 1, 1, 1, 1, 1}) {
		t.Errorf("one who has the tick before is told %v", got)
	}
	for _, base := range []grid.Tick{12, 13} {
		if got := ownOf(base, no, no, yes, yes, yes); !got.Empty() {
			t.Errorf("one who has tick %d is told %+v", base, got)
		}
	}
}

// A player without units is told its empty population.
func TestAnEmptyPopulationIsTold(t *testing.T) {
	if d := ownOf(0, OwnerState{}); !d.HasPopulation || d.Population != 0 || d.PopulationMax != 0 {
		t.Errorf("told %+v", d)
	}
}

// A producing structure keeps its own state when another comes before it.
func TestMakersKeepTheirOwn(t *testing.T) {
	six := Production{Handle: 6, HasRally: true, Rally: grid.Pos{X: 2000, Y: 2000}, Types: []uint16{2}, Total: 1000}
	five := Production{Handle: 5}
	d := ownOf(11, OwnerState{Production: []Production{six}}, OwnerState{Production: []Production{six}}, OwnerState{Production: []Production{five, six}})
	if len(d.Queues)+len(d.Rallies) != 0 {
		t.Errorf("told the queues %+v and the rallies %+v, though nothing of them changed", d.Queues, d.Rallies)
	}
	d = ownOf(0, OwnerState{Production: []Production{six}}, OwnerState{Production: []Production{five, six}})
	if len(d.Rallies) != 1 || d.Rallies[0].Handle != 6 || len(d.Queues) != 1 || d.Queues[0].Handle != 6 {
		t.Errorf("told the queues %+v and the rallies %+v, want those of 6", d.Queues, d.Rallies)
	}
}

// That a shot was started is told also if it never came into sight, for any handle.
func TestStartsOfWhatNeverCameIntoSight(t *testing.T) {
	tr := small()
	tr.Update(soldier(9, nil, nil))
	for _, h := range []grid.Handle{7, grid.Handle(tr.recs.len()), grid.Handle(tr.recs.len() + 1)} {
		d := ownOf(10, OwnerState{}, OwnerState{Started: []Started{{Request: 8, Handle: h}}})
		if !slices.Equal(d.Started, []Started{{Request: 8, Handle: h}}) {
			t.Errorf("handle %d: told %+v", h, d.Started)
		}
	}
	if d := ownOf(10, OwnerState{}, OwnerState{Started: []Started{{Request: 8, Handle: 5}}}); len(d.Started) != 0 {
		t.Errorf("told %+v: the handle names what came at another tick", d.Started)
	}
}

// Another rally point is told, and a unit is known by its handle as long as it stays.
func TestARallyPointMoves(t *testing.T) {
	at := func(x int32) OwnerState {
		return OwnerState{Production: []Production{{Handle: 5, HasRally: true, Rally: grid.Pos{X: x}}}}
	}
	if d := ownOf(10, at(2000), at(5000)); len(d.Rallies) != 1 || d.Rallies[0].Cell != cellOf(grid.Pos{X: 5000}, 16) {
		t.Errorf("told the rally points %+v", d.Rallies)
	}
	tr := small()
	tr.Update(soldier(4, nil, nil)) // it is in sight since the first view
	if !tr.InSightSince(5, 4) || tr.InSightSince(5, 0) || tr.InSightSince(4, 4) {
		t.Error("5 alone is in sight, since tick 1")
	}
	tr.Update(&View{Tick: 5, W: 16, H: 16, Removed: []Removed{{Handle: 5}}})
	if tr.InSightSince(5, 5) {
		t.Error("it left")
	}
}

// A rally point and a task at the first place of the map are told: to have no rally point or task differs.
func TestTheFirstPlaceIsAPlace(t *testing.T) {
	d := ownOf(10,
		OwnerState{Production: []Production{{Handle: 5}}, Units: []OwnerUnit{{Handle: 6, Doing: 2}}},
		OwnerState{Production: []Production{{Handle: 5, HasRally: true}}, Units: []OwnerUnit{{Handle: 6, Doing: 2, HasTo: true}}},
	)
	if len(d.Rallies) != 1 || !d.Rallies[0].Has || len(d.Tasks) != 1 || !d.Tasks[0].HasTo {
		t.Errorf("told the rally points %+v and the tasks %+v", d.Rallies, d.Tasks)
	}
}
