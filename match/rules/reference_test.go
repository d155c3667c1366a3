package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

const referenceFile = "../../docs/reference/rules-reference.md"

// checkReference checks that docs/reference/rules-reference.md has each field of the schema, with its form and bounds.
func checkReference(t *testing.T, schema []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	var root map[string]any
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	r := &reference{}
	r.WriteString(`# Fields of a ruleset

Each field of a ruleset file, with its form, its bounds, and its value if it is absent. A test writes this page from the JSON Schema of
rulesets, which ` + "`fogkeep rules schema`" + ` prints. [rules.md](rules.md) explains the fields together.
`)
	r.object("The file", root)
	want := r.String()
	if *update {
		if err := os.WriteFile(referenceFile, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(referenceFile); err != nil || string(got) != want {
		t.Errorf("docs/reference/rules-reference.md is out of date (go test ./match/rules -run TestSchema -update): %v", err)
	}
}

// reference writes the page: a section for each form of objects.
type reference struct{ strings.Builder }

func (r *reference) object(name string, o map[string]any) {
	required, _ := o["required"].([]any)
	fields, _ := o["properties"].(map[string]any)
	fmt.Fprintf(r, "\n## %s\n\n| field | value | if it is absent | what |\n| --- | --- | --- | --- |\n", name)
	var below []func()
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		f := fields[key].(map[string]any)
		absent := ""
		if slices.Contains(required, any(key)) {
			absent = "an error"
		} else if v, ok := f["default"]; ok {
			absent = fmt.Sprintf("`%v`", v)
		}
		about, _ := f["description"].(string)
		if about == "below" {
			about = ""
		}
		fmt.Fprintf(r, "| `%s` | %s | %s | %s |\n", key, r.form(f), absent, strings.ReplaceAll(about, "](#", "](rules.md#"))
		at := "`" + key + "`"
		if name != "The file" {
			at = name + ", " + at
		}
		below = append(below, func() { r.nested(at, f) })
	}
	for _, f := range below {
		f()
	}
}

// nested writes the sections of the objects in a field.
func (r *reference) nested(at string, f map[string]any) {
	if items, ok := f["items"].(map[string]any); ok {
		f = items
	}
	variants, _ := f["oneOf"].([]any)
	for _, v := range variants {
		v := v.(map[string]any)
		for _, by := range []string{"class", "kind"} {
			if p, ok := v["properties"].(map[string]any)[by].(map[string]any); ok && p["const"] != nil {
				r.object(fmt.Sprintf("%s of the %s `%v`", at, by, p["const"]), v)
			}
		}
	}
	if f["properties"] != nil {
		r.object(at, f)
	}
}

func (r *reference) form(f map[string]any) string {
	switch {
	case f["const"] != nil:
		return fmt.Sprintf("`%v`", f["const"])
	case f["enum"] != nil:
		var names []string
		for _, v := range f["enum"].([]any) {
			names = append(names, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(names, ", ")
	}
	switch f["type"] {
	case "number":
		if fmt.Sprint(f["multipleOf"]) == "1" {
			return fmt.Sprintf("a whole number, %v to %v", f["minimum"], f["maximum"])
		}
		return fmt.Sprintf("a number, %v to %v", f["minimum"], f["maximum"])
	case "string":
		if f["maxLength"] != nil {
			return fmt.Sprintf("a text of %v to %v bytes", f["minLength"], f["maxLength"])
		}
		return "the name of an entry"
	case "boolean":
		return "`true` or `false`"
	case "array":
		items := f["items"].(map[string]any)
		what := "objects, see below"
		if items["type"] == "string" || items["enum"] != nil {
			what = "each " + r.form(items)
		}
		return fmt.Sprintf("a list of up to %v, %s", f["maxItems"], what)
	case "object":
		if of, ok := f["additionalProperties"].(map[string]any); ok {
			return fmt.Sprintf("numbers by name, %v to %v each", of["minimum"], of["maximum"])
		}
	}
	return "an object, see below"
}
