package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Fault is an error at a place of a file.
type Fault struct {
	At  int64 // offset in bytes
	Err error
}

func (f *Fault) Error() string { return fmt.Sprintf("offset %d: %v", f.At, f.Err) }
func (f *Fault) Unwrap() error { return f.Err }

// Reader reads one document as a stream.
type Reader struct {
	At  int64 // offset of the name, value or bracket that was read last
	Err error // the first fault; after it each method reads nothing

	src    []byte
	pos    int
	depth  int
	levels int                      // the most that may be open
	mend   func(at int, why string) // takes a fault that reading goes on after; nil: there is none
}

// New returns a reader of b, whose objects and lists may be nested to so many levels.
func New(b []byte, levels int) *Reader { return &Reader{src: b, levels: levels} }

// Fail keeps the first fault, at the place that was read last.
func (r *Reader) Fail(format string, args ...any) {
	if r.Err == nil {
		r.Err = &Fault{r.At, fmt.Errorf(format, args...)}
	}
}

// pass reports whether reading goes on after a fault.
func (r *Reader) pass(at int, format string, args ...any) bool {
	if r.mend == nil || r.Err != nil {
		r.At = int64(at)
		r.Fail(format, args...)
		return false
	}
	r.mend(at, fmt.Sprintf(format, args...))
	return true
}

// end is what next returns at the end of the file, and after a fault.
const end = -1

// next passes over space, and returns the byte that follows.
func (r *Reader) next() rune {
	for r.Err == nil && r.pos < len(r.src) {
		rest := r.src[r.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.pos++
		case c == '#', bytes.HasPrefix(rest, []byte("//")):
			r.comment(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			r.comment(rest, "*/")
		case r.pos == 0 && bytes.HasPrefix(rest, []byte("\xef\xbb\xbf")):
			if r.pass(0, "the file begins with a byte order mark: save it as UTF-8 without one") {
				r.pos = 3
			}
		default:
			return rune(c)
		}
	}
	return end
}

func (r *Reader) comment(rest []byte, until string) {
	if !r.pass(r.pos, "JSON has no comments") {
		return
	}
	before, _, _ := bytes.Cut(rest, []byte(until))
	r.pos = min(len(r.src), r.pos+len(before)+len(until))
}

// ends notes that the file ends before its value does.
func (r *Reader) ends() {
	if r.At = int64(len(r.src)); len(bytes.TrimSpace(r.src)) > 0 {
		r.Fail("the file ends too early")
	}
	r.At = 0
	r.Fail("the file is empty")
}

// Place returns the offset of the next byte.
func (r *Reader) Place() int64 {
	r.next()
	return int64(r.pos)
}

// Value reads a text ('s'), a number ('n'), true or false ('b') or null ('0'), with its
// text. It does not read into an object ('{') or a list ('['): [Reader.Members] does. The
// kind 0 is a fault.
func (r *Reader) Value() (kind byte, text string) {
	c := r.next()
	r.At = int64(r.pos)
	switch c {
	case end:
		r.ends()
		return 0, ""
	case '{', '[':
		return byte(c), ""
	case '"', '\'':
		return 's', r.text()
	case ':':
		r.Fail("a colon that follows no name")
		return 0, ""
	case ',', '}', ']':
		r.pass(r.pos, "a value is missing")
		return 0, ""
	}
	if c < ' ' {
		r.Fail("the control character %U", c) // the file is no text
		return 0, ""
	}
	word := r.word()
	switch ok := json.Valid([]byte(word)); {
	case ok && (c == 't' || c == 'f'):
		return 'b', word
	case ok && c == 'n':
		return '0', word
	case ok:
		return 'n', word
	case strings.ContainsRune("+-.0123456789", c):
		r.pass(int(r.At), "%q is no number of JSON", Cut(word))
		return 0, ""
	}
	r.pass(int(r.At), "%q is no value of JSON: a text has double quotes", Cut(word))
	return 's', word
}

// word reads up to what no number or unquoted text has.
func (r *Reader) word() string {
	n := bytes.IndexAny(r.src[r.pos:], " \t\r\n{}[],:\"'/#")
	if n < 0 {
		n = len(r.src) - r.pos
	}
	from := r.pos
	r.pos += max(1, n)
	return string(r.src[from:r.pos])
}

// text reads a quoted text.
func (r *Reader) text() string {
	from, quote, raw := r.pos, r.src[r.pos], false
	if quote != '"' {
		raw = r.pass(from, "single quotes: JSON has double quotes")
	}
	for r.pos++; r.Err == nil; r.pos++ {
		if r.pos >= len(r.src) {
			r.ends()
			break
		}
		switch c := r.src[r.pos]; {
		case c == quote:
			r.pos++
			return r.unquote(from, raw)
		case c == '\\' && r.pos+1 < len(r.src) && r.src[r.pos+1] >= ' ':
			r.pos++
		case c == '\n' || c == '\r':
			r.Fail("a text has no closing quote on its line")
		case c < ' ':
			raw = r.pass(r.pos, "a text with the control character %U", c)
		}
	}
	return ""
}

// unquote returns the content of a quoted text. A raw one stands for itself.
func (r *Reader) unquote(from int, raw bool) (s string) {
	quoted := r.src[from:r.pos]
	if !raw && json.Unmarshal(quoted, &s) != nil {
		raw = r.pass(from, "%s has a backslash that JSON does not have there", Cut(string(quoted)))
	}
	if raw {
		return string(quoted[1 : len(quoted)-1])
	}
	return s
}

// Members calls each for each member of the object or list that [Reader.Value] has found;
// each must read one value. A list's members have no names.
func (r *Reader) Members(each func(i int, name string)) {
	if r.depth++; r.depth > r.levels {
		r.Fail("nested deeper than %d levels", r.levels)
		return
	}
	defer func() { r.depth-- }()
	object := r.src[r.pos] == '{'
	closing := rune(r.src[r.pos]) + 2 // of { and [
	r.pos++
	for i := 0; r.Err == nil; i++ {
		c := r.next()
		for c == ',' && r.pass(r.pos, "a comma too many") {
			r.pos++
			c = r.next()
		}
		switch r.At = int64(r.pos); c {
		case closing:
			r.pos++
			return
		case '}', ']':
			r.Fail("%q where %q is missing", c, closing)
		case end:
			r.ends()
		}
		name := ""
		if object && r.Err == nil {
			name = r.name()
		}
		if r.Err != nil {
			return
		}
		each(i, name)
		switch c := r.next(); c {
		case closing, '}', ']', end:
		case ',':
			r.pos++
			if comma := r.pos - 1; r.next() == closing {
				r.pass(comma, "a comma before %q", closing)
			}
		case ':':
			r.At = int64(r.pos)
			r.Fail("a colon that follows no name")
		default:
			r.pass(r.pos, "a comma is missing before this")
		}
	}
}

// name reads a member's name with its colon.
func (r *Reader) name() (name string) {
	switch r.next() {
	case '"', '\'':
		name = r.text()
	case ':', '{', '[':
		r.Fail("want a name in double quotes")
	default:
		if name = r.word(); !r.pass(int(r.At), "the name %q has no double quotes", Cut(name)) {
			return ""
		}
	}
	if c := r.next(); c == ':' {
		r.pos++
	} else if c == end {
		r.ends()
	} else {
		r.pass(r.pos, "a colon is missing after %q", Cut(name))
	}
	return name
}

// End notes what follows the document.
func (r *Reader) End() {
	if r.next() != end {
		r.pass(r.pos, "something follows the document")
	}
}

// Object calls field for each member of an object; field must read one value.
func (r *Reader) Object(subject string, field func(name string)) {
	if kind, _ := r.Value(); kind != '{' {
		r.Fail("%s: want an object", subject)
		return
	}
	r.Members(func(_ int, name string) { field(name) })
}

// Array calls item for each entry of a list with so many entries at most; item must
// read one value.
func (r *Reader) Array(subject string, most int, item func(i int)) {
	if kind, _ := r.Value(); kind != '[' {
		r.Fail("%s: want a list", subject)
		return
	}
	r.Members(func(i int, _ string) {
		if i == most {
			r.Fail("%s: more than %d entries", subject, most)
			return
		}
		item(i)
	})
}

// Integer reads a whole number from lo to hi.
func (r *Reader) Integer(subject string, lo, hi int64) int64 {
	kind, text := r.Value()
	if kind != 'n' {
		r.Fail("%s: want a number", subject)
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < lo || v > hi {
		r.Fail("%s %s: want a whole number from %d to %d", subject, Cut(text), lo, hi)
		return 0
	}
	return v
}

// Number reads a number, which may have a fraction, from -most to most.
func (r *Reader) Number(subject string, most float64) float64 {
	kind, text := r.Value()
	v, err := strconv.ParseFloat(text, 64)
	if kind != 'n' || err != nil || math.Abs(v) > most {
		r.Fail("%s %q: want a number of at most %.0f", subject, Cut(text), most)
		return 0
	}
	return v
}

// Text reads a text.
func (r *Reader) Text(subject string) string {
	kind, text := r.Value()
	if kind != 's' {
		r.Fail("%s: want a string", subject)
	}
	return text
}

// Scalar reads a text, number, boolean or null as its text.
func (r *Reader) Scalar(subject string) string {
	kind, text := r.Value()
	if kind == '{' || kind == '[' {
		r.Fail("%s: want a plain value", subject)
	}
	return text
}

// Skip reads one value of any shape.
func (r *Reader) Skip() {
	if kind, _ := r.Value(); kind == '{' || kind == '[' {
		r.Members(func(int, string) { r.Skip() })
	}
}

// Cut bounds a text of the file in an error.
func Cut(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "..."
	}
	return s
}
