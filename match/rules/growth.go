package rules

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// ValueLevelsMax bounds the levels of a value.
const ValueLevelsMax = 6

const (
	valueGrowthMax = 100_000 // of one event
	deathRangeMax  = 32      // tiles
)

// Growth has the events by which a value grows or, below 0, shrinks. Events of other entities count only if the entity's
// team sees them.
type Growth struct {
	Deal       int32 // percent of the damage that the entity deals to enemies
	Kill       int32 // points for an enemy that the entity destroys
	Death      int32 // points for a unit or structure that is destroyed within DeathRange
	DeathRange grid.Dist
	Second     int32 // points per second
}

// Level is an effect on an entity while a value has reached At.
type Level struct {
	At     int32
	Effect uint8 // the effect's number, plus 1; 0: there is no such level
}

// Spending is an amount of a declared value.
type Spending struct {
	Value  uint8 // index into [Ruleset.Values]
	Amount int32 // 0: nothing is spent
}

func (r *rulesReader) growth(n *node) Growth {
	points := func(key string) int32 { return int32(r.whole(n, key, 0, -valueGrowthMax, valueGrowthMax)) }
	g := Growth{
		Deal: int32(r.whole(n, "deal", 0, -valueHurtMax, valueHurtMax)), Kill: points("kill"), Death: points("death"), Second: points("second"),
		DeathRange: r.tiles(n, "death_range", 8, deathRangeMax),
	}
	if g.Death == 0 {
		g.DeathRange = 0
		if v := r.get(n, "death_range"); v != nil {
			r.fail(v, `"death_range" needs "death"`)
		}
	}
	return g
}

func (r *rulesReader) levels(n *node, v *Value, effects []string) (out [ValueLevelsMax]Level) {
	for i, x := range r.list(n, "levels", ValueLevelsMax) {
		out[i].At = int32(r.whole(x, "at", int64(v.Max), int64(v.Min), int64(v.Max)))
		r.need(x, "at")
		e, ok := r.ref(x, "effect", "effect", effects)
		r.need(x, "effect")
		if ok {
			out[i].Effect = 1 + uint8(e)
		}
		r.done(x, "a level")
	}
	return out
}

// spends reads the amount of a value for which an ability starts.
func (r *rulesReader) spends(n *node, values []string) (s Spending) {
	v := r.get(n, "spends")
	if v == nil {
		return s
	}
	i, _ := r.ref(v, "value", "value", values)
	r.need(v, "value")
	s = Spending{uint8(i), int32(r.whole(v, "amount", 1, 1, ValueLimit))}
	r.need(v, "amount")
	r.done(v, "spends")
	return s
}

// standing checks the effects that levels and upgrades give: a rule gives and takes them, so they do not end by themselves, and
// neither weapons nor abilities leave them.
func (r *rulesReader) standing(effects []*node, rs *Ruleset) {
	given := func(e uint8) bool {
		return slices.ContainsFunc(rs.Weapons, func(w Weapon) bool { return w.Effect == int16(e) }) ||
			slices.ContainsFunc(rs.Abilities, func(a Ability) bool { return a.Effect == int16(e) })
	}
	for i := range rs.Effects {
		switch e := &rs.Effects[i]; {
		case !rs.Standing(uint8(i)):
		case e.Kind != EffectModify || e.DurationMs != 0:
			r.fail(effects[i], "effect %q is the effect of a level or an upgrade: want kind modify without a duration", e.Name)
		case given(uint8(i)):
			r.fail(effects[i], "effect %q is the effect of a level or an upgrade, so weapons and abilities cannot leave it", e.Name)
		}
	}
}

// Standing reports whether the ruleset itself gives and takes the effect, by the levels of values and by upgrades.
func (rs *Ruleset) Standing(effect uint8) bool {
	for i := range rs.Types {
		if t := &rs.Types[i]; t.Class == ClassUpgrade && t.Upgrade.Effect == effect {
			return true
		}
	}
	for i := range rs.Values {
		for _, l := range rs.Values[i].Levels {
			if l.Effect == effect+1 {
				return true
			}
		}
	}
	return false
}
