package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// A unit in a transport is no entity of the world: it is in no list of entities, no index and no team's sight, and has no handle.
// Only its transport has it. So no phase and no view can come upon it. It keeps its id for the time when it gets out.

// holds reports whether c takes e in now.
func (w *World) holds(c, e *Entity) bool {
	t := &w.rules.Types[c.typ].Transport
	return c.slot == e.slot && c != e && !c.dying && !c.unbuilt && slices.Contains(t.Types, e.typ) &&
		w.slotsOf(c)+w.rules.Types[e.typ].Slots <= t.Slots
}

// slotsOf returns how many slots of a transport are taken.
func (w *World) slotsOf(c *Entity) (n int32) {
	for _, e := range c.cargo {
		n += w.rules.Types[e.typ].Slots
	}
	return n
}

// Passengers returns the units in a transport, in the order in which they got in. Only its owner may know them.
func (e *Entity) Passengers() []*Entity { return e.cargo }

// board is the task of going to a transport and getting in.
func (w *World) board(e *Entity, t *task) {
	w.disarm(e)
	c := w.find(t.target)
	if c == nil || !w.holds(c, e) {
		w.fail(e, orders.Blocked)
		return
	}
	if w.approach(e, t, c, w.rules.Types[c.typ].Transport.Range+w.rules.Types[e.typ].Radius) {
		w.clearTasks(e)
		for i := range w.rules.Types[e.typ].Abilities {
			if e.acts[i].on {
				w.stop(e, i)
			}
		}
		e.dying = true // for the phases of this tick
		c.cargo = append(c.cargo, e)
		w.boarded = append(w.boarded, e)
	}
}

// stow takes the units that got into transports in this tick out of the world. Teams that saw one lose it from sight.
func (w *World) stow() {
	if len(w.boarded) == 0 {
		return
	}
	for _, e := range w.boarded {
		for i := range w.teams {
			if h := e.handles[i]; h != 0 {
				w.teams[i].lose(w, e, h)
			}
		}
		w.eyes.Remove(e.source)
		e.source, e.viewers, e.vx, e.vy, e.lastHit, e.chaseTarget = 0, 0, 0, 0, 0, 0
		w.index[indexOf(e.id.Slot())][e.id.Counter()] = nil
	}
	w.all = slices.DeleteFunc(w.all, func(e *Entity) bool { return slices.Contains(w.boarded, e) })
	clear(w.boarded)
	w.boarded = w.boarded[:0]
	w.takeTurns()
}

// orderUnload notes which passenger the order means.
func (w *World) orderUnload(e *Entity, d *dueOrder, request uint32) {
	w.push(e, d, request, d.point, 0).ability = d.item
}

// unload is the task of going to a place and letting passengers out there: all, or the one in a place of the list.
func (w *World) unload(e *Entity, t *task) {
	w.disarm(e)
	switch {
	case len(e.cargo) == 0 || int(t.ability) > len(e.cargo):
		w.next(e)
	case t.phase == 0:
		if t.phase, t.start = 1, w.tick; e.class == rules.ClassUnit && !e.Pos().Within(t.point, arriveDist) {
			w.goTo(e, t.point, t.point, arriveDist, grid.WUPerTile)
		}
	case e.mv.going:
		t.start = w.tick
	case (w.tick-t.start)%grid.Tick(w.rt.types[e.typ].unload) != 0:
	case w.getOut(e, max(0, int(t.ability)-1), false):
		if t.start = w.tick; t.ability > 0 || len(e.cargo) == 0 {
			w.next(e)
		}
	case w.tick-t.start >= grid.Tick(w.rt.giveUp):
		w.fail(e, orders.Blocked)
	}
}

// getOut puts the i-th passenger beside its transport, or under it, and reports whether there is room. If crowded is set, ground on
// which only friends stand has room too.
func (w *World) getOut(c *Entity, i int, crowded bool) bool {
	e := c.cargo[i]
	at, ok := w.exitOf(c, e.typ, crowded)
	if !ok {
		return false
	}
	c.cargo = slices.Delete(c.cargo, i, i+1)
	e.put(at)
	e.dying, e.guard, e.mv = false, at, mover{path: e.mv.path[:0]}
	w.index[indexOf(e.id.Slot())][e.id.Counter()] = e
	w.newborns = append(w.newborns, e)
	e.source, e.eyeAt = w.eyes.Add(e.team, w.sourceOf(e)), e.Tile()
	return true
}

// exitOf returns the free place nearest to a transport where a passenger of the type can stand.
func (w *World) exitOf(c *Entity, typ uint16, crowded bool) (best grid.Pos, found bool) {
	if c.class == rules.ClassStructure {
		return w.door(c, typ, crowded)
	}
	bestD := int64(0)
	for ring := range int16(3) {
		for tile := range c.Tile().Ring(ring) {
			p := tile.Center()
			if d := p.Sub(c.Pos()).Len2(); (!found || d < bestD) && w.roomFor(c, &w.rules.Types[typ], p, crowded) {
				best, bestD, found = p, d, true
			}
		}
	}
	return best, found
}

// disembark lets all passengers out for whom there is room, as their transport is lost. The others die in it; by is the player
// whose deed that is.
func (w *World) disembark(c *Entity, by grid.Slot) {
	for i := len(c.cargo) - 1; i >= 0; i-- {
		if !w.getOut(c, i, true) {
			w.credit(c.cargo[i], by)
		}
	}
}

// shipwreck ends the time of a destroyed transport's passengers in it: by its rule they get out, or die with it.
func (w *World) shipwreck(c *Entity, by grid.Slot) {
	if w.rules.Types[c.typ].Transport.Spill {
		w.disembark(c, by)
		return
	}
	for _, e := range c.cargo {
		w.credit(e, by)
	}
}

// sink ends the passengers that are still in a transport when it goes.
func (w *World) sink(c *Entity) {
	for _, e := range c.cargo {
		e.put(c.Pos())
		w.count(e, -1)
		if p := &w.players[e.slot]; p.alive {
			p.losses++
		}
		w.sunk = append(w.sunk, e)
	}
	c.cargo = c.cargo[:0]
}

// tellSunk tells of the passengers that died in this step. Not even their team saw it: it saw the transport's end.
func (w *World) tellSunk() {
	for _, e := range w.sunk {
		ev := eventOf(EventDied, e)
		ev.By, ev.Assists = w.destroyer(e)
		w.tell(ev)
	}
}

// cargoState is a transport's part of the state.
func (w *World) cargoState(a *archive.Archive, c *Entity) {
	if int(c.typ) >= len(w.rules.Types) || w.rules.Types[c.typ].Transport.Slots == 0 {
		return
	}
	archive.List(a, &c.cargo, 64, func(e **Entity) {
		if a.Reading() {
			*e = w.fresh()
		}
		(*e).state(a)
		w.scriptState(a, *e)
	})
}

// checkCargo checks the passengers of a restored transport.
func (w *World) checkCargo(c *Entity) error {
	for i, e := range c.cargo {
		ix := w.index[indexOf(e.id.Slot())]
		switch {
		case int(e.typ) >= len(w.rules.Types) || e.class != rules.ClassUnit || !slices.Contains(w.rules.Types[c.typ].Transport.Types, e.typ):
			return fmt.Errorf("entity %v: a passenger of type %d", c.id, e.typ)
		case e.id.Counter() == 0 || int(e.id.Counter()) >= len(ix) || ix[e.id.Counter()] != nil || e.slot != c.slot || e.team != c.team || e.source != 0:
			return fmt.Errorf("entity %v: passenger %v", c.id, e.id)
		case slices.ContainsFunc(c.cargo[:i], func(o *Entity) bool { return o.id == e.id }):
			return fmt.Errorf("entity %v: passenger %v twice", c.id, e.id)
		}
		e.dying = true
	}
	if n := w.slotsOf(c); n > w.rules.Types[c.typ].Transport.Slots {
		return fmt.Errorf("entity %v: passengers in %d slots", c.id, n)
	}
	return nil
}
