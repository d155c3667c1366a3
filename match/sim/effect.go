package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// addEffect begins an effect on a unit, or renews the one of the same kind that the same
// player began; on a finished structure only effects that modify. One with rules.UnitEffectsMax effects takes no more,
// lasting ones aside, and one with rules.LastingMax of these no more of these. If several units
// begin the effect in one tick, it counts for the northernmost unit, then for the
// westernmost: the last unit in the order would tell which was made last.
func (w *World) addEffect(v *Entity, kind uint8, slot grid.Slot, by grid.EntityID) {
	if v.dying || !w.takesEffect(v, kind) {
		return
	}
	rate := &w.rt.effects[kind]
	until, room := forever, rules.LastingMax
	if rate.duration > 0 {
		until, room = w.tick+grid.Tick(rate.duration), rules.UnitEffectsMax
	}
	for i := range v.effects {
		x := &v.effects[i]
		if x.kind == kind && x.slot == slot {
			if def := &w.rules.Effects[kind]; def.Script != nil {
				x.count = min(x.count+1, def.Stacks)
			}
			if x.start == w.tick && !w.isNorthOf(by, x.by) {
				return
			}
			x.by, x.start, x.end = by, w.tick, until
			return
		}
		if (w.rt.effects[x.kind].duration > 0) == (rate.duration > 0) {
			room--
		}
	}
	if room > 0 {
		x := effect{kind: kind, slot: slot, by: by, start: w.tick, end: until, next: w.tick + grid.Tick(rate.every)}
		if w.rules.Effects[kind].Script != nil {
			x.count = 1
		}
		w.reshape(v, func() { v.effects = append(v.effects, x) })
	}
}

// forever is when a lasting effect ends.
const forever = ^grid.Tick(0)

// takesEffect reports whether an effect can be on v. A landmark works in no phase, so that no effect on it would end.
func (w *World) takesEffect(v *Entity, kind uint8) bool {
	return v.class == rules.ClassUnit ||
		v.class == rules.ClassStructure && w.rules.Effects[kind].Kind == rules.EffectModify && !v.unbuilt && int(v.id.Slot()) < len(w.players)
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

// runEffects deals the due damage of e's effects, heals e once per second by their regen, and ends the expired effects.
func (w *World) runEffects(e *Entity) {
	over := false
	for i := range e.effects {
		x := &e.effects[i]
		if def := &w.rules.Effects[x.kind]; def.Kind == rules.EffectDamage && w.tick >= x.next {
			x.next += grid.Tick(w.rt.effects[x.kind].every)
			w.hurt(e, harm{by: x.by, slot: x.slot, team: w.players[x.slot].team, amount: def.Strength, weapon: NoWeapon})
		}
		over = over || w.expired(x)
	}
	if (w.tick-e.birth)%grid.Tick(w.rate) == 0 {
		if more := w.attribute(e, rules.AttributeRegen, 0); more > 0 {
			w.heal(e, more)
		}
	}
	if over {
		w.reshape(e, func() { e.effects = slices.DeleteFunc(e.effects, func(x effect) bool { return w.expired(&x) }) })
	}
}

// expired reports whether an effect is over. Effects with scripts end in their turn.
func (w *World) expired(x *effect) bool {
	return w.tick >= x.end && w.rules.Effects[x.kind].Script == nil
}

// attribute returns the value of an attribute of e: its base, as the effects that run change it.
func (w *World) attribute(e *Entity, a rules.Attribute, base int32) int32 {
	if len(e.effects) == 0 {
		return base
	}
	var sum rules.Sum
	for i := range e.effects {
		x := &e.effects[i]
		for k := range w.rt.effects[x.kind].changes {
			if c := &w.rt.effects[x.kind].changes[k]; c.Attribute == a {
				sum.Take(c, max(1, int32(x.count)))
			}
		}
	}
	return sum.Of(a, base)
}

// speedOf returns the speed of e, in 1/64 WU a tick.
func (w *World) speedOf(e *Entity) int32 {
	return w.attribute(e, rules.AttributeSpeed, percent(w.rt.types[e.typ].speed, e.speedPct))
}

// damageOf returns the percent of their damage that the weapons of e deal.
func (w *World) damageOf(e *Entity) int32 {
	return w.attribute(e, rules.AttributeDamage, e.damagePct)
}

// takenOf returns the percent of all damage that e takes.
func (w *World) takenOf(e *Entity) int32 { return w.attribute(e, rules.AttributeArmour, 100) }

// rangeOf returns how far a weapon of e reaches.
func (w *World) rangeOf(e *Entity, wp *rules.Weapon) grid.Dist {
	return max(wp.MinRange, grid.Dist(w.attribute(e, rules.AttributeRange, int32(wp.Range))))
}

// cooldownOf returns the time between two shots of a weapon of e, a tick at least.
func (w *World) cooldownOf(e *Entity, rate *weaponRate) grid.Ticks {
	if len(e.effects) == 0 {
		return rate.cooldown
	}
	return max(1, grid.Ticks(percent(int32(rate.cooldown), w.attribute(e, rules.AttributeCooldown, 100))))
}

// reachOf returns the longest range of e's weapons.
func (w *World) reachOf(e *Entity) grid.Dist {
	return grid.Dist(w.attribute(e, rules.AttributeRange, int32(w.rt.types[e.typ].reach)))
}

// lookOut returns how far away e looks for targets: as far as it sees, and as far as it shoots; a unit that stands its
// ground, as far as the weapon shoots that leads.
func (w *World) lookOut(e *Entity) grid.Dist {
	if e.firing&standsGround != 0 {
		return w.rangeOf(e, &w.rules.Weapons[w.WeaponOf(e, e.lead())])
	}
	return max(grid.Dist(w.attribute(e, rules.AttributeSight, int32(w.rules.Types[e.typ].Sight)))*grid.WUPerTile/2, w.reachOf(e))
}

// Most returns the most health, shield and energy that e can have, as its effects have it: points, points and
// thousandths.
func (w *World) Most(e *Entity) (health, shield, energy int32) {
	t := &w.rules.Types[e.typ]
	if len(e.effects) == 0 {
		return t.Health, t.Shield.Max, t.EnergyMax
	}
	return max(1, w.attribute(e, rules.AttributeHealth, t.Health)), min(shieldMost, w.attribute(e, rules.AttributeShield, t.Shield.Max)),
		w.attribute(e, rules.AttributeEnergy, t.EnergyMax)
}

// shieldMost is the most points of a shield, which is kept in thousandths.
const shieldMost = 1_000_000

// reshape makes a change to the effects on e. Health keeps its share of the most that e can have, so that the end of an
// effect gives back what its beginning took. Shield and energy lose only what no longer fits. Eyes that see farther or
// less far open with the masks of the tick.
func (w *World) reshape(e *Entity, change func()) {
	if !w.rt.reshapes {
		change()
		return
	}
	before, _, _ := w.Most(e)
	sight := w.sourceOf(e).Radius
	change()
	health, _, energy := w.Most(e)
	if health != before && e.hp > 0 { // the effect of a deadly hit saves no life
		w.setHealth(e, max(1, int32((int64(e.hp)*int64(health)+int64(before)/2)/int64(before))))
	}
	w.setShield(e, e.shield)
	e.energy = min(e.energy, energy)
	if e.source != 0 && w.sourceOf(e).Radius != sight {
		w.refocused = append(w.refocused, e)
	}
}
