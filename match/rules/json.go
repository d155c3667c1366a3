package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// node is one value of a JSON document with the line it begins on, so that an
// error can say where a designer has to look. Depth and size are bounded by
// the caller's bytes and nodeDepthMax.
type node struct {
	line int
	kind byte // '{', '[', 's' string, 'n' number, 'b' boolean, '0' null
	text string
	flag bool
	keys []string // of an object, in the order written
	kids []*node  // of an object or array
	used []bool   // of an object: which keys have been asked for
}

const nodeDepthMax = 16

// parseNodes reads one JSON document. Errors name the line.
func parseNodes(b []byte) (*node, error) {
	p := &nodeParser{src: b, dec: json.NewDecoder(bytes.NewReader(b))}
	p.dec.UseNumber()
	n, err := p.value(0)
	if err == nil {
		if _, more := p.dec.Token(); more != io.EOF {
			err = errors.New("something follows the document")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", p.line(), err)
	}
	return n, nil
}

type nodeParser struct {
	src  []byte
	dec  *json.Decoder
	at   int // bytes of src whose lines are counted in seen
	seen int // newlines before at
}

// line returns the line the decoder stands on, counted from 1.
func (p *nodeParser) line() int {
	end := min(int(p.dec.InputOffset()), len(p.src))
	if end > p.at {
		p.seen += bytes.Count(p.src[p.at:end], []byte{'\n'})
		p.at = end
	}
	return p.seen + 1
}

func (p *nodeParser) value(depth int) (*node, error) {
	if depth > nodeDepthMax {
		return nil, fmt.Errorf("nested deeper than %d", nodeDepthMax)
	}
	tok, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: p.line()}
	switch v := tok.(type) {
	case json.Delim:
		n.kind = byte(v)
		for p.dec.More() {
			if n.kind == '{' {
				key, err := p.dec.Token()
				if err != nil {
					return nil, err
				}
				name := key.(string) // the decoder yields nothing else here
				for _, k := range n.keys {
					if k == name {
						return nil, fmt.Errorf("%q appears twice", name)
					}
				}
				n.keys = append(n.keys, name)
			}
			kid, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		if _, err := p.dec.Token(); err != nil {
			return nil, err
		}
		n.used = make([]bool, len(n.keys))
	case string:
		n.kind, n.text = 's', v
	case json.Number:
		n.kind, n.text = 'n', v.String()
	case bool:
		n.kind, n.flag = 'b', v
	case nil:
		n.kind = '0'
	}
	return n, nil
}

// rulesReader takes typed values out of nodes; the first error stays and the
// rest of the reading yields zeros.
type rulesReader struct {
	name string // of the file, for errors
	err  error
}

func (r *rulesReader) fail(n *node, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s:%d: %s", r.name, n.line, fmt.Sprintf(format, args...))
	}
}

// get returns an object's value, or nil if it has none by that name.
func (r *rulesReader) get(n *node, key string) *node {
	if r.err != nil {
		return nil
	}
	if n.kind != '{' {
		r.fail(n, "want an object")
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			n.used[i] = true
			return n.kids[i]
		}
	}
	return nil
}

// done reports what the object has that nobody asked for: a misspelt field
// must not pass silently.
func (r *rulesReader) done(n *node, what string) {
	for i, used := range n.used {
		if !used {
			r.fail(n.kids[i], "%s has no field %q", what, n.keys[i])
			return
		}
	}
}

func (r *rulesReader) str(n *node, key string, required bool) string {
	v := r.get(n, key)
	switch {
	case r.err != nil:
	case v == nil:
		if required {
			r.fail(n, "%q is missing", key)
		}
	case v.kind != 's' || required && v.text == "":
		r.fail(v, "%q: want a text", key)
	default:
		return v.text
	}
	return ""
}

func (r *rulesReader) boolean(n *node, key string, def bool) bool {
	v := r.get(n, key)
	switch {
	case r.err != nil || v == nil:
		return def
	case v.kind != 'b':
		r.fail(v, "%q: want true or false", key)
	}
	return v.flag
}

// milli reads a decimal number with at most three digits after the point as
// thousandths, exactly. Absent: def.
func (r *rulesReader) milli(n *node, key string, def, lo, hi int64) int64 {
	v := r.get(n, key)
	if r.err != nil || v == nil {
		return def
	}
	m, ok := parseMilli(v)
	if !ok {
		r.fail(v, "%q: want a number with at most three decimals", key)
		return def
	}
	if m < lo || m > hi {
		r.fail(v, "%q: %s is outside %s to %s", key, v.text, milliText(lo), milliText(hi))
		return def
	}
	return m
}

// whole reads an integer. Absent: def.
func (r *rulesReader) whole(n *node, key string, def, lo, hi int64) int64 {
	m := r.milli(n, key, def*1000, lo*1000, hi*1000)
	if m%1000 != 0 && r.err == nil {
		r.fail(r.get(n, key), "%q: want a whole number", key)
	}
	return m / 1000
}

func parseMilli(v *node) (int64, bool) {
	if v.kind != 'n' {
		return 0, false
	}
	s := v.text
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	intPart, frac, _ := strings.Cut(s, ".")
	if len(intPart) == 0 || len(intPart) > 9 || len(frac) > 3 {
		return 0, false
	}
	for len(frac) < 3 {
		frac += "0"
	}
	m := int64(0)
	for _, c := range intPart + frac {
		if c < '0' || c > '9' {
			return 0, false
		}
		m = m*10 + int64(c-'0')
	}
	if neg {
		m = -m
	}
	return m, true
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
	case r.err != nil || v == nil:
		return nil
	case v.kind != '[':
		r.fail(v, "%q: want a list", key)
		return nil
	case len(v.kids) > most:
		r.fail(v, "%q: %d entries, at most %d", key, len(v.kids), most)
		return nil
	}
	return v.kids
}

// oneOf returns the place of a text in names.
func (r *rulesReader) oneOf(v *node, what string, names []string) int {
	if r.err != nil {
		return 0
	}
	for i, name := range names {
		if v.kind == 's' && v.text == name {
			return i
		}
	}
	got := v.text
	if v.kind != 's' {
		got = "something else"
	}
	r.fail(v, "unknown %s %q; there are %s", what, got, strings.Join(names, ", "))
	return 0
}
