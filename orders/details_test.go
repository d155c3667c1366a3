package orders

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// withTargets adds targets of each sort to the fake: the ordered unit, an unfinished and a
// finished structure of its own, an ally's unfinished structure, and a thing without an
// owner.
func withTargets() *fake {
	f := newFake()
	f.targets[1] = Target{ID: 11, Relation: Own}
	f.targets[20] = Target{ID: 20, Relation: Own, Unbuilt: true}
	f.targets[21] = Target{ID: 21, Relation: Own}
	f.targets[22] = Target{ID: 22, Relation: Ally, Unbuilt: true}
	f.targets[23] = Target{ID: 23, Relation: Neutral}
	return f
}

// TestTargetsOfEachSort orders a unit to itself and to the forbidden targets of each kind.
func TestTargetsOfEachSort(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   Kind
		target grid.Handle
		want   Reject
	}{
		{"attack itself", Attack, 1, BadTarget},
		{"attack another of its own", Attack, 21, OK},
		{"follow itself", Follow, 1, BadTarget},
		{"follow another of its own", Follow, 21, OK},
		{"follow nobody's", Follow, 23, BadTarget},
		{"follow a stranger", Follow, 77, TargetLost},
		{"harvest a stranger", Harvest, 77, TargetLost},
		{"harvest", Harvest, 23, OK},
		{"go on building", Build, 20, OK},
		{"go on building what stands", Build, 21, BadTarget},
		{"go on building an ally's", Build, 22, BadTarget},
		{"go on building a stranger", Build, 77, TargetLost},
		{"rally to a thing in sight", SetRally, 23, OK},
	} {
		o := Order{Kind: tt.kind, Units: []grid.Handle{1}, Target: tt.target}
		if got := Validate(withTargets(), 0, 0, o, &Scratch{}); got.Code != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got.Code, tt.want)
		}
	}
}

// TestOnePartWrong makes one thing wrong at a time, where the tests of precedence
// have others wrong as well.
func TestOnePartWrong(t *testing.T) {
	point := grid.Pos{X: 3, Y: 4}
	for _, tt := range []struct {
		name  string
		order Order
		wrong func(*fake)
		want  Reject
	}{
		{"a full production queue", Order{Kind: Train}, func(f *fake) { f.set(1, func(u *Unit) { u.TrainFull = true }) }, QueueFull},
		{"a full production queue hinders nothing else", Order{Kind: Stop}, func(f *fake) { f.set(1, func(u *Unit) { u.TrainFull = true }) }, OK},
		{"a full queue of orders", Order{Kind: Move, Queued: true, HasPoint: true}, func(f *fake) { f.set(1, func(u *Unit) { u.QueueLen = QueueMax }) }, QueueFull},
		{"one place left", Order{Kind: Move, Queued: true, HasPoint: true}, func(f *fake) { f.set(1, func(u *Unit) { u.QueueLen = QueueMax - 1 }) }, OK},
		{"a full queue that is replaced", Order{Kind: Move, HasPoint: true}, func(f *fake) { f.set(1, func(u *Unit) { u.QueueLen = QueueMax }) }, OK},
		{"no training here", Order{Kind: Train}, func(f *fake) { f.train = NotGranted }, NotGranted},
		{"no weapon for the ground", Order{Kind: AttackGround, HasPoint: true}, func(f *fake) { f.cannotHitGround = true }, BadTarget},
		{"the ground is off the map", Order{Kind: AttackGround, HasPoint: true}, func(f *fake) { f.offMap = true }, OffMap},
		{"no weapon for the ground, and a ghost", Order{Kind: Attack, Target: 9}, func(f *fake) { f.cannotHitGround = true }, BadTarget},
		{"no weapon for the ground, and a unit", Order{Kind: Attack, Target: 3}, func(f *fake) { f.cannotHitGround = true }, OK},
		{"no weapon for the target", Order{Kind: Attack, Target: 3}, func(f *fake) { f.cannotHit = true }, BadTarget},
		{"cannot harvest it", Order{Kind: Harvest, Target: 3}, func(f *fake) { f.cannotDo = true }, BadTarget},
		{"cannot repair it", Order{Kind: Repair, Target: 3}, func(f *fake) { f.cannotDo = true }, BadTarget},
		{"cannot board it", Order{Kind: Board, Target: 3}, func(f *fake) { f.cannotDo = true }, BadTarget},
		{"repairs itself", Order{Kind: Repair, Target: 1}, func(*fake) {}, BadTarget},
		{"no way to what is harvested", Order{Kind: Harvest, Target: 3}, func(f *fake) { f.unreachable = true }, Unreachable},
		{"no way to where it harvests", Order{Kind: Harvest, HasPoint: true}, func(f *fake) { f.unreachable = true }, Unreachable},
		{"no way to what is built", Order{Kind: Build, Target: 20}, func(f *fake) { f.unreachable = true }, Unreachable},
		{"no way to fight", Order{Kind: AttackMove, HasPoint: true}, func(f *fake) { f.unreachable = true }, Unreachable},
		{"no way to patrol", Order{Kind: Patrol, HasPoint: true}, func(f *fake) { f.unreachable = true }, Unreachable},
		{"a rally point that nothing walks to", Order{Kind: SetRally, HasPoint: true}, func(f *fake) { f.unreachable = true }, OK},
		{"a rally point off the map", Order{Kind: SetRally, HasPoint: true}, func(f *fake) { f.offMap = true }, OffMap},
		{"an ability that is not granted", Order{Kind: StopAbility}, func(f *fake) { f.ability = Ability{Lasting: true} }, NotGranted},
		{"an ability that lasts is stopped", Order{Kind: StopAbility}, func(f *fake) { f.ability.Lasting = true }, OK},
		{"an ability aimed at nothing", Order{Kind: UseAbility}, func(f *fake) { f.aim = AimNone }, OK},
	} {
		f := withTargets()
		tt.wrong(f)
		tt.order.Units, tt.order.Point = []grid.Handle{1}, point
		if got := Validate(f, 0, 0, tt.order, &Scratch{}); got.Code != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got.Code, tt.want)
		}
	}
}

// TestRefusedOrdersNameNobody: the result of a refused order holds no data of the order
// before, though both use the same memory.
func TestRefusedOrdersNameNobody(t *testing.T) {
	var s Scratch
	f := newFake()
	if r := Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{1, 2}}, &s); len(r.Units) != 2 {
		t.Fatalf("got %+v", r)
	}
	grown := cap(s.units)
	if r := Validate(f, 0, 0, Order{Kind: Stop, Units: []grid.Handle{8}}, &s); r.Code != UnknownUnit || r.Units != nil || r.At != nil || r.Left != nil {
		t.Errorf("got %+v", r)
	}
	if grown == 0 || cap(s.units) != grown {
		t.Errorf("the memory for %d units is kept as %d", grown, cap(s.units))
	}
}

// TestResults: the target of an order in sight, and its units, each once.
func TestResults(t *testing.T) {
	at := grid.Pos{X: 8, Y: 9}
	for _, tt := range []struct {
		order Order
		want  Result
	}{
		{Order{Kind: Attack, Target: 3}, Result{Kind: Attack, Target: 13}},
		{Order{Kind: Follow, Target: 3}, Result{Kind: Follow, Target: 13}},
		{Order{Kind: Harvest, Target: 23}, Result{Kind: Harvest, Target: 23, HasPoint: true, Point: at}},
		{Order{Kind: SetRally, Target: 23}, Result{Kind: SetRally, Target: 23, HasPoint: true, Point: at}},
		{Order{Kind: Build, Target: 20}, Result{Kind: Build, Target: 20}},
	} {
		f := withTargets()
		f.badSite = true // a structure that stands already needs no site
		u := f.targets[23]
		u.At = at
		f.targets[23] = u
		tt.order.Units = []grid.Handle{1}
		r := Validate(f, 0, 0, tt.order, &Scratch{})
		if r.Code != OK || r.Kind != tt.want.Kind || r.Target != tt.want.Target || r.HasPoint != tt.want.HasPoint || r.Point != tt.want.Point {
			t.Errorf("%v: got %+v", tt.order.Kind, r)
		}
	}
	for _, tt := range []struct {
		units []grid.Handle
		want  []grid.EntityID
		at    []uint16
	}{
		{[]grid.Handle{1, 2}, []grid.EntityID{11, 12}, []uint16{0, 1}},
		{[]grid.Handle{1, 1}, []grid.EntityID{11}, []uint16{0}},
		{[]grid.Handle{2, 2, 1}, []grid.EntityID{12, 11}, []uint16{0, 2}},
		{[]grid.Handle{1, 2, 1, 2}, []grid.EntityID{11, 12}, []uint16{0, 1}},
	} {
		r := Validate(newFake(), 0, 0, Order{Kind: Stop, Units: tt.units}, &Scratch{})
		if !slices.Equal(r.Units, tt.want) || !slices.Equal(r.At, tt.at) {
			t.Errorf("%v: asks %v at %v, want %v at %v", tt.units, r.Units, r.At, tt.want, tt.at)
		}
	}
}

// TestRequestsOfAnOrder: numbers follow each other, 0 is no number, and they end at the
// greatest.
func TestRequestsOfAnOrder(t *testing.T) {
	for _, tt := range []struct {
		first uint32
		i     int
		want  uint32
	}{{0, 0, 0}, {0, 5, 0}, {7, 0, 7}, {7, 3, 10}, {1<<32 - 2, 1, 1<<32 - 1}, {1<<32 - 2, 2, 0}, {1<<32 - 1, 9, 0}} {
		o := Order{Request: tt.first}
		if got := o.RequestOf(tt.i); got != tt.want {
			t.Errorf("first %d, unit %d: %d, want %d", tt.first, tt.i, got, tt.want)
		}
	}
}

func TestNamesOfNothing(t *testing.T) {
	for _, name := range []string{"none", "", "order(3)"} {
		if k, ok := ParseKind(name); ok || k != None {
			t.Errorf("%q is %v", name, k)
		}
	}
	if r, ok := ParseReject("NO SUCH CODE"); ok || r != OK {
		t.Errorf("an unknown code is %v", r)
	}
	if s := SetOf(Stop, Hold); !s.Has(Stop) || !s.Has(Hold) || s.Has(Move) {
		t.Errorf("the set of stop and hold is %b", s)
	}
	if everyKind := KindSet(1<<32 - 1); everyKind.Has(kindEnd) || everyKind.Has(kindEnd+5) || !everyKind.Has(Surrender) {
		t.Error("a set has kinds that there are not")
	}
}
