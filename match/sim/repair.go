package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// repairWork is the phase of a repair task in which the unit restores health. Lower phases count how often it has set out.
const repairWork = walkTries + 1

// repairable reports whether e can repair v now. A player knows the health of the team's entities, so the answer tells no secret.
func (w *World) repairable(e, v *Entity) bool {
	if v.team != e.team || v == e || v.dying || v.unbuilt || !slices.Contains(w.rules.Types[e.typ].Repairs.Types, v.typ) {
		return false
	}
	most, _, _ := w.Most(v)
	return v.hp < most
}

// repair is the task of going to a damaged unit or structure of the team and restoring its health. The unit's player pays as
// the work goes on.
func (w *World) repair(e *Entity, t *task) {
	w.disarm(e)
	v := w.find(t.target)
	if v == nil || !w.repairable(e, v) {
		w.next(e)
		return
	}
	if !w.approach(e, t, v, w.rules.Settings.BuildRange+w.rules.Types[e.typ].Radius) {
		return
	}
	t.phase = repairWork
	e.face = e.face.Turn(grid.FacingOf(v.Pos().Sub(e.Pos())), w.rt.types[e.typ].turn)
	if !w.restore(e, v) {
		if t.seq == 0 {
			w.next(e) // no order of the player: the unit found the work itself
		} else {
			w.fail(e, orders.Unaffordable)
		}
	}
}

// approach brings the unit of a task within reach of another entity's edge. It reports whether it is there, and fails the task
// if the unit does not get nearer.
func (w *World) approach(e *Entity, t *task, v *Entity, reach grid.Dist) bool {
	if w.gap(e.Pos(), v) <= reach {
		e.mv.halt()
		return true
	}
	if t.phase == repairWork {
		t.phase = 0
	}
	near := reach - arriveDist
	if v.class == rules.ClassUnit {
		near += w.rules.Types[v.typ].Radius
	}
	if !e.mv.going {
		if t.phase++; t.phase > walkTries {
			w.fail(e, orders.Unreachable)
			return false
		}
	}
	w.chase(e, w.nearestOf(e.Pos(), v), max(near, arriveDist))
	return false
}

// restore gives v a tick's share of the health that e restores in a second. It reports false if the player cannot pay for it.
func (w *World) restore(e, v *Entity) bool {
	skill := &w.rules.Types[e.typ].Repairs
	most, _, _ := w.Most(v)
	until := func(t grid.Tick) int64 { return int64(t%grid.Tick(w.rate)) * int64(skill.Health) / int64(w.rate) }
	n := until(w.tick - 1) // of the tick before
	if n = until(w.tick) - n; n < 0 {
		n += int64(skill.Health) // a second is over
	}
	hp := int32(min(int64(most), int64(v.hp)+n))
	p := &w.players[e.slot]
	price := w.worth(v, hp, skill.Percent, most)
	for i, before := range w.worth(v, v.hp, skill.Percent, most) {
		price[i] -= before
	}
	if !p.canPay(price) {
		return false
	}
	p.pay(price, 1)
	w.setHealth(v, hp)
	return true
}

// worth returns what so much health of v costs, at a percentage of the type's cost for all of it.
func (w *World) worth(v *Entity, hp, percent, most int32) (c rules.Cost) {
	for i, n := range w.rules.Types[v.typ].Cost {
		c[i] = int32(int64(n) * int64(percent) / 100 * int64(hp) / int64(max(1, most)))
	}
	return c
}

// seeks reports whether e looks for work in this tick: an idle repairer of a type that does, once per second.
func (w *World) seeks(e *Entity) bool {
	return len(e.tasks) == 0 && w.rules.Types[e.typ].Repairs.Seek > 0 && (w.tick+grid.Tick(e.id.Counter()))%grid.Tick(w.rate) == 0
}

// seekRepair gives an idle unit the nearest work that its player can pay, and reports whether there is any.
func (w *World) seekRepair(e *Entity) bool {
	skill := &w.rules.Types[e.typ].Repairs
	var best *Entity
	least := skill.Seek
	w.foes = w.near.targets(w.foes[:0], e.guard, skill.Seek)
	for _, v := range w.foes {
		if !w.repairable(e, v) {
			continue
		}
		if d := w.gap(e.guard, v); d < least || d == least && best != nil && v.id < best.id {
			best, least = v, d
		}
	}
	if best == nil || !w.players[e.slot].canPay(w.worth(best, max(1, w.rules.Types[best.typ].Health/10), skill.Percent, w.rules.Types[best.typ].Health)) {
		return false
	}
	at := best.Pos()
	e.give(append(e.tasks, task{kind: orders.Repair, target: best.id, point: at, from: e.Pos(), group: at, start: w.tick}))
	return true
}

// Repairing reports whether the unit restores health now.
func (e *Entity) Repairing() bool {
	return e.queued > 0 && e.tasks[0].kind == orders.Repair && e.tasks[0].phase == repairWork
}
