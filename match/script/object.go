package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Value is a value of a script.
type Value = starlark.Value

// None is the value of a part that is absent.
const None = starlark.None

// Whole returns a number as a value.
func Whole[T ~int | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](n T) Value {
	return starlark.MakeInt64(int64(n))
}

// Text returns a text as a value.
func Text(s string) Value { return starlark.String(s) }

// Flag returns a truth value.
func Flag(b bool) Value { return starlark.Bool(b) }

// List returns values in a list that does not change.
func List(v []Value) Value { return starlark.Tuple(v) }

// Host has the parts of an object. Scripts read them by name during a call alone.
type Host interface {
	// Part returns a part, nil if there is no such part.
	Part(name string) Value
	// Parts lists the names.
	Parts() []string
}

// Object is a value with parts, such as a unit. Two objects are equal if they have the same kind and number.
type Object struct {
	Kind   string
	Number uint64
	Host   Host
}

func (o *Object) String() string        { return o.Kind }
func (o *Object) Type() string          { return o.Kind }
func (o *Object) Freeze()               {}
func (o *Object) Truth() starlark.Bool  { return true }
func (o *Object) Hash() (uint32, error) { return 0, fmt.Errorf("a %s is no key", o.Kind) }
func (o *Object) AttrNames() []string   { return o.Host.Parts() }

// Attr returns a part of the object. A function among its parts is called for the object.
func (o *Object) Attr(name string) (Value, error) {
	v := o.Host.Part(name)
	if f, ok := v.(*starlark.Builtin); ok {
		return f.BindReceiver(o), nil
	}
	return v, nil
}

// CompareSameType says whether two objects are the same.
func (o *Object) CompareSameType(op syntax.Token, y Value, _ int) (bool, error) {
	other := y.(*Object)
	same := o.Kind == other.Kind && o.Number == other.Number
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("a %s has no order", o.Kind)
}

// Param is a parameter of a function or an effect.
type Param struct {
	Name     string
	Form     Form
	Optional bool // its default is 0, "" or False
}

// Form is the form of an argument.
type Form uint8

// The forms of arguments.
const (
	FormWhole Form = iota // a number that fits 32 bits
	FormText
	FormUnit
	FormFlag
)

var formNames = []string{"a number between -2147483648 and 2147483647", "a text", "a unit", "True or False"}

// Args are the checked arguments of a call, one for each parameter.
type Args struct {
	values [paramsMax]Value
	n      int
	thread *starlark.Thread
}

// paramsMax is the most parameters of a function or an effect.
const paramsMax = 6

// Whole returns a number.
func (a *Args) Whole(i int) int32 {
	n, _ := a.values[i].(starlark.Int)
	v, _ := n.Int64()
	return int32(v)
}

// Len returns how many arguments there are, given or not.
func (a *Args) Len() int { return a.n }

// Given reports whether the call has an optional argument.
func (a *Args) Given(i int) bool { return a.values[i] != nil }

// Text returns a text.
func (a *Args) Text(i int) string {
	s, _ := a.values[i].(starlark.String)
	return string(s)
}

// Unit returns the number of a unit.
func (a *Args) Unit(i int) uint64 {
	o, _ := a.values[i].(*Object)
	return o.Number
}

// Flag returns a truth value.
func (a *Args) Flag(i int) bool {
	b, _ := a.values[i].(starlark.Bool)
	return bool(b)
}

// Spend adds the steps of a pass over n things.
func (a *Args) Spend(n int) error { return spend(a.thread, n) }

// bind checks arguments, given in order or by name, and keeps them.
func (a *Args) bind(name string, params []Param, args starlark.Tuple, named []starlark.Tuple) error {
	if len(args) > len(params) {
		return fmt.Errorf("%s: %d arguments, at most %d", name, len(args), len(params))
	}
	a.n = len(params)
	out := a.values[:a.n]
	copy(out, args)
	for _, n := range named {
		key := string(n[0].(starlark.String))
		i := slices.IndexFunc(params, func(p Param) bool { return p.Name == key })
		if i < 0 || out[i] != nil {
			return fmt.Errorf("%s has no argument %q, or has it twice", name, key)
		}
		out[i] = n[1]
	}
	for i := range params {
		p := &params[i]
		ok := false
		switch v := out[i].(type) {
		case nil:
			if !p.Optional {
				return fmt.Errorf("%s: the argument %q is missing", name, p.Name)
			}
			ok = true
		case starlark.Int:
			n, fits := v.Int64()
			ok = p.Form == FormWhole && fits && n == int64(int32(n))
		case starlark.String:
			ok = p.Form == FormText
		case starlark.Bool:
			ok = p.Form == FormFlag
		case *Object:
			ok = p.Form == FormUnit && v.Kind == "unit"
		}
		if !ok {
			return fmt.Errorf("%s: %q is %s, want %s", name, p.Name, out[i].Type(), formNames[p.Form])
		}
	}
	return nil
}

// Func is a function that scripts call to read a part of an object. An object's host lists it among its parts, always the
// same: so it is made once, and not at each reading.
func Func[H Host](name string, params []Param, f func(H, Args) (Value, error)) Value {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (Value, error) {
		a := Args{thread: t}
		if err := a.bind(name, params, args, named); err != nil {
			return nil, err
		}
		return f(b.Receiver().(*Object).Host.(H), a)
	})
}
