package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/rules"
)

// newValues returns the values of a new entity, nil if its type has no values.
func newValues(t *rules.Type) []int32 {
	if len(t.Values) == 0 {
		return nil
	}
	out := make([]int32, len(t.Values))
	for i, v := range t.Values {
		out[i] = v.Start
	}
	return out
}

// Values returns the entity's values, in the order of its type's list. They are read-only.
// The value's class says which clients may know it.
func (e *Entity) Values() []int32 { return e.values }

// setValue is the only way to change a declared value: the place among the values of e's type. It
// keeps to the bounds.
func (w *World) setValue(e *Entity, place int, n int32) {
	def := &w.rules.Values[w.rules.Types[e.typ].Values[place].Value]
	e.values[place] = min(max(n, def.Min), def.Max)
}

// hurtValues lets the values of e grow that do so by damage.
func (w *World) hurtValues(e *Entity, damage int32) {
	w.grow(e, func(v *rules.Value) int64 { return int64(damage) * int64(v.Hurt) / 100 })
}

// ValueShown reports whether the condition of a value of e holds: clients that may know the
// value have it, and otherwise the start value of e's type.
func (w *World) ValueShown(e *Entity, when rules.ValueWhen) bool {
	switch when {
	case rules.ValueWhileActing:
		for i := range w.rules.Types[e.typ].Abilities {
			if e.acts[i].on {
				return true
			}
		}
		return false
	case rules.ValueWhileAffected:
		return slices.ContainsFunc(e.effects, func(x effect) bool { return !w.rules.Effects[x.kind].TeamOnly })
	case rules.ValueWhileDamaged:
		most, _, _ := w.Most(e)
		return e.hp < most
	}
	return true
}

// valuesState is the part of an entity's state that only types with values have.
func (w *World) valuesState(a *archive.Archive, e *Entity) {
	t := &w.rules.Types[e.typ]
	if len(t.Values) == 0 {
		return
	}
	if a.Reading() {
		e.values = newValues(t)
	}
	for i := range e.values {
		archive.Word(a, &e.values[i])
		if def := &w.rules.Values[t.Values[i].Value]; e.values[i] < def.Min || e.values[i] > def.Max {
			a.Fail("value %q is %d, want %d to %d", def.Name, e.values[i], def.Min, def.Max)
		}
	}
}
