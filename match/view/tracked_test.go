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

// An ability that began in the tick in which its unit came into sight began out of sight, as far
// as the team knows.
func TestAbilityThatBeganInSight(t *testing.T) {
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
// meanwhile, and no visible tiles.
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

// A base older than the kept ones counts as missing: all of the owner's state is sent, as in
// a snapshot.
func TestOwnersWithAnOldBase(t *testing.T) {
	tr := NewTracker(Rules{W: 16, H: 16, Keep: 20, TickRate: 20})
	for now := grid.Tick(1); now <= 60; now++ {
		tr.Update(&View{Tick: now, W: 16, H: 16, Owners: []OwnerState{{Slot: 3, Population: 7}}})
	}
	for base, want := range map[grid.Tick]bool{30: true, 39: true, 40: false, 50: false} {
		var d OwnerDiff
		if tr.DiffOwner(&d, 3, base); d.HasPopulation != want || tr.Covers(base) == want {
			t.Errorf("from base %d the population is told: %t; it is covered: %t", base, d.HasPopulation, tr.Covers(base))
		}
	}
}

// A client without a base is sent the present grants; one with a base, lost grants too.
func TestGrantsOfASnapshot(t *testing.T) {
	tr := small()
	for now := grid.Tick(10); now <= 12; now++ {
		grants := []OwnAction{{Grant: 2}, {}}
		if now == 12 {
			grants = []OwnAction{{}, {Grant: 1}, {}}
		}
		tr.Update(&View{Tick: now, W: 16, H: 16, Units: []Unit{{Handle: 5, Entered: 1, Owner: 3}},
			Owners: []OwnerState{{Slot: 3, Units: []OwnerUnit{{Handle: 5, Actions: grants}}}}})
	}
	for base, want := range map[grid.Tick][]GrantRow{0: {{5, 1, 1}}, 11: {{5, 0, 0}, {5, 1, 1}, {5, 2, 0}}} {
		var d OwnerDiff
		if tr.DiffOwner(&d, 3, base); !reflect.DeepEqual(d.Grants, want) {
			t.Errorf("from base %d: grants %+v, want %+v", base, d.Grants, want)
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

// The owner is sent an ability that runs as it starts, and again if any part differs from the sent one; the public
// end says that it ends.
func TestOwnAbilitiesAreToldAsTheyStart(t *testing.T) {
	idle := OwnAction{}
	runs := OwnAction{On: true, Since: 5, Until: 30, Request: 7}
	for name, c := range map[string]struct {
		was, is OwnAction
		told    bool
	}{
		"starts":         {idle, runs, true},
		"runs on":        {runs, runs, false},
		"begins anew":    {runs, OwnAction{On: true, Since: 9, Until: 30, Request: 7}, true},
		"another end":    {runs, OwnAction{On: true, Since: 5, Until: 40, Request: 7}, true},
		"another order":  {runs, OwnAction{On: true, Since: 5, Until: 30, Request: 8}, true},
		"ends":           {runs, idle, false},
		"a grant alone":  {runs, OwnAction{On: true, Since: 5, Until: 30, Request: 7, Grant: 1}, false},
		"ready elsewhen": {runs, OwnAction{On: true, Since: 5, Until: 30, Request: 7, Ready: 50}, false},
	} {
		tr := small()
		for now := grid.Tick(10); now <= 14; now++ {
			own := c.was
			if now >= 12 {
				own = c.is
			}
			tr.Update(&View{Tick: now, W: 16, H: 16, Units: []Unit{{Handle: 5, Entered: 1, Owner: 3}},
				Owners: []OwnerState{{Slot: 3, Units: []OwnerUnit{{Handle: 5, Actions: []OwnAction{idle, own}}}}}})
		}
		var d OwnerDiff
		tr.DiffOwner(&d, 3, 11)
		var want []RunningRow
		if c.told {
			want = []RunningRow{{Handle: 5, Ability: 1, Ends: true, In: grid.Ticks(c.is.Until - 14), Request: c.is.Request}}
		}
		if !reflect.DeepEqual(append([]RunningRow(nil), d.Running...), want) {
			t.Errorf("%s: told %+v, want %+v", name, d.Running, want)
		}
		if grants := c.was.Grant != c.is.Grant; grants != (len(d.Grants) > 0) {
			t.Errorf("%s: told of grants %+v", name, d.Grants)
		}
		if readies := c.is.Ready > 14; readies != (len(d.Ready) > 0) {
			t.Errorf("%s: told when it is ready: %+v", name, d.Ready)
		}
		if tr.DiffOwner(&d, 3, 12); len(d.Running) != 0 {
			t.Errorf("%s: one who was sent it is told again: %+v", name, d.Running)
		}
	}
}

// A unit that fires any of its weapons does not rest, nor does a turning or moving one: only some ticks later
// clients are told where it looks.
func TestRestingUnits(t *testing.T) {
	for name, disturb := range map[string]func(*Unit) bool{
		"nothing":           func(*Unit) bool { return true },
		"the first weapon":  func(u *Unit) bool { u.Values[ValueBurst] = 4 | burstFires; return true },
		"the second weapon": func(u *Unit) bool { u.Values[ValueBurstSecond] = 4 | burstFires; return true },
		"a turn":            func(u *Unit) bool { u.Facing++; return true },
		"a step":            func(*Unit) bool { return false },
	} {
		var r record
		for tick := range 2 * restTicks {
			u, stands := Unit{Facing: 9}, true
			if u.Values[ValueBurst] = 8; tick == restTicks+3 { // shots of before
				stands = disturb(&u)
			}
			want := tick >= restTicks && (name == "nothing" || tick < restTicks+3)
			if name == "a turn" && tick == restTicks+4 { // it turns back
				want = false
			}
			if got := r.rests(&u, stands); got != want {
				t.Errorf("%s, tick %d: it rests %v", name, tick, got)
			}
		}
	}
}

// The player is not told events of a unit that no longer exists.
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
	b := NewBuilder(0)
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

// A snapshot has the ghosts of its tick, also of tick 0.
func TestASnapshotHasTheGhostsOfTickZero(t *testing.T) {
	for _, now := range []grid.Tick{0, 7} {
		tr := small()
		v := soldier(now, nil, nil)
		v.Ghosts = []Ghost{{Handle: 9}}
		tr.Update(v)
		var d Diff
		tr.Diff(&d, 0, MaskOptions{})
		if !d.Snapshot || len(d.Ghosts) != 1 || d.Ghosts[0].Handle != 9 {
			t.Errorf("tick %d: snapshot %v with ghosts %v", now, d.Snapshot, d.Ghosts)
		}
	}
}

// A production's progress is told again when clients, who reckon, are a step off: too
// far, as after a pause of the work, or not far enough.
func TestProgressThatIsAStepOff(t *testing.T) {
	m := makerRec{Production: Production{Total: 100}, queueAt: 50}
	reckoned := Progress(0, 50, 100) // at tick 100
	for _, c := range []struct {
		p    uint32
		want bool
	}{{reckoned, false}, {reckoned - progressStep + 1, false}, {reckoned - progressStep, true}, {0, true}, {reckoned + progressStep - 1, false}, {reckoned + progressStep, true}, {255, true}} {
		if got := m.off(c.p, 100); got != c.want {
			t.Errorf("progress %d where clients reckon %d: off %v, want %v", c.p, reckoned, got, c.want)
		}
	}
}

// A unit without speed stands, at any velocity.
func TestUnitWithoutSpeedStands(t *testing.T) {
	for _, full := range []int32{0, -5} {
		if got := CourseOf(Velocity{300, 40}, full, 7, true); got != Stand(7) {
			t.Errorf("full speed %d: course %d, want that of who stands", full, got)
		}
	}
}

// A client that derives the mask and takes every beat is not sent it, nor tiles explored between two beats: it has
// seen them by itself. A client that takes rows is sent them, and so is a client whose mask between the beats is
// wrong, because of a sight that it does not know.
func TestADerivedMaskIsNotTold(t *testing.T) {
	for _, c := range []struct {
		name    string
		wrong   bool
		rows    bool
		skipped grid.Ticks
		told    bool
	}{{"derives", false, false, 0, false}, {"takes rows", false, true, 0, true}, {"derives a wrong one", true, false, 1, true}} {
		tr := NewTracker(Rules{W: 16, H: 16, Keep: 200, TickRate: 20, Every: 2})
		for now := grid.Tick(1); now <= 4; now++ {
			v := &View{Tick: now, W: 16, H: 16}
			switch now {
			case 3:
				v.Mask.Blocks = []Block{{Visible: 1, Explored: 1}}
				if c.wrong {
					v.Sights = []Sight{{Since: 3, Until: 4, Radius: 2}}
				}
			case 4:
				v.Mask.Blocks = []Block{{Explored: 1}}
			}
			tr.Update(v)
		}
		var d Diff
		tr.Diff(&d, 2, MaskOptions{MaskRows: c.rows})
		if d.Skipped != c.skipped || (len(d.Mask) > 0) != c.told || c.told && d.Mask[0].Explored == nil {
			t.Errorf("%s: %d ticks are skipped, told of the rows %+v", c.name, d.Skipped, d.Mask)
		}
		if tr.Diff(&d, 0, MaskOptions{}); len(d.Mask) != 1 || d.Mask[0].Explored == nil {
			t.Errorf("%s: with a snapshot it is told of the rows %+v", c.name, d.Mask)
		}
	}
}

// The mask is wrong at the ticks that a client skipped, not at the sent one.
func TestTheTickThatIsSentIsNotSkipped(t *testing.T) {
	for at, want := range map[grid.Tick]bool{0: false, 3: true, 5: false} { // of the sight that makes it wrong
		tr := NewTracker(Rules{W: 16, H: 16, Keep: 200, TickRate: 20, Every: 2})
		for now := grid.Tick(1); now <= 5; now++ {
			v := &View{Tick: now, W: 16, H: 16}
			if now == at {
				v.Sights = []Sight{{Since: now, Until: now + 1, Radius: 2}}
			}
			tr.Update(v)
		}
		var d Diff
		if tr.Diff(&d, 2, MaskOptions{}); d.Wrong != want || (d.Skipped == 2) != want {
			t.Errorf("a sight since tick %d: wrong is %t, %d ticks are skipped", at, d.Wrong, d.Skipped)
		}
	}
}

// A client that has the last beat costs what changed since, not all that is in sight.
func TestOnlyWhatChangedIsAsked(t *testing.T) {
	tr := NewTracker(Rules{W: 16, H: 16, Keep: 200, TickRate: 20, Every: 2})
	for now := grid.Tick(1); now <= 6; now++ {
		tr.Update(soldier(now, nil, nil))
	}
	tr.recs.at(5).owned = 6 // past the list of what changed
	for base, want := range map[grid.Tick]int{3: 1, 4: 0, 5: 0} {
		var d Diff
		if tr.Diff(&d, base, MaskOptions{}); len(d.Owners) != want {
			t.Errorf("from tick %d: %d rows of owners, want %d", base, len(d.Owners), want)
		}
	}
}

// Where something stands does not depend on when it came there.
func TestStandingUnitKeepsItsPlace(t *testing.T) {
	tr := small()
	for now := grid.Tick(1); now <= 4; now++ {
		v := soldier(now, nil, nil)
		v.Units[0].Pos = grid.Pos{X: 5*1024 + 40, Y: 5*1024 + 40}
		tr.Update(v)
	}
	var d Diff
	if tr.Diff(&d, 0, MaskOptions{}); len(d.Exact) != 1 || d.Exact[0].Ago != 0 {
		t.Errorf("told %+v, want one row as of this tick", d.Exact)
	}
}

// A client is told of a player, and of a ghost, once.
func TestPlayersAndGhostsAreToldOnce(t *testing.T) {
	tr := small()
	for now := grid.Tick(1); now <= 4; now++ {
		v := soldier(now, nil, nil)
		v.Players = []Player{{Name: "ada"}}
		if now >= 3 {
			v.Players[0].Name = "ben"
			v.Ghosts = []Ghost{{Handle: 9}}
		}
		tr.Update(v)
	}
	for base, want := range map[grid.Tick]int{1: 1, 2: 1, 3: 0} {
		var d Diff
		if tr.Diff(&d, base, MaskOptions{}); len(d.Players) != want || len(d.Ghosts) != want {
			t.Errorf("from tick %d: told of the players %+v and the ghosts %+v, want %d of each", base, d.Players, d.Ghosts, want)
		}
	}
}

// Of what left sight and fires on, a client is told the shots if the next one was due before
// the tick: it would have counted that one too.
func TestShotsOfWhatLeftAreToldWhenOneWasDue(t *testing.T) {
	for next, told := range map[grid.Tick]bool{0: false, 1: true, 2: false, 9: false} {
		tr := small()
		tr.Update(soldier(1, nil, nil))
		tr.Update(&View{Tick: 2, W: 16, H: 16, Removed: []Removed{{Handle: 5, Next: next}}})
		var d Diff
		if tr.Diff(&d, 1, MaskOptions{}); len(d.Leave) != 1 || (len(d.LastBursts) == 1) != told {
			t.Errorf("the next shot is due at tick %d: told that %v left, and their shots %v", next, d.Leave, d.LastBursts)
		}
	}
}
