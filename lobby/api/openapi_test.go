package api

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
)

var update = flag.Bool("update", false, "write the OpenAPI documents; read the difference before you commit it")

// TestOpenAPIFiles: the committed documents, from which clients are generated, equal
// the served ones. The admins' document has the inspector's operations too:
// cmd/fogkeep/server makes it.
func TestOpenAPIFiles(t *testing.T) {
	_, players := newPlayer(&lobby.Service{}, Config{})
	_, services := newService(&lobby.Service{}, Config{})
	for file, api := range map[string]huma.API{"openapi.player.json": players, "openapi.service.json": services} {
		want, err := json.MarshalIndent(api.OpenAPI(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the server serves (%v): run go test ./lobby/api -run TestOpenAPIFiles -update", file, err)
		}
	}
}

// TestOpenAPI: all documents are valid OpenAPI 3.1, have all required parts, and have a
// page that shows them without another host's help.
func TestOpenAPI(t *testing.T) {
	w := newHarness(t, Config{Version: "1.2.3"})
	for _, c := range []struct {
		b      *browser
		prefix string
		least  int
	}{{w.browser(), "/api", 20}, {w.adminBrowser(), "/admin/api", 20}, {w.serviceBrowser(""), "/service/api", 8}} {
		raw := []byte(c.b.must("GET", c.prefix+"/openapi.json", nil, 200).raw)
		doc, err := openapi3.NewLoader().LoadFromData(raw)
		if err != nil {
			t.Fatalf("%s: %v", c.prefix, err)
		}
		if err := doc.Validate(context.Background()); err != nil {
			t.Fatalf("%s: %v", c.prefix, err)
		}
		if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Info.Version != "1.2.3" {
			t.Errorf("%s: OpenAPI %s of version %s", c.prefix, doc.OpenAPI, doc.Info.Version)
		}
		operations := 0
		for path, item := range doc.Paths.Map() {
			if !strings.HasPrefix(path, c.prefix+"/") {
				t.Errorf("%s is outside %s", path, c.prefix)
			}
			for method, o := range item.Operations() {
				operations++
				if o.OperationID == "" || o.Summary == "" || len(o.Tags) != 1 || o.Responses == nil {
					t.Errorf("%s %s is not described", method, path)
				}
				// An operation that the document calls closed is closed.
				if (o.Security == nil || len(*o.Security) > 0) && method == http.MethodGet {
					path := strings.NewReplacer("{id}", "0", "{match}", "0", "{slot}", "0", "{name}", "x", "{ban}", "1").Replace(path)
					b := w.browser()
					b.base = c.b.base
					if r := b.do(method, path, nil); r.status != 401 {
						t.Errorf("%s %s without a session: %d", method, path, r.status)
					}
				}
			}
		}
		if operations < c.least {
			t.Errorf("%s: %d operations", c.prefix, operations)
		}
		page := c.b.must("GET", c.prefix+"/docs", nil, 200)
		if !strings.Contains(page.raw, c.prefix+"/openapi.json") || strings.Contains(page.raw, "://") {
			t.Errorf("%s/docs does not show the document, or needs another host", c.prefix)
		}
		// The validator finds a fault: an operation without its id.
		var broken map[string]any
		if err := json.Unmarshal(raw, &broken); err != nil {
			t.Fatal(err)
		}
		delete(broken["components"].(map[string]any), "schemas")
		raw, _ = json.Marshal(broken)
		if doc, err := openapi3.NewLoader().LoadFromData(raw); err == nil && doc.Validate(context.Background()) == nil {
			t.Errorf("%s: the validator takes a document without its schemas", c.prefix)
		}
	}
}

// The document says which values each option of a lobby takes, as the lobby
// judges them.
func TestOpenAPIHasTheRangesOfOptions(t *testing.T) {
	w := newHarness(t, Config{})
	doc, err := openapi3.NewLoader().LoadFromData([]byte(w.browser().must("GET", "/api/openapi.json", nil, 200).raw))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*openapi3.Operation{doc.Paths.Value("/api/lobbies").Post, doc.Paths.Value("/api/lobbies/{id}").Patch} {
		options := o.RequestBody.Value.Content["application/json"].Schema.Value.Properties["options"].Value
		for _, d := range model.OptionTable {
			p := options.Properties[d.Name]
			if p == nil || p.Value.Description == "" {
				t.Errorf("%s: option %s is not described", o.OperationID, d.Name)
				continue
			}
			if d.Max > 0 && (p.Value.Min == nil || p.Value.Max == nil || *p.Value.Min != float64(d.Min) || *p.Value.Max != float64(d.Max)) {
				t.Errorf("%s: option %s is from %v to %v, said is %v", o.OperationID, d.Name, d.Min, d.Max, p.Value)
			}
			words := p.Value.Enum
			if d.Open && len(d.Values) > 0 && len(p.Value.AnyOf) == 2 && len(p.Value.AnyOf[1].Value.Enum) == 0 { // or any other
				words = p.Value.AnyOf[0].Value.Enum
			}
			if want := len(d.Values); d.Max == 0 && len(words) != want {
				t.Errorf("%s: option %s has %d words, said are %v", o.OperationID, d.Name, want, words)
			}
			if label, _ := p.Value.Extensions["x-label"].(string); label != d.Label {
				t.Errorf("%s: option %s is shown as %q, said is %q", o.OperationID, d.Name, d.Label, label)
			}
		}
	}
	text := doc.Paths.Value("/api/lobbies/{id}/chat").Post.RequestBody.Value.Content["application/json"].Schema.Value.Properties["text"].Value
	if text.MaxLength == nil || *text.MaxLength != model.ChatLenMax {
		t.Errorf("a line has at most %v characters, the lobby takes %d", text.MaxLength, model.ChatLenMax)
	}
}
