package page

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/minimap"
)

// Prefix is where the endpoints are mounted on the admin listener.
const Prefix = "/admin/api/live"

// Describe adds the endpoints to the OpenAPI document of the admins. They are plain
// handlers, so their paths and parameters are written here; the shapes are those of the
// package's types.
func Describe(doc *huma.OpenAPI) {
	registry := doc.Components.Schemas
	schema := func(t reflect.Type) *huma.Schema { return registry.Schema(t, true, "") }
	number := func(least, most int) *huma.Schema {
		lo, hi := float64(least), float64(most)
		return &huma.Schema{Type: huma.TypeInteger, Minimum: &lo, Maximum: &hi}
	}
	word := &huma.Schema{Type: huma.TypeString}
	problem := &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: registry.Schema(reflect.TypeOf(huma.NewError(0, "")), true, "Error")},
	}}
	id := &huma.Param{Name: "id", In: "path", Required: true, Description: "the match's id", Schema: word}
	add := func(path, name, summary, about string, ok *huma.Response, params ...*huma.Param) {
		ok.Description = "OK"
		doc.AddOperation(&huma.Operation{
			Method: http.MethodGet, Path: Prefix + "/matches/{id}" + path, OperationID: name, Summary: summary, Description: about,
			Tags: []string{"live"}, Parameters: append([]*huma.Param{id}, params...),
			Security:  []map[string][]string{{"bearer": {}}, {"cookie": {}}},
			Responses: map[string]*huma.Response{"200": ok, "default": problem},
		})
	}
	add("/minimap.png", "live-minimap", "The minimap of a live match at its newest tick", "",
		&huma.Response{
			Content: map[string]*huma.MediaType{"image/png": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
			Headers: map[string]*huma.Param{tickHeader: {Description: "the tick that the picture shows", Schema: &huma.Schema{Type: huma.TypeInteger}}},
		},
		&huma.Param{Name: "eyes", In: "query", Description: "all, or a team's number; all if absent", Schema: &huma.Schema{
			Type: huma.TypeString, Pattern: "^(all|[0-9]{1,2})$", MaxLength: ptr(3),
		}},
		&huma.Param{Name: "scale", In: "query", Description: "pixels a tile; what fits 512 pixels if absent", Schema: number(1, minimap.ScaleMax)})
	add("/traffic", "live-traffic", "What went over the sockets of a live match's clients", "",
		&huma.Response{Content: map[string]*huma.MediaType{"application/json": {Schema: schema(reflect.TypeFor[liveTraffic]())}}})
	add("/trace", "live-trace", "The packet log of a live match", "A line of JSON, a PageTraceLine, for each message that is sent from now on.",
		&huma.Response{Content: map[string]*huma.MediaType{"application/x-ndjson": {Schema: word}}},
		&huma.Param{Name: "slot", In: "query", Required: true, Description: "a player's slot, or " + TraceSpectators, Schema: word},
		&huma.Param{Name: "seconds", In: "query", Description: "how long; 30 if absent", Schema: number(1, traceSecondsMax)})
	schema(reflect.TypeFor[TraceLine]())
}

func ptr(n int) *int { return &n }
