package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: apiclient DOCUMENT OUTPUT HELPERS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "apiclient:", err)
		os.Exit(1)
	}
}

func run(document, output, helpers string) error {
	raw, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	out, err := generate(raw, strings.TrimPrefix(filepath.ToSlash(document), "../"), helpers)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(output, out, 0o644)
}

// generate returns the TypeScript code of a document. name is the document's path
// in the repository, for the header; helpers is the module that has base/openapi.ts.
func generate(raw []byte, name, helpers string) ([]byte, error) {
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		if err := writeSchema(&b, name, doc.Components.Schemas[name]); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
	}
	if err := writeForms(&b, doc); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\n/** The operations. `call` sends a request and reads its answer. */\nexport const client = (call: Call) => ({\n")
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		operations := doc.Paths.Value(path).Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			if err := writeOperation(&b, method, path, operations[method]); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
	}
	b.WriteString("});\n")
	var head bytes.Buffer
	fmt.Fprintf(&head, "// Made by internal/tools/apiclient from %s. Do not edit.\n\n", name)
	imports := []string{"type Call", "type CallOptions"}
	for use, name := range map[string]string{"FormField[]": "type FormField", "query(": "query", "segment(": "segment"} {
		if bytes.Contains(b.Bytes(), []byte(use)) {
			imports = append(imports, name)
		}
	}
	slices.Sort(imports)
	fmt.Fprintf(&head, "import { %s } from %q;\n", strings.Join(imports, ", "), helpers)
	return append(head.Bytes(), b.Bytes()...), nil
}

func writeSchema(b *bytes.Buffer, name string, ref *openapi3.SchemaRef) error {
	s := ref.Value
	b.WriteString("\n")
	comment(b, "", s.Description)
	if len(s.Properties) == 0 {
		t, err := typeOf(ref)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "export type %s = %s;\n", pascal(name), t)
		return nil
	}
	fields, err := fieldsOf(s, "  ")
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "export interface %s {\n%s}\n", pascal(name), fields)
	return nil
}

// writeForms writes the forms of requests: a schema that only answers have needs
// none.
func writeForms(b *bytes.Buffer, doc *openapi3.T) error {
	seen := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for _, o := range doc.Paths.Value(path).Operations() {
			if o.RequestBody == nil {
				continue
			}
			for _, p := range o.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties {
				seen[p.Ref] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		if !seen["#/components/schemas/"+name] {
			continue
		}
		form, err := formOf(doc.Components.Schemas[name].Value)
		if err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		if form == nil {
			continue
		}
		fmt.Fprintf(b, "\n/** How a form shows %s: the properties that have a label. */\nexport const %sForm: readonly FormField[] = [\n", pascal(name), camel(name))
		for _, f := range form {
			raw, err := json.Marshal(f)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "  %s,\n", raw)
		}
		b.WriteString("];\n")
	}
	return nil
}

// formField is one field of a form; web/sdk/src/base/openapi.ts says what each member means.
type formField struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Label   string   `json:"label"`
	Default any      `json:"default"`
	Minimum *float64 `json:"minimum,omitempty"`
	Maximum *float64 `json:"maximum,omitempty"`
	Choices [][2]any `json:"choices,omitempty"`
	Modes   any      `json:"modes,omitempty"`
	order   float64
}

// formOf lists the properties that have the extension x-label, by x-order.
func formOf(s *openapi3.Schema) ([]formField, error) {
	var form []formField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name].Value
		label, ok := p.Extensions["x-label"].(string)
		if !ok {
			continue
		}
		t, err := typeOf(&openapi3.SchemaRef{Value: &openapi3.Schema{Type: p.Type}})
		if err != nil || p.Default == nil {
			return nil, fmt.Errorf("property %s: a field of a form needs one type and a default (%v)", name, err)
		}
		f := formField{Name: name, Type: t, Label: label, Default: p.Default, Minimum: p.Min, Maximum: p.Max, Modes: p.Extensions["x-modes"]}
		f.order, _ = p.Extensions["x-order"].(float64)
		if words, ok := p.Extensions["x-words"].(map[string]any); ok {
			if f.Choices, err = choicesOf(p, words); err != nil {
				return nil, fmt.Errorf("property %s: %w", name, err)
			}
		}
		form = append(form, f)
	}
	slices.SortStableFunc(form, func(a, b formField) int { return cmp.Compare(a.order, b.order) })
	return form, nil
}

// choicesOf pairs values with their labels: in the order of the enum, or numbers
// by size.
func choicesOf(p *openapi3.Schema, words map[string]any) ([][2]any, error) {
	var values []any
	if values = p.Enum; len(p.AnyOf) > 0 {
		values = p.AnyOf[0].Value.Enum
	}
	if len(values) == 0 {
		for word := range words {
			n, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return nil, fmt.Errorf("x-words of what has no enum are numbers, not %q", word)
			}
			values = append(values, n)
		}
		slices.SortFunc(values, func(a, b any) int { return cmp.Compare(a.(float64), b.(float64)) })
	}
	var choices [][2]any
	for _, v := range values {
		label, ok := words[fmt.Sprint(v)]
		if !ok {
			return nil, fmt.Errorf("x-words has no label for %v", v)
		}
		choices = append(choices, [2]any{v, label})
	}
	return choices, nil
}

// fieldsOf is a line for each property of an object, with the description above it.
func fieldsOf(s *openapi3.Schema, indent string) (string, error) {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		t, err := typeOf(s.Properties[name])
		if err != nil {
			return "", fmt.Errorf("property %s: %w", name, err)
		}
		comment(&b, indent, s.Properties[name].Value.Description)
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		fmt.Fprintf(&b, "%s%s%s: %s;\n", indent, name, optional, t)
	}
	return b.String(), nil
}

// typeOf is the TypeScript type of a schema.
func typeOf(ref *openapi3.SchemaRef) (string, error) {
	if ref.Ref != "" {
		return pascal(ref.Ref[strings.LastIndexByte(ref.Ref, '/')+1:]), nil
	}
	s := ref.Value
	if open(s) {
		known, err := typeOf(s.AnyOf[0])
		return known + " | (string & {})", err // a plain string would hide the known ones
	}
	if len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) > 0 || s.Not != nil {
		return "", fmt.Errorf("allOf, anyOf, oneOf and not have no type here")
	}
	if len(s.Enum) > 0 {
		words := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			raw, err := json.Marshal(v)
			if err != nil {
				return "", err
			}
			words[i] = string(raw)
		}
		return strings.Join(words, " | "), nil
	}
	var types []string
	for _, t := range s.Type.Slice() {
		switch t {
		case openapi3.TypeString, openapi3.TypeBoolean, openapi3.TypeNumber, openapi3.TypeNull:
			types = append(types, t)
		case openapi3.TypeInteger:
			types = append(types, "number")
		case openapi3.TypeArray:
			item, err := typeOf(s.Items)
			if err != nil {
				return "", err
			}
			if strings.Contains(item, " | ") {
				item = "(" + item + ")"
			}
			types = append(types, item+"[]")
		case openapi3.TypeObject:
			object, err := objectType(s)
			if err != nil {
				return "", err
			}
			types = append(types, object)
		default:
			return "", fmt.Errorf("type %q is unknown", t)
		}
	}
	if len(types) == 0 {
		return "unknown", nil
	}
	return strings.Join(types, " | "), nil
}

// open reports whether a schema allows any text and lists only some values.
func open(s *openapi3.Schema) bool {
	text := func(r *openapi3.SchemaRef) bool { return r.Ref == "" && r.Value.Type.Is(openapi3.TypeString) }
	return len(s.AnyOf) == 2 && text(s.AnyOf[0]) && text(s.AnyOf[1]) && len(s.AnyOf[0].Value.Enum) > 0 && len(s.AnyOf[1].Value.Enum) == 0
}

// objectType is an inline object, or a record if its keys are not known.
func objectType(s *openapi3.Schema) (string, error) {
	if len(s.Properties) > 0 {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			t, err := typeOf(s.Properties[name])
			if err != nil {
				return "", fmt.Errorf("property %s: %w", name, err)
			}
			if !slices.Contains(s.Required, name) {
				name += "?"
			}
			parts = append(parts, name+": "+t)
		}
		return "{ " + strings.Join(parts, "; ") + " }", nil
	}
	value := "unknown"
	if s.AdditionalProperties.Schema != nil {
		var err error
		if value, err = typeOf(s.AdditionalProperties.Schema); err != nil {
			return "", err
		}
	}
	return "{ [key: string]: " + value + " }", nil
}

func writeOperation(b *bytes.Buffer, method, path string, o *openapi3.Operation) error {
	answer, address, err := answerOf(o)
	if err != nil {
		return err
	}
	url := pathParameter.ReplaceAllString(path, "$${segment($1)}")
	var params, search []string
	for _, p := range o.Parameters {
		t, err := typeOf(p.Value.Schema)
		if err != nil {
			return fmt.Errorf("parameter %s: %w", p.Value.Name, err)
		}
		switch p.Value.In {
		case openapi3.ParameterInPath:
			params = append(params, p.Value.Name+": "+t)
		case openapi3.ParameterInQuery:
			search = append(search, p.Value.Name+"?: "+t)
		case openapi3.ParameterInHeader: // those that browsers set by themselves
		default:
			return fmt.Errorf("parameter %s is in %s", p.Value.Name, p.Value.In)
		}
	}
	args := fmt.Sprintf("%q, `%s`", method, url)
	if o.RequestBody != nil {
		t, err := typeOf(o.RequestBody.Value.Content.Get("application/json").Schema)
		if err != nil {
			return fmt.Errorf("body: %w", err)
		}
		if o.RequestBody.Value.Required {
			params = append(params, "body: "+t)
		} else {
			params = append(params, "body?: "+t)
		}
		args += ", body"
	} else {
		args += ", undefined"
	}
	if len(search) > 0 {
		params = append(params, "search: { "+strings.Join(search, "; ")+" } = {}")
		args = strings.Replace(args, url, url+"${query(search)}", 1)
		url += "${query(search)}"
	}
	comment(b, "  ", o.Summary)
	if address { // for an EventSource, for an image, or for a browser to go to
		fmt.Fprintf(b, "  %sUrl: (%s) => `%s`,\n", camel(o.OperationID), strings.Join(params, ", "), url)
		return nil
	}
	params = append(params, "o?: CallOptions")
	fmt.Fprintf(b, "  %s: (%s) => call<%s>(%s, o),\n", camel(o.OperationID), strings.Join(params, ", "), answer, args)
	return nil
}

// answerOf is the type of a success, and whether a client needs the address
// alone: of a stream of events, of a picture, and of what sends a browser elsewhere.
func answerOf(o *openapi3.Operation) (t string, address bool, err error) {
	for _, status := range slices.Sorted(maps.Keys(o.Responses.Map())) {
		if status == "303" {
			return "", true, nil
		}
		if !strings.HasPrefix(status, "2") {
			continue
		}
		content := o.Responses.Value(status).Value.Content
		if content["text/event-stream"] != nil || content["image/png"] != nil {
			return "", true, nil
		}
		if media := content["application/json"]; media != nil {
			t, err := typeOf(media.Schema)
			return t, false, err
		}
		return "void", false, nil
	}
	return "", false, fmt.Errorf("no answer of success is described")
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func comment(b *bytes.Buffer, indent, text string) {
	if text != "" {
		fmt.Fprintf(b, "%s/** %s */\n", indent, strings.ReplaceAll(text, "*/", "* /"))
	}
}

// camel is an operation's name in TypeScript: admin-add-admin is addAdmin. The
// prefix only tells the two documents' operations apart.
func camel(name string) string {
	p := pascal(strings.TrimPrefix(name, "admin-"))
	return strings.ToLower(p[:1]) + p[1:]
}

// pascal is a schema's name in TypeScript: Play-botRequest is PlayBotRequest.
func pascal(name string) string {
	var b strings.Builder
	for _, part := range strings.Split(name, "-") {
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return b.String()
}
