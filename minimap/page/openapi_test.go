package page

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// adminDocument is what admins are told; cmd/fogkeep/server holds it fresh.
const adminDocument = "../../lobby/api/openapi.admin.json"

// TestAnswersAreAsDescribed: what the handlers answer fits the admins' document, and it
// has nothing that the document lacks.
func TestAnswersAreAsDescribed(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile(adminDocument)
	if err != nil {
		t.Fatal(err)
	}
	h := Handler(newStage(), open, quiet())
	for path, c := range map[string]struct{ request, kind, schema string }{
		"/minimap.png": {"", "image/png", ""},
		"/traffic":     {"", "application/json", "PageLiveTraffic"},
		"/trace":       {"?slot=1&seconds=1", "application/x-ndjson", "PageTraceLine"},
	} {
		item := doc.Paths.Value(Prefix + "/matches/{id}" + path)
		if item == nil {
			t.Errorf("%s is not described", path)
			continue
		}
		described := item.Get.Responses.Status(200).Value
		w := get(t, h, "/matches/m1"+path+c.request)
		if kind := w.Header().Get("Content-Type"); kind != c.kind || described.Content[c.kind] == nil {
			t.Errorf("%s: a %s is answered, described is %v", path, kind, described.Content)
		}
		for name := range described.Headers {
			if w.Header().Get(name) == "" {
				t.Errorf("%s: the header %s is described and not sent", path, name)
			}
		}
		if c.schema == "" {
			continue
		}
		if s := described.Content[c.kind].Schema; c.kind == "application/json" && !strings.HasSuffix(s.Ref, "/"+c.schema) {
			t.Errorf("%s: described is %q, want %s", path, s.Ref, c.schema)
		}
		check := func(body []byte) error {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				return err
			}
			return doc.Components.Schemas[c.schema].Value.VisitJSON(v)
		}
		body, _, _ := bytes.Cut(w.Body.Bytes(), []byte("\n"))
		if err := check(body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		// The check sees a member that is missing, and one that nobody described.
		if more := `{"unknown":1,` + string(body[1:]); check([]byte(more)) == nil {
			t.Errorf("%s: a member that is not described passes", path)
		}
		if less := strings.Replace(string(body), `"tick":`, `"tock":`, 1); check([]byte(less)) == nil {
			t.Errorf("%s: a missing member passes", path)
		}
	}
	w := get(t, h, "/matches/none/traffic")
	var refusal any
	if err := json.Unmarshal(w.Body.Bytes(), &refusal); err != nil {
		t.Fatal(err)
	}
	if err := doc.Components.Schemas["Problem"].Value.VisitJSON(refusal); w.Code != http.StatusNotFound || err != nil {
		t.Errorf("a refusal: %d %v", w.Code, err)
	}
	for path, item := range doc.Paths.Map() {
		rest, ok := strings.CutPrefix(path, Prefix)
		if !ok {
			continue
		}
		request := strings.NewReplacer("{id}", "m1").Replace(rest)
		if item.Get.Parameters.GetByInAndName("query", "slot") != nil {
			request += "?slot=1&seconds=1"
		}
		if w := get(t, h, request); w.Code != http.StatusOK {
			t.Errorf("%s is described: %d", path, w.Code)
		}
	}
}
