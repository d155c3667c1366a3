package rules

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// WrecksMax bounds the wrecks of a match. With one more, the oldest goes.
const WrecksMax = 256

// Repairs is a unit's skill to restore health of its team's units and structures, for a part of their cost.
type Repairs struct {
	Types   []uint16  // that it repairs; nil: it does not repair
	Health  int32     // that it restores in a second
	Percent int32     // of a type's cost, for its whole health
	Seek    grid.Dist // so far an idle one looks for work; 0: it waits for orders
}

// Wreck is a resource place that an entity leaves where it is destroyed.
type Wreck struct {
	Left    bool
	Type    uint16 // of class resource
	Percent int32  // of the entity's cost in the resource of the wreck
	LastsMs int32
}

func (r *rulesReader) repairs(n *node, types []string) (x Repairs) {
	v := r.get(n, "repairs")
	if v == nil {
		return x
	}
	x = Repairs{
		Types: r.refs(v, "types", TypesMax, "type", types), Health: int32(r.whole(v, "health", 10, 1, 1_000_000)),
		Percent: int32(r.whole(v, "percent", 25, 0, 1000)), Seek: r.tiles(v, "seek", 0, 16),
	}
	r.need(v, "types")
	r.done(v, "repairs")
	return x
}

func (r *rulesReader) wreck(n *node, types []string) (x Wreck) {
	v := r.get(n, "wreck")
	if v == nil {
		return x
	}
	typ, ok := r.ref(v, "type", "type", types)
	x = Wreck{ok, uint16(typ), int32(r.whole(v, "percent", 50, 1, 100)), max(1, r.ms(v, "time", 60_000, 600_000))}
	r.need(v, "type")
	r.done(v, "a wreck")
	return x
}

// IsWreck reports whether entities leave places of the type.
func (rs *Ruleset) IsWreck(typ uint16) bool {
	return slices.ContainsFunc(rs.Types, func(t Type) bool { return t.Wreck.Left && t.Wreck.Type == typ })
}

// salvaged checks the types that a type repairs, and that of its wreck.
func (r *rulesReader) salvaged(n *node, rs *Ruleset, t *Type, types []string) {
	if v := r.get(n, "repairs"); v != nil {
		r.each(v, "types", types, func(v *node, p int) {
			if c := rs.Types[p].Class; c > ClassStructure {
				r.fail(v, "%q repairs %q, which is neither unit nor structure", t.Name, rs.Types[p].Name)
			}
		})
		if !t.Mobile {
			r.fail(v, "%q: only a unit that moves repairs", t.Name)
		}
	}
	if x := &rs.Types[t.Wreck.Type]; t.Wreck.Left && x.Class != ClassResource {
		r.fail(r.get(r.get(n, "wreck"), "type"), "%q leaves %q, which is no resource", t.Name, x.Name)
	}
}
