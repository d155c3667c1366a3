package sim

import (
	"cmp"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// addEffect begins an effect on a unit, or renews the one of the same kind that the same
// player began. A unit with rules.UnitEffectsMax effects takes no more. If several units
// begin the effect in one tick, it counts for the northernmost unit, then for the
// westernmost: the last unit in the order would tell which was made last.
func (w *World) addEffect(v *Entity, kind uint8, slot grid.Slot, by grid.EntityID) {
	if v.class != rules.ClassUnit || v.gone {
		return
	}
	rate := &w.rt.effects[kind]
	until := w.tick + grid.Tick(rate.duration)
	for i := range v.effects {
		if x := &v.effects[i]; x.kind == kind && x.slot == slot {
			if rate.own != nil {
				x.own.count = min(x.own.count+1, rate.own.Stacks)
			}
			if x.since == w.tick && !w.isNorthOf(by, x.by) {
				return
			}
			x.by, x.since, x.until = by, w.tick, until
			return
		}
	}
	if len(v.effects) < rules.UnitEffectsMax {
		x := effect{kind: kind, slot: slot, by: by, since: w.tick, until: until, next: w.tick + grid.Tick(rate.every)}
		if rate.own != nil {
			x.own.count = 1
		}
		v.effects = append(v.effects, x)
	}
}

// isNorthOf reports whether a lies north of b, or west at the same height. A removed
// entity has no place.
func (w *World) isNorthOf(a, b grid.EntityID) bool {
	x, y := w.find(a), w.find(b)
	if x == nil || y == nil {
		return x != nil
	}
	return cmp.Or(cmp.Compare(x.Pos().Y, y.Pos().Y), cmp.Compare(x.Pos().X, y.Pos().X)) < 0
}

// runEffects deals the damage of e's effects that is due, and ends the expired effects.
func (w *World) runEffects(e *Entity) {
	kept := e.effects[:0]
	for _, x := range e.effects {
		if def := &w.rules.Effects[x.kind]; def.Kind == rules.EffectDamage && w.tick >= x.next {
			x.next += grid.Tick(w.rt.effects[x.kind].every)
			w.hurt(e, harm{by: x.by, slot: x.slot, team: w.players[x.slot].team, amount: def.Strength, weapon: NoWeapon})
		}
		if w.tick < x.until || w.rt.effects[x.kind].own != nil { // these end in their turn
			kept = append(kept, x)
		}
	}
	e.effects = kept
}

// effectPercent returns, in percent, the factor of e's effects of a kind on its speed or on
// the damage that it takes. Of several effects the strongest counts.
func (w *World) effectPercent(e *Entity, kind rules.EffectKind) int32 {
	out := int32(100)
	for i := range e.effects {
		if def := &w.rules.Effects[e.effects[i].kind]; def.Kind == kind {
			out = min(out, def.Strength)
		}
	}
	return out
}

// speedOf returns the speed of e, in 1/64 WU a tick.
func (w *World) speedOf(e *Entity) int32 {
	speed := percent(w.rt.types[e.typ].speed, e.speedPct)
	if len(e.effects) == 0 {
		return speed
	}
	speed = percent(speed, w.effectPercent(e, rules.EffectSlow))
	return percent(speed, min(speedPercentMax, w.modified(e, func(m *Modifiers) int32 { return m.Speed })))
}

// damageOf returns the percent of their damage that the weapons of e deal.
func (w *World) damageOf(e *Entity) int32 {
	if len(e.effects) == 0 {
		return e.damagePct
	}
	return percent(e.damagePct, w.modified(e, func(m *Modifiers) int32 { return m.Dealt }))
}

// takenOf returns the percent of all damage that e takes.
func (w *World) takenOf(e *Entity) int32 {
	return percent(w.effectPercent(e, rules.EffectShield), w.modified(e, func(m *Modifiers) int32 { return m.Taken }))
}

// modified returns, in percent, the factor of all effects of registered kinds on one
// value: their changes add up, to 0 at least.
func (w *World) modified(e *Entity, of func(*Modifiers) int32) int32 {
	out := int32(100)
	for i := range e.effects {
		if rate := &w.rt.effects[e.effects[i].kind]; rate.own != nil {
			out += of(&rate.mod) * int32(e.effects[i].own.count)
		}
	}
	return min(max(0, out), modifiedMax)
}
