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

// fake is a world that allows everything except the things that a test takes away.
type fake struct {
	stopped, dead   bool
	units           map[grid.Handle]Unit
	targets         map[grid.Handle]Target
	ability         Ability
	train, build    Reject
	badSite         bool
	cannotHit       bool
	cannotHitGround bool
	cannotDo        bool
	offMap          bool
	unreachable     bool
	aim             TargetMode
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
func (f *fake) Ability(grid.EntityID, uint8) Ability { return f.ability }
func (f *fake) CanTarget(_ grid.EntityID, _ uint8, t Target) bool {
	return t.Relation == Enemy
}
func (f *fake) Aim(uint8) TargetMode                   { return f.aim }
func (f *fake) Trainable(grid.EntityID, uint16) Reject { return f.train }
func (f *fake) Buildable(grid.EntityID, uint16) Reject { return f.build }
func (f *fake) Site(grid.Slot, uint16, grid.Pos) bool  { return !f.badSite }
func (f *fake) CanHit(grid.EntityID, Target) bool      { return !f.cannotHit }
func (f *fake) CanHitGround(grid.EntityID) bool        { return !f.cannotHitGround }
func (f *fake) CanDo(grid.EntityID, Kind, Target) bool { return !f.cannotDo }
func (f *fake) OnMap(grid.Pos) bool                    { return !f.offMap }
func (f *fake) Reachable(grid.EntityID, grid.Pos) bool { return !f.unreachable }

const everything = KindSet(1<<kindEnd - 1)

func newFake() *fake {
	return &fake{
		units:   map[grid.Handle]Unit{1: {ID: 11, Owner: 0, Kinds: everything}, 2: {ID: 12, Owner: 0, Kinds: everything}, 3: {ID: 13, Owner: 1, Kinds: everything}},
		targets: map[grid.Handle]Target{3: {ID: 13, Relation: Enemy}, 9: {Relation: Enemy, Ghost: true, At: grid.Pos{X: 5, Y: 6}}},
		ability: Ability{Granted: true, Ready: true, Affordable: true},
		aim:     AimGround,
	}
}

// TestPrecedence takes one condition after another away, from the last check
// to the first: each time the earlier code has to win over all that were
// wrong before.
func TestPrecedence(t *testing.T) {
	move := Order{Kind: Move, Units: []grid.Handle{1}, HasPoint: true}
	use := Order{Kind: UseAbility, Units: []grid.Handle{1}, HasPoint: true, Queued: true}
	cast := Order{Kind: UseAbility, Units: []grid.Handle{1}, Target: 3}
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
		{"ability at a unit", cast, steps{
			{OK, func(f *fake) { f.aim = AimUnit }},
			{BadTarget, func(f *fake) { f.targets[3] = Target{ID: 13, Relation: Own} }},
			{TargetLost, func(f *fake) { f.targets[3] = Target{Relation: Enemy, Ghost: true} }},
			{TargetLost, func(f *fake) { delete(f.targets, 3) }},
			{Unaffordable, func(f *fake) { f.ability.Affordable = false }},
		}},
		{"ability", use, steps{
			{OK, func(*fake) {}},
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

// TestEachKind: the needs of each kind, and the answer without them.
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

// TestGhosts gives an order of each kind whose target is a ghost: it is ordered
// about by the place that is remembered, or it is refused as it would be once it
// is out of sight.
func TestGhosts(t *testing.T) {
	const enemy, ours, ally, nobody = 9, 10, 11, 12
	at := grid.Pos{X: 5, Y: 6}
	f := newFake()
	for h, r := range map[grid.Handle]Relation{enemy: Enemy, ours: Own, ally: Ally, nobody: Neutral} {
		f.targets[h] = Target{Relation: r, Ghost: true, Unbuilt: h == ours || h == ally, At: at}
	}
	point := grid.Pos{X: 70, Y: 80}
	for _, tt := range []struct {
		name   string
		kind   Kind
		target grid.Handle
		has    bool // the order has a point as well
		code   Reject
		to     Kind
		at     grid.Pos // of the result, where its code is OK
	}{
		{"move", Move, enemy, true, Malformed, 0, grid.Pos{}},
		{"attack-move", AttackMove, enemy, true, Malformed, 0, grid.Pos{}},
		{"attack", Attack, enemy, false, OK, AttackGround, at},
		{"attack, with a point", Attack, enemy, true, OK, AttackGround, at},
		{"attack-ground", AttackGround, enemy, true, Malformed, 0, grid.Pos{}},
		{"stop", Stop, enemy, false, OK, Stop, grid.Pos{}},
		{"hold", Hold, enemy, false, OK, Hold, grid.Pos{}},
		{"patrol", Patrol, enemy, true, Malformed, 0, grid.Pos{}},
		{"follow", Follow, enemy, false, TargetLost, 0, grid.Pos{}},
		{"follow an ally's", Follow, ally, false, TargetLost, 0, grid.Pos{}},
		{"follow nobody's", Follow, nobody, false, BadTarget, 0, grid.Pos{}},
		{"harvest", Harvest, nobody, false, OK, Harvest, at},
		{"harvest, with a point", Harvest, nobody, true, OK, Harvest, at},
		{"go on building", Build, ours, false, BadTarget, 0, grid.Pos{}},
		{"go on building an ally's", Build, ally, false, BadTarget, 0, grid.Pos{}},
		{"train", Train, enemy, false, OK, Train, grid.Pos{}},
		{"set rally", SetRally, nobody, false, OK, SetRally, at},
		{"set rally, with a point", SetRally, enemy, true, OK, SetRally, at},
		{"use an ability on the ground", UseAbility, enemy, false, BadTarget, 0, grid.Pos{}},
		{"use an ability on the ground, with a point", UseAbility, enemy, true, OK, UseAbility, point},
		{"stop an ability", StopAbility, enemy, false, OK, StopAbility, grid.Pos{}},
		{"cancel", Cancel, enemy, false, OK, Cancel, grid.Pos{}},
	} {
		f.ability.Lasting = true
		o := Order{Kind: tt.kind, Units: []grid.Handle{1}, Target: tt.target, HasPoint: tt.has}
		if tt.has {
			o.Point = point
		}
		r := Validate(f, 0, 0, o, &Scratch{})
		if r.Code != tt.code {
			t.Errorf("%s: got %v, want %v", tt.name, r.Code, tt.code)
		}
		if tt.code == OK && (r.Kind != tt.to || r.Target != 0 || r.Point != tt.at || r.HasPoint != (tt.at != grid.Pos{})) {
			t.Errorf("%s: got %+v", tt.name, r)
		}
	}
}

// TestNeedlessTargetIsIgnored: validation ignores the target in an order of a kind without
// one, else the order would end as the target goes out of sight.
func TestNeedlessTargetIsIgnored(t *testing.T) {
	for k := Move; k < kindEnd; k++ {
		r := Validate(newFake(), 0, 0, Order{Kind: k, Units: []grid.Handle{1}, Target: 3, HasPoint: true}, &Scratch{})
		takes := k.Form().Target == Needed || k.Form().Target == OneOf
		if r.Code == OK && (r.Target != 0) != takes {
			t.Errorf("%v: target %v", k, r.Target)
		}
	}
}

func TestLeftOut(t *testing.T) {
	f := newFake()
	r := Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{3, 2, 8, 1, 2}}, &Scratch{})
	if r.Code != OK || !slices.Equal(r.Units, []grid.EntityID{12, 11}) || !slices.Equal(r.At, []uint16{1, 3}) || !slices.Equal(r.Left, []LeftOut{{3, NotYours}, {8, UnknownUnit}}) {
		t.Errorf("got %+v", r)
	}
	many := Order{Kind: Stop, Units: []grid.Handle{1}}
	for h := range grid.Handle(UnitsMax - 1) {
		many.Units = append(many.Units, 1000+h)
	}
	if r = Validate(f, 0, 0, many, &Scratch{}); r.Code != OK || len(r.Left) != LeftMax || r.Left[LeftMax-1] != (LeftOut{1000 + LeftMax - 1, UnknownUnit}) {
		t.Errorf("of %d left out, %d are named, want the first %d", UnitsMax-1, len(r.Left), LeftMax)
	}
	if r = Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{8, 3}}, &Scratch{}); r.Code != UnknownUnit {
		t.Errorf("none may: got %v, want the first unit's code", r.Code)
	}
}

// Every kind has a form, and orders with a part too few or too many are
// malformed for each.
func TestForms(t *testing.T) {
	for k := Move; k < kindEnd; k++ {
		f := Forms[k]
		if f.Units == Ignored {
			t.Errorf("%v has no form", k)
			continue
		}
		if (f.Point == OneOf) != (f.Target == OneOf) || f.Units == OneOf {
			t.Errorf("%v: one of what?", k)
		}
		for bits := range 8 {
			o := Order{Kind: k, HasPoint: bits&2 != 0}
			if bits&1 != 0 {
				o.Units = []grid.Handle{1}
			}
			if bits&4 != 0 {
				o.Target = 3
			}
			want := true
			for i, need := range []Need{f.Units, f.Point, f.Target} {
				there := bits>>i&1 != 0
				want = want && (need != Needed || there) && (need != Forbidden || !there)
			}
			if f.Point == OneOf && bits&6 == 0 {
				want = false
			}
			if got := Validate(newFake(), 0, 0, o, &Scratch{}).Code != Malformed; got != want {
				t.Errorf("%v with parts %03b: well formed %v, want %v", k, bits, got, want)
			}
		}
	}
}
