package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
)

// trainQueueMax bounds a structure's production queue.
const trainQueueMax = 5

// work lets structures produce, energy and shields come back and abilities run.
func (w *World) work() {
	w.lookForTurns(bandWorks)
	for i, e := range w.all {
		if w.todoAt(bandWorks, i) == 0 {
			continue
		}
		if len(e.maker.queue) > 0 {
			w.produce(e)
		}
		w.settleEffects(e)
		w.runAbilities(e)
	}
	w.endResearch()
}

// works restores e's health, shield and energy. It reports whether e produces or has an
// ability on.
func (w *World) works(e *Entity) bool {
	if e.dying || e.class > rules.ClassStructure {
		return false
	}
	t := &w.rules.Types[e.typ]
	busy := len(t.Trains) > 0 && len(e.maker.queue) > 0
	if t.Shield.Max|t.EnergyMax > 0 {
		_, shield, energy := w.Most(e)
		w.chargeShield(e, shield)
		if energy > 0 && len(t.Abilities) > 0 && !e.unbuilt {
			e.energy = min(energy, e.energy+w.rt.types[e.typ].regen)
		}
	}
	for i := range t.Abilities {
		busy = busy || e.acts[i].on
	}
	if len(t.Values) > 0 && w.rt.types[e.typ].ages {
		w.age(e)
	}
	return busy || w.rt.growth.standing && w.unsettled(e)
}

// enqueue adds a unit to a structure's queue. The player pays now, and the unit's
// place in the population is taken now. Cancelling gives both back.
func (w *World) enqueue(e *Entity, d *dueOrder) {
	p := &w.players[e.slot]
	code := w.canMake(p, d.typ)
	if code == orders.OK && len(e.maker.queue) >= trainQueueMax {
		code = orders.QueueFull
	}
	if code != orders.OK {
		w.out.Notices = append(w.out.Notices, Notice{d.slot, d.seq, d.kind, code, e.id})
		return
	}
	t := &w.rules.Types[d.typ]
	p.pay(t.Cost, 1)
	p.pop += t.Pop
	e.maker.queue = append(e.maker.queue, d.typ)
}

// unqueue takes a product out of the queue and refunds its cost.
func (w *World) unqueue(e *Entity, at int) {
	typ := e.maker.queue[at]
	w.refund(e.slot, typ)
	w.players[e.slot].pop -= w.rules.Types[typ].Pop
	e.maker.queue = append(e.maker.queue[:at], e.maker.queue[at+1:]...)
	if at == 0 {
		e.maker.done = 0
	}
}

// unqueueAll frees the places in the population of a destroyed structure's queue. The
// queue's cost is lost.
func (w *World) unqueueAll(e *Entity) {
	for _, typ := range e.maker.queue {
		w.players[e.slot].pop -= w.rules.Types[typ].Pop
	}
	e.maker.queue = e.maker.queue[:0]
}

// produce works on the first unit of the queue. The unit leaves once it is done and
// there is room at the exit.
func (w *World) produce(e *Entity) {
	m := &e.maker
	typ := m.queue[0]
	if m.done < w.rt.types[typ].build {
		m.done++
	}
	if m.done < w.rt.types[typ].build {
		return
	}
	if w.rules.Types[typ].Class == rules.ClassUpgrade {
		m.queue, m.done = append(m.queue[:0], m.queue[1:]...), 0
		w.researched = append(w.researched, research{e.team, typ})
		return
	}
	at, ok := w.door(e, typ, false)
	if !ok { // friends on that place will move apart
		if at, ok = w.door(e, typ, true); !ok {
			return
		}
	}
	m.queue, m.done = append(m.queue[:0], m.queue[1:]...), 0
	p := &w.players[e.slot]
	p.pop -= w.rules.Types[typ].Pop // the unit itself takes the place now
	p.products++
	u := w.spawn(e.slot, typ, at, false)
	u.guard = at
	w.tell(eventOf(EventMade, u))
	if m.hasRally {
		w.rally(e, u)
	}
}

// rally gives a new unit its first order.
func (w *World) rally(e, u *Entity) {
	d := dueOrder{kind: orders.Move, slot: e.slot, point: e.maker.rally, hasPoint: true}
	if t := w.find(e.maker.rallyAt); t != nil && t.viewers.Has(e.team) {
		d.point = t.Pos()
		switch {
		case t.class == rules.ClassResource && w.rules.Types[u.typ].Carry > 0:
			d.kind, d.target = orders.Harvest, t.id
		case t.team == e.team && t.class == rules.ClassUnit:
			d.kind, d.target = orders.Follow, t.id
		}
	}
	if w.rules.Types[u.typ].Mobile {
		w.push(u, &d, 0, d.point, 2*grid.WUPerTile)
	}
}

// door returns free ground beside a structure, nearest to where its units go. If
// crowded is set, ground on which only friends stand is free too.
func (w *World) door(e *Entity, typ uint16, crowded bool) (grid.Pos, bool) {
	t, ut := &w.rules.Types[e.typ], &w.rules.Types[typ]
	to := e.Pos().Add(grid.Vec{Y: 1})
	if e.maker.hasRally {
		to = e.maker.rally
	}
	var best grid.Pos
	found, bestD := false, int64(0)
	for ring := int16(1); ring <= 3 && !found; ring++ {
		for dy := -ring; dy < int16(t.FootH)+ring; dy++ {
			for dx := -ring; dx < int16(t.FootW)+ring; dx++ {
				if dy > -ring && dy < int16(t.FootH)+ring-1 && dx > -ring && dx < int16(t.FootW)+ring-1 {
					continue
				}
				p := grid.Tile{X: e.foot.X + dx, Y: e.foot.Y + dy}.Center()
				if d := p.Sub(to).Len2(); (!found || d < bestD) && w.roomFor(e, ut, p, crowded) {
					best, bestD, found = p, d, true
				}
			}
		}
	}
	return best, found
}

// roomFor reports whether a unit of the type, made by e, can stand at p now.
func (w *World) roomFor(e *Entity, t *rules.Type, p grid.Pos, crowded bool) bool {
	if !w.m.InPos(p) || !w.passable(t, p.Tile()) {
		return false
	}
	inWay := func(o *Entity) bool { return !(crowded && o.team == e.team) && w.touches(o, t, p) }
	// Some were made in this very tick, and are not in the index yet.
	w.foes = w.near.units(w.foes[:0], p, 2*grid.WUPerTile)
	return !slices.ContainsFunc(w.foes, inWay) && !slices.ContainsFunc(w.newborns, inWay)
}

// passable reports whether the ground of a tile lets a unit of the type stand there.
func (w *World) passable(t *rules.Type, at grid.Tile) bool {
	return w.m.Passable(at, t.Move) && (t.Move == grid.Air || !nav.Closes(w.solid[w.m.Index(at)], t.Move))
}

// touches reports whether a unit of the type, at p, would overlap o on the same layer.
func (w *World) touches(o *Entity, t *rules.Type, p grid.Pos) bool {
	ot := &w.rules.Types[o.typ]
	return o.class == rules.ClassUnit && !o.dying && (ot.Move == grid.Air) == (t.Move == grid.Air) && o.Pos().Within(p, ot.Radius+t.Radius-1)
}
