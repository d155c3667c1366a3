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

// node is a value of the file.
type node struct{ *strictjson.Node }

func (n node) fail(format string, args ...any) error {
	return &Error{n.Pointer(), fmt.Sprintf(format, args...)}
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
	return node{root}, nil
}

// object returns the members of an object, which may have only these.
func (n node) object(names ...string) (map[string]node, error) {
	if n.Kind != '{' {
		return nil, n.fail("want an object")
	}
	out := make(map[string]node, len(n.Kids))
	for _, kid := range n.Kids {
		if !slices.Contains(names, kid.Name) {
			return nil, node{kid}.fail("no such member; there are %s", strings.Join(names, ", "))
		}
		out[kid.Name] = node{kid}
	}
	return out, nil
}

// cut bounds a text of the file in an error.
var cut = strictjson.Cut

func (n node) list(most int) ([]node, error) {
	if n.Kind != '[' {
		return nil, n.fail("want a list")
	}
	if len(n.Kids) > most {
		return nil, n.fail("%d entries, at most %d", len(n.Kids), most)
	}
	out := make([]node, len(n.Kids))
	for i, kid := range n.Kids {
		out[i] = node{kid}
	}
	return out, nil
}

func (n node) text(most int) (string, error) {
	if n.Kind != 's' {
		return "", n.fail("want a text")
	}
	if len(n.Text) > most {
		return "", n.fail("a text of %d bytes, at most %d", len(n.Text), most)
	}
	return n.Text, nil
}

func (n node) number(least, most int64) (int64, error) {
	if n.Kind != 'n' {
		return 0, n.fail("want a number")
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil {
		return 0, n.fail("%s is no whole number", cut(n.Text))
	}
	if v < least || v > most {
		return 0, n.fail("%d is outside %d to %d", v, least, most)
	}
	return v, nil
}

func (n node) flag() (bool, error) {
	if n.Kind != 'b' {
		return false, n.fail("want true or false")
	}
	return n.Text == "true", nil
}

// tiles reads a number of tiles with up to three decimals as world units, without the
// rounding of binary fractions.
func (n node) tiles() (int32, error) {
	if n.Kind != 'n' {
		return 0, n.fail("want a number of tiles")
	}
	m, ok := n.Milli()
	if !ok || m < 0 || m >= (grid.MapSideMax+1)*1000 {
		return 0, n.fail("%s is no number of tiles from 0 to %d, with at most three decimals", cut(n.Text), grid.MapSideMax)
	}
	return int32(m * grid.WUPerTile / 1000), nil
}

// place reads [x, y] in tiles.
func (n node) place() (grid.Pos, error) {
	l, err := n.list(2)
	if err != nil {
		return grid.Pos{}, err
	}
	if len(l) != 2 {
		return grid.Pos{}, n.fail("want [x, y]")
	}
	x, err := l[0].tiles()
	if err != nil {
		return grid.Pos{}, err
	}
	y, err := l[1].tiles()
	return grid.Pos{X: x, Y: y}, err
}
