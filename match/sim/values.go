package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
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

// Value returns a value of a unit or structure by its name; false if there is no such
// entity, or if its type lacks the value. It is a search, which counts as an act.
func (u UnitWorld) Value(id grid.EntityID, name string) (int32, bool) {
	if _, e, place := u.valueOf(id, name); place >= 0 {
		return e.values[place], true
	}
	return 0, false
}

// SetValue sets a value of a unit or structure, within the bounds of its declaration.
func (u UnitWorld) SetValue(id grid.EntityID, name string, n int32) bool {
	w, e, place := u.valueOf(id, name)
	if place >= 0 {
		w.setValue(e, place, n)
	}
	return place >= 0
}

// valueOf returns an entity and the place of a value among its values, -1 if it has no such
// value.
func (u UnitWorld) valueOf(id grid.EntityID, name string) (*World, *Entity, int) {
	w, _, e := u.target(id)
	number, ok := w.rules.ValueByName(name)
	if e == nil || !ok {
		return w, nil, -1
	}
	return w, e, w.rules.Types[e.typ].HasValue(number)
}
