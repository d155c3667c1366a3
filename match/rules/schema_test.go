package rules

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write schema.json")

// object is an object of the schema, or a list with members of one form.
type object struct {
	fields map[string]*field
	order  []string
}

// place names the form of a node: its way from the document, with * for the places of lists. Members that have a class
// or a kind have a form for each.
func place(n *node) string {
	if n.In == nil {
		return ""
	}
	if n.In.Kind != '[' {
		return place(n.In) + "/" + n.Name
	}
	p := place(n.In) + "/*"
	by, variant := "kind", ""
	if p == "/types/*" {
		by, variant = "class", ":unit"
	}
	for _, kid := range n.Kids {
		if kid.Name == by {
			variant = ":" + kid.Text
		}
	}
	return p + variant
}

// recorded reads all.json, which has each field that has a form of its own, and returns the forms by place.
func recorded(t *testing.T) map[string]*object {
	t.Helper()
	b, err := os.ReadFile("testdata/all.json")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*object{}
	r := &rulesReader{saw: func(f field) {
		o := out[place(f.in)]
		if o == nil {
			o = &object{fields: map[string]*field{}}
			out[place(f.in)] = o
		}
		if f.in.Kind == '[' {
			f.name = "*"
		}
		old := o.fields[f.name]
		switch {
		case old == nil:
			o.fields[f.name], o.order = &f, append(o.order, f.name)
		case f.form == "":
			old.required = old.required || f.required
		default:
			f.required = f.required || old.required
			*old = f
		}
	}}
	r.ruleset(b)
	for _, p := range slices.Concat(r.broken, r.senseless) {
		t.Errorf("all.json: %v", p)
	}
	// A field without a form is an object; or the reader asks for it in order to refuse it, or for checks: then another
	// place has its form.
	formed := map[string]bool{}
	for at, o := range out {
		for name, f := range o.fields {
			if formed[section(at)+name] = formed[section(at)+name] || f.form != "" || out[at+"/"+name] != nil; f.form == "" && out[at+"/"+name] == nil {
				f.form = "refused"
			}
		}
	}
	for at, o := range out {
		for name := range o.fields {
			if !formed[section(at)+name] {
				t.Errorf("the reader asks for %s/%s, and all.json does not have it: the schema cannot learn its form", at, name)
			}
		}
		o.order = slices.DeleteFunc(o.order, func(name string) bool { return o.fields[name].form == "refused" })
	}
	return out
}

// TestSchema: schema.json has the fields of the reader, with forms and bounds. It takes the shipped rulesets.
func TestSchema(t *testing.T) {
	forms := recorded(t)
	if t.Failed() {
		return
	}
	w := &schemaWriter{t: t, forms: forms, said: described(t)}
	root := w.object("")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "A ruleset of fogkeep"
	want, err := json.MarshalIndent(root, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("rulesfile/schema.json", want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("rulesfile/schema.json"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("schema.json is out of date (go test ./match/rules -run TestSchema -update): %v", err)
	}
	checkReference(t, want)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"tiny": tiny}
	for _, name := range ShippedNames() {
		b, err := ShippedText(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(b)
	}
	all, err := os.ReadFile("testdata/all.json")
	if err != nil {
		t.Fatal(err)
	}
	files["all"] = string(all)
	fits := func(s string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(s))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	for name, s := range files {
		if err := fits(s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wrong := mutants(t, forms, all)
	if len(wrong) < 300 {
		t.Errorf("%d wrong files", len(wrong))
	}
	for _, m := range wrong {
		if fits(m.text) == nil {
			t.Errorf("the schema takes %s = %v", m.pointer, m.value)
		}
		_, _, err := Check("all.json", []byte(m.text))
		p, ok := err.(*Problems)
		if !ok {
			t.Errorf("%s = %v: %v", m.pointer, m.value, err)
			continue
		}
		lines, name := strings.Split(m.text, "\n"), m.pointer[strings.LastIndex(m.pointer, "/")+1:]
		if !slices.ContainsFunc(p.List, func(p Problem) bool {
			return p.Pointer == m.pointer && strings.Contains(lines[p.Line-1], `"`+name+`"`)
		}) {
			t.Errorf("%s = %v: no error names its place: %v", m.pointer, m.value, err)
		}
	}
}

// schemaWriter writes forms as JSON Schema.
type schemaWriter struct {
	t     *testing.T
	forms map[string]*object
	said  map[string]string
}

func (w *schemaWriter) object(at string) map[string]any {
	o, properties, required := w.forms[at], map[string]any{}, []string{}
	_, variant, _ := strings.Cut(at, ":")
	for _, name := range o.order {
		f := o.fields[name]
		v := w.value(at, f)
		if isKind := name == "kind" || name == "class"; isKind && variant != "" && !strings.Contains(variant, "/") {
			v = map[string]any{"const": variant}
			f.required = f.required || variant != "unit"
		}
		about, ok := w.said[section(at)+" "+name]
		if !ok {
			w.t.Errorf("rulesfile/fields.txt and docs/reference/rules.md do not name %q in their sections %q", name, section(at))
		}
		if about != "" {
			v["description"] = about
		}
		if properties[name] = v; f.required {
			required = append(required, name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func (w *schemaWriter) value(at string, f *field) map[string]any {
	thousandths := func(m int64) json.Number { return json.Number(milliText(m)) }
	at += "/" + f.name
	switch f.form {
	case "text":
		return map[string]any{"type": "string", "minLength": 1, "maxLength": cmp.Or(f.hi, nameBytesMax)}
	case "source":
		return map[string]any{"type": "string", "minLength": 1, "maxLength": f.hi}
	case "flag":
		return map[string]any{"type": "boolean", "default": f.def == 1}
	case "number":
		out := map[string]any{"type": "number", "minimum": thousandths(f.lo), "maximum": thousandths(f.hi), "multipleOf": thousandths(f.step)}
		if !f.required && f.lo > -1000*ValueLimit { // a bound of a value has its default from another field
			out["default"] = thousandths(f.def)
		}
		return out
	case "choice":
		return map[string]any{"enum": f.names}
	case "reference":
		return map[string]any{"type": "string"}
	case "amounts":
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer", "minimum": f.lo / 1000, "maximum": f.hi / 1000}}
	case "list":
		return map[string]any{"type": "array", "maxItems": f.hi, "items": w.members(at)}
	}
	return w.object(at)
}

// members is the form of a list's members.
func (w *schemaWriter) members(at string) map[string]any {
	if o := w.forms[at]; o != nil && o.fields["*"] != nil {
		return w.value(at, o.fields["*"])
	}
	var kinds []string
	for p := range w.forms {
		if rest, ok := strings.CutPrefix(p, at+"/*"); ok && !strings.Contains(rest, "/") {
			kinds = append(kinds, p)
		}
	}
	slices.Sort(kinds)
	switch len(kinds) {
	case 0:
		return map[string]any{"type": "string", "minLength": 1, "maxLength": nameBytesMax}
	case 1:
		return w.object(kinds[0])
	}
	var variants []any
	for _, p := range kinds {
		variants = append(variants, w.object(p))
	}
	return map[string]any{"oneOf": variants}
}

// section is the heading of docs/reference/rules.md under which the fields of a place are described.
func section(at string) string {
	if at == "" {
		return "The file"
	}
	name, _, _ := strings.Cut(at[1:], "/")
	switch name {
	case "start":
		return "Start"
	case "modes":
		return "Modes"
	case "factions":
		if strings.Contains(at, "/start/") {
			return "Start"
		}
		return "Factions"
	}
	return name
}

// described reads rulesfile/fields.txt and docs/reference/rules.md: the names in each section, and the texts of the names
// with a row of a table.
func described(t *testing.T) map[string]string {
	t.Helper()
	var all []byte
	for _, path := range []string{"rulesfile/fields.txt", "../../docs/reference/rules.md"} {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	out, heading := map[string]string{}, ""
	for line := range strings.Lines(string(all)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
		}
		cells := strings.Split(line, "|")
		about := ""
		if len(cells) >= 4 {
			about = strings.TrimSpace(cells[len(cells)-2])
		}
		for i, name := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune("`\"", c) }) {
			key := heading + " " + name
			if _, known := out[key]; known && out[key] != "" {
				continue
			}
			out[key] = ""
			if inFirst := len(cells) >= 4 && strings.Contains(cells[1], "`"+name+"`"); inFirst && i > 0 {
				out[key] = about
			}
		}
	}
	return out
}

// mutant is a ruleset with one wrong value.
type mutant struct {
	pointer, text string
	value         any
}

// mutants makes wrong files from a right one: of each field a value below its bounds, one above them, one of another
// form, and a field with a misspelt name.
func mutants(t *testing.T, forms map[string]*object, right []byte) (out []mutant) {
	t.Helper()
	add := func(f *field, name string, value any) {
		var doc any
		if err := json.Unmarshal(right, &doc); err != nil {
			t.Fatal(err)
		}
		at := doc
		if p := f.in.Pointer(); p != "" {
			for _, key := range strings.Split(p[1:], "/") {
				switch v := at.(type) {
				case map[string]any:
					at = v[key]
				case []any:
					i, _ := strconv.Atoi(key)
					at = v[i]
				}
			}
		}
		at.(map[string]any)[name] = value
		b, err := json.MarshalIndent(doc, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, mutant{f.in.Pointer() + "/" + name, string(b), value})
	}
	amounts := map[string]bool{}
	for at, o := range forms {
		for name, f := range o.fields {
			amounts[at+"/"+name] = f.form == "amounts"
		}
	}
	for at, o := range forms {
		for name, f := range o.fields {
			if name == "*" || f.form == "refused" {
				continue
			}
			switch f.form {
			case "number":
				add(f, name, json.Number(milliText(f.hi+f.step)))
				add(f, name, json.Number(milliText(f.lo-f.step)))
				add(f, name, "7")
			case "flag":
				add(f, name, 1)
			case "list":
				add(f, name, map[string]any{})
			case "choice":
				add(f, name, "no such thing")
			case "amounts":
				add(f, name, 7)
			}
			if !amounts[at] { // whose fields are names of the file
				add(f, name+"s", f.lo)
			}
		}
	}
	return out
}
