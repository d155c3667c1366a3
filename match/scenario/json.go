package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

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

// node is a value of the file with its place.
type node struct {
	value any
	path  string
}

func (n node) fail(format string, args ...any) error {
	return &Error{n.path, fmt.Sprintf(format, args...)}
}

// depthMax is how deep values may be nested: three levels are enough.
const depthMax = 8

// read decodes the file.
func read(b []byte) (node, error) {
	if len(b) > BytesMax {
		return node{}, &Error{"", fmt.Sprintf("%d bytes, at most %d", len(b), BytesMax)}
	}
	if err := shallow(b); err != nil {
		return node{}, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var n node
	if err := d.Decode(&n.value); err != nil {
		at := d.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			at = syntax.Offset
		}
		return n, &Error{"", fmt.Sprintf("no JSON at byte %d: %v", at, err)}
	}
	if _, err := d.Token(); err != io.EOF {
		return n, &Error{"", fmt.Sprintf("more than one value: see byte %d", d.InputOffset())}
	}
	return n, nil
}

// shallow refuses what is nested deeply, before anything is built of it.
func shallow(b []byte) error {
	depth, text := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth > depthMax {
				return &Error{"", fmt.Sprintf("more than %d levels at byte %d", depthMax, i)}
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// object returns the members of an object, which may have only these.
func (n node) object(names ...string) (map[string]node, error) {
	m, ok := n.value.(map[string]any)
	if !ok {
		return nil, n.fail("want an object")
	}
	out := make(map[string]node, len(m))
	for name, v := range m {
		at := node{v, n.path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(cut(name))}
		if !slices.Contains(names, name) {
			return nil, at.fail("no such member; there are %s", strings.Join(names, ", "))
		}
		out[name] = at
	}
	return out, nil
}

// cut bounds a text of the file in an error.
func cut(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}

func (n node) list(most int) ([]node, error) {
	l, ok := n.value.([]any)
	if !ok {
		return nil, n.fail("want a list")
	}
	if len(l) > most {
		return nil, n.fail("%d entries, at most %d", len(l), most)
	}
	out := make([]node, len(l))
	for i, v := range l {
		out[i] = node{v, n.path + "/" + strconv.Itoa(i)}
	}
	return out, nil
}

func (n node) text(most int) (string, error) {
	s, ok := n.value.(string)
	if !ok {
		return "", n.fail("want a text")
	}
	if len(s) > most {
		return "", n.fail("a text of %d bytes, at most %d", len(s), most)
	}
	return s, nil
}

func (n node) number(least, most int64) (int64, error) {
	j, ok := n.value.(json.Number)
	if !ok {
		return 0, n.fail("want a number")
	}
	v, err := strconv.ParseInt(string(j), 10, 64)
	if err != nil {
		return 0, n.fail("%s is no whole number", cut(string(j)))
	}
	if v < least || v > most {
		return 0, n.fail("%d is outside %d to %d", v, least, most)
	}
	return v, nil
}

func (n node) flag() (bool, error) {
	v, ok := n.value.(bool)
	if !ok {
		return false, n.fail("want true or false")
	}
	return v, nil
}

// tiles reads a number of tiles with up to three decimals as world units, without the
// rounding of binary fractions.
func (n node) tiles() (int32, error) {
	j, ok := n.value.(json.Number)
	if !ok {
		return 0, n.fail("want a number of tiles")
	}
	whole, part, _ := strings.Cut(string(j), ".")
	v, err := strconv.ParseInt(whole, 10, 32)
	if err != nil || v < 0 || v > grid.MapSideMax || len(part) > 3 {
		return 0, n.fail("%s is no number of tiles from 0 to %d, with at most three decimals", cut(string(j)), grid.MapSideMax)
	}
	milli := int64(0)
	if part != "" {
		if milli, err = strconv.ParseInt((part + "00")[:3], 10, 32); err != nil || milli < 0 {
			return 0, n.fail("%s is no number of tiles", cut(string(j)))
		}
	}
	return int32((v*1000 + milli) * grid.WUPerTile / 1000), nil
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
