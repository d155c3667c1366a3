package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/registry"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Bounds of registered kinds.
const (
	ParamsMax      = 16 // of one kind
	secondsMax     = 3600
	tilesMax       = 1024
	paramNameLimit = 32
)

// ParamKind is the form of a [Param] in the file, and of its value.
type ParamKind uint8

// The kinds of parameters.
const (
	ParamWhole    ParamKind = iota // a whole number: itself
	ParamTiles                     // a length in tiles: world units
	ParamSeconds                   // a time in seconds: milliseconds
	ParamFlag                      // true or false: 1 or 0
	ParamType                      // the name of a type: its number
	ParamWeapon                    // the name of a weapon: its number
	ParamEffect                    // the name of an effect: its number
	ParamResource                  // the name of a resource: its number
	paramEnd
)

// Param is a field that entries of a registered kind have in the file, beside the fields
// that all entries have.
type Param struct {
	Name     string // of a-z, 0-9 and _
	Kind     ParamKind
	Required bool
	// For ParamWhole whole numbers, for ParamTiles and ParamSeconds thousandths of a tile
	// or of a second; other kinds have no bounds. An absent name is -1, an absent flag
	// false. A required field needs no default.
	Default, Min, Max int64
}

// ParamValue is the value of one field of an entry.
type ParamValue struct {
	Name  string
	Value int32
}

// Params are the values of an entry's own fields, in the order of its kind's [Param]s.
type Params []ParamValue

// Get returns the value of a field that the kind has declared. It panics for any other field.
func (p Params) Get(name string) int32 {
	for i := range p {
		if p[i].Name == name {
			return p[i].Value
		}
	}
	panic(fmt.Sprintf("rules: the kind has declared no field %q", name))
}

// FieldError is a fault in one field of an entry. A [Kind]'s Check returns it, so that the
// error of the file names the field's line.
type FieldError struct {
	Field string
	Why   string
}

func (e *FieldError) Error() string { return fmt.Sprintf("%q: %s", e.Field, e.Why) }

// Kind is a kind of ability or of effect that a program adds. Programs do not make one:
// they call sim.RegisterAbility or sim.RegisterEffect.
type Kind struct {
	Version uint32
	Aimed   bool // its abilities are aimed at units: entries have "targets"
	Params  []Param
	Values  []Value // that types with such an ability have
	// Check returns an entry's fault beyond its fields, or nil. A panic in it is an error
	// of the file.
	Check func(p Params) error
	Code  any // the code that match/sim runs
}

var addedAbilities, addedEffects registry.Table[Kind]

// The fields of all entries of registered kinds.
var (
	abilityFields = []string{"name", "kind", "cooldown", "duration", "energy", "drain", "range", "radius", "needs", "targets"}
	effectFields  = []string{"name", "kind", "duration", "every"}
)

// AddAbilityKind adds a kind that rulesets can name. sim.RegisterAbility calls it. After a
// ruleset has named a kind that does not ship, no kind can be added.
func AddAbilityKind(name string, k Kind) error {
	if slices.Contains(AbilityKinds, name) {
		return fmt.Errorf("%q is a kind of ability of fogkeep itself", name)
	}
	return addKind(&addedAbilities, name, k, abilityFields)
}

// AddEffectKind is AddAbilityKind for effects; sim.RegisterEffect calls it.
func AddEffectKind(name string, k Kind) error {
	if slices.Contains(effectKindNames, name) {
		return fmt.Errorf("%q is a kind of effect of fogkeep itself", name)
	}
	return addKind(&addedEffects, name, k, effectFields)
}

// AddedAbilityKind returns the registered kind of abilities with that name.
func AddedAbilityKind(name string) (Kind, bool) { return addedAbilities.Find(name) }

// AddedEffectKind returns the registered kind of effects with that name.
func AddedEffectKind(name string) (Kind, bool) { return addedEffects.Find(name) }

// AddedKinds returns the registered kinds of abilities and of effects, by their names.
// More can still be added.
func AddedKinds() (abilities, effects map[string]Kind) {
	return addedAbilities.Rows(), addedEffects.Rows()
}

func addKind(to *registry.Table[Kind], name string, k Kind, taken []string) error {
	if k.Version == 0 {
		return errors.New("the version is 0")
	}
	if len(k.Params) > ParamsMax {
		return fmt.Errorf("%d parameters, at most %d", len(k.Params), ParamsMax)
	}
	for i := range k.Params {
		p := &k.Params[i]
		if err := p.check(); err != nil {
			return fmt.Errorf("parameter %q: %w", p.Name, err)
		}
		if slices.Contains(taken, p.Name) {
			return fmt.Errorf("parameter %q: all entries have a field with that name", p.Name)
		}
		taken = append(slices.Clip(taken), p.Name)
	}
	if len(k.Values) > TypeValuesMax {
		return fmt.Errorf("%d values, at most %d", len(k.Values), TypeValuesMax)
	}
	k.Params, k.Values = slices.Clone(k.Params), slices.Clone(k.Values)
	for i := range k.Values {
		v := &k.Values[i]
		v.Step = max(v.Step, 1)
		if err := v.check(); err != nil {
			return fmt.Errorf("value %q: %w", v.Name, err)
		}
	}
	return to.Add(name, k)
}

func (p *Param) check() error {
	if p.Name == "" || len(p.Name) > paramNameLimit {
		return fmt.Errorf("a name has 1 to %d bytes", paramNameLimit)
	}
	if !plainName(p.Name) {
		return errors.New("a name is of a-z, 0-9 and _")
	}
	lo, hi := int64(0), int64(0)
	switch p.Kind {
	case ParamWhole:
		lo, hi = -1<<31, 1<<31-1
	case ParamTiles:
		hi = tilesMax * 1000
	case ParamSeconds:
		hi = secondsMax * 1000
	default:
		if p.Kind >= paramEnd {
			return fmt.Errorf("kind %d", p.Kind)
		}
	}
	if p.Min < lo || p.Max > hi || p.Min > p.Max {
		return fmt.Errorf("from %d to %d: both bounds must be between %d and %d, the smaller first", p.Min, p.Max, lo, hi)
	}
	if !p.Required && (p.Default < p.Min || p.Default > p.Max) {
		return fmt.Errorf("the default %d is not between %d and %d: choose another, or set Required", p.Default, p.Min, p.Max)
	}
	return nil
}

// listed are the names that a ruleset's entries may use.
type listed struct{ types, weapons, effects, resources, sounds, values []string }

// params reads an entry's own fields.
func (r *rulesReader) params(n *node, subject string, k *Kind, of *listed) Params {
	var out Params
	for i := range k.Params {
		p := &k.Params[i]
		v := r.get(n, p.Name)
		if p.Required {
			r.need(n, p.Name)
		}
		value := int32(-1)
		switch p.Kind {
		case ParamWhole:
			value = int32(r.whole(n, p.Name, p.Default, p.Min, p.Max))
		case ParamTiles:
			value = int32(r.milli(n, p.Name, p.Default, p.Min, p.Max) * grid.WUPerTile / 1000)
		case ParamSeconds:
			value = int32(r.milli(n, p.Name, p.Default, p.Min, p.Max))
		case ParamFlag:
			if value = 0; r.boolean(n, p.Name, false) {
				value = 1
			}
		case ParamType:
			value = r.named(v, "type", of.types)
		case ParamWeapon:
			value = r.named(v, "weapon", of.weapons)
		case ParamEffect:
			value = r.named(v, "effect", of.effects)
		case ParamResource:
			value = r.named(v, "resource", of.resources)
		}
		out = append(out, ParamValue{p.Name, value})
	}
	if k.Check == nil || n.Bad || slices.ContainsFunc(n.Kids, func(v *node) bool { return v.Bad }) {
		return out
	}
	err := checked(k.Check, out)
	var field *FieldError
	switch {
	case err == nil:
	case errors.As(err, &field) && r.get(n, field.Field) != nil:
		r.fail(r.get(n, field.Field), "%s: %v", subject, err)
	default:
		r.fail(n, "%s: %v", subject, err)
	}
	return out
}

// checked calls a registrant's check. The check gets a copy.
func checked(check func(Params) error, p Params) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("its check broke: %v", v)
		}
	}()
	return check(slices.Clone(p))
}

// named returns a name's number, -1 if there is no name.
func (r *rulesReader) named(v *node, subject string, names []string) int32 {
	if v == nil {
		return -1
	}
	return int32(r.oneOf(v, subject, names))
}

// kindOf reads an entry's kind. It returns the index of a shipped kind, or -1 and a registered kind.
func (r *rulesReader) kindOf(n *node, subject string, shipped []string, added *registry.Table[Kind]) (int, string, *Kind) {
	v := r.get(n, "kind")
	switch {
	case v == nil:
		r.need(n, "kind")
		return 0, shipped[0], nil
	case v.Kind == 's' && !slices.Contains(shipped, v.Text):
		if k, ok := added.Find(v.Text); ok {
			return -1, v.Text, &k
		}
	}
	i := r.oneOf(v, subject, slices.Concat(shipped, added.Names())) // only a shipped kind passes
	n.Bad = n.Bad || v.Bad
	return i, shipped[i], nil
}
