package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Error says what is wrong with a scenario, and where.
type Error struct {
	Path string // a JSON pointer, such as /units/3/at; "": the whole file
	Why  string
}

func (e *Error) Error() string {
	if e.Path == "" {
		return "scenario: " + e.Why
	}
	return "scenario: " + e.Path + ": " + e.Why
}

// file is a scenario's file as it is read. It keeps the first fault: after it, values read as zero.
type file struct{ err error }

// node is a value of the file.
type node struct {
	*strictjson.Node
	file *file
}

func (n node) fail(format string, args ...any) {
	if n.file.err == nil {
		n.file.err = &Error{n.Pointer(), fmt.Sprintf(format, args...)}
	}
}

// levelsMax is how deep objects and lists may be nested: three levels are enough.
const levelsMax = 8

// read decodes the file.
func read(b []byte) (node, error) {
	if len(b) > BytesMax {
		return node{}, &Error{"", fmt.Sprintf("%d bytes, at most %d", len(b), BytesMax)}
	}
	root, problems := strictjson.Parse(b, levelsMax, 1)
	if len(problems) > 0 {
		p := problems[0]
		return node{}, &Error{p.Pointer, fmt.Sprintf("line %d, column %d: %s", p.Line, p.Column, p.Why)}
	}
	return node{root, &file{}}, nil
}

// cut bounds a text of the file in an error.
var cut = strictjson.Cut

// object has the members of an object. Its methods set a value if the object has a member of that name.
type object struct {
	node
	members map[string]node
}

// object returns the members of an object, which may have only these.
func (n node) object(names ...string) object {
	if n.Kind != '{' {
		n.fail("want an object")
	}
	out := object{n, make(map[string]node, len(n.Kids))}
	for _, kid := range n.Kids {
		x := node{kid, n.file}
		if out.members[kid.Name] = x; !slices.Contains(names, kid.Name) {
			x.fail("no such member; there are %s", strings.Join(names, ", "))
		}
	}
	return out
}

// need refuses an object that lacks a member.
func (o object) need(names ...string) {
	for _, name := range names {
		if _, ok := o.members[name]; !ok {
			o.fail("%s is missing", name)
		}
	}
}

// read calls f with a member.
func (o object) read(name string, f func(node)) {
	if n, ok := o.members[name]; ok {
		f(n)
	}
}

func (o object) text(name string, most int, to *string) {
	o.read(name, func(n node) { *to = n.text(most) })
}

func (o object) flag(name string, to *bool) {
	o.read(name, func(n node) {
		if *to = n.Text == "true"; n.Kind != 'b' {
			n.fail("want true or false")
		}
	})
}

func number[T ~int | ~int32 | ~uint8 | ~uint32 | ~uint64](o object, name string, least, most int64, to *T) {
	o.read(name, func(n node) { *to = T(n.number(least, most)) })
}

// value reads a number that may be absent.
func (o object) value(name string, to **int32) {
	o.read(name, func(n node) {
		v := int32(n.number(0, 1<<30))
		*to = &v
	})
}

func (n node) list(most int) []node {
	if n.Kind != '[' {
		n.fail("want a list")
		return nil
	}
	if len(n.Kids) > most {
		n.fail("%d entries, at most %d", len(n.Kids), most)
		return nil
	}
	out := make([]node, len(n.Kids))
	for i, kid := range n.Kids {
		out[i] = node{kid, n.file}
	}
	return out
}

func (n node) text(most int) string {
	switch {
	case n.Kind != 's':
		n.fail("want a text")
	case len(n.Text) > most:
		n.fail("a text of %d bytes, at most %d", len(n.Text), most)
	default:
		return n.Text
	}
	return ""
}

func (n node) number(least, most int64) int64 {
	v, err := strconv.ParseInt(n.Text, 10, 64)
	switch {
	case n.Kind != 'n':
		n.fail("want a number")
	case err != nil:
		n.fail("%s is no whole number", cut(n.Text))
	case v < least || v > most:
		n.fail("%d is outside %d to %d", v, least, most)
	default:
		return v
	}
	return 0
}

// tiles reads a number of tiles with up to three decimals as world units, without the
// rounding of binary fractions.
func (n node) tiles() int32 {
	m, ok := n.Milli()
	switch {
	case n.Kind != 'n':
		n.fail("want a number of tiles")
	case !ok || m < 0 || m >= (grid.MapSideMax+1)*1000:
		n.fail("%s is no number of tiles from 0 to %d, with at most three decimals", cut(n.Text), grid.MapSideMax)
	default:
		return int32(m * grid.WUPerTile / 1000)
	}
	return 0
}

// place reads [x, y] in tiles.
func (n node) place() grid.Pos {
	l := n.list(2)
	if len(l) != 2 {
		n.fail("want [x, y]")
		return grid.Pos{}
	}
	return grid.Pos{X: l[0].tiles(), Y: l[1].tiles()}
}
