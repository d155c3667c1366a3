package rules

import "slices"

// Upgrade is what a type of class upgrade does once a structure has made it: units and structures of some types, of the
// whole team, have an effect from then on.
type Upgrade struct {
	Effect uint8 // index into [Ruleset.Effects]
	Of     []uint16
}

// upgrade reads a type of class upgrade.
func (r *rulesReader) upgrade(n *node, rs *Ruleset, t *Type, types []string) {
	t.Cost = r.cost(n, "cost", rs)
	t.BuildMs = r.ms(n, "build", 0, 3_600_000)
	t.Needs = r.refs(n, "needs", 16, "type", types)
	var effects []string
	for i := range rs.Effects {
		effects = append(effects, rs.Effects[i].Name)
	}
	e, _ := r.ref(n, "effect", "effect", effects)
	r.need(n, "effect")
	t.Upgrade = Upgrade{uint8(e), r.refs(n, "of", TypesMax, "type", types)}
	r.need(n, "of")
	r.done(n, "an upgrade")
}

// upgraded checks the types that an upgrade improves.
func (r *rulesReader) upgraded(n *node, rs *Ruleset, types []string) {
	r.each(n, "of", types, func(v *node, p int) {
		if c := rs.Types[p].Class; c != ClassUnit && c != ClassStructure {
			r.fail(v, "%q is neither unit nor structure", rs.Types[p].Name)
		}
	})
}

// Improves reports whether t is an upgrade of a type.
func (t *Type) Improves(typ uint16) bool {
	return t.Class == ClassUpgrade && slices.Contains(t.Upgrade.Of, typ)
}
