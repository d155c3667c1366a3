package rules

import (
	"fmt"
	"slices"
)

// Bounds of values.
const (
	ValuesMax     = 32            // of a ruleset
	TypeValuesMax = 8             // of one type
	ValueLimit    = 1_000_000_000 // of a bound, above and below 0
	valuePerSMax  = 60
	valueHurtMax  = 1000 // percent
)

// Value is a number that units and structures have beside the values of fogkeep itself, such as
// rage or heat. The ruleset declares it: its bounds, which teams learn
// of it, and when. Its changes come from rules and scripts, through the simulation's one setter.
type Value struct {
	Name     string
	Min, Max int32
	Start    int32 // where the type says no other
	Class    ValueClass
	When     ValueWhen
	PerS     int32 // changes are sent at most so often per second; 0: in their tick
	Step     int32 // a value is sent again when it differs by so much
	Hurt     int32 // percent of the damage that the entity takes, by which the value grows
	Priority uint8 // of its changes for a client that is short of bytes, 255 first

	Growth
	Levels [ValueLevelsMax]Level
}

// ValueClass says who may know a value of an entity.
type ValueClass uint8

// The classes of values.
const (
	ValueOwner  ValueClass = iota // its owner alone
	ValueSeeing                   // the teams that see it
	ValueAll                      // all teams: only types that are always relevant have it
	valueClassEnd
)

var valueClassNames = []string{"owner", "seeing", "all"}

func (c ValueClass) String() string {
	if c < valueClassEnd {
		return valueClassNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// ValueWhen says when a value is sent. Each team that may know the value can also see the
// condition.
type ValueWhen uint8

// The conditions of values. While a condition does not hold, clients have the start value.
const (
	ValueOnChange      ValueWhen = iota // as the entity comes into sight, and on each change
	ValueInitial                        // as it comes into sight, and not again
	ValueWhileActing                    // as on change, while the entity runs an ability
	ValueWhileAffected                  // while an effect is on it
	ValueWhileDamaged                   // while its health is not full
	valueWhenEnd
)

var valueWhenNames = []string{"change", "initial", "acting", "affected", "damaged"}

func (c ValueWhen) String() string {
	if c < valueWhenEnd {
		return valueWhenNames[c]
	}
	return fmt.Sprintf("when(%d)", uint8(c))
}

// TypeValue is a value that a type has.
type TypeValue struct {
	Value uint8 // index into [Ruleset.Values]
	Start int32
}

// HasValue returns the place of a value among the values of the type, -1 if the type has no such value.
func (t *Type) HasValue(value uint8) int {
	return slices.IndexFunc(t.Values, func(v TypeValue) bool { return v.Value == value })
}

// ValueByName returns the number of the value with that name.
func (rs *Ruleset) ValueByName(name string) (uint8, bool) {
	i := slices.IndexFunc(rs.Values, func(v Value) bool { return v.Name == name })
	return uint8(max(0, i)), i >= 0
}

func (r *rulesReader) value(n *node, effects []string) Value {
	v := Value{Name: r.str(n, "name")}
	if !plainName(v.Name) || len(v.Name) > shortName {
		r.fail(r.get(n, "name"), "the name of a value has 1 to %d of a-z, 0-9 and _", shortName)
	}
	v.Min = int32(r.whole(n, "min", 0, -ValueLimit, ValueLimit-1))
	v.Max = int32(r.whole(n, "max", int64(v.Min)+1, int64(v.Min)+1, ValueLimit))
	r.need(n, "max")
	v.Start = int32(r.whole(n, "start", int64(v.Min), int64(v.Min), int64(v.Max)))
	if c := r.get(n, "class"); c != nil {
		v.Class = ValueClass(r.oneOf(c, "class", valueClassNames))
	}
	if c := r.get(n, "when"); c != nil {
		v.When = ValueWhen(r.oneOf(c, "condition", valueWhenNames))
	}
	v.PerS = int32(r.whole(n, "per_second", 10, 0, valuePerSMax))
	v.Step = int32(r.whole(n, "step", 1, 1, ValueLimit))
	v.Priority = uint8(r.whole(n, "priority", 100, 0, 255))
	v.Hurt = int32(r.whole(n, "hurt", 0, -valueHurtMax, valueHurtMax))
	v.Growth = r.growth(n)
	v.Levels = r.levels(n, &v, effects)
	r.done(n, "a value")
	return v
}

// plainName reports whether a name has no characters but a-z, 0-9 and _.
func plainName(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return true
}

// typeValues reads the values of a type, by their names.
func (r *rulesReader) typeValues(n *node, rs *Ruleset, t *Type) {
	v := r.get(n, "values")
	r.see(field{in: n, name: "values", form: "amounts", lo: -1000 * ValueLimit, hi: 1000 * ValueLimit})
	if v == nil {
		return
	}
	for i := range rs.Values {
		def := &rs.Values[i]
		if r.get(v, def.Name) == nil {
			continue
		}
		t.Values = append(t.Values, TypeValue{uint8(i), int32(r.whole(v, def.Name, int64(def.Start), int64(def.Min), int64(def.Max)))})
		switch {
		case def.Class == ValueAll && t.Relevance != RelevantAlways:
			r.fail(n, "%q: all teams learn of the value %q, so only types that are always relevant can have it", t.Name, def.Name)
		case def.Class == ValueAll && def.When == ValueWhileDamaged && !slices.Contains(t.Tells, "health"):
			r.fail(n, `%q: the value %q would tell all teams that it is damaged, but "tells" has no health`, t.Name, def.Name)
		}
	}
	r.done(v, "values")
	if len(t.Values) > TypeValuesMax {
		r.fail(n, "%q has %d values, at most %d", t.Name, len(t.Values), TypeValuesMax)
	}
}

// senseValues notes values whose condition can never hold.
func (r *rulesReader) senseValues(n *node, rs *Ruleset, t *Type) {
	for _, x := range t.Values {
		def := &rs.Values[x.Value]
		acts := def.When != ValueWhileActing || len(t.Abilities) > 0
		affected := def.When != ValueWhileAffected || t.Class == ClassUnit && len(rs.Effects) > 0
		if !acts || !affected {
			note(&r.senseless, n, "%q has the value %q, which is sent while it is %s: it never is", t.Name, def.Name, def.When)
		}
	}
}
