package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// node is one value of a JSON document with the line it begins on, so that an
// error can say where a designer has to look. Depth and size are bounded by
// the caller's bytes and nodeDepthMax.
type node struct {
	line int
	in   *node  // the object or array that has it, nil: the document
	key  string // there: its name or its number
	bad  bool   // something of it was said to be wrong: its value is none
	kind byte   // '{', '[', 's' string, 'n' number, 'b' boolean, '0' null
	text string
	flag bool
	keys []string // of an object, in the order written
	kids []*node  // of an object or array
	used []bool   // of an object: which keys have been asked for
}

const nodeDepthMax = 16

// parseNodes reads one JSON document. What cannot be read is one problem.
func parseNodes(b []byte) (*node, *Problem) {
	p := &nodeParser{src: b, dec: json.NewDecoder(bytes.NewReader(b))}
	at := func(offset int, why string) *Problem {
		return &Problem{Line: 1 + bytes.Count(b[:min(offset, len(b))], []byte{'\n'}), Why: why}
	}
	switch {
	case len(bytes.TrimSpace(b)) == 0:
		return nil, at(0, "the file is empty")
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return nil, at(0, "the file begins with a byte order mark: save it as UTF-8 without one")
	}
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return nil, at(i, fmt.Sprintf("byte %#02x is no UTF-8: save the file as UTF-8", b[i]))
		}
		i += n
	}
	p.dec.UseNumber()
	n, err := p.value(nil, "", 0)
	if err == nil {
		if _, more := p.dec.Token(); more != io.EOF {
			err = errors.New("something follows the document")
		}
	}
	if err == nil {
		return n, nil
	}
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, &Problem{Line: p.line(), Why: err.Error()}
	}
	// The stream's own errors count from a value's start; a second pass counts from the file's.
	if !errors.As(json.Unmarshal(b, new(json.RawMessage)), &syntax) || int(syntax.Offset) >= len(b) {
		return nil, at(len(b), "the file ends too early")
	}
	from := max(0, int(syntax.Offset)-1)
	for from > 0 && unicode.IsLetter(rune(b[from-1])) { // the word that is no true, false or null
		from--
	}
	word, _, _ := bytes.Cut(b[from:], []byte{'\n'})
	return nil, at(from, fmt.Sprintf("this is no JSON, from here on: %q", cut(string(word))))
}

// cut bounds a text of the file in an error.
func cut(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
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

func (p *nodeParser) value(in *node, key string, depth int) (*node, error) {
	if depth > nodeDepthMax {
		return nil, fmt.Errorf("nested deeper than %d", nodeDepthMax)
	}
	tok, err := p.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: p.line(), in: in, key: key}
	switch v := tok.(type) {
	case json.Delim:
		n.kind = byte(v)
		for p.dec.More() {
			name := strconv.Itoa(len(n.kids))
			if n.kind == '{' {
				key, err := p.dec.Token()
				if err != nil {
					return nil, err
				}
				name = key.(string) // the decoder yields nothing else here
				for _, k := range n.keys {
					if k == name {
						return nil, fmt.Errorf("%q appears twice", name)
					}
				}
				n.keys = append(n.keys, name)
			}
			kid, err := p.value(n, name, depth+1)
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

// Problem is something wrong with a ruleset, or odd about it.
type Problem struct {
	Line    int    `json:"line"`
	Pointer string `json:"pointer"` // a JSON pointer, as /types/3/speed; "": the whole file
	Why     string `json:"why"`
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return fmt.Sprintf("%d: %s", p.Line, p.Why)
	}
	return fmt.Sprintf("%d: %s: %s", p.Line, p.Pointer, p.Why)
}

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

// problemsMax bounds how much is said of one file.
const problemsMax = 50

// rulesReader takes typed values out of nodes. It notes what is wrong, and reads on: what
// is wrong reads as nothing.
type rulesReader struct {
	broken    []Problem // what cannot be read
	senseless []Problem // what can be read, and can never work
	odd       []Problem
}

// fail notes what is wrong with a value, once.
func (r *rulesReader) fail(n *node, format string, args ...any) {
	if !n.bad {
		n.bad = true
		note(&r.broken, n, format, args...)
	}
}

func note(to *[]Problem, n *node, format string, args ...any) {
	p := Problem{n.line, n.pointer(), fmt.Sprintf(format, args...)}
	if len(*to) < problemsMax && !slices.Contains(*to, p) {
		*to = append(*to, p)
	}
}

// pointer is where the value is in the document.
func (n *node) pointer() string {
	if n.in == nil {
		return ""
	}
	return n.in.pointer() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(cut(n.key))
}

// got is what a value is, for errors.
func (n *node) got() string {
	switch n.kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 's':
		return strconv.Quote(cut(n.text))
	case 'n':
		return cut(n.text)
	case 'b':
		return strconv.FormatBool(n.flag)
	}
	return "null"
}

// get returns an object's value, or nil if it has none by that name.
func (r *rulesReader) get(n *node, key string) *node {
	if n.kind != '{' {
		r.fail(n, "want an object, got %s", n.got())
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
			r.fail(n.kids[i], "%s has no field %q", what, cut(n.keys[i]))
		}
	}
}

func (r *rulesReader) str(n *node, key string) string {
	v := r.get(n, key)
	switch {
	case v == nil:
		r.need(n, key)
	case v.kind != 's' || v.text == "":
		r.fail(v, "want a text, got %s", v.got())
	default:
		r.plain(v)
		return v.text
	}
	return ""
}

// need notes that an object lacks a field.
func (r *rulesReader) need(n *node, key string) {
	if n.kind == '{' && r.get(n, key) == nil {
		n.bad = true
		note(&r.broken, n, "%q is missing", key)
	}
}

// nameBytesMax bounds the names that a file makes up; each client is told them.
const nameBytesMax = 64

// plain refuses names that are not to be shown.
func (r *rulesReader) plain(v *node) {
	if len(v.text) > nameBytesMax {
		note(&r.senseless, v, "a name of %d bytes, at most %d", len(v.text), nameBytesMax)
	}
	for _, c := range v.text {
		if !unicode.IsPrint(c) {
			note(&r.senseless, v, "a name with the character %U, which is not to be seen", c)
			return
		}
	}
}

func (r *rulesReader) boolean(n *node, key string, def bool) bool {
	v := r.get(n, key)
	if v == nil {
		return def
	}
	if v.kind != 'b' {
		r.fail(v, "want true or false, got %s", v.got())
	}
	return v.flag
}

// milli reads a decimal number with at most three digits after the point as
// thousandths, exactly. Absent: def.
func (r *rulesReader) milli(n *node, key string, def, lo, hi int64) int64 {
	v := r.get(n, key)
	if v == nil {
		return def
	}
	m, ok := parseMilli(v)
	if !ok && v.kind == 'n' && strings.Trim(v.text, "-0123456789") == "" {
		m, ok = hi+1, true // beyond all that there is
	}
	if !ok {
		r.fail(v, "want a number with at most three decimals, got %s", v.got())
		return def
	}
	if m < lo || m > hi {
		r.fail(v, "%s is outside %s to %s", cut(v.text), milliText(lo), milliText(hi))
		return def
	}
	return m
}

// whole reads an integer. Absent: def.
func (r *rulesReader) whole(n *node, key string, def, lo, hi int64) int64 {
	m := r.milli(n, key, def*1000, lo*1000, hi*1000)
	if m%1000 != 0 {
		v := r.get(n, key)
		r.fail(v, "want a whole number, got %s", v.got())
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
	case v == nil:
		return nil
	case v.kind != '[':
		r.fail(v, "want a list, got %s", v.got())
		return nil
	case len(v.kids) > most:
		r.fail(v, "%d entries, at most %d", len(v.kids), most)
		return nil
	}
	return v.kids
}

// oneOf returns the place of a text in names. Of an unknown one it is 0, and the value
// is bad.
func (r *rulesReader) oneOf(v *node, what string, names []string) int {
	for i, name := range names {
		if v.kind == 's' && v.text == name {
			return i
		}
	}
	known := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return s == "" })
	r.fail(v, "unknown %s %s; there are %s", what, v.got(), cmp.Or(strings.Join(known, ", "), "none"))
	return 0
}

// ref reads the name of something else in the file. ok: there is one, and it is known.
func (r *rulesReader) ref(n *node, key, what string, names []string) (i int, ok bool) {
	v := r.get(n, key)
	if v == nil {
		return 0, false
	}
	i = r.oneOf(v, what, names)
	return i, !v.bad
}
