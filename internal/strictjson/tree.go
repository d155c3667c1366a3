package strictjson

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Problem is a fault or an oddity of a file.
type Problem struct {
	File    string `json:"file,omitempty"` // that the line is of, if it is another file than the document
	Line    int    `json:"line"`
	Column  int    `json:"column,omitempty"` // in characters, if the text is not JSON
	Pointer string `json:"pointer"`          // a JSON pointer, as /types/3/speed; "": the whole file
	Why     string `json:"why"`
}

func (p Problem) String() string {
	s := strconv.Itoa(p.Line) + ": "
	if p.Column > 0 {
		s = fmt.Sprintf("%d:%d: ", p.Line, p.Column)
	}
	if p.Pointer != "" {
		s += p.Pointer + ": "
	}
	return s + p.Why
}

// Node is a value of a document.
type Node struct {
	Line  int32
	Kind  byte    // '{', '[', 's' text, 'n' number, 'b' boolean, '0' null, 0 for an invalid value
	Bad   bool    // a fault was reported for it: its value does not count
	Asked bool    // a reader asked for this member of an object
	index int32   // index in its list
	Name  string  // name in its object
	Text  string  // the text of a value that is no object or list
	In    *Node   // the object or list around it; nil: it is the document
	Kids  []*Node // of an object or list, in the order written
}

// Pointer returns the value's place in the document.
func (n *Node) Pointer() string {
	switch {
	case n == nil || n.In == nil:
		return ""
	case n.In.Kind == '[':
		return n.In.Pointer() + "/" + strconv.Itoa(int(n.index))
	}
	return n.In.Pointer() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(Cut(n.Name))
}

// Got describes a value, for errors.
func (n *Node) Got() string {
	switch n.Kind {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 's':
		return strconv.Quote(Cut(n.Text))
	}
	return Cut(n.Text)
}

// Milli returns a decimal number with at most three digits after the point as
// thousandths, exactly.
func (n *Node) Milli() (m int64, ok bool) {
	whole, frac, _ := strings.Cut(n.Text, ".")
	digits := len(strings.TrimPrefix(whole, "-"))
	if n.Kind != 'n' || digits > 10 || len(frac) > 3 {
		return 0, false
	}
	m, err := strconv.ParseInt(whole+(frac + "000")[:3], 10, 64)
	return m, err == nil
}

// parser makes a tree.
type parser struct {
	*Reader
	open    *Node // the value that is being read
	counted int   // bytes of the file that the count of lines has passed
	lines   int32
	most    int
	found   []Problem
}

// Parse reads one document with at most that many levels. problems are the first faults: at most most, and the fault
// that ended the reading. After such a fault there is no root.
func Parse(b []byte, levels, most int) (root *Node, problems []Problem) {
	p := &parser{Reader: New(b, levels), most: most}
	p.mend = p.note
	for i := 0; i < len(b); {
		c, n := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && n == 1 {
			p.note(i, fmt.Sprintf("byte %#02x is not UTF-8: save the file as UTF-8", b[i]))
			break
		}
		i += n
	}
	root = p.value(nil, 0, "")
	if p.End(); p.Err == nil {
		return root, p.found
	}
	f := p.Err.(*Fault)
	last := p.problem(int(f.At), f.Err.Error())
	// Other faults on the same line may have the same cause.
	return nil, append(slices.DeleteFunc(p.found, func(x Problem) bool { return x.Line == last.Line }), last)
}

func (p *parser) note(at int, why string) {
	if len(p.found) < p.most {
		p.found = append(p.found, p.problem(at, why))
	}
}

func (p *parser) problem(at int, why string) Problem {
	before := p.src[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return Problem{Line: 1 + bytes.Count(before, []byte{'\n'}), Column: 1 + utf8.RuneCount(line), Pointer: p.open.Pointer(), Why: why}
}

func (p *parser) value(in *Node, index int, name string) *Node {
	n := &Node{In: in, index: int32(index), Name: name}
	p.open = n
	n.Kind, n.Text = p.Value()
	at := int(p.At)
	p.lines += int32(bytes.Count(p.src[p.counted:max(p.counted, at)], []byte{'\n'}))
	p.counted = max(p.counted, at)
	n.Line, n.Bad = 1+p.lines, n.Kind == 0
	var seen map[string]bool
	if n.Kind == '{' {
		seen = map[string]bool{}
	}
	if n.Kind == '{' || n.Kind == '[' {
		p.Members(func(i int, name string) {
			if seen[name] {
				p.note(int(p.At), fmt.Sprintf("%q appears twice", Cut(name)))
			}
			kid := p.value(n, i, name)
			if n.Kind == '[' || !seen[name] {
				n.Kids = append(n.Kids, kid)
			}
			if p.Err == nil { // else the place is the innermost open value
				p.open = n
			}
			if seen != nil {
				seen[name] = true
			}
		})
	}
	return n
}
