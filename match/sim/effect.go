package sim

import (
	"cmp"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// addEffect begins an effect on a unit, or renews the one of the same kind that
// the same player began. A unit that has rules.UnitEffectsMax of them takes no
// more. Of several that begin it in one tick it is counted for the northernmost, and
// of those for the westernmost: the last one would tell which was made last.
func (w *World) addEffect(v *Entity, kind uint8, slot grid.Slot, by grid.EntityID) {
	if v.class != rules.ClassUnit || v.gone {
		return
	}
	rate := &w.rt.effects[kind]
	until := w.tick + grid.Tick(rate.duration)
	for i := range v.effects {
		if x := &v.effects[i]; x.kind == kind && x.slot == slot {
			if x.since == w.tick && !w.isNorthOf(by, x.by) {
				return
			}
			x.by, x.since, x.until = by, w.tick, until
			return
		}
	}
	if len(v.effects) < rules.UnitEffectsMax {
		v.effects = append(v.effects, effect{kind: kind, slot: slot, by: by, since: w.tick, until: until, next: w.tick + grid.Tick(rate.every)})
	}
}

// isNorthOf reports whether a lies north of b, or west of it at the same height.
// What is gone lies nowhere.
func (w *World) isNorthOf(a, b grid.EntityID) bool {
	x, y := w.find(a), w.find(b)
	if x == nil || y == nil {
		return x != nil
	}
	return cmp.Or(cmp.Compare(x.Pos().Y, y.Pos().Y), cmp.Compare(x.Pos().X, y.Pos().X)) < 0
}

// runEffects deals the damage of e's effects that is due, and ends those whose
// time is over.
func (w *World) runEffects(e *Entity) {
	kept := e.effects[:0]
	for _, x := range e.effects {
		if def := &w.rules.Effects[x.kind]; def.Kind == rules.EffectDamage && w.tick >= x.next {
			x.next += grid.Tick(w.rt.effects[x.kind].every)
			w.hurt(e, harm{by: x.by, slot: x.slot, team: w.players[x.slot].team, amount: def.Strength, weapon: NoWeapon})
		}
		if w.tick < x.until {
			kept = append(kept, x)
		}
	}
	e.effects = kept
}

// effectPercent returns what e's effects of a kind leave of its speed or of the
// damage that it takes, in percent. Of several the strongest counts.
func (w *World) effectPercent(e *Entity, kind rules.EffectKind) int32 {
	out := int32(100)
	for i := range e.effects {
		if def := &w.rules.Effects[e.effects[i].kind]; def.Kind == kind {
			out = min(out, def.Strength)
		}
	}
	return out
}
