package orders

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestTableIsComplete: a code without a row, or a row in the wrong place,
// fails.
func TestTableIsComplete(t *testing.T) {
	if len(Table) != int(rejectEnd) {
		t.Fatalf("%d rows for %d codes", len(Table), rejectEnd)
	}
	seen := map[string]bool{}
	for i, row := range Table {
		if int(row.Code) != i || row.Name == "" || row.Why == "" || seen[row.Name] {
			t.Errorf("row %d: %+v", i, row)
		}
		seen[row.Name] = true
		if got, ok := ParseReject(row.Name); !ok || got != row.Code || row.Code.String() != row.Name {
			t.Errorf("%s reads back as %v", row.Name, got)
		}
	}
	for k := Move; k < kindEnd; k++ {
		if got, ok := ParseKind(k.String()); !ok || got != k {
			t.Errorf("%v reads back as %v", k, got)
		}
	}
}

// fake is a world in which everything is allowed but what a test takes away.
type fake struct {
	stopped, dead bool
	units         map[grid.Handle]Unit
	targets       map[grid.Handle]Target
	ability       Ability
	train, build  Reject
	badSite       bool
	cannotHit     bool
	offMap        bool
	unreachable   bool
}

func (f *fake) Running() bool        { return !f.stopped }
func (f *fake) Alive(grid.Slot) bool { return !f.dead }
func (f *fake) Unit(_ grid.Slot, h grid.Handle, _ grid.Tick) (Unit, bool) {
	u, ok := f.units[h]
	return u, ok
}
func (f *fake) Target(_ grid.Slot, h grid.Handle, _ grid.Tick) (Target, bool) {
	t, ok := f.targets[h]
	return t, ok
}
func (f *fake) Ability(grid.EntityID, uint8) Ability   { return f.ability }
func (f *fake) Trainable(grid.EntityID, uint16) Reject { return f.train }
func (f *fake) Buildable(grid.EntityID, uint16) Reject { return f.build }
func (f *fake) Site(grid.Slot, uint16, grid.Pos) bool  { return !f.badSite }
func (f *fake) CanHit(grid.EntityID, Target) bool      { return !f.cannotHit }
func (f *fake) CanHitGround(grid.EntityID) bool        { return !f.cannotHit }
func (f *fake) CanHarvest(grid.EntityID, Target) bool  { return true }
func (f *fake) OnMap(grid.Pos) bool                    { return !f.offMap }
func (f *fake) Reachable(grid.EntityID, grid.Pos) bool { return !f.unreachable }

const everything = KindSet(1<<kindEnd - 1)

func newFake() *fake {
	return &fake{
		units:   map[grid.Handle]Unit{1: {ID: 11, Owner: 0, Kinds: everything}, 2: {ID: 12, Owner: 0, Kinds: everything}, 3: {ID: 13, Owner: 1, Kinds: everything}},
		targets: map[grid.Handle]Target{3: {ID: 13, Relation: Enemy}, 9: {Relation: Enemy, Structure: true, Ghost: true, At: grid.Pos{X: 5, Y: 6}}},
		ability: Ability{Granted: true, Ready: true, Affordable: true, Aim: AimGround, Reach: true},
	}
}

// TestPrecedence takes one condition after another away, from the last check
// to the first: each time the earlier code has to win over all that were
// wrong before.
func TestPrecedence(t *testing.T) {
	move := Order{Kind: Move, Units: []grid.Handle{1}, HasPoint: true}
	use := Order{Kind: UseAbility, Units: []grid.Handle{1}, HasPoint: true, Queued: true}
	build := Order{Kind: Build, Units: []grid.Handle{1}, HasPoint: true}
	attack := Order{Kind: Attack, Units: []grid.Handle{1}, Target: 3}
	tests := []struct {
		name  string
		order Order
		steps []struct {
			want  Reject
			wrong func(*fake)
		}
	}{
		{"move", move, steps{
			{OK, func(*fake) {}},
			{Unreachable, func(f *fake) { f.unreachable = true }},
			{OffMap, func(f *fake) { f.offMap = true }},
			{Unable, func(f *fake) { f.set(1, func(u *Unit) { u.Kinds = SetOf(Stop) }) }},
			{NotYours, func(f *fake) { f.set(1, func(u *Unit) { u.Owner = 1 }) }},
			{UnknownUnit, func(f *fake) { delete(f.units, 1) }},
			{NotAlive, func(f *fake) { f.dead = true }},
			{NotRunning, func(f *fake) { f.stopped = true }},
		}},
		{"ability", use, steps{
			{OK, func(*fake) {}},
			{Unreachable, func(f *fake) { f.unreachable = true }},
			{OffMap, func(f *fake) { f.offMap = true }},
			{Unaffordable, func(f *fake) { f.ability.Affordable = false }},
			{CoolingDown, func(f *fake) { f.ability.Ready = false }},
			{NotGranted, func(f *fake) { f.ability.Granted = false }},
			{QueueFull, func(f *fake) { f.set(1, func(u *Unit) { u.QueueLen = QueueMax }) }},
			{Unable, func(f *fake) { f.set(1, func(u *Unit) { u.Kinds = 0 }) }},
		}},
		{"build", build, steps{
			{OK, func(*fake) {}},
			{Unreachable, func(f *fake) { f.unreachable = true }},
			{BadSite, func(f *fake) { f.badSite = true }},
			{OffMap, func(f *fake) { f.offMap = true }},
			{PopLimit, func(f *fake) { f.build = PopLimit }},
		}},
		{"attack", attack, steps{
			{OK, func(*fake) {}},
			{BadTarget, func(f *fake) { f.cannotHit = true }},
			{TargetLost, func(f *fake) { delete(f.targets, 3) }},
		}},
	}
	for _, tt := range tests {
		f := newFake()
		for _, s := range tt.steps {
			s.wrong(f)
			if got := Validate(f, 0, 0, tt.order, &Scratch{}); got.Code != s.want {
				t.Errorf("%s: got %v, want %v", tt.name, got.Code, s.want)
			}
		}
	}
}

type steps = []struct {
	want  Reject
	wrong func(*fake)
}

func (f *fake) set(h grid.Handle, change func(*Unit)) {
	u := f.units[h]
	change(&u)
	f.units[h] = u
}

// TestEachKind: what each kind asks for, and what it answers without.
func TestEachKind(t *testing.T) {
	one := []grid.Handle{1}
	for _, tt := range []struct {
		name  string
		order Order
		want  Reject
	}{
		{"no kind", Order{Units: one}, Malformed},
		{"a kind of the future", Order{Kind: kindEnd, Units: one}, Malformed},
		{"nobody", Order{Kind: Stop}, Malformed},
		{"too many", Order{Kind: Stop, Units: make([]grid.Handle, UnitsMax+1)}, Malformed},
		{"move to nowhere", Order{Kind: Move, Units: one}, Malformed},
		{"move to a unit", Order{Kind: Move, Units: one, HasPoint: true, Target: 3}, Malformed},
		{"attack nobody", Order{Kind: Attack, Units: one, HasPoint: true}, Malformed},
		{"attack a stranger", Order{Kind: Attack, Units: one, Target: 77}, TargetLost},
		{"follow a ghost", Order{Kind: Follow, Units: one, Target: 9}, BadTarget},
		{"follow", Order{Kind: Follow, Units: one, Target: 3}, OK},
		{"harvest nowhere", Order{Kind: Harvest, Units: one}, Malformed},
		{"harvest around here", Order{Kind: Harvest, Units: one, HasPoint: true}, OK},
		{"go on building an enemy's", Order{Kind: Build, Units: one, Target: 3}, BadTarget},
		{"train", Order{Kind: Train, Units: one}, OK},
		{"stop", Order{Kind: Stop, Units: one}, OK},
		{"hold", Order{Kind: Hold, Units: one}, OK},
		{"cancel", Order{Kind: Cancel, Units: one}, OK},
		{"set rally", Order{Kind: SetRally, Units: one, HasPoint: true}, OK},
		{"set rally to a stranger", Order{Kind: SetRally, Units: one, Target: 77}, TargetLost},
		{"ability aimed at the ground, at nothing", Order{Kind: UseAbility, Units: one}, BadTarget},
		{"stop what does not last", Order{Kind: StopAbility, Units: one}, BadTarget},
		{"surrender", Order{Kind: Surrender}, OK},
		{"surrender of units", Order{Kind: Surrender, Units: one}, Malformed},
	} {
		if got := Validate(newFake(), 0, 0, tt.order, &Scratch{}); got.Code != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got.Code, tt.want)
		}
	}
}

func TestGhostIsAttackedByItsGround(t *testing.T) {
	r := Validate(newFake(), 0, 0, Order{Kind: Attack, Units: []grid.Handle{1}, Target: 9}, &Scratch{})
	if r.Code != OK || r.Kind != AttackGround || r.Target != 0 || !r.HasPoint || r.Point != (grid.Pos{X: 5, Y: 6}) {
		t.Errorf("got %+v", r)
	}
}

func TestLeftOut(t *testing.T) {
	f := newFake()
	r := Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{3, 2, 8, 1, 2}}, &Scratch{})
	if r.Code != OK || !slices.Equal(r.Units, []grid.EntityID{12, 11}) || !slices.Equal(r.Left, []LeftOut{{3, NotYours}, {8, UnknownUnit}}) {
		t.Errorf("got %+v", r)
	}
	if r = Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{8, 3}}, &Scratch{}); r.Code != UnknownUnit {
		t.Errorf("none may: got %v, want the first unit's code", r.Code)
	}
}
