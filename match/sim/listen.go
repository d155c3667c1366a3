package sim

import "github.com/fogkeep/fogkeep/match/rules"

// deed is an event of a fight to which entities react.
type deed uint8

// The deeds.
const (
	deedTaken deed = iota // the entity was hit, and lives
	deedEnd
)

// reaction is what an entity of a type does at a deed. h is the damage after armour and effects.
type reaction func(w *World, e *Entity, h harm)

// listeners returns the reactions of a type, by deed, in the order in which they run.
func (r *runtime) listeners(t *rules.Type) (out [deedEnd][]reaction) {
	for i, a := range t.Abilities {
		if x, ok := r.abilities[a].kind.(reacting); ok {
			out[deedTaken] = append(out[deedTaken], func(w *World, e *Entity, h harm) { x.hurt(w, e, i, h.amount) })
		}
	}
	if r.reflects {
		out[deedTaken] = append(out[deedTaken], throwBack)
	}
	return out
}

// react lets e react to a deed.
func (w *World) react(e *Entity, d deed, h harm) {
	for _, r := range w.rt.types[e.typ].reacts[d] {
		r(w, e, h)
	}
}

// throwBack gives a part of a weapon's hit back to the unit that fired, if that unit's team sees e: damage from nothing
// in sight would tell the team that its shot into the fog has hit. The part is no weapon's hit, so no other entity
// reflects it.
func throwBack(w *World, e *Entity, h harm) {
	by := w.find(h.by)
	if h.weapon == NoWeapon || by == nil || by.team == e.team || !e.viewers.Has(by.team) {
		return
	}
	w.hurt(by, harm{by: e.id, slot: e.slot, team: e.team, amount: percent(h.amount, w.attribute(e, rules.AttributeReflect, 0)), weapon: NoWeapon})
}
