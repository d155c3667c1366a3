package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Values grow by events. A team must not learn from a value of its unit what a shot into the fog has hit, so damage,
// kills and deaths count only if the unit's team saw the victim before and sees it, or its end, in the masks of the tick.

// feat is damage that an entity dealt in this step to an enemy that its team saw.
type feat struct {
	by     grid.EntityID
	victim *Entity
	dealt  int32
	killed bool
}

// noteFeat notes the dealer of damage that v, with so many points of health and shield left, has just taken.
func (w *World) noteFeat(v *Entity, h *harm, left int32) {
	if w.rt.growth.feats && v.team != h.team && h.team != grid.NoTeam && v.viewers.Has(h.team) {
		w.feats = append(w.feats, feat{h.by, v, min(h.amount, left), v.hp <= 0})
	}
}

// rewardFeats lets values grow by the feats of the step. It runs once the masks are drawn.
func (w *World) rewardFeats() {
	for i := range w.feats {
		f := &w.feats[i]
		e := w.find(f.by)
		if e == nil || e.team == f.victim.team || !f.victim.viewers.Has(e.team) {
			continue
		}
		w.grow(e, func(v *rules.Value) int64 {
			n := int64(f.dealt) * int64(v.Deal) / 100
			if f.killed {
				n += int64(v.Kill)
			}
			return n
		})
	}
	clear(w.feats)
	w.feats = w.feats[:0]
}

// mourn lets values grow by the end of an entity: of units near it whose teams saw the end.
func (w *World) mourn(dead *Entity, saw grid.TeamSet) {
	if w.rt.growth.deathRange == 0 || saw == 0 {
		return
	}
	w.foes = w.near.targets(w.foes[:0], dead.Pos(), w.rt.growth.deathRange+grid.WUPerTile)
	for _, e := range w.foes {
		if e.dying || len(e.values) == 0 || !saw.Has(e.team) {
			continue
		}
		w.grow(e, func(v *rules.Value) int64 {
			if v.Death != 0 && w.gapWithin(dead.Pos(), e, 0, v.DeathRange) {
				return int64(v.Death)
			}
			return 0
		})
	}
}

// grow adds to each value of e what an event gives it.
func (w *World) grow(e *Entity, by func(*rules.Value) int64) {
	for i, n := range e.values {
		def := &w.rules.Values[w.rules.Types[e.typ].Values[i].Value]
		if more := by(def); more != 0 {
			w.setValue(e, i, int32(min(max(int64(n)+more, int64(def.Min)), int64(def.Max))))
		}
	}
}

// age lets the values of e grow by time, once per second of the match: by its own seconds others would learn when it
// was made.
func (w *World) age(e *Entity) {
	if w.tick%grid.Tick(w.rate) == 0 {
		w.grow(e, func(v *rules.Value) int64 { return int64(v.Second) })
	}
}

// canSpend reports whether e has the energy and the points of a value for which an ability starts.
func (w *World) canSpend(e *Entity, def *rules.Ability) bool {
	if e.energy < def.Energy {
		return false
	}
	s := def.Spends
	place := w.rules.Types[e.typ].HasValue(s.Value)
	return s.Amount == 0 || place >= 0 && int64(e.values[place])-int64(s.Amount) >= int64(w.rules.Values[s.Value].Min)
}

// spend takes the price of an ability.
func (w *World) spend(e *Entity, def *rules.Ability) {
	if def.Energy > 0 {
		e.energy, e.energySpent = e.energy-def.Energy, e.energySpent+1
	}
	if s := def.Spends; s.Amount > 0 {
		place := w.rules.Types[e.typ].HasValue(s.Value)
		w.setValue(e, place, e.values[place]-s.Amount)
	}
}

// standing is an effect that entities of a type have as long as a rule gives it.
type standing struct {
	effect uint8
	value  int // place among the type's values; -1: the player has the upgrade
	at     int32
	by     uint16 // the upgrade
}

// growing is the part of a type's rates by which values and effects change without orders.
type growing struct {
	standing []standing
	ages     bool // one of its values grows by time
}

// growth says which of this code the ruleset needs.
type growth struct {
	feats      bool      // some value grows by damage that is dealt
	standing   bool      // the rules give some effect
	deathRange grid.Dist // the longest at which a value grows by a death
	upgrades   []uint16  // their types
}

// grow sets how a type's values grow, and the effects that the rules give to its entities.
func (r *runtime) grow(tr *typeRate, rs *rules.Ruleset, t *rules.Type) {
	for i, x := range t.Values {
		v := &rs.Values[x.Value]
		for _, l := range v.Levels {
			if l.Effect > 0 {
				tr.standing = append(tr.standing, standing{effect: l.Effect - 1, value: i, at: l.At})
			}
		}
		tr.ages, r.growth.feats = tr.ages || v.Second != 0, r.growth.feats || v.Deal|v.Kill != 0
		r.growth.deathRange = max(r.growth.deathRange, v.DeathRange)
	}
	for i := range rs.Types {
		if u := &rs.Types[i]; u.Improves(uint16(len(r.types))) {
			tr.standing = append(tr.standing, standing{effect: u.Upgrade.Effect, value: -1, by: uint16(i)})
		}
	}
	if t.Class == rules.ClassUpgrade {
		r.growth.upgrades = append(r.growth.upgrades, uint16(len(r.types)))
	}
	r.growth.standing = r.growth.standing || len(tr.standing) > 0
}

// deserves reports whether a rule gives e an effect now.
func (w *World) deserves(e *Entity, effect uint8) bool {
	return slices.ContainsFunc(w.rt.types[e.typ].standing, func(s standing) bool {
		if s.value < 0 {
			return s.effect == effect && w.players[e.slot].counts[s.by] > 0
		}
		return s.effect == effect && e.values[s.value] >= s.at
	})
}

func (e *Entity) hasEffect(kind uint8) bool {
	return slices.ContainsFunc(e.effects, func(x effect) bool { return x.kind == kind })
}

// unsettled reports whether the rules give e an effect that it lacks, or take one from it.
func (w *World) unsettled(e *Entity) bool {
	return int(e.slot) < len(w.players) && slices.ContainsFunc(w.rt.types[e.typ].standing, func(s standing) bool {
		return w.takesEffect(e, s.effect) && w.deserves(e, s.effect) != e.hasEffect(s.effect)
	})
}

// settleEffects gives e the effects that the rules give it, and takes the others of their kinds.
func (w *World) settleEffects(e *Entity) {
	if !w.rt.growth.standing || !w.unsettled(e) {
		return
	}
	for _, s := range w.rt.types[e.typ].standing {
		switch deserved := w.deserves(e, s.effect); {
		case deserved == e.hasEffect(s.effect):
		case deserved:
			w.addEffect(e, s.effect, e.slot, e.id)
		default:
			w.reshape(e, func() {
				e.effects = slices.DeleteFunc(e.effects, func(x effect) bool { return x.kind == s.effect })
			})
		}
	}
}
