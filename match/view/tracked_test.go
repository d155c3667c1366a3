package view

import (
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// small is a tracker of a map of two blocks by two.
func small() *Tracker { return NewTracker(Rules{W: 16, H: 16, Keep: 200, TickRate: 20}) }

// One soldier is all that these views have.
func soldier(now grid.Tick, actions []Action, effects []Effect) *View {
	return &View{Tick: now, W: 16, H: 16, Units: []Unit{{Handle: 5, Entered: 1}}, Actions: actions, Effects: effects}
}

// A client is sent the abilities and effects of a unit if they changed after its
// base tick, and when each began, unless that was out of sight.
func TestActivityIsToldOnce(t *testing.T) {
	tr := small()
	tr.Update(soldier(1, nil, nil))
	on := []Action{{Handle: 5, Index: 2}, {Handle: 5, Index: 3, Since: 2}}
	by := []Effect{{Handle: 5, Kind: 1}, {Handle: 5, Kind: 4, Since: 2, Source: 9}}
	tr.Update(soldier(2, on, by))
	tr.Update(soldier(3, on, by))
	tr.Update(soldier(4, on, by))
	for base, rows := range map[grid.Tick]int{1: 2, 2: 0, 3: 0} {
		var d Diff
		tr.Diff(&d, base, MaskOptions{})
		if len(d.Actions) != rows || len(d.Effects) != rows {
			t.Errorf("from base %d: %v and %v, want %d rows of each", base, d.Actions, d.Effects, rows)
		}
		if rows > 0 && (d.Actions[0] != ActionRow{5, 3, 0} || d.Actions[1] != ActionRow{5, 4, 3} || d.Effects[0] != EffectRow{5, 2, 0, 0} || d.Effects[1] != EffectRow{5, 5, 3, 9}) {
			t.Errorf("rows %v and %v", d.Actions, d.Effects)
		}
	}
	tr.Update(soldier(5, nil, nil))
	var d Diff
	tr.Diff(&d, 4, MaskOptions{})
	if len(d.Actions) != 1 || d.Actions[0] != (ActionRow{Handle: 5}) || len(d.Effects) != 1 || d.Effects[0] != (EffectRow{Handle: 5}) {
		t.Errorf("at the end: %v and %v", d.Actions, d.Effects)
	}
}

// What began in the tick in which a unit came into sight began out of sight, as far
// as the team knows.
func TestWhatBeganInSight(t *testing.T) {
	for _, c := range []struct{ since, entered, want grid.Tick }{{5, 4, 5}, {5, 5, 0}, {5, 6, 0}, {0, 0, 0}} {
		if got := seenSince(c.since, c.entered); got != c.want {
			t.Errorf("began at %d, in sight since %d: told %d, want %d", c.since, c.entered, got, c.want)
		}
	}
}

// A base that the tracker has is sent what changed; any other gets a snapshot.
func TestCoveredBases(t *testing.T) {
	tr := small()
	for now := grid.Tick(10); now <= 12; now++ {
		tr.Update(soldier(now, nil, nil))
	}
	for base, want := range map[grid.Tick]bool{0: false, 9: false, 10: true, 11: true, 12: true, 13: false} {
		if tr.Covers(base) != want {
			t.Errorf("base %d is covered: %t", base, !want)
		}
	}
}

// A client that draws its own fog and missed ticks is sent the rows that were explored
// meanwhile, and nothing of what is visible.
func TestRowsOfTheMask(t *testing.T) {
	tr := small()
	at := func(now grid.Tick, blocks ...Block) {
		v := soldier(now, nil, nil)
		v.Mask.Blocks = blocks
		tr.Update(v)
	}
	at(1)
	at(2, Block{0, 8, 0x01, 0x01})                 // the first row of a block
	at(3, Block{0, 8, 0x0100000000, 0x0100000001}) // the fifth
	at(4, Block{0, 8, 0x0100000000, 0x0100000003}) // the first again, explored by a passing scan
	rows := func(base grid.Tick, o MaskOptions) (visible, explored []int) {
		var d Diff
		tr.Diff(&d, base, o)
		for _, r := range d.Mask {
			if r.Visible != nil {
				visible = append(visible, r.Y)
			}
			if r.Explored != nil {
				explored = append(explored, r.Y)
			}
		}
		return visible, explored
	}
	for _, c := range []struct {
		base              grid.Tick
		o                 MaskOptions
		visible, explored []int
	}{
		{1, MaskOptions{}, nil, []int{8, 12}},
		{2, MaskOptions{}, nil, []int{8, 12}},
		{3, MaskOptions{}, nil, nil}, // it missed none
		{3, MaskOptions{MaskRows: true}, nil, nil},
		{2, MaskOptions{MaskRows: true}, []int{8, 12}, []int{8, 12}},
		{3, MaskOptions{AllRows: true}, []int{8, 12}, []int{8, 12}},
	} {
		visible, explored := rows(c.base, c.o)
		if !reflect.DeepEqual(visible, c.visible) || !reflect.DeepEqual(explored, c.explored) {
			t.Errorf("base %d, %+v: visible rows %v, explored %v; want %v and %v", c.base, c.o, visible, explored, c.visible, c.explored)
		}
	}
	// Only the rows that changed: the fifth was explored at tick 3, and not again.
	at(5)
	if _, explored := rows(3, MaskOptions{}); !reflect.DeepEqual(explored, []int{8}) {
		t.Errorf("from base 3: explored rows %v, want row 8 alone", explored)
	}
}

// A counter that went up without a change of its value is told: the value changed
// and changed back.
func TestCountersOfARecord(t *testing.T) {
	a := Attributes[0]
	var r record
	u := &Unit{}
	due := ^uint32(0)
	if r.count(u, 5, due) {
		t.Error("nothing changed, and it is told")
	}
	u.Values[a.Changes] = 1 // up and back
	if !r.count(u, 6, due) || r.changed[a.Changes] != 6 {
		t.Errorf("changed back: the counter changed at %d", r.changed[a.Changes])
	}
	if r.count(u, 7, due) {
		t.Error("told twice")
	}
	u.Values[a.Changes], u.Values[a.Value], r.changed[a.Value] = 2, 30, 3 // once
	if !r.count(u, 8, due) || r.changed[a.Changes] != 6 {
		t.Errorf("changed once: the counter changed at %d", r.changed[a.Changes])
	}
	if !r.count(&Unit{Values: func() (v [ValueKinds]uint32) { v[a.Changes], v[a.Value] = 4, 30; return v }()}, 9, 1<<a.Value) {
		t.Error("twice: not told")
	}
	u.Values[a.Changes] = 9
	if r.count(u, 10, 0) {
		t.Error("told where no value is due")
	}
}

// Whose base the tracker does not have is sent all of the owner's state.
func TestOwnersWithoutABase(t *testing.T) {
	tr := small()
	own := func(now grid.Tick) {
		tr.Update(&View{Tick: now, W: 16, H: 16, Owners: []OwnerState{{Slot: 3, Population: 7}}})
	}
	own(10)
	own(11)
	own(12)
	for base, want := range map[grid.Tick]bool{0: true, 9: true, 10: false, 11: false, 12: true, 40: true} {
		var d OwnerDiff
		tr.DiffOwner(&d, 3, base)
		if d.HasPopulation != want {
			t.Errorf("from base %d the population is told: %t", base, d.HasPopulation)
		}
	}
}

// That an ability has become ready by itself the client sees by its clock.
func TestReadyByTheClock(t *testing.T) {
	for _, c := range []struct {
		told, is, now grid.Tick
		same          bool
	}{{0, 5, 5, true}, {5, 0, 5, true}, {0, 6, 5, false}, {6, 0, 5, false}, {6, 6, 5, true}, {6, 7, 5, false}} {
		if sameReady(c.told, c.is, c.now) != c.same {
			t.Errorf("told %d, it is %d, at tick %d: the same is %t", c.told, c.is, c.now, !c.same)
		}
	}
}

// An entity that comes into sight is told with the coarse directions: they cost less,
// and the next turn makes them exact.
func TestEnterIsCoarse(t *testing.T) {
	tr, different := small(), false
	for slope := range 256 {
		u := Unit{Handle: 5, Entered: 1, FullSpeed: 16 * 64, Vel: Velocity{16 * 64, int32(slope) - 128}}
		var r record
		tr.tick = 1
		tr.enter(&r, &u)
		coarse, fine := CourseOf(u.Vel, u.FullSpeed, u.Facing, false), CourseOf(u.Vel, u.FullSpeed, u.Facing, true)
		if r.course != coarse {
			t.Fatalf("slope %d: course %v, want %v", slope, r.course, coarse)
		}
		different = different || coarse != fine
	}
	if !different {
		t.Error("the finer directions are the coarse ones: nothing was tested")
	}
}

// Of what happened to a unit that there is no more the player is told nothing.
func TestCancelledOfNothing(t *testing.T) {
	x := newWatched(t)
	e := x.unit(0, "soldier", grid.Tile{X: 20, Y: 20})
	x.step()
	id := e.ID()
	if c, ok := CancelledOf(x.w, &sim.Notice{Unit: id, Slot: 0, Code: 3}); !ok || c.Code != 3 || c.Unit == 0 {
		t.Errorf("of a unit in sight: %+v, %t", c, ok)
	}
	if c, ok := CancelledOf(x.w, &sim.Notice{Unit: id + 1<<20, Slot: 0, Code: 3}); ok || c != (Cancelled{}) {
		t.Errorf("of nothing: %+v, %t", c, ok)
	}
}

// With all eyes a block that changed for several teams is told once.
func TestBlocksAreToldOnce(t *testing.T) {
	x := newWatched(t)
	for i := range 12 {
		at := grid.Tile{X: int16(10 + 4*i), Y: int16(20 + 2*(i%3))}
		x.unit(0, "soldier", at)
		x.unit(1, "soldier", grid.Tile{X: at.X + 1, Y: at.Y + 1})
	}
	x.step()
	seen := map[[2]int16]bool{}
	for _, b := range x.view.Mask.Blocks {
		if seen[[2]int16{b.X, b.Y}] {
			t.Errorf("block %d,%d is told twice", b.X, b.Y)
		}
		seen[[2]int16{b.X, b.Y}] = true
	}
	if len(seen) < 20 {
		t.Errorf("only %d blocks changed", len(seen))
	}
}

// Sights are in one order, however they were made.
func TestSightsAreSorted(t *testing.T) {
	b := NewBuilder(EyesOf(0))
	one := []Sight{{Radius: 4, Until: 9}, {Radius: 4, Until: 9, Flyer: true}}
	var a, c View
	a.Sights = append(a.Sights, one[0], one[1])
	c.Sights = append(c.Sights, one[1], one[0])
	b.settleSights(&a)
	b.settleSights(&c)
	if !reflect.DeepEqual(a.Sights, c.Sights) {
		t.Errorf("%+v, and %+v", a.Sights, c.Sights)
	}
}
