package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// Event is an event that a script can handle.
type Event struct {
	Name   string
	Params []string // of its handler
}

// EffectDef is a function that makes an effect.
type EffectDef struct {
	Name   string
	Params []Param
}

// Effect is a change to the world that a handler asks for.
type Effect struct {
	Args
	Name string
}

func (e *Effect) String() string        { return e.Name }
func (e *Effect) Type() string          { return "effect" }
func (e *Effect) Freeze()               {}
func (e *Effect) Truth() starlark.Bool  { return true }
func (e *Effect) Hash() (uint32, error) { return 0, fmt.Errorf("an effect is no key") }

// Table lists the events and effects of a kind of script.
type Table struct {
	Events  []Event
	Effects []EffectDef
}

func (t *Table) eventNames() (out []string) {
	for _, e := range t.Events {
		out = append(out, e.Name)
	}
	return out
}

// EffectNames lists the names of the effects.
func (t *Table) EffectNames() (out []string) {
	for i := range t.Effects {
		out = append(out, t.Effects[i].Name)
	}
	return out
}

// offered returns the names that a script can use, with the effects of a list of names.
func (t *Table) offered(effects []string) starlark.StringDict {
	out := starlark.StringDict{}
	for k, v := range guards {
		out[k] = v
	}
	for k, v := range common {
		out[k] = v
	}
	for i := range t.Effects {
		def := &t.Effects[i]
		if !slices.Contains(effects, def.Name) {
			continue
		}
		out[def.Name] = starlark.NewBuiltin(def.Name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (Value, error) {
			e := &Effect{Name: def.Name}
			if err := e.bind(def.Name, def.Params, args, named); err != nil {
				return nil, err
			}
			return e, nil
		})
	}
	return out
}
