package page

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"
)

var update = flag.Bool("update", false, "write openapi.json; read the difference before you commit it")

// document describes the endpoints that answer with JSON. They are plain
// handlers, so their paths and parameters are written here; the shapes are those
// of the package's types.
func document() *huma.OpenAPI {
	huma.DefaultArrayNullable = false // every list is written, if only as []
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	doc := &huma.OpenAPI{
		OpenAPI:    "3.1.0",
		Info:       &huma.Info{Title: "fogkeep: live matches, for admins", Version: "0"},
		Components: &huma.Components{Schemas: registry},
	}
	id := &huma.Param{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
	eyes := &huma.Param{Name: "eyes", In: "query", Description: "all, or a team's number", Schema: &huma.Schema{Type: huma.TypeString}}
	sight := &huma.Param{Name: "sight", In: "query", Description: "1: with the tiles that the team sees", Schema: &huma.Schema{Type: huma.TypeInteger}}
	least, most := float64(everyMsMin), float64(everyMsMax)
	every := &huma.Param{Name: "everyMs", In: "query", Description: "least time between states", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most}}
	schema := func(t reflect.Type) *huma.Schema { return registry.Schema(t, true, "") }
	add := func(path, name, summary string, content string, s *huma.Schema, params ...*huma.Param) {
		doc.AddOperation(&huma.Operation{
			Method: http.MethodGet, Path: "/admin/api/live" + path, OperationID: name, Summary: summary, Tags: []string{"live"}, Parameters: params,
			Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{content: {Schema: s}}}},
		})
	}
	const answer, stream = "application/json", "text/event-stream"
	add("/matches", "live-matches", "The live matches", answer, schema(reflect.TypeFor[liveMatches]()))
	add("/matches/{id}/state", "live-state", "A match at its newest tick", answer, schema(reflect.TypeFor[liveState]()), id, eyes, sight)
	add("/matches/{id}/live", "live-states", "Its states as server-sent events, the last of them `end`", stream, &huma.Schema{Type: huma.TypeString}, id, eyes, sight, every)
	add("/matches/{id}/traffic", "live-traffic", "What went over the sockets of its clients", answer, schema(reflect.TypeFor[liveTraffic]()), id)
	one, longest := 1.0, float64(traceSecondsMax)
	slot := &huma.Param{Name: "slot", In: "query", Required: true, Description: "a player's slot, or spectators", Schema: &huma.Schema{Type: huma.TypeString}}
	seconds := &huma.Param{Name: "seconds", In: "query", Description: "how long; 30 if absent", Schema: &huma.Schema{Type: huma.TypeInteger, Minimum: &one, Maximum: &longest}}
	add("/matches/{id}/trace", "live-trace", "The packet log: a TraceLine for each message that is sent from now on", "application/x-ndjson", &huma.Schema{Type: huma.TypeString}, id, slot, seconds)
	schema(reflect.TypeFor[TraceLine]())
	schema(reflect.TypeFor[liveEnd]())
	return withEyes(doc)
}

// withEyes says that eyes are a word or a number: Eyes writes its JSON itself.
func withEyes(doc *huma.OpenAPI) *huma.OpenAPI {
	state := doc.Components.Schemas.Map()["LiveState"]
	state.Properties["eyes"] = &huma.Schema{Description: state.Properties["eyes"].Description}
	return doc
}

// TestOpenAPIFile: the committed document, from which the admin page's client is
// generated, is that of this package's types.
func TestOpenAPIFile(t *testing.T) {
	want, err := json.MarshalIndent(document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile("openapi.json"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("openapi.json is not that of the types (%v): run go test ./minimap/page -run TestOpenAPIFile -update", err)
	}
}

// TestAnswersAreAsDescribed: what the handlers answer fits the document, and it
// has nothing that the document lacks.
func TestAnswersAreAsDescribed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	h := Handler(newStage(), open, quiet())
	check := func(path string, body []byte) error {
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			return err
		}
		return doc.Paths.Value("/admin/api/live" + path).Get.Responses.Status(200).Value.Content["application/json"].Schema.Value.VisitJSON(v)
	}
	for _, c := range []struct{ path, request string }{
		{"/matches", "/matches"},
		{"/matches/{id}/state", "/matches/m1/state"},
		{"/matches/{id}/state", "/matches/m1/state?eyes=0&sight=1"},
		{"/matches/{id}/traffic", "/matches/m1/traffic"},
	} {
		body := get(t, h, c.request).Body.Bytes()
		if err := check(c.path, body); err != nil {
			t.Errorf("%s: %v", c.request, err)
		}
		// The check sees a member that is missing, and one that nobody described.
		first := bytes.IndexByte(body, '"')
		more := string(body[:first]) + `"unknown":1,` + string(body[first:])
		if check(c.path, []byte(more)) == nil {
			t.Errorf("%s: a member that is not described passes", c.request)
		}
		if less := strings.Replace(string(body), `"tick":`, `"tock":`, 1); check(c.path, []byte(less)) == nil {
			t.Errorf("%s: a missing member passes", c.request)
		}
	}
	for _, name := range shapeNames {
		if shape := doc.Components.Schemas["LiveEntity"].Value.Properties["shape"].Value; shape.VisitJSON(name) != nil {
			t.Errorf("the document does not have the shape %s", name)
		}
	}
}
