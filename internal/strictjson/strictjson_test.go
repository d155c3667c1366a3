package strictjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// plain is a node as encoding/json decodes it.
func (n *Node) plain() any {
	switch n.Kind {
	case '{':
		m := map[string]any{}
		for _, kid := range n.Kids {
			m[kid.Name] = kid.plain()
		}
		return m
	case '[':
		l := make([]any, len(n.Kids))
		for i, kid := range n.Kids {
			l[i] = kid.plain()
		}
		return l
	case 's':
		return n.Text
	case 'n':
		return json.Number(n.Text)
	case 'b':
		return n.Text == "true"
	}
	return nil
}

// checkLanguage holds the readers to encoding/json: they take the same documents, and read
// the same values.
func checkLanguage(t *testing.T, b []byte) {
	t.Helper()
	root, problems := Parse(b, 30, 50)
	strict := New(b, 30)
	strict.Skip()
	strict.End()
	for _, p := range problems {
		if strings.Contains(p.Why, "appears twice") || strings.Contains(p.Why, "nested deeper") || strings.Contains(p.Why, "not UTF-8") {
			return // rules of this package alone
		}
	}
	valid := json.Valid(b)
	if valid != (len(problems) == 0) || valid != (strict.Err == nil) {
		t.Fatalf("%q: valid %v, Parse says %v, Reader says %v", b, valid, problems, strict.Err)
	}
	if len(problems) > 51 || root == nil && len(problems) == 0 {
		t.Fatalf("%q: %d problems, root %v", b, len(problems), root)
	}
	if !valid {
		return
	}
	var want any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&want); err != nil || !reflect.DeepEqual(root.plain(), want) {
		t.Fatalf("%q: got %v, want %v, %v", b, root.plain(), want, err)
	}
}

const sample = `{"a": [1, -2.5e3, "x\u00e4\n\ud83d\ude00", true, false, null, {}, []], "b": {"c": "", "d": "ü/#'"}, "e": 0.125}`

// TestLanguage changes documents at random places, in ways that leave some valid.
func TestLanguage(t *testing.T) {
	skirmish, err := os.ReadFile(filepath.Join("..", "..", "match", "rules", "shipped", "skirmish.json"))
	if err != nil {
		t.Fatal(err)
	}
	checkLanguage(t, skirmish)
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{",", ":", "\"", "'", "\\", "{", "}", "[", "]", " ", "\n", "\t", "0", "-", ".", "e", "true", "null", "x", "//", "/*", "*/", "#", "\x00", "\xfc", "ü", "\ufeff", "\\u12", "\"a\":", ""}
	for range 20_000 {
		b := []byte(sample)
		for range 1 + r.IntN(3) {
			from := r.IntN(len(b) + 1)
			to := min(len(b), from+r.IntN(3))
			b = bytes.Join([][]byte{b[:from], []byte(pieces[r.IntN(len(pieces))]), b[to:]}, nil)
		}
		checkLanguage(t, b)
	}
}

func FuzzLanguage(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("{a: 'b', // c\n1.,}"))
	f.Fuzz(func(t *testing.T, b []byte) { checkLanguage(t, b) })
}

// TestSlips: what people get wrong most is said with its place, and the rest is read as
// if it were right.
func TestSlips(t *testing.T) {
	const want = `{"a":1,"b":["x","y"],"c":{"d":true}}`
	for text, said := range map[string]string{
		`{"a": 1, "b": ["x", "y",], "c": {"d": true}}`:                                         "1:24: /b: a comma before ']'",
		"{\"a\": 1,\n \"b\": [\"x\", \"y\"], \"c\": {\"d\": true},}":                           "2:35: a comma before '}'",
		"{\"a\": 1\n \"b\": [\"x\" \"y\"], \"c\": {\"d\": true}}":                              "2:2: a comma is missing before this|2:12: /b: a comma is missing before this",
		`{"a": 1,, "b": [,"x", "y"], "c": {"d": true}}`:                                        "1:9: a comma too many|1:17: /b: a comma too many",
		"{\"a\": 1, // one\n\"b\": [\"x\", \"y\"], # two\n\"c\": /* three\n */ {\"d\": true}}": "1:10: JSON has no comments|2:18: JSON has no comments|3:6: /c: JSON has no comments",
		`{a: 1, b: ["x", 'y'], 'c': {"d": true}}`:                                              `1:2: the name "a" has no double quotes|1:8: the name "b" has no double quotes|1:17: /b/1: single quotes: JSON has double quotes|1:23: single quotes: JSON has double quotes`,
		`{"a": 1, "b": [x, y], "c" {"d": true}}`:                                               `1:16: /b/0: "x" is no value of JSON: a text has double quotes|1:19: /b/1: "y" is no value of JSON: a text has double quotes|1:27: a colon is missing after "c"`,
		`{"a": 1, "b": ["x", "y"], "c": {"d": true, "d": false}} end`:                          `1:44: /c: "d" appears twice|1:57: something follows the document`,
		"\xef\xbb\xbf" + `{"a": 1, "b": ["x", "y"], "c": {"d": true}}`:                         "1:1: the file begins with a byte order mark: save it as UTF-8 without one",
		"{\"a\": 1, \"b\": [\"x\", \"y\"], \"c\": {\"d\": true}} /* \xfc */":                   "1:48: byte 0xfc is not UTF-8: save the file as UTF-8|1:45: JSON has no comments",
	} {
		root, problems := Parse([]byte(text), 8, 50)
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		if strings.Join(got, "|") != said {
			t.Errorf("%s:\n got %q\nwant %q", text, got, said)
		}
		if b, err := json.Marshal(root.plain()); err != nil || string(b) != want {
			t.Errorf("%s: read as %s, %v", text, b, err)
		}
	}
}

// TestWhereReadingEnds: after a fault that leaves open what is meant there is one problem,
// with the innermost value that is open, and those of the lines before it.
func TestWhereReadingEnds(t *testing.T) {
	for text, said := range map[string]string{
		"":                               "1:1: the file is empty",
		"{\"a\": [1, {\"b\": ":           "1:17: /a/1/b: the file ends too early",
		"{\"a\": [1, 2}":                 "1:12: /a: '}' where ']' is missing",
		"{\"a\": [\"b\": 1]}":            "1:11: /a: a colon that follows no name",
		"{\"a\": : 1}":                   "1:7: /a: a colon that follows no name",
		"{[1]: 1}":                       "1:2: want a name in double quotes",
		"{\"a: \"man\", \"b\": 5,\n}":    "1:15: a text has no closing quote on its line",
		"{\"a\": 1.,\n \"b\": [1,\n}":    `1:7: /a: "1." is no number of JSON|3:1: /b: '}' where ']' is missing`,
		"{\"a\": \"b\\\n\"}":             "1:7: /a: a text has no closing quote on its line",
		"[[[[[[[[[]]]]]]]]]":             "1:9: /0/0/0/0/0/0/0/0: nested deeper than 8 levels",
		"{\"a~/b\": {\"c\": \"\\q\"\n,+": `1:16: /a~0~1b/c: "\q" has a backslash that JSON does not have there|2:3: /a~0~1b: the file ends too early`,
	} {
		root, problems := Parse([]byte(text), 8, 50)
		var got []string
		for _, p := range problems {
			got = append(got, p.String())
		}
		if root != nil || strings.Join(got, "|") != said {
			t.Errorf("%s:\n got %q, %v\nwant %q", text, got, root != nil, said)
		}
	}
	if _, problems := Parse([]byte("{"+strings.Repeat("a:1,", 100)), 8, 50); len(problems) != 1 {
		t.Errorf("faults of the last line are said: %d", len(problems))
	}
	if _, problems := Parse([]byte("["+strings.Repeat("x\n", 1000)), 8, 50); len(problems) != 51 {
		t.Errorf("%d problems, want the first 50 and the end", len(problems))
	}
}
