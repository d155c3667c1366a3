package rules

import "slices"

// areas checks the types that stand for the areas of abilities. The type of an area alone tells its ability, so no other
// ability and no weapon has the type.
func (r *rulesReader) areas(abilities []*node, rs *Ruleset) {
	for i := range rs.Abilities {
		a := &rs.Abilities[i]
		switch {
		case a.Look < 0:
		case rs.Types[a.Look].Class != ClassProjectile:
			r.fail(r.get(abilities[i], "look"), "ability %q: its look %q is no projectile type", a.Name, rs.Types[a.Look].Name)
		case slices.ContainsFunc(rs.Abilities[:i], func(b Ability) bool { return b.Look == a.Look }) ||
			slices.ContainsFunc(rs.Weapons, func(w Weapon) bool { return w.Speed > 0 && int16(w.Look) == a.Look }):
			r.fail(r.get(abilities[i], "look"), "ability %q: another ability or a weapon has its look %q", a.Name, rs.Types[a.Look].Name)
		}
	}
}
