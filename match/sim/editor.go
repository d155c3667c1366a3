package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/internal/testonly"
	"github.com/fogkeep/fogkeep/orders"
)

// Editor changes a world without regard to its rules. It is for tests only: they
// get one from match/sim/simtest. It is used between two steps. Sight and knowledge
// are updated in the next step.
type Editor struct{ w *World }

// Editor returns the world's editor. Only match/sim/simtest has the key.
func (w *World) Editor(testonly.Key) Editor { return Editor{w} }

// Add puts a new entity of a player's on the map, finished. It returns nil if
// it does not fit there in truth.
func (ed Editor) Add(s grid.Slot, typ uint16, at grid.Pos) *Entity {
	if !ed.Fits(typ, at) {
		return nil
	}
	e := ed.w.spawn(s, typ, at, false)
	e.birth++ // the step to come is its first
	ed.w.settle()
	return e
}

// Fits reports whether one of the type could stand there in truth.
func (ed Editor) Fits(typ uint16, at grid.Pos) bool {
	t := &ed.w.rules.Types[typ]
	if !ed.w.m.InPos(at) {
		return false
	}
	if t.Class == rules.ClassStructure {
		return ed.w.footFree(typ, footOf(t, at), 0)
	}
	return t.Class == rules.ClassUnit && ed.w.passable(t, at.Tile())
}

// Remove lets an entity die without damage in the next step.
func (ed Editor) Remove(e *Entity) { ed.w.kill(e) }

// Turn changes the state of a feature. A pickup and a switch keep it for some minutes. A gate or a bridge follows its
// switches, schedule and units again in the next tick.
func (ed Editor) Turn(e *Entity) {
	for i := range ed.w.features {
		if f := &ed.w.features[i]; f.id == e.id {
			f.end = ed.w.tick + 10_000
			ed.w.setState(e, 1-e.stock)
		}
	}
}

// Move moves a unit and drops its path. It does nothing if the unit does not fit.
func (ed Editor) Move(e *Entity, at grid.Pos) {
	if e.class == rules.ClassUnit && ed.Fits(e.typ, at) {
		e.put(at)
		e.vx, e.vy, e.guard = 0, 0, at
		e.mv.halt()
	}
}

// SetHealth sets health, within the type's limit and at least 1.
func (ed Editor) SetHealth(e *Entity, hp int32) { ed.w.setHealth(e, max(1, hp)) }

// SetShield sets the shield, in points, within the type's limit.
func (ed Editor) SetShield(e *Entity, points int32) { ed.w.setShield(e, 1000*points) }

// SetValue sets a declared value, by its place among the values of the type, within its bounds.
func (ed Editor) SetValue(e *Entity, place int, n int32) { ed.w.setValue(e, place, n) }

// SetEnergy sets energy, thousandths.
func (ed Editor) SetEnergy(e *Entity, energy int32) { e.energy = max(0, energy) }

// AddShots moves the counters of a unit on, as if it had fired so many shots.
func (ed Editor) AddShots(e *Entity, shots uint16) {
	for i := range ed.w.rules.Types[e.typ].Weapons {
		e.arms[i].shots += shots
	}
	e.hpMoves += shots
	e.shieldMoves += shots
}

// Cloak hides a unit that can cloak itself.
func (ed Editor) Cloak(e *Entity) { ed.w.startCloaked(e) }

// Order gives a unit a task, in place of its queue or, queued, behind it.
func (ed Editor) Order(e *Entity, k orders.Kind, to grid.Pos, queued bool) {
	if queued && len(e.tasks) >= orders.QueueMax || e.class != rules.ClassUnit {
		return
	}
	ed.w.push(e, &dueOrder{kind: k, slot: e.slot, queued: queued, hasPoint: true, point: to}, 0, to, 0)
}

// StartAbility lets a unit begin an ability of its type, if it is ready for it.
func (ed Editor) StartAbility(e *Entity, ability uint8, at grid.Pos) bool {
	i := ed.w.abilityAt(e, ability)
	return i >= 0 && ed.w.start(e, i, 0, at, nil) == orders.OK
}

// AddEffect puts one of the ruleset's effects on a unit, as if by another one.
func (ed Editor) AddEffect(v *Entity, effect uint8, by *Entity) {
	ed.w.addEffect(v, effect, by.slot, by.id)
}

// Antedate moves the start of a unit's running abilities and effects so many ticks into the
// past, and changes no other state. It reports whether there are any.
func (ed Editor) Antedate(e *Entity, ticks grid.Ticks) bool {
	any := len(e.effects) > 0
	for i := range e.acts {
		if a := &e.acts[i]; a.on {
			a.start, any = a.start-min(a.start, grid.Tick(ticks)), true
		}
	}
	for i := range e.effects {
		x := &e.effects[i]
		x.start -= min(x.start, grid.Tick(ticks))
	}
	return any
}

// SetRally sets the place where a structure's products gather.
func (ed Editor) SetRally(e *Entity, at grid.Pos) {
	e.maker.hasRally, e.maker.rally, e.maker.rallyAt = true, at, 0
}

// Enqueue adds a type to the queue of a structure. If the queue was empty, the work
// is half done.
func (ed Editor) Enqueue(e *Entity, typ uint16) {
	if len(e.maker.queue) < trainQueueMax {
		if len(e.maker.queue) == 0 {
			e.maker.done = ed.w.rt.types[typ].build / 2
		}
		e.maker.queue = append(e.maker.queue, typ)
		ed.w.players[e.slot].pop += ed.w.rules.Types[typ].Pop
	}
}

// Swap swaps two units of one player in everything but their ids. The world looks
// the same; only the order in which they were made differs.
func (ed Editor) Swap(a, b *Entity) {
	if a.slot != b.slot || a.class != rules.ClassUnit || b.class != rules.ClassUnit {
		return
	}
	*a, *b = *b, *a
	a.id, b.id = b.id, a.id
	a.source, b.source = b.source, a.source
	a.eyeAt, b.eyeAt = b.eyeAt, a.eyeAt
	a.handles, b.handles = b.handles, a.handles
	a.viewers, b.viewers = b.viewers, a.viewers
}

// Credit adds to a player's stock, and to its credited income.
func (ed Editor) Credit(s grid.Slot, stock, score int32) {
	p := &ed.w.players[s]
	for i := range p.stock {
		p.stock[i] = max(0, p.stock[i]+stock)
	}
	p.score, p.shown, p.kills = p.score+score, p.shown+score, p.kills+score
}
