package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// choose returns the foe to fight, of those that e's team sees within span of
// e, or nil. The order of choice:
//
//  1. what the first weapon can hit from here, before what it has to walk to;
//  2. what does more harm (the type's "threat"), before what does less;
//  3. the nearest;
//  4. by a draw over its names for them, never by who was made first.
//
// A target in range is kept until it is gone or out of range. Then e looks again
// at once, and if there is none, at the rules' interval, spread over the ticks
// by where units stand.
func (w *World) choose(e *Entity, span grid.Dist) *Entity {
	now := w.find(e.arms[0].target)
	if now != nil && (now.gone || !now.seen.Has(e.team) || now.team == e.team) {
		now = nil
	}
	if now != nil && w.inRange(e, 0, now) && w.rules.Types[now.typ].Threat > 1 {
		return now
	}
	if !e.alert && !w.onTurn(e, w.rt.acquire) {
		if now == nil && w.tick >= e.chaseAfter && e.mv.going && e.chaseTarget != 0 { // on its way to one
			if q := w.find(e.chaseTarget); q != nil && !q.gone && q.seen.Has(e.team) {
				return q
			}
		}
		return now
	}
	e.alert = false
	wp := &w.rules.Weapons[w.weaponOf(e, 0)]
	best := w.pick(e, wp.MinRange, min(wp.Range, span))
	if best == nil && span > wp.Range && w.tick >= e.chaseAfter {
		// A unit that chases a target keeps it as long as the target is there.
		q := w.find(e.chaseTarget)
		if q != nil && !q.gone && q.team != e.team && q.seen.Has(e.team) && e.mv.going && w.gapWithin(e.Pos(), q, 0, span) {
			best = q
		} else {
			best = w.pick(e, 0, span)
		}
	}
	e.chaseTarget = 0
	if best != nil {
		e.chaseTarget = best.id
	}
	return best
}

// keyShift is how many bits the squared distance of two points takes.
const keyShift = 42

// pick returns the best foe whose edge is lo to hi away.
func (w *World) pick(e *Entity, lo, hi grid.Dist) *Entity {
	best, bestKey := (*Entity)(nil), uint64(0)
	p, weapon, team := e.Pos(), w.weaponOf(e, 0), e.team
	w.foes = w.near.foes(w.foes[:0], p, hi, team)
	for _, o := range w.foes {
		if o.gone || !w.gapWithin(p, o, lo, hi) {
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

// weaponOf returns the ruleset's number of e's i-th weapon, which an ability
// may have swapped.
func (w *World) weaponOf(e *Entity, i int) uint8 {
	if i == 0 && e.weaponSwap >= 0 {
		return uint8(e.weaponSwap)
	}
	return w.rules.Types[e.typ].Weapons[i]
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
	x := w.weaponOf(e, i)
	wp := &w.rules.Weapons[x]
	if !w.weaponHits(x, &w.rules.Types[target.typ]) {
		return false
	}
	return w.gapWithin(e.Pos(), target, wp.MinRange, wp.Range)
}

// aim points all weapons that reach it at the target.
func (w *World) aim(e *Entity, target *Entity) {
	for i := range w.rules.Types[e.typ].Weapons {
		a := &e.arms[i]
		to := target.id
		if i > 0 && !w.inRange(e, i, target) {
			to = 0
		}
		if a.target != to || a.ground {
			a.target, a.wind, a.ground = to, 0, false
		}
	}
}

// disarm takes all weapons off their targets.
func (w *World) disarm(e *Entity) {
	for i := range e.arms {
		a := &e.arms[i]
		a.target, a.wind, a.firing, a.ground = 0, 0, false, false
	}
}
