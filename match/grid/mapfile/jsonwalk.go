package mapfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// walker reads JSON as a stream of tokens and knows the offset of each. After
// the first error every method returns it.
type walker struct {
	dec *json.Decoder
	b   []byte
	err error
	// at is the offset of the last token read (its end, less its own length
	// where that is known).
	at int64
}

func walkJSON(b []byte) *walker {
	w := &walker{dec: json.NewDecoder(bytes.NewReader(b)), b: b}
	w.dec.UseNumber()
	return w
}

// fail keeps the first error, at the last token.
func (w *walker) fail(format string, args ...any) {
	if w.err == nil {
		w.err = errAt(w.at, format, args...)
	}
}

func (w *walker) token() json.Token {
	if w.err != nil {
		return nil
	}
	t, err := w.dec.Token()
	w.at = w.dec.InputOffset()
	switch v := t.(type) {
	case json.Delim:
		w.at--
	case json.Number:
		w.at -= int64(len(v))
	case string:
		w.at = max(0, w.at-int64(len(v))-2) // exact where nothing was escaped
	}
	if err != nil {
		// The stream's own errors count from the value's start; a second pass
		// over the whole counts from the file's.
		if syntax, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(w.b, new(json.RawMessage))); ok {
			err, w.at = syntax, max(0, syntax.Offset-1)
		}
		if endsEarly(err) {
			w.at = int64(len(w.b))
			w.fail("the file ends too early")
		} else {
			w.fail("JSON: %w", err)
		}
		return nil
	}
	return t
}

func endsEarly(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.HasPrefix(err.Error(), "unexpected end of JSON")
}

// object calls field for each key; field must read one value.
func (w *walker) object(what string, field func(key string)) {
	if t := w.token(); t != json.Delim('{') {
		w.fail("%s: want an object", what)
		return
	}
	w.fields(field)
}

// fields reads the rest of an object whose brace is read.
func (w *walker) fields(field func(key string)) {
	for w.err == nil && w.dec.More() {
		key, _ := w.token().(string)
		if w.err == nil {
			field(key)
		}
	}
	w.token()
}

// array calls item for each element; item must read one value. More than
// most elements are an error.
func (w *walker) array(what string, most int, item func(i int)) {
	if t := w.token(); t != json.Delim('[') {
		w.fail("%s: want a list", what)
		return
	}
	w.items(what, most, item)
}

// items reads the rest of a list whose bracket is read.
func (w *walker) items(what string, most int, item func(i int)) {
	for i := 0; w.err == nil && w.dec.More(); i++ {
		if i == most {
			w.fail("%s: more than %d entries", what, most)
			return
		}
		item(i)
	}
	w.token()
}

// integer reads a whole number from lo to hi.
func (w *walker) integer(what string, lo, hi int64) int64 {
	t := w.token()
	if w.err != nil {
		return 0
	}
	n, ok := t.(json.Number)
	if !ok {
		w.fail("%s: want a number", what)
		return 0
	}
	v, err := strconv.ParseInt(string(n), 10, 64)
	if err != nil || v < lo || v > hi {
		w.fail("%s %s: want a whole number from %d to %d", what, shorten(string(n)), lo, hi)
		return 0
	}
	return v
}

// str reads a string.
func (w *walker) str(what string) string {
	t := w.token()
	s, ok := t.(string)
	if !ok {
		w.fail("%s: want a string", what)
	}
	return s
}

// scalar reads a string, number or boolean as its text.
func (w *walker) scalar(what string) string {
	switch v := w.token().(type) {
	case string:
		return v
	case json.Number:
		return string(v)
	case bool:
		return strconv.FormatBool(v)
	case json.Delim:
		w.fail("%s: want a plain value", what)
	}
	return ""
}

// skip reads one value of any shape. Nesting is counted, not recursed into.
func (w *walker) skip() {
	depth := 0
	for w.err == nil {
		switch w.token() {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return
		}
	}
}

// end checks that nothing follows.
func (w *walker) end() {
	if w.err != nil {
		return
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		w.at = w.dec.InputOffset()
		w.fail("something follows the end of the JSON value")
	}
}

func shorten(s string) string {
	if len(s) > 24 {
		return s[:24] + "…"
	}
	return s
}
