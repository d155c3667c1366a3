package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// Phases of a harvest task.
const (
	harvestGo = iota
	harvestGather
	harvestHome
)

// harvestNext is how far around a used-up place the unit looks for another.
const harvestNext = 12 * grid.WUPerTile

// harvest is the task of gathering, carrying home and going back, until the team
// knows of no more resources there.
func (w *World) harvest(e *Entity, t *task) {
	w.disarm(e)
	switch t.phase {
	case harvestGo:
		w.goHarvest(e, t)
	case harvestGather:
		if w.tick-t.start >= grid.Tick(w.rt.types[e.typ].harvest) {
			w.fill(e, t)
		}
	case harvestHome:
		w.carryHome(e, t)
	}
}

// startHarvest sends the workers that players begin with to the resources in their
// team's sight: the nearest place of the ruleset's first resource, else the nearest.
func (w *World) startHarvest() {
	for _, e := range w.all {
		if int(e.slot) >= len(w.players) || !w.kindsOf(e).Has(orders.Harvest) {
			continue
		}
		var best *Entity
		for _, o := range w.all {
			if o.class == rules.ClassResource && o.viewers.Has(e.team) && (best == nil || w.harvestsBefore(e, o, best)) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		at := best.Pos()
		e.give(append(e.tasks, task{kind: orders.Harvest, target: best.id, point: at, from: e.Pos(), group: at, start: w.tick}))
	}
}

// harvestsBefore reports whether a worker begins at place a rather than at b.
func (w *World) harvestsBefore(e, a, b *Entity) bool {
	if x, y := w.rules.Types[a.typ].Resource, w.rules.Types[b.typ].Resource; (x == 0) != (y == 0) {
		return x == 0
	}
	return a.Pos().Sub(e.Pos()).Len2() < b.Pos().Sub(e.Pos()).Len2()
}

func (w *World) goHarvest(e *Entity, t *task) {
	if e.carried > 0 && e.carried >= w.rules.Types[e.typ].Carry {
		t.phase = harvestHome
		return
	}
	at, ok := w.knownPlace(e, t)
	if !ok {
		// The team knows no resource: look at the order's place, then give up.
		switch {
		case e.mv.going:
		case t.target == 0 && t.width == 0 && !e.Pos().Within(t.point, 2*grid.WUPerTile):
			t.width = 1
			w.goTo(e, t.point, t.point, grid.WUPerTile, grid.WUPerTile)
		default:
			w.fail(e, orders.Exhausted)
		}
		return
	}
	t.point = at
	place := w.find(t.target)
	if place != nil && place.viewers.Has(e.team) && w.gap(e.Pos(), place) <= w.rules.Settings.HarvestRange+w.rules.Types[e.typ].Radius {
		e.mv.halt()
		t.phase, t.start = harvestGather, w.tick
		return
	}
	if !e.mv.going {
		// A unit does not settle out of reach of the place: a crowd that did would wait for
		// itself.
		w.goTo(e, at, at, w.rules.Settings.HarvestRange, w.rules.Settings.HarvestRange)
	}
}

// knownPlace returns where the task's resource place is, as far as the team knows.
// If the team knows that it is gone, the task turns to the nearest other one
// nearby.
func (w *World) knownPlace(e *Entity, t *task) (grid.Pos, bool) {
	k := &w.teams[e.team]
	if o := w.find(t.target); o != nil && !o.dying && o.class == rules.ClassResource && o.handles[e.team] != 0 {
		return o.Pos(), true
	}
	best, bestD, found := grid.Pos{}, int64(0), false
	was := t.target
	near := func(id grid.EntityID, at grid.Pos) {
		if d := at.Sub(t.point).Len2(); d <= harvestNext*harvestNext && (!found || d < bestD) {
			best, bestD, found, t.target = at, d, true, id
		}
	}
	for i := range k.ghosts {
		g := &k.ghosts[i]
		if w.rules.Types[g.Type].Class != rules.ClassResource {
			continue
		}
		if g.id == was {
			t.target = was
			return g.At, true // remembered, even if it is gone
		}
		near(g.id, g.At)
	}
	for _, o := range w.of(grid.NoSlot) {
		if o.class == rules.ClassResource && !o.dying && o.viewers.Has(e.team) {
			near(o.id, o.Pos())
		}
	}
	if !found {
		t.target = was
	}
	return best, found
}

// fill takes a load, if the place still has one. Only here does the real content of
// the place matter.
func (w *World) fill(e *Entity, t *task) {
	place := w.find(t.target)
	t.phase = harvestGo
	if place == nil || place.dying || w.gap(e.Pos(), place) > w.rules.Settings.HarvestRange+2*grid.WUPerTile {
		t.target = 0
		return
	}
	which := w.rules.Types[place.typ].Resource
	if e.carriedKind != which {
		e.carried = 0
	}
	n := min(w.rules.Types[e.typ].Carry-e.carried, place.stock)
	place.stock -= n
	e.carried, e.carriedKind = e.carried+n, which
	if place.stock == 0 {
		w.kill(place)
	}
	if e.carried > 0 {
		t.phase = harvestHome
	}
}

// carryHome brings the load to the player's nearest structure that takes it.
func (w *World) carryHome(e *Entity, t *task) {
	home := w.find(e.chaseTarget)
	if home == nil || home.dying || home.slot != e.slot || !e.mv.going {
		home = w.nearestHome(e)
	}
	if home == nil {
		w.fail(e, orders.Interrupted)
		return
	}
	if w.gap(e.Pos(), home) > w.rules.Settings.HarvestRange+w.rules.Types[e.typ].Radius {
		if !e.mv.going {
			// To a point in front of the wall: the wall's own tile is no place to
			// walk to, and from the far side of the tile before it the load would
			// be out of reach.
			reach := w.rules.Settings.HarvestRange
			at := w.nearestOf(e.Pos(), home)
			at = w.m.Clamp(at.Add(e.Pos().Sub(at).Scale(w.rules.Types[e.typ].Radius + reach/2)))
			w.goTo(e, at, at, reach/4, reach/4) // nowhere else will do, crowd or not
		}
		return
	}
	p := &w.players[e.slot]
	load := percent(e.carried, p.handicap.Income)
	if p.bot {
		load += load * p.income / 100
	}
	p.stock[e.carriedKind] += load
	p.gains[e.carriedKind] += load
	e.carried, e.chaseTarget = 0, 0
	e.mv.halt()
	t.phase = harvestGo
	if len(e.tasks) > 1 { // something else is waiting
		w.next(e)
	}
}

// nearestHome returns the player's nearest finished structure that takes
// loads, and notes it as where e is going.
func (w *World) nearestHome(e *Entity) *Entity {
	var home *Entity
	best := int64(0)
	for _, o := range w.all {
		if o.slot != e.slot || o.class != rules.ClassStructure || o.unbuilt || o.dying || !w.rules.Types[o.typ].DropOff {
			continue
		}
		if d := w.nearestOf(e.Pos(), o).Sub(e.Pos()).Len2(); home == nil || d < best {
			home, best = o, d
		}
	}
	if home != nil {
		e.chaseTarget = home.id
	}
	return home
}
