package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/fogkeep/fogkeep/internal/strictjson"
)

// node is a value of the file.
type node = strictjson.Node

// levelsMax is how deep objects and lists may be nested.
const levelsMax = 16

// cut bounds a text of the file in an error.
var cut = strictjson.Cut

// Problem is something wrong with a ruleset, or odd about it.
type Problem = strictjson.Problem

// Problems is the error of a ruleset that is refused: all that is wrong with it.
type Problems struct {
	File string
	List []Problem // sorted by line
}

func (e *Problems) Error() string {
	lines := make([]string, len(e.List))
	for i, p := range e.List {
		lines[i] = e.File + ":" + p.String()
	}
	return strings.Join(lines, "\n")
}

// problemsMax bounds the number of problems reported for one file.
const problemsMax = 50

// rulesReader takes typed values out of nodes. It notes each fault, and reads on: a faulty
// value reads as zero.
type rulesReader struct {
	broken    []Problem // unreadable values
	senseless []Problem // readable values that can never work
	odd       []Problem
}

// fail notes a fault of a value, once.
func (r *rulesReader) fail(n *node, format string, args ...any) {
	if !n.Bad {
		n.Bad = true
		note(&r.broken, n, format, args...)
	}
}

func note(to *[]Problem, n *node, format string, args ...any) {
	p := Problem{Line: int(n.Line), Pointer: n.Pointer(), Why: fmt.Sprintf(format, args...)}
	if len(*to) < problemsMax && !slices.Contains(*to, p) {
		*to = append(*to, p)
	}
}

// get returns the object's value with that name, or nil.
func (r *rulesReader) get(n *node, key string) *node {
	if n.Kind != '{' {
		r.fail(n, "want an object, got %s", n.Got())
		return nil
	}
	for _, kid := range n.Kids {
		if kid.Name == key {
			kid.Asked = true
			return kid
		}
	}
	return nil
}

// done reports the fields of the object that were not read: a misspelt field must not pass
// silently.
func (r *rulesReader) done(n *node, what string) {
	for _, kid := range n.Kids {
		if n.Kind == '{' && !kid.Asked {
			r.fail(kid, "%s has no field %q", what, cut(kid.Name))
		}
	}
}

func (r *rulesReader) str(n *node, key string) string {
	v := r.get(n, key)
	switch {
	case v == nil:
		r.need(n, key)
	case v.Kind != 's' || v.Text == "":
		r.fail(v, "want a text, got %s", v.Got())
	default:
		r.plain(v)
		return v.Text
	}
	return ""
}

// need notes that an object lacks a field.
func (r *rulesReader) need(n *node, key string) {
	if n.Kind == '{' && r.get(n, key) == nil {
		n.Bad = true
		note(&r.broken, n, "%q is missing", key)
	}
}

// nameBytesMax bounds the names that a file makes up; each client gets them.
const nameBytesMax = 64

// plain refuses names that are not to be shown.
func (r *rulesReader) plain(v *node) {
	if len(v.Text) > nameBytesMax {
		note(&r.senseless, v, "a name of %d bytes, at most %d", len(v.Text), nameBytesMax)
	}
	for _, c := range v.Text {
		if !unicode.IsPrint(c) {
			note(&r.senseless, v, "a name with the invisible character %U", c)
			return
		}
	}
}

func (r *rulesReader) boolean(n *node, key string, def bool) bool {
	v := r.get(n, key)
	if v == nil {
		return def
	}
	if v.Kind != 'b' {
		r.fail(v, "want true or false, got %s", v.Got())
	}
	return v.Text == "true"
}

// milli reads a decimal number with at most three digits after the point as
// thousandths, exactly. Absent: def.
func (r *rulesReader) milli(n *node, key string, def, lo, hi int64) int64 {
	v := r.get(n, key)
	if v == nil {
		return def
	}
	m, ok := v.Milli()
	if !ok && v.Kind == 'n' && strings.Trim(v.Text, "-0123456789") == "" {
		m, ok = hi+1, true // beyond all that there is
	}
	if !ok {
		r.fail(v, "want a number with at most three decimals, got %s", v.Got())
		return def
	}
	if m < lo || m > hi {
		r.fail(v, "%s is outside %s to %s", cut(v.Text), milliText(lo), milliText(hi))
		return def
	}
	return m
}

// whole reads an integer. Absent: def.
func (r *rulesReader) whole(n *node, key string, def, lo, hi int64) int64 {
	m := r.milli(n, key, def*1000, lo*1000, hi*1000)
	if m%1000 != 0 {
		v := r.get(n, key)
		r.fail(v, "want a whole number, got %s", v.Got())
	}
	return m / 1000
}

func milliText(m int64) string {
	if m%1000 == 0 {
		return fmt.Sprint(m / 1000)
	}
	return strings.TrimRight(fmt.Sprintf("%d.%03d", m/1000, m%1000), "0")
}

// list returns an array's members, bounded.
func (r *rulesReader) list(n *node, key string, most int) []*node {
	v := r.get(n, key)
	switch {
	case v == nil:
		return nil
	case v.Kind != '[':
		r.fail(v, "want a list, got %s", v.Got())
		return nil
	case len(v.Kids) > most:
		r.fail(v, "%d entries, at most %d", len(v.Kids), most)
		return nil
	}
	return v.Kids
}

// oneOf returns the place of a text in names. Of an unknown one it is 0, and the value
// is bad.
func (r *rulesReader) oneOf(v *node, what string, names []string) int {
	for i, name := range names {
		if v.Kind == 's' && v.Text == name {
			return i
		}
	}
	known := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" })
	r.fail(v, "unknown %s %s; there are %s", what, v.Got(), cmp.Or(strings.Join(known, ", "), "none"))
	return 0
}

// ref reads the name of something else in the file. ok: there is one, and it is known.
func (r *rulesReader) ref(n *node, key, what string, names []string) (i int, ok bool) {
	v := r.get(n, key)
	if v == nil {
		return 0, false
	}
	i = r.oneOf(v, what, names)
	return i, !v.Bad
}
