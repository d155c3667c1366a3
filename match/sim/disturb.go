package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// Hand reaches into a world past its rules. It is for tests that ask what
// would be told if something that a team does not know were otherwise; a match
// never uses it, and one that was touched cannot be replayed. It is used
// between two steps: sight and knowledge follow with the next.
type Hand struct{ w *World }

// Hand returns the hand that reaches into w.
func (w *World) Hand() Hand { return Hand{w} }

// Add puts a new entity of a player's on the map, finished. It returns nil if
// it does not fit there in truth.
func (h Hand) Add(s grid.Slot, typ uint16, at grid.Pos) *Entity {
	if !h.Fits(typ, at) {
		return nil
	}
	e := h.w.spawn(s, typ, at, false)
	e.born++ // the step to come is its first
	h.w.settle()
	return e
}

// Fits reports whether one of the type could stand there in truth.
func (h Hand) Fits(typ uint16, at grid.Pos) bool {
	t := &h.w.rules.Types[typ]
	if !h.w.m.InPos(at) {
		return false
	}
	if t.Class == ClassStructure {
		return h.w.footFree(typ, footOf(t, at), 0)
	}
	i := h.w.m.Index(at.Tile())
	return t.Class == ClassUnit && h.w.m.Pass[i].Has(t.Move) && h.w.solid[i] == 0
}

// Remove lets an entity die of nothing in the next step.
func (h Hand) Remove(e *Entity) { h.w.kill(e) }

// Put moves a unit, which forgets its way there. It does nothing if the unit
// does not fit.
func (h Hand) Put(e *Entity, at grid.Pos) {
	if e.class == ClassUnit && h.Fits(e.typ, at) {
		e.put(at)
		e.vx, e.vy, e.guard = 0, 0, at
		e.mv.halt()
	}
}

// Wound sets health, within what the type allows and at least 1.
func (h Hand) Wound(e *Entity, hp int32) { h.w.setHealth(e, max(1, hp)) }

// Tire sets energy, thousandths.
func (h Hand) Tire(e *Entity, energy int32) { e.energy = max(0, energy) }

// Wear moves the counters of a unit on, as if it had fired so many shots.
func (h Hand) Wear(e *Entity, shots uint16) {
	for i := range h.w.rules.Types[e.typ].Weapons {
		e.arms[i].shots += shots
	}
	e.hpMoves += shots
}

// Cloak hides a unit that can cloak itself.
func (h Hand) Cloak(e *Entity) { h.w.startCloaked(e) }

// Order gives a unit a task, in place of its queue or, queued, behind it.
func (h Hand) Order(e *Entity, k orders.Kind, to grid.Pos, queued bool) {
	if queued && len(e.tasks) >= orders.QueueMax || e.class != ClassUnit {
		return
	}
	h.w.push(e, &dueOrder{kind: k, slot: e.slot, queued: queued, hasPoint: true, point: to}, to, 0)
}

// Act lets a unit begin an ability of its type, if it is ready for it.
func (h Hand) Act(e *Entity, ability uint8, at grid.Pos) bool {
	i := h.w.abilityAt(e, ability)
	return i >= 0 && h.w.start(e, i, 0, at) == orders.OK
}

// Rally says where what a structure makes is to gather.
func (h Hand) Rally(e *Entity, at grid.Pos) {
	e.made.hasRally, e.made.rally, e.made.rallyAt = true, at, 0
}

// Train puts a type behind the queue of a structure. Where there was none, the
// work is half done.
func (h Hand) Train(e *Entity, typ uint16) {
	if len(e.made.queue) < trainQueueMax {
		if len(e.made.queue) == 0 {
			e.made.done = h.w.rt.types[typ].build / 2
		}
		e.made.queue = append(e.made.queue, typ)
		h.w.players[e.slot].pop += h.w.rules.Types[typ].Pop
	}
}

// Swap lets two units of one player change places in all but their ids: the
// world looks the same and only who was made first is otherwise.
func (h Hand) Swap(a, b *Entity) {
	if a.slot != b.slot || a.class != ClassUnit || b.class != ClassUnit {
		return
	}
	*a, *b = *b, *a
	a.id, b.id = b.id, a.id
	a.source, b.source = b.source, a.source
	a.eyeAt, b.eyeAt = b.eyeAt, a.eyeAt
	a.handles, b.handles = b.handles, a.handles
	a.seen, b.seen = b.seen, a.seen
}

// Pay adds to what a player has, and to what it is credited with.
func (h Hand) Pay(s grid.Slot, stock, score int32) {
	p := &h.w.players[s]
	for i := range p.stock {
		p.stock[i] = max(0, p.stock[i]+stock)
	}
	p.score, p.shown, p.killed = p.score+score, p.shown+score, p.killed+score
}
