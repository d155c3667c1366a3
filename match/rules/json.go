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
		lines[i] = cmp.Or(p.File, e.File) + ":" + p.String()
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

	fields map[*node][]string // the fields that an object may have, until done; for suggestions
	saw    func(field)        // gets each field that the reader asks for; nil outside the test that writes the schema
}

// field is a field of an object as the reader reads it: its form and bounds, in the file or not. schema.json is made of
// these.
type field struct {
	in       *node // the object, or the list whose members have the form
	name     string
	form     string // text, flag, number, whole, list, choice, reference, amounts
	def      int64  // of numbers in thousandths, of flags 0 or 1
	lo, hi   int64  // of numbers in thousandths, of lists the most members
	step     int64  // of numbers in thousandths
	names    []string
	required bool
}

// see reports a field to the schema.
func (r *rulesReader) see(f field) {
	if r.saw != nil {
		r.saw(f)
	}
}

// fail notes a fault of a value, once.
func (r *rulesReader) fail(n *node, format string, args ...any) {
	if !n.Bad {
		n.Bad = true
		note(&r.broken, n, format, args...)
	}
}

func note(to *[]Problem, n *node, format string, args ...any) {
	noteProblem(to, Problem{Line: int(n.Line), Pointer: n.Pointer(), Why: fmt.Sprintf(format, args...)})
}

func noteProblem(to *[]Problem, p Problem) {
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
	r.see(field{in: n, name: key})
	if r.fields == nil {
		r.fields = map[*node][]string{}
	}
	if !slices.Contains(r.fields[n], key) {
		r.fields[n] = append(r.fields[n], key)
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
func (r *rulesReader) done(n *node, subject string) {
	for _, kid := range n.Kids {
		if n.Kind == '{' && !kid.Asked {
			r.fail(kid, "%s has no field %q%s", subject, cut(kid.Name), meant(kid.Name, r.fields[n]))
		}
	}
	delete(r.fields, n)
}

// meant is the end of an error about an unknown name: the likeliest of the known ones.
func meant(text string, known []string) string {
	if name := strictjson.Nearest(text, known); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

func (r *rulesReader) str(n *node, key string) string {
	v := r.get(n, key)
	r.see(field{in: n, name: key, form: "text", required: true})
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
	r.see(field{in: n, name: key, required: true})
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
	f := field{in: n, name: key, form: "flag"}
	if def {
		f.def = 1
	}
	r.see(f)
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
	return r.number(n, key, def, lo, hi, 1)
}

// number reads a number as milli does; step is for the schema alone.
func (r *rulesReader) number(n *node, key string, def, lo, hi, step int64) int64 {
	v := r.get(n, key)
	r.see(field{in: n, name: key, form: "number", def: def, lo: lo, hi: hi, step: step})
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
	m := r.number(n, key, def*1000, lo*1000, hi*1000, 1000)
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
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return sign + strings.TrimRight(fmt.Sprintf("%d.%03d", m/1000, m%1000), "0")
}

// list returns an array's members, bounded.
func (r *rulesReader) list(n *node, key string, most int) []*node {
	v := r.get(n, key)
	r.see(field{in: n, name: key, form: "list", hi: int64(most)})
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
func (r *rulesReader) oneOf(v *node, subject string, names []string) int {
	f := field{in: v.In, name: v.Name, form: "choice", names: names}
	if slices.Contains(referred, subject) {
		f.form = "reference"
	}
	r.see(f)
	for i, name := range names {
		if v.Kind == 's' && v.Text == name {
			return i
		}
	}
	known := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" })
	r.fail(v, "unknown %s %s; there are %s%s", subject, v.Got(), cmp.Or(strings.Join(known, ", "), "none"), meant(v.Text, known))
	return 0
}

// referred are the kinds of things that a file names and refers to.
var referred = []string{"type", "weapon", "ability", "effect", "resource", "armour", "class of sounds", "class of signatures", "script", "value", "area", "value of the mode", "shown attribute"}

// ref reads the name of something else in the file. ok: there is one, and it is known.
func (r *rulesReader) ref(n *node, key, subject string, names []string) (i int, ok bool) {
	v := r.get(n, key)
	if v == nil {
		return 0, false
	}
	i = r.oneOf(v, subject, names)
	return i, !v.Bad
}
