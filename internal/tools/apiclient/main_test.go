package main

import (
	"os"
	"strings"
	"testing"
)

// document is an OpenAPI document with the given parts.
func document(paths, schemas string) []byte {
	return []byte(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{` + paths + `},"components":{"schemas":{` + schemas + `}}}`)
}

// withForm is an operation whose request has a member of the given schema.
func withForm(schema string) string {
	return `"/f":{"post":{"operationId":"send","requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"f":{"$ref":"#/components/schemas/` + schema + `"}}}}}},
		"responses":{"204":{"description":"done"}}}}`
}

// TestTypes: each kind of schema has its TypeScript type.
func TestTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                                                              "string",
		`{"type":"integer","format":"int64"}`:                                                            "number",
		`{"type":["array","null"],"items":{"type":"number"}}`:                                            "number[] | null",
		`{"type":"string","enum":["a","b"]}`:                                                             `"a" | "b"`,
		`{"type":"string","anyOf":[{"type":"string","enum":["a","b"]},{"type":"string"}]}`:               `"a" | "b" | (string & {})`,
		`{"type":"array","items":{"type":"string","enum":["a","b"]}}`:                                    `("a" | "b")[]`,
		`{"$ref":"#/components/schemas/Add-botRequest"}`:                                                 "AddBotRequest",
		`{"type":"object","additionalProperties":{"type":"integer"}}`:                                    "{ [key: string]: number }",
		`{"type":"object","additionalProperties":{}}`:                                                    "{ [key: string]: unknown }",
		`{"type":"object","properties":{"b":{"type":"boolean"},"a":{"type":"string"}},"required":["a"]}`: "{ a: string; b?: boolean }",
		`{}`: "unknown",
	} {
		probe := `"Add-botRequest":{"type":"string"},"Probe":{"type":"object","properties":{"p":` + schema + `},"required":["p"]}`
		out, err := generate(document("", probe), "x.json", "../base/openapi.js")
		if line := "export interface Probe {\n  p: " + want + ";\n}\n"; err != nil || !strings.Contains(string(out), line) {
			t.Errorf("%s: error %v, want %s in\n%s", schema, err, line, out)
		}
	}
}

// TestRefuses: an unknown part is an error that names it, and no part is left out.
func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ paths, schemas, want string }{
		"a choice of schemas":    {"", `"A":{"anyOf":[{"type":"string"},{"type":"number"}]}`, "schema A: allOf, anyOf"},
		"a property of it":       {"", `"A":{"type":"object","properties":{"p":{"oneOf":[{"type":"string"}]}}}`, "property p: allOf"},
		"no success":             {`"/a":{"get":{"operationId":"a","responses":{"404":{"description":"none"}}}}`, "", "GET /a: no answer of success"},
		"a cookie":               {`"/a":{"get":{"operationId":"a","parameters":[{"name":"c","in":"cookie","schema":{"type":"string"}}],"responses":{"204":{"description":"done"}}}}`, "", "parameter c is in cookie"},
		"a field without value":  {withForm("A"), `"A":{"type":"object","properties":{"p":{"type":"string","x-label":"P"}}}`, "property p: a field of a form needs"},
		"a choice without label": {withForm("A"), `"A":{"type":"object","properties":{"p":{"type":"string","x-label":"P","default":"a","enum":["a","b"],"x-words":{"a":"A"}}}}`, "x-words has no label for b"},
	} {
		_, err := generate(document(c.paths, c.schemas), "x.json", "../base/openapi.js")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// TestOperations: an operation is a function of its path, body and query.
func TestOperations(t *testing.T) {
	out, err := generate(document(`
		"/l/{id}/seats/{slot}":{"delete":{"operationId":"remove-seat","summary":"Remove","parameters":[
			{"name":"id","in":"path","required":true,"schema":{"type":"string"}},
			{"name":"slot","in":"path","required":true,"schema":{"type":"integer"}}],
			"responses":{"204":{"description":"done"}}}},
		"/l":{
			"get":{"operationId":"list","parameters":[{"name":"page","in":"query","schema":{"type":"integer"}}],
				"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"string"}}}}}},
			"post":{"operationId":"make","requestBody":{"required":true,"content":{"application/json":{"schema":{"type":"string"}}}},
				"responses":{"200":{"description":"ok","content":{"application/json":{"schema":{"type":"boolean"}}}}}}},
		"/l/{id}/events":{"get":{"operationId":"events","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
			"responses":{"200":{"description":"ok","content":{"text/event-stream":{"schema":{"type":"string"}}}}}}},
		"/l/{id}/picture":{"get":{"operationId":"picture","parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
			"responses":{"200":{"description":"ok","content":{"image/png":{"schema":{"type":"string","format":"binary"}}}}}}},
		"/away":{"get":{"operationId":"go-away","parameters":[{"name":"back","in":"query","schema":{"type":"string"}}],"responses":{"303":{"description":"elsewhere"}}}}`, ""), "x.json", "../base/openapi.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"  /** Remove */\n  removeSeat: (id: string, slot: number, o?: CallOptions) => call<void>(\"DELETE\", `/l/${segment(id)}/seats/${segment(slot)}`, undefined, o),\n",
		"  list: (search: { page?: number } = {}, o?: CallOptions) => call<string>(\"GET\", `/l${query(search)}`, undefined, o),\n",
		"  make: (body: string, o?: CallOptions) => call<boolean>(\"POST\", `/l`, body, o),\n",
		"  eventsUrl: (id: string) => `/l/${segment(id)}/events`,\n",
		"  pictureUrl: (id: string) => `/l/${segment(id)}/picture`,\n",
		"  goAwayUrl: (search: { back?: string } = {}) => `/away${query(search)}`,\n",
	} {
		if !strings.Contains(string(out), line) {
			t.Errorf("want\n%sin\n%s", line, out)
		}
	}
}

// TestForm: labelled properties are fields of a form, in their order.
func TestForm(t *testing.T) {
	out, err := generate(document(withForm("Options"), `"Answer":{"type":"object","properties":{"p":{"type":"string","x-label":"P"}}},"Options":{"type":"object","properties":{
		"seed":{"type":"string"},
		"speed":{"type":"integer","default":20,"x-label":"Speed","x-order":2,"x-words":{"20":"Normal","5":"Slow"}},
		"score":{"type":"integer","default":0,"minimum":0,"maximum":9,"x-label":"Score","x-order":3,"x-modes":["deathmatch"]},
		"mode":{"type":"string","default":"b","anyOf":[{"type":"string","enum":["b","a"]},{"type":"string"}],"x-label":"Mode","x-order":1,"x-words":{"a":"A","b":"B"}}}}`), "x.json", "../base/openapi.js")
	if err != nil {
		t.Fatal(err)
	}
	want := `export const optionsForm: readonly FormField[] = [
  {"name":"mode","type":"string","label":"Mode","default":"b","choices":[["b","B"],["a","A"]]},
  {"name":"speed","type":"number","label":"Speed","default":20,"choices":[[5,"Slow"],[20,"Normal"]]},
  {"name":"score","type":"number","label":"Score","default":0,"minimum":0,"maximum":9,"modes":["deathmatch"]},
];
`
	if !strings.Contains(string(out), want) {
		t.Errorf("want\n%sin\n%s", want, out)
	}
}

// TestGeneratedIsFresh: the committed clients equal the generator's output for the committed documents.
func TestGeneratedIsFresh(t *testing.T) {
	for document, client := range map[string]struct{ file, helpers string }{
		"lobby/api/openapi.player.json": {"web/sdk/src/gen/player.ts", "../base/openapi.js"},
		"lobby/api/openapi.admin.json":  {"web/src/gen/admin.ts", "@fogkeep/client"},
	} {
		raw, err := os.ReadFile("../../../" + document)
		if err != nil {
			t.Fatal(err)
		}
		want, err := generate(raw, document, client.helpers)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("../../../" + client.file); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what %s gives (%v): run go generate ./web", client.file, document, err)
		}
	}
}
