package pack

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/internal/strictjson"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Problems is the error of a file: all faults, each with its line.
type Problems = rules.Problems

const (
	levelsMax   = 16
	problemsMax = 50
	basesMax    = 8 // rulesets that one ruleset extends, one after another
)

// value is a value of a ruleset that is put together from several files.
type value struct {
	at   *strictjson.Node // where the value was written
	file string
	kids []*value
}

func (v *value) kind() byte { return v.at.Kind }

func (v *value) kid(name string) int {
	return slices.IndexFunc(v.kids, func(k *value) bool { return k.at.Name == name })
}

// name returns the text of the member "name".
func (v *value) name() string {
	if i := v.kid("name"); v.kind() == '{' && i >= 0 && v.kids[i].kind() == 's' {
		return v.kids[i].at.Text
	}
	return ""
}

func valueOf(n *strictjson.Node, file string) *value {
	v := &value{at: n, file: file}
	for _, k := range n.Kids {
		v.kids = append(v.kids, valueOf(k, file))
	}
	return v
}

// inPack adds the pack's name to the files of a value, for errors.
func (v *value) inPack(name string) {
	v.file = "(" + name + ") " + v.file
	for _, k := range v.kids {
		k.inPack(name)
	}
}

// merged puts overrides over a base: objects member by member, lists whose entries all have names entry by entry, everything
// else whole. null as a member, and an entry with "remove": true, take out.
func merged(base, over *value, fail func(*value, string, ...any)) *value {
	out := &value{at: over.at, file: over.file}
	switch {
	case base.kind() == '{' && over.kind() == '{':
		out.kids = slices.Clone(base.kids)
		for _, k := range over.kids {
			i := out.kid(k.at.Name)
			switch {
			case k.kind() == '0' && i < 0:
				fail(k, "the extended ruleset has no %q to remove", strictjson.Cut(k.at.Name))
			case k.kind() == '0':
				out.kids = slices.Delete(out.kids, i, i+1)
			case i < 0:
				out.kids = append(out.kids, k)
			default:
				out.kids[i] = merged(out.kids[i], k, fail)
			}
		}
	case named(base) && named(over):
		out.kids = slices.Clone(base.kids)
		for _, k := range over.kids {
			i := slices.IndexFunc(out.kids, func(b *value) bool { return b.name() == k.name() })
			switch {
			case removes(k) && i < 0:
				fail(k, "the extended ruleset has no %q to remove", strictjson.Cut(k.name()))
			case removes(k):
				out.kids = slices.Delete(out.kids, i, i+1)
			case i < 0:
				out.kids = append(out.kids, k)
			default:
				out.kids[i] = merged(out.kids[i], k, fail)
			}
		}
	default:
		return over
	}
	return out
}

// named reports whether a value is a list whose entries all have names.
func named(v *value) bool {
	return v.kind() == '[' && len(v.kids) > 0 && !slices.ContainsFunc(v.kids, func(k *value) bool { return k.name() == "" })
}

func removes(v *value) bool {
	i := v.kid("remove")
	return i >= 0 && v.kids[i].at.Text == "true"
}

// writer writes a value with one line for each name and value, and keeps each line's origin.
type writer struct {
	bytes.Buffer
	lines []*value
}

func (w *writer) value(v *value) {
	switch v.kind() {
	case '{', '[':
		w.line(v, string(v.kind()))
		for i, k := range v.kids {
			if i > 0 {
				w.Truncate(w.Len() - 1)
				w.WriteString(",\n")
			}
			if v.kind() == '{' {
				name, _ := json.Marshal(k.at.Name)
				w.Write(name)
				w.WriteString(":")
			}
			w.value(k)
		}
		w.line(v, string(v.kind()+2))
	case 's':
		text, _ := json.Marshal(v.at.Text)
		w.line(v, string(text))
	default:
		w.line(v, v.at.Text)
	}
}

func (w *writer) line(v *value, text string) {
	w.lines = append(w.lines, v)
	w.WriteString(text + "\n")
}

// parse reads a JSON file of the pack.
func parse(file string, b []byte) (*strictjson.Node, error) {
	root, faults := strictjson.Parse(b, levelsMax, problemsMax)
	if len(faults) > 0 {
		return nil, &Problems{File: file, List: faults}
	}
	return root, nil
}

// ruleset reads a ruleset of the pack, with the rulesets that it extends. A ruleset that extends another and has no name gets
// the id.
func (p *Pack) ruleset(file, id string) (*rules.Ruleset, error) {
	text, err := p.text(file)
	if err != nil {
		return nil, err
	}
	own, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	if v := valueOf(own, file); v.kid("extends") < 0 {
		rs, odd, err := rules.Check(file, text)
		for _, x := range odd {
			p.warn("%s:%s", file, x)
		}
		if bad := (*Problems)(nil); errors.As(err, &bad) {
			for i := range bad.List {
				bad.List[i].File = p.script(file, bad.List[i].File)
			}
		}
		return rs, err
	}
	v, err := p.whole(file, basesMax)
	if err != nil {
		return nil, err
	}
	if valueOf(own, file).name() == "" {
		v.kids = slices.DeleteFunc(v.kids, func(k *value) bool { return k.at.Name == "name" })
		v.kids = append([]*value{{at: &strictjson.Node{Line: 1, Kind: 's', Name: "name", Text: id}, file: file}}, v.kids...)
	}
	w := &writer{}
	w.value(v)
	rs, odd, err := rules.Check(file, w.Bytes())
	for _, x := range odd {
		p.warn("%s", p.placed(w, file, x))
	}
	var all error
	if bad := (*Problems)(nil); errors.As(err, &bad) {
		for _, x := range bad.List {
			all = errors.Join(all, p.placed(w, file, x))
		}
	}
	return rs, all
}

// text returns the file rules/NAME.json with the scripts of its folder, rules/NAME/*.star.
func (p *Pack) text(file string) ([]byte, error) {
	scripts := map[string]string{}
	for _, name := range p.source.under(strings.TrimSuffix(file, ".json"), ".star") {
		scripts[path.Base(name)] = string(p.source.files[name])
	}
	b, err := rules.WithScripts(p.source.files[file], scripts)
	if bad := (*Problems)(nil); errors.As(err, &bad) {
		bad.File = file
	}
	return b, err
}

// script returns the file of a ruleset's script, or the script's name if the script is from elsewhere.
func (p *Pack) script(file, name string) string {
	if at := strings.TrimSuffix(file, ".json") + "/" + name; p.source.files[at] != nil {
		return at
	}
	return name
}

// placed names the file and the line from which a faulty line comes. The pointer is that of the ruleset that was put
// together.
func (p *Pack) placed(w *writer, file string, x strictjson.Problem) *Problems {
	x.File = p.script(file, x.File)
	out := &Problems{List: []strictjson.Problem{x}}
	if i := x.Line - 1; x.File == "" && i >= 0 && i < len(w.lines) {
		out.File, out.List[0].Line = w.lines[i].file, int(w.lines[i].at.Line)
	}
	return out
}

// whole reads a ruleset file with its bases put under it, at most that many.
func (p *Pack) whole(file string, bases int) (*value, error) {
	text, err := p.text(file)
	if err != nil {
		return nil, err
	}
	root, err := parse(file, text)
	if err != nil {
		return nil, err
	}
	v := valueOf(root, file)
	i := v.kid("extends")
	if i < 0 {
		return v, nil
	}
	ext := v.kids[i]
	v.kids = slices.Delete(v.kids, i, i+1)
	refuse := func(at *value, format string, args ...any) error {
		return &Problems{File: v.file, List: []strictjson.Problem{{Line: int(at.at.Line), Pointer: at.at.Pointer(), Why: fmt.Sprintf(format, args...)}}}
	}
	if ext.kind() != 's' {
		return nil, refuse(ext, "want the name of a ruleset, got %s", ext.at.Got())
	}
	if bases == 0 {
		return nil, refuse(ext, "more than %d rulesets extend one another; does one extend itself?", basesMax)
	}
	base, err := p.base(file, ext.at.Text, bases-1)
	if err != nil {
		return nil, err
	}
	if base == nil {
		return nil, refuse(ext, "no ruleset %q in this pack, in the pack that it extends, or among the shipped ones", strictjson.Cut(ext.at.Text))
	}
	var faults error
	out := merged(base, v, func(at *value, format string, args ...any) {
		faults = errors.Join(faults, refuse(at, format, args...))
	})
	return out, faults
}

// base finds the ruleset that a file extends by its name: another file of the pack, a file of the extended pack, or a shipped
// ruleset.
func (p *Pack) base(file, name string, bases int) (*value, error) {
	at := "rules/" + name + ".json"
	if _, ok := p.source.files[at]; ok && at != file {
		return p.whole(at, bases)
	}
	if p.Base != nil {
		if _, ok := p.Base.source.files[at]; ok {
			v, err := p.Base.whole(at, bases)
			if v != nil {
				v.inPack(p.Base.Name)
			}
			return v, err
		}
	}
	text, err := rules.ShippedText(name)
	if err != nil {
		return nil, nil
	}
	root, err := parse(name+".json", text)
	return valueOf(root, "(shipped) "+name+".json"), err
}
