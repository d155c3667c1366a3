package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// choose returns the foe to fight, among the foes that e's team sees within span of e, or
// nil. The order of choice:
//
//  1. foes that the first weapon can hit from here, before foes that it has to walk to;
//  2. foes that do more harm (the type's "threat"), before foes that do less;
//  3. the nearest;
//  4. by a draw over its names for them, never by the order in which they were made.
//
// A target in range is kept until it is gone or out of range. Then e looks again
// at once, and if there is none, at the rules' interval, spread over the ticks
// by where units stand.
func (w *World) choose(e *Entity, span grid.Dist) *Entity {
	c := w.choice
	if c == nil || !c.decision || c.span != span {
		made := w.chosen(e, span, &w.foes)
		c = &made
	}
	if c.anew {
		e.alert, e.chaseTarget = false, idOf(c.target)
	}
	return c.target
}

// choice is the result of [World.choose].
type choice struct {
	decision bool
	anew     bool // e looked again
	span     grid.Dist
	target   *Entity
}

func idOf(e *Entity) grid.EntityID {
	if e == nil {
		return 0
	}
	return e.id
}

// chosen makes the choice, and changes only the scratch. In the think phase the order of
// units does not matter: no entity moves, and a unit on its way stays so.
func (w *World) chosen(e *Entity, span grid.Dist, foes *[]*Entity) choice {
	if e.firing&holdsFire != 0 {
		return choice{true, true, span, nil}
	}
	now := w.find(e.arms[e.lead()].target)
	if now != nil && (now.dying || !now.viewers.Has(e.team) || now.team == e.team) {
		now = nil
	}
	if now != nil && w.inRange(e, e.lead(), now) && w.rules.Types[now.typ].Threat > 1 {
		return choice{true, false, span, now}
	}
	if !e.alert && !w.onTurn(e, w.rt.acquire) {
		if now == nil && w.tick >= e.chaseAfter && e.mv.going && e.chaseTarget != 0 { // on its way to one
			if q := w.find(e.chaseTarget); q != nil && !q.dying && q.viewers.Has(e.team) {
				return choice{true, false, span, q}
			}
		}
		return choice{true, false, span, now}
	}
	wp := &w.rules.Weapons[w.WeaponOf(e, e.lead())]
	reach := w.rangeOf(e, wp)
	best := w.pick(e, wp.MinRange, min(reach, span), foes)
	if best == nil && span > reach && w.tick >= e.chaseAfter {
		// A unit that chases a target keeps it as long as the target is there.
		q := w.find(e.chaseTarget)
		if q != nil && !q.dying && q.team != e.team && q.viewers.Has(e.team) && e.mv.going && w.gapWithin(e.Pos(), q, 0, span) {
			best = q
		} else {
			best = w.pick(e, 0, span, foes)
		}
	}
	return choice{true, true, span, best}
}

// keyShift is how many bits the squared distance of two points takes.
const keyShift = 42

// pick returns the best foe whose edge is lo to hi away.
func (w *World) pick(e *Entity, lo, hi grid.Dist, foes *[]*Entity) *Entity {
	best, bestKey := (*Entity)(nil), uint64(0)
	p, weapon, team := e.Pos(), w.WeaponOf(e, e.lead()), e.team
	*foes = w.near.foes((*foes)[:0], p, hi, team)
	for _, o := range *foes {
		if o.dying || !w.gapWithin(p, o, lo, hi) {
			continue
		}
		ot := &w.rules.Types[o.typ]
		if !w.weaponHits(weapon, ot) {
			continue
		}
		key := uint64(ot.Threat)<<keyShift | (1<<keyShift - 1 - uint64(p.Sub(w.nearestOf(p, o)).Len2()))
		if best == nil || key > bestKey ||
			key == bestKey && o != best && w.draw(e.slot, uint32(o.handles[team]), drawTarget) > w.draw(e.slot, uint32(best.handles[team]), drawTarget) {
			best, bestKey = o, key
		}
	}
	return best
}

// WeaponOf returns the ruleset's number of e's i-th weapon, which an ability
// may have swapped, or of its alternate fire.
func (w *World) WeaponOf(e *Entity, i int) uint8 {
	x := w.rules.Types[e.typ].Weapons[i]
	if i == 0 && e.weaponSwap >= 0 {
		x = uint8(e.weaponSwap)
	}
	if e.firing&alternates != 0 && w.rules.Weapons[x].Alternate >= 0 {
		return uint8(w.rules.Weapons[x].Alternate)
	}
	return x
}

// weaponHits reports whether a weapon can do harm to a type.
func (w *World) weaponHits(weapon uint8, v *rules.Type) bool {
	wp := &w.rules.Weapons[weapon]
	if v.Class != rules.ClassUnit && v.Class != rules.ClassStructure {
		return false
	}
	if v.Class == rules.ClassUnit && v.Move == grid.Air {
		return wp.HitsAir
	}
	return wp.HitsGround
}

// inRange reports whether e's i-th weapon reaches the target from where e
// stands.
func (w *World) inRange(e *Entity, i int, target *Entity) bool {
	x := w.WeaponOf(e, i)
	wp := &w.rules.Weapons[x]
	if !w.weaponHits(x, &w.rules.Types[target.typ]) {
		return false
	}
	return w.gapWithin(e.Pos(), target, wp.MinRange, w.rangeOf(e, wp))
}

// aim points all weapons that reach it at the target.
func (w *World) aim(e *Entity, target *Entity) {
	for i := range w.rules.Types[e.typ].Weapons {
		a := &e.arms[i]
		if to := w.aimOf(e, i, target); a.target != to || a.ground {
			a.target, a.wind, a.ground = to, 0, false
		}
	}
}

// aimed reports whether aim would make no change.
func (w *World) aimed(e *Entity, target *Entity) bool {
	for i := range w.rules.Types[e.typ].Weapons {
		if a := &e.arms[i]; a.target != w.aimOf(e, i, target) || a.ground {
			return false
		}
	}
	return true
}

// aimOf returns the entity to point e's i-th weapon at, to fight the target.
func (w *World) aimOf(e *Entity, i int, target *Entity) grid.EntityID {
	if e.silent(i) || i != e.lead() && !w.inRange(e, i, target) {
		return 0
	}
	return target.id
}

// disarm takes all weapons off their targets.
func (w *World) disarm(e *Entity) {
	for i := range e.arms {
		a := &e.arms[i]
		a.target, a.wind, a.firing, a.ground = 0, 0, false, false
	}
}

// disarmed reports whether disarm would make no change.
func (e *Entity) disarmed() bool {
	for i := range e.arms {
		if a := &e.arms[i]; a.target != 0 || a.wind != 0 || a.firing || a.ground {
			return false
		}
	}
	return true
}
