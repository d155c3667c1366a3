package match

import (
	"math/rand/v2"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// adversary is a player that asks for anything: units go into the dark, shells fall
// there, sites are chosen on unseen ground, handles are made up. A team would probe for
// secrets like this.
type adversary struct {
	slot  grid.Slot
	seed  uint64
	m     *grid.Map
	rng   *rand.Rand
	seq   uint32
	begun bool
	scans int
}

// looksAtPairs reports whether, with this seed, A sees the stage's pairs later.
func looksAtPairs(seed uint64) bool { return seed%2 == 0 }

func newAdversary(seed uint64, slot grid.Slot, m *grid.Map) *adversary {
	return &adversary{slot: slot, seed: seed, m: m, rng: rand.New(rand.NewPCG(seed, 100+uint64(slot)))}
}

// point is somewhere, mostly not far from home.
func (f *adversary) point() *pb.Point {
	if home := f.m.Starts[f.slot]; f.rng.IntN(8) != 0 {
		at := f.m.Clamp(home.Center().Add(grid.Vec{X: f.rng.Int32N(16<<10) - 8<<10, Y: f.rng.Int32N(16<<10) - 8<<10}))
		return &pb.Point{X: at.X, Y: at.Y}
	}
	return &pb.Point{X: f.rng.Int32N(int32(f.m.W) << grid.TileShift), Y: f.rng.Int32N(int32(f.m.H) << grid.TileShift)}
}

// think adds its messages to out, every few ticks.
func (f *adversary) think(l *playerClient, out *pb.ClientFrame) {
	if !f.begun {
		f.begun = true
		if f.seed%3 == 0 {
			out.Pace = &pb.Pace{BytesPerS: feed.BytesPerSMin}
		} else if f.seed%7 == 0 {
			out.Pace = &pb.Pace{FramesPerS: 4}
		}
		f.scan(l, out, "command-centre", stageAt)
	}
	if looksAtPairs(f.seed) && f.scans < len(scansAt) && l.Tick() >= scansAt[f.scans] {
		f.scans++
		f.scan(l, out, "caster", pairsAt)
	}
	pause := 5
	if f.slot >= slotsOfA {
		pause = 30 // forks last longer if less comes into sight
	}
	if f.rng.IntN(pause) != 0 {
		return
	}
	if f.rng.IntN(10) == 0 {
		out.Camera = &pb.Camera{X: uint32(f.rng.IntN(f.m.W)), Y: uint32(f.rng.IntN(f.m.H)), Radius: 8}
	}
	switch f.rng.IntN(12) {
	case 0:
		out.Says = append(out.Says, &pb.Say{Seq: f.number(), All: f.rng.IntN(2) == 0 && f.slot < slotsOfA, Text: "hello"})
		return
	case 1:
		out.Pings = append(out.Pings, &pb.MapPing{Seq: f.number(), At: f.point()})
		return
	}
	f.order(l, out)
}

func (f *adversary) number() uint32 {
	f.seq++
	return f.seq
}

// own returns some of its units that a test allows.
func (f *adversary) own(l *playerClient, most int, ok func(*pb.TypeInfo) bool) (units []uint32) {
	hs := l.Replica.Handles()
	if len(hs) == 0 {
		return nil
	}
	from := f.rng.IntN(len(hs))
	for i := range hs {
		h := hs[(from+i)%len(hs)]
		if e := l.Replica.Entities[h]; e.Owner == f.slot && len(units) < most && ok(l.Welcome.Types[e.Type]) {
			units = append(units, uint32(h))
		}
	}
	return units
}

// anyTarget is a handle: of a thing in sight, of a thing once in sight, or made up.
func (f *adversary) anyTarget(l *playerClient) uint32 {
	if hs := l.Replica.Handles(); len(hs) > 0 && f.rng.IntN(3) == 0 {
		return uint32(hs[f.rng.IntN(len(hs))])
	}
	return 1 + f.rng.Uint32N(120)
}

var adversaryKinds = []pb.OrderKind{
	pb.OrderKind_ORDER_KIND_MOVE, pb.OrderKind_ORDER_KIND_MOVE, pb.OrderKind_ORDER_KIND_MOVE, pb.OrderKind_ORDER_KIND_PATROL,
	pb.OrderKind_ORDER_KIND_ATTACK, pb.OrderKind_ORDER_KIND_ATTACK, pb.OrderKind_ORDER_KIND_ATTACK,
	pb.OrderKind_ORDER_KIND_ATTACK, pb.OrderKind_ORDER_KIND_ATTACK, pb.OrderKind_ORDER_KIND_ATTACK_GROUND, pb.OrderKind_ORDER_KIND_ATTACK_MOVE,
	pb.OrderKind_ORDER_KIND_STOP, pb.OrderKind_ORDER_KIND_HOLD, pb.OrderKind_ORDER_KIND_FOLLOW, pb.OrderKind_ORDER_KIND_HARVEST,
	pb.OrderKind_ORDER_KIND_BUILD, pb.OrderKind_ORDER_KIND_BUILD, pb.OrderKind_ORDER_KIND_TRAIN, pb.OrderKind_ORDER_KIND_RALLY,
}

func (f *adversary) order(l *playerClient, out *pb.ClientFrame) {
	o := &pb.Order{Kind: adversaryKinds[f.rng.IntN(len(adversaryKinds))], Queued: f.rng.IntN(3) == 0, Together: f.rng.IntN(3) == 0, To: f.point()}
	if o.Kind == pb.OrderKind_ORDER_KIND_BUILD {
		o.To = &pb.Point{X: f.rng.Int32N(int32(f.m.W) << grid.TileShift), Y: f.rng.Int32N(int32(f.m.H) << grid.TileShift)}
	}
	mobile := func(ti *pb.TypeInfo) bool { return ti.Class == pb.TypeClass_TYPE_CLASS_UNIT }
	switch o.Kind {
	case pb.OrderKind_ORDER_KIND_BUILD:
		mobile = func(ti *pb.TypeInfo) bool { return len(ti.Builds) > 0 }
		o.What = f.typeNamed(l, []string{"wall", "tower", "barracks", "wall"}[f.rng.IntN(4)])
	case pb.OrderKind_ORDER_KIND_ATTACK_GROUND:
		mobile = func(ti *pb.TypeInfo) bool { return ti.Name == "artillery" || ti.Name == "soldier" }
	case pb.OrderKind_ORDER_KIND_HARVEST:
		mobile = func(ti *pb.TypeInfo) bool { return ti.Worker }
		o.Target, o.To = f.anyTarget(l), nil
	case pb.OrderKind_ORDER_KIND_ATTACK, pb.OrderKind_ORDER_KIND_FOLLOW:
		o.Target, o.To = f.anyTarget(l), nil
	case pb.OrderKind_ORDER_KIND_TRAIN:
		mobile = func(ti *pb.TypeInfo) bool { return len(ti.Trains) > 0 }
		o.What, o.To, o.Queued = f.typeNamed(l, []string{"worker", "scout", "soldier"}[f.rng.IntN(3)]), nil, false
	case pb.OrderKind_ORDER_KIND_RALLY:
		mobile = func(ti *pb.TypeInfo) bool { return len(ti.Trains) > 0 }
		o.Queued = false
	case pb.OrderKind_ORDER_KIND_STOP, pb.OrderKind_ORDER_KIND_HOLD:
		o.To = nil
	}
	if o.Units = f.own(l, 1+f.rng.IntN(8), mobile); len(o.Units) > 0 {
		o.Seq = f.number()
		out.Orders = append(out.Orders, o)
	}
}

func (f *adversary) typeNamed(l *playerClient, name string) uint32 {
	for i, ti := range l.Welcome.Types {
		if ti.Name == name {
			return uint32(i)
		}
	}
	return 0
}

// scan lights a place of the stage: early on the one with structures, so that
// the team has ghosts to remember, later the one with pairs.
func (f *adversary) scan(l *playerClient, out *pb.ClientFrame, with string, at grid.Pos) {
	units := f.own(l, 1, func(ti *pb.TypeInfo) bool { return ti.Name == with })
	if len(units) == 0 || f.slot >= slotsOfA {
		return
	}
	for i, a := range l.Welcome.Abilities {
		if a.Name == "scan" {
			out.Orders = append(out.Orders, &pb.Order{
				Seq: f.number(), Kind: pb.OrderKind_ORDER_KIND_ABILITY, Units: units, What: uint32(i),
				To: &pb.Point{X: at.X, Y: at.Y},
			})
		}
	}
}

// Places of the stage.
var (
	stageAt = grid.Tile{X: 25, Y: 12}.Center() // structures that A sees once, early on
	pairsAt = grid.Tile{X: 25, Y: 26}.Center() // pairs that look the same
	scansAt = []grid.Tick{270, 350}            // when A looks at them
	highAt  = grid.Tile{X: 18, Y: 40}          // high ground from which A is shelled
	cloakAt = grid.Tile{X: 34, Y: 45}          // cloaked units
)

// stage sets up the secrets of every run of a seed: foes in A's sight that are not done
// with at once, structures that A will remember, and pairs in the dark that look the
// same.
func stage(w *sim.World, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	edit := simtest.Edit(w)
	add := func(slot grid.Slot, name string, x, y int) *sim.Entity {
		typ, _ := w.Rules().TypeByName(name)
		return edit.Add(slot, typ, grid.Tile{X: int16(x), Y: int16(y)}.Center())
	}
	add(3, "factory", 8, 18) // in sight of A's first base
	add(3, "command-centre", 9, 29)
	add(2, "barracks", 25, 12) // where A scans
	add(3, "tower", 21, 14)
	add(2, "wall", 28, 14)
	for i := range 3 { // A's own get in each other's way, the first to go is drawn
		add(1, "caster", 6, 41+i)
		for slot, x := range []int{4, 12} {
			e := add(grid.Slot(slot), "detector", x+slot, 23+i)
			edit.Order(e, orders.Patrol, grid.Tile{X: int16(16 - x), Y: 24}.Center(), false)
		}
	}
	for i := range 2 { // shells from where A's eyes do not reach
		e := add(3, "artillery", int(highAt.X), int(highAt.Y)-1+i)
		edit.Order(e, orders.AttackGround, grid.Tile{X: 10, Y: 40}.Center(), false)
	}
	add(0, "factory", int(cloakAt.X)-6, int(cloakAt.Y)-2)
	for i := range 2 { // under the eyes of A's factory, if it could see them
		e := add(3, "raider", int(cloakAt.X), int(cloakAt.Y)-4*i)
		edit.Order(e, orders.Hold, e.Pos(), false)
		edit.Cloak(e)
	}
	if _, ok := w.Rules().TypeByName("mine"); ok { // in the same place
		for i := range 4 {
			add(3, "mine", int(cloakAt.X)-3, int(cloakAt.Y)-2*i)
		}
	}
	for range 5 {
		x, y := 22+rng.IntN(7), 23+rng.IntN(7)
		slot := grid.Slot(2 + rng.IntN(2))
		name := []string{"worker", "raider", "detector", "caster"}[rng.IntN(4)]
		a, b := add(slot, name, x, y), add(slot, name, x, y)
		if a == nil || b == nil {
			continue
		}
		to := b.Pos().Add(grid.Vec{X: 300, Y: 100})
		edit.Move(b, to)
		edit.Order(a, orders.Hold, a.Pos(), false)
		edit.Order(b, orders.Hold, b.Pos(), false)
	}
}
