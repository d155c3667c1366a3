package client

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// Numbers of the protocol, as server.proto states them.
const (
	toldFine  = 16384   // courses from here on have the finer directions
	toldPaced = 1064960 // and from here on another pace
	toldUnits = 121     // places from here on are in world units
	toldFires = 2       // bit of a burst
	toldRest  = 20      // ticks that something stands before its facing is told
)

// middle returns the middle of p's cell of a sixteenth of a tile.
func middle(p grid.Pos) grid.Pos { return grid.Pos{X: p.X&^63 + 32, Y: p.Y&^63 + 32} }

// feed is a tracker whose views a test makes by hand, and its client.
type feed struct {
	t       *testing.T
	tracker *view.Tracker
	client  *Replica
	tick    grid.Tick
	diff    view.Diff
}

func newFeed(t *testing.T) *feed {
	return &feed{
		t:       t,
		tracker: view.NewTracker(view.Rules{W: testW, H: testH, TickRate: 20, Keep: 100}),
		client:  NewReplica(testW, testH, testFull),
	}
}

// tell brings the client to the next tick, in which the team sees the units.
func (f *feed) tell(v view.View, units ...view.Unit) *view.Diff {
	f.t.Helper()
	f.tick++
	v.Tick, v.W, v.H, v.Units = f.tick, testW, testH, units
	f.tracker.Update(&v)
	f.tracker.Diff(&f.diff, f.tick-1, view.MaskOptions{})
	if err := f.client.Apply(&f.diff); err != nil {
		f.t.Fatal(err)
	}
	for _, u := range units {
		if at := f.client.Pos(f.client.Entities[u.Handle], f.tick); !at.Within(u.Pos, view.ToleranceDefault) || u.Exact && at.Tile() != u.Pos.Tile() {
			f.t.Fatalf("tick %d: held to be at %v, it is %+v", f.tick, at, u)
		}
	}
	return &f.diff
}

// A short way is told in a few bytes; a continued one is told finely,
// and then no more.
func TestWaysAreToldCoarselyFirst(t *testing.T) {
	f := newFeed(t)
	u := view.Unit{Handle: 1, Entered: 1, FullSpeed: testFull[0], Exact: true, Pos: grid.Pos{X: 5000, Y: 20000}}
	f.tell(view.View{}, u)
	u.Vel = view.Velocity{X: 9820, Y: 403} // full speed, almost east
	x, y := u.Pos.X<<6, u.Pos.Y<<6
	var rows []view.MotionRow
	for range 300 {
		x, y = x+u.Vel.X, y+u.Vel.Y
		u.Pos = grid.Pos{X: x >> 6, Y: y >> 6}
		rows = append(rows, f.tell(view.View{}, u).Motion...)
	}
	if len(rows) == 0 || rows[0].Course >= toldFine || rows[0].Place >= toldUnits {
		t.Fatalf("setting off is told as %+v", rows)
	}
	if last := rows[len(rows)-1]; len(rows) > 4 || last.Course < toldFine || last.Course >= toldPaced {
		t.Errorf("a straight way took %+v", rows)
	}
	u.Vel = view.Velocity{X: 0, Y: -9830}
	y += u.Vel.Y
	u.Pos.Y = y >> 6
	rows = rows[:0]
	for range 3 {
		rows = append(rows, f.tell(view.View{}, u).Motion...)
		y += u.Vel.Y
		u.Pos.Y = y >> 6
	}
	if len(rows) != 1 || rows[0].Course < toldFine {
		t.Errorf("after a long way the next is told as %+v", rows)
	}
}

// A firing unit looks at its target: another direction is told once it rests.
func TestTurnsOfWhatFiresAreNotTold(t *testing.T) {
	f := newFeed(t)
	u := view.Unit{Handle: 1, Entered: 1, FullSpeed: testFull[0], Values: [view.ValueKinds]uint32{view.ValueBurst: toldFires}, Pos: grid.Pos{X: 5000, Y: 20000}}
	f.tell(view.View{}, u)
	for i := range 60 {
		u.Facing = grid.Facing(i * 4)
		if d := f.tell(view.View{}, u); len(d.Motion) > 0 {
			t.Fatalf("tick %d: told %+v", f.tick, d.Motion)
		}
	}
	u.Values[view.ValueBurst], u.Facing = 0, 100
	for range toldRest {
		if d := f.tell(view.View{}, u); len(d.Motion) > 0 {
			t.Fatalf("tick %d: told before it rests: %+v", f.tick, d.Motion)
		}
	}
	if d := f.tell(view.View{}, u); len(d.Motion) != 1 || d.Motion[0].Course != view.Stand(100) {
		t.Errorf("at rest it is told as %+v", d.Motion)
	}
}

// Fire is told with the values; the last target counts, and a departed shooter has no target.
func TestFireIsToldWithTheValues(t *testing.T) {
	f := newFeed(t)
	units := []view.Unit{{Handle: 1, Entered: 1}, {Handle: 2, Entered: 1}, {Handle: 3, Entered: 1}, {Handle: 4, Entered: 1}}
	shots := func(pairs ...grid.Handle) (v view.View) {
		for i := 0; i < len(pairs); i += 2 {
			v.Events = append(v.Events, view.Event{Kind: view.EventShot, Source: pairs[i], Target: pairs[i+1]})
		}
		return v
	}
	f.tell(view.View{}, units...)
	f.tell(view.View{}, units...)
	v := shots(3, 1, 2, 1, 4, 2)
	v.Events = append(v.Events, view.Event{Kind: view.EventShot, Source: 1, At: grid.Pos{X: 7}})
	d := f.tell(v, units...)
	if len(d.Fire) > 0 || len(d.Events) != 1 || d.Events[0].At.X != 7 {
		t.Errorf("between two flushes %v and %v are told", d.Fire, d.Events)
	}
	v = shots(2, 3)
	v.Removed = []view.Removed{{Handle: 4}}
	if d = f.tell(v, units[:3]...); !slices.Equal(d.Fire, []view.FireRow{{Handle: 2, Target: 3}, {Handle: 3, Target: 1}}) {
		t.Errorf("at the flush %v is told", d.Fire)
	}
	f.tell(view.View{}, units[:3]...)
	if d = f.tell(view.View{}, units[:3]...); len(d.Fire) > 0 {
		t.Errorf("%v is told again", d.Fire)
	}
}

// The remaining sight of dead units is sent to clients that cannot derive it.
func TestSightsOfTheDeadAreDerived(t *testing.T) {
	f := newFeed(t)
	f.tell(view.View{})
	s := view.Sight{Tile: grid.Tile{X: 3, Y: 4}, Radius: 6, Died: true, Since: 2, Until: 40}
	scan := view.Sight{Tile: grid.Tile{X: 9, Y: 4}, Radius: 6, Since: 2, Until: 40}
	if d := f.tell(view.View{Sights: []view.Sight{s, scan}}); !slices.Equal(d.Sights, []view.Sight{scan}) {
		t.Errorf("who holds the tick before is told %v", d.Sights)
	}
	f.tell(view.View{Sights: []view.Sight{s, scan}})
	var d view.Diff
	for _, base := range []grid.Tick{0, 1} {
		if f.tracker.Diff(&d, base, view.MaskOptions{}); !slices.Equal(d.Sights, []view.Sight{s, scan}) {
			t.Errorf("who holds tick %d is told %v", base, d.Sights)
		}
	}
}

// The own part is told piecewise, and not what clients reckon.
func TestOwnPartIsToldPiecewise(t *testing.T) {
	f := newFeed(t)
	own := view.OwnerState{Resources: []uint32{400, 0}, PopulationMax: 20}
	owner := NewOwnerState(testW)
	tell := func() *view.OwnerDiff {
		f.tick++
		v := view.View{Tick: f.tick, W: testW, H: testH, Owners: []view.OwnerState{own}, Units: []view.Unit{{Handle: 4, Entered: 1}, {Handle: 5, Entered: 1}, {Handle: 9, Entered: 1}}}
		f.tracker.Update(&v)
		var d view.OwnerDiff
		f.tracker.DiffOwner(&d, 0, f.tick-1)
		owner.Apply(&view.Diff{Snapshot: f.tick == 1}, &d, f.tick)
		return &d
	}
	expect := func(what string, got *view.OwnerDiff, want view.OwnerDiff) {
		t.Helper()
		if d := cmp.Diff(&want, got); d != "" && !(got.Empty() && want.Empty()) {
			t.Errorf("%s: %s", what, d)
		}
	}
	if d := tell(); !slices.Equal(d.Resources, own.Resources) || !d.HasPopulation || d.PopulationMax != 20 {
		t.Errorf("at first %+v is told", d)
	}
	own.Production = []view.Production{{Handle: 9, Types: []uint16{2, 3}, Progress: 12, Total: 20}}
	own.Resources[0] = 300
	if d := tell(); len(d.Queues) != 1 || !slices.Equal(d.Queues[0].Types, []uint16{2, 3}) || d.Queues[0].Progress != 12 || d.Resources[0] != 300 || d.HasPopulation {
		t.Errorf("what is new is told as %+v", d)
	}
	for range 12 {
		own.Production[0].Progress += 255 / 20
		expect("progress as reckoned", tell(), view.OwnerDiff{})
	}
	expect("a tenth is no news", tell(), view.OwnerDiff{}) // it stands still
	if d := tell(); len(d.Queues) != 1 || d.Queues[0].Progress != own.Production[0].Progress {
		t.Errorf("a queue that stands still is told as %+v", d)
	}
	own.Production[0].Types, own.Production[0].HasRally, own.Production[0].Rally = nil, true, grid.Pos{X: 1000, Y: 3000}
	tell()
	if _, has := owner.Queues[9]; has || owner.Rallies[9] != middle(own.Production[0].Rally) {
		t.Errorf("held are %+v and %+v", owner.Queues, owner.Rallies)
	}
	to := grid.Pos{X: 5000, Y: 6000}
	own.Units = []view.OwnerUnit{{Handle: 4, Doing: 2, HasTo: true, To: to, Actions: []view.OwnAction{{}, {Ready: f.tick + 11}}}, {Handle: 5, Values: [view.OwnerValueKinds]uint32{view.OwnerEnergy: 40}}}
	tell()
	ready := Ability{4, 1}
	if owner.Tasks[4] != (Task{2, true, middle(to)}) || owner.Values[view.OwnerEnergy][5] != 40 || owner.Ready[ready] != f.tick+10 {
		t.Errorf("held are %+v", owner)
	}
	for range 10 {
		expect("time goes by", tell(), view.OwnerDiff{})
	}
	own.Units[0].Actions[1].Ready = 0 // as it has been for a tick
	expect("ready by the clock", tell(), view.OwnerDiff{})
	own.Units[0].Actions[1].Ready = f.tick + 30
	tell()
	own.Units[0].Actions[1].Ready = 0
	if d := tell(); len(d.Ready) != 2 || owner.Ready[ready] != 0 {
		t.Errorf("ready sooner than told is told as %+v", d.Ready)
	}
	sprint := &own.Units[0].Actions[0]
	*sprint = view.OwnAction{On: true, Since: f.tick + 1, Until: f.tick + 41, Request: 7}
	if d := tell(); !slices.Equal(d.Running, []view.RunningRow{{Handle: 4, Ends: true, In: 40, Request: 7}}) || owner.Running[Ability{4, 0}] != (Running{f.tick + 40, 7}) {
		t.Errorf("a start is told as %+v, held as %+v", d.Running, owner.Running)
	}
	expect("it runs on", tell(), view.OwnerDiff{})
	sprint.On, sprint.Since, sprint.Until, sprint.Request = false, 0, 0, 0
	expect("its end is no row of the owner's", tell(), view.OwnerDiff{})
	*sprint = view.OwnAction{On: true, Since: f.tick + 1, Grant: 2}
	if d := tell(); !slices.Equal(d.Running, []view.RunningRow{{Handle: 4}}) || !slices.Equal(d.Grants, []view.GrantRow{{Handle: 4, Grant: 2}, {Handle: 4, Ability: 1}}) ||
		owner.Running[Ability{4, 0}] != (Running{}) || len(owner.Grants) != 1 || owner.Grants[Ability{4, 0}] != 2 {
		t.Errorf("a start and a grant are told as %+v, held as %+v and %+v", d, owner.Running, owner.Grants)
	}
	sprint.Grant = 0
	if d := tell(); len(d.Grants) != 2 || len(owner.Grants) != 0 {
		t.Errorf("a grant that is back as at first is told as %+v", d)
	}
	own.Units = own.Units[1:]
	if d := tell(); !slices.Equal(d.Tasks, []view.TaskRow{{Handle: 4, Cell: 0}}) || len(owner.Tasks) > 0 {
		t.Errorf("idleness is told as %+v", d.Tasks)
	}
}
