package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// guards are the functions that guard.go puts in place of operators, and common the functions that all scripts have.
var guards, common starlark.StringDict

func init() {
	guards = starlark.StringDict{
		"·key": builtin("·key", func(_ *starlark.Thread, args starlark.Tuple) (Value, error) { return args[0], simple(args[0]) }),
		"·in":  builtin("·in", in),
	}
	for op, name := range arithmetic {
		guards[name] = builtin(name, func(t *starlark.Thread, args starlark.Tuple) (Value, error) {
			return calculate(t, op, args[0], args[1])
		})
	}
	common = starlark.StringDict{
		"TILE": starlark.MakeInt(1024), // grid.WUPerTile
		"abs": builtin("abs", func(_ *starlark.Thread, args starlark.Tuple) (Value, error) {
			if n, ok := only(args).(starlark.Int); ok && n.Sign() < 0 {
				return starlark.MakeInt(0).Sub(n), nil
			} else if ok {
				return n, nil
			}
			return nil, fmt.Errorf("want one number")
		}),
		"fail": builtin("fail", func(_ *starlark.Thread, args starlark.Tuple) (Value, error) {
			s, _ := only(args).(starlark.String)
			return nil, fmt.Errorf("%s", cut(string(s)))
		}),
		"str": builtin("str", func(_ *starlark.Thread, args starlark.Tuple) (Value, error) {
			switch v := only(args).(type) {
			case starlark.Int:
				return starlark.String(v.String()), nil
			case starlark.String:
				return v, nil
			}
			return nil, fmt.Errorf("want one number or text")
		}),
		"range":  builtin("range", ranged),
		"sorted": starlark.NewBuiltin("sorted", sorted),
	}
	for _, name := range []string{"all", "any", "enumerate", "list", "reversed", "tuple", "zip", "min", "max"} {
		original := starlark.Universe[name].(*starlark.Builtin)
		compares := name == "min" || name == "max"
		common[name] = builtin(name, func(t *starlark.Thread, args starlark.Tuple) (Value, error) {
			for _, a := range args {
				if err := charge(t, a); err != nil {
					return nil, err
				}
				if compares {
					if err := simples(a); err != nil {
						return nil, err
					}
				}
			}
			return original.CallInternal(t, args, nil)
		})
	}
}

// builtin makes a function without named arguments.
func builtin(name string, f func(*starlark.Thread, starlark.Tuple) (Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (Value, error) {
		if len(named) > 0 {
			return nil, fmt.Errorf("%s has no named arguments", name)
		}
		return f(t, args)
	})
}

func only(args starlark.Tuple) Value {
	if len(args) != 1 {
		return nil
	}
	return args[0]
}

// charge adds the steps of a pass over a list.
func charge(t *starlark.Thread, v Value) error {
	if s, ok := v.(starlark.Sequence); ok {
		return spend(t, s.Len())
	}
	return nil
}

// spend adds steps. The error of too many comes before the work is done.
func spend(t *starlark.Thread, n int) error {
	if t.Steps += uint64(n); t.Steps >= StepsMax {
		return fmt.Errorf("more than %d steps", StepsMax)
	}
	return nil
}

// simple returns an error for a value that is no number, text, truth value, None or object.
func simple(v Value) error {
	switch v := v.(type) {
	case starlark.Int, starlark.String, starlark.Bool, starlark.NoneType, *Object:
		return nil
	default:
		return fmt.Errorf("%s is compared, or is a key: want a number or a text", v.Type())
	}
}

// simples returns an error unless a value, or each member of a list, is simple.
func simples(v Value) error {
	list, ok := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !ok || text {
		return simple(v)
	}
	for i := range list.Len() {
		if err := simple(list.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func in(t *starlark.Thread, args starlark.Tuple) (Value, error) {
	if err := simple(args[0]); err != nil {
		return nil, err
	}
	if err := charge(t, args[1]); err != nil {
		return nil, err
	}
	return starlark.Binary(syntax.IN, args[0], args[1])
}

func ranged(t *starlark.Thread, args starlark.Tuple) (Value, error) {
	v, err := starlark.Universe["range"].(*starlark.Builtin).CallInternal(t, args, nil)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(v); n > ListMax {
		return nil, fmt.Errorf("a range of %d, at most %d", n, ListMax)
	}
	return v, nil
}

// sorted sorts by numbers or texts, or by tuples of these.
func sorted(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, named []starlark.Tuple) (Value, error) {
	var list starlark.Indexable
	var key starlark.Callable
	var reverse bool
	if err := starlark.UnpackArgs("sorted", args, named, "list", &list, "key?", &key, "reverse?", &reverse); err != nil {
		return nil, err
	}
	n := list.Len()
	if err := spend(t, 8*n); err != nil {
		return nil, err
	}
	type row struct{ key, value Value }
	rows := make([]row, n)
	for i := range rows {
		v := list.Index(i)
		k, err := v, error(nil)
		if key != nil {
			if k, err = starlark.Call(t, key, starlark.Tuple{v}, nil); err != nil {
				return nil, err
			}
		}
		if tuple, ok := k.(starlark.Tuple); ok && len(tuple) <= 8 {
			err = simples(tuple)
		} else {
			err = simple(k)
		}
		if err != nil {
			return nil, err
		}
		rows[i] = row{k, v}
	}
	var bad error
	slices.SortStableFunc(rows, func(a, b row) int {
		if reverse {
			a, b = b, a
		}
		for _, c := range []struct {
			op  syntax.Token
			out int
		}{{syntax.LT, -1}, {syntax.GT, 1}} {
			if yes, err := starlark.Compare(c.op, a.key, b.key); err != nil {
				bad = err
			} else if yes {
				return c.out
			}
		}
		return 0
	})
	out := make([]Value, n)
	for i := range rows {
		out[i] = rows[i].value
	}
	return starlark.NewList(out), bad
}

// calculate is an operator on two values. The result is bounded.
func calculate(t *starlark.Thread, op syntax.Token, x, y Value) (Value, error) {
	a, isInt := x.(starlark.Int)
	b, bothInts := y.(starlark.Int)
	switch {
	case isInt && bothInts:
		p, okA := a.Int64()
		q, okB := b.Int64()
		if !okA || !okB {
			return nil, errTooLarge
		}
		return integer(op, p, q)
	case op != syntax.PLUS:
		return nil, fmt.Errorf("%s %s %s: want two numbers", x.Type(), op, y.Type())
	}
	n, most := starlark.Len(x)+starlark.Len(y), ListMax
	if _, text := x.(starlark.String); text {
		most = TextMax
	}
	if n > most {
		return nil, fmt.Errorf("a %s of %d, at most %d", x.Type(), n, most)
	}
	if err := spend(t, max(0, n)); err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

var errTooLarge = fmt.Errorf("a number above %d or below -%d", int64(NumberMax), int64(NumberMax))

func integer(op syntax.Token, a, b int64) (Value, error) {
	if max(a, b) > NumberMax || min(a, b) < -NumberMax {
		return nil, errTooLarge
	}
	n := int64(0)
	switch op {
	case syntax.PLUS:
		n = a + b
	case syntax.MINUS:
		n = a - b
	case syntax.STAR:
		if n = a * b; a != 0 && (n/a != b || n > NumberMax || n < -NumberMax) {
			return nil, errTooLarge
		}
	default:
		if b == 0 {
			return nil, fmt.Errorf("a division by 0")
		}
		quotient, rest := a/b, a%b
		if rest != 0 && (rest < 0) != (b < 0) { // rounded down, as Starlark does
			quotient, rest = quotient-1, rest+b
		}
		if n = quotient; op == syntax.PERCENT {
			n = rest
		}
	}
	if n > NumberMax || n < -NumberMax {
		return nil, errTooLarge
	}
	return starlark.MakeInt64(n), nil
}

// cut bounds a text in an error.
func cut(s string) string { return s[:min(len(s), TextMax)] }
