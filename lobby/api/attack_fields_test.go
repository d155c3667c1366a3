package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// plausible is the value of fields that are not attacked, so that the attacked one gets
// as far as it can.
var plausible = map[string]any{
	"password": "difference engine", "map": "ring", "reason": "x", "text": "hello", "role": "viewer",
	"range": "198.51.100.0/24", "hours": 1, "on": false, "old": "difference engine", "new": "analytical engine",
	"token": strings.Repeat("A", 43), "ban": "1", "slot": "1",
}

// TestSQLInEveryFieldThereIs takes the fields from the documents: each text of each
// operation in turn, in the path, the query, a header or the body. A field may be
// refused or accepted; no request fails, and no other row of the database changes.
func TestSQLInEveryFieldThereIs(t *testing.T) {
	w := newHarness(t, Config{}, func(c *lobby.Config) {
		c.Ledger = storetest.Unlimited()
	})
	password, err := w.server.Admin.FirstAdmin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	logIn := func() *browser {
		b := w.adminBrowser()
		b.must("POST", "/admin/api/login", map[string]any{"name": "admin", "password": password}, 200)
		return b
	}
	chief := logIn()
	witness := w.guest("Witness")
	witness.must("POST", "/api/lobbies", map[string]any{"name": "untouched", "map": "ring"}, 200)

	docs, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	fields, guests := 0, 0
	for _, doc := range docs {
		for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
			for method, o := range doc.Paths.Map()[path].Operations() {
				for _, f := range textsOf(o) {
					fields++
					for _, x := range []string{`'; DROP TABLE accounts; --`, `x%' OR '1'='1`, `\'); DELETE FROM lobbies; --`} {
						guests++
						who := w.guest(fmt.Sprint("g ", guests))
						if strings.HasPrefix(path, "/admin/") {
							who = chief
						}
						room := map[string]any{"id": "0"}
						if who != chief {
							room = who.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).body
						}
						if strings.HasSuffix(path, "/events") {
							room["id"] = "0" // a stream that opens does not end
						}
						at, body := attack(path, o, f, x, room["id"].(string))
						if f.in == "header" {
							who.header.Set(f.name, x)
						}
						r := who.do(method, at, body)
						who.header.Del(f.name)
						if r.status >= 500 {
							t.Errorf("%s %s, %s %s %q: %d %s", method, path, f.in, f.name, x, r.status, r.raw)
						}
						if who == chief && (r.status == http.StatusUnauthorized || strings.HasSuffix(path, "/logout")) {
							chief = logIn()
						}
					}
				}
			}
		}
	}
	if fields < 50 {
		t.Errorf("only %d fields were attacked", fields)
	}
	if r := witness.must("GET", "/api/me", nil, 200); r.at("lobby", "name") != "untouched" {
		t.Errorf("the witness: %s", r.raw)
	}
	if r := chief.must("GET", "/admin/api/admins", nil, 200); len(r.at("admins").([]any)) != 1 {
		t.Errorf("admins: %s", r.raw)
	}
	if r := chief.must("GET", "/admin/api/accounts?q=witness", nil, 200); len(r.at("accounts").([]any)) != 1 {
		t.Errorf("accounts: %s", r.raw)
	}
}

// textField is one place of an operation that takes text.
type textField struct{ in, name string }

func isText(s *openapi3.SchemaRef) bool {
	return s.Value != nil && s.Value.Type.Includes("string") && len(s.Value.Enum) == 0
}

func propertiesOf(o *openapi3.Operation) openapi3.Schemas {
	if o.RequestBody == nil || o.RequestBody.Value.Content.Get("application/json") == nil {
		return nil
	}
	return o.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties
}

func textsOf(o *openapi3.Operation) (out []textField) {
	for _, p := range o.Parameters {
		if isText(p.Value.Schema) {
			out = append(out, textField{p.Value.In, p.Value.Name})
		}
	}
	for name, s := range propertiesOf(o) {
		if isText(s) {
			out = append(out, textField{"body", name})
		}
		if name == "options" { // any name, any value
			out = append(out, textField{"option", "mode"}, textField{"option", "seed"}, textField{"option", "whitelist"}, textField{"option", ""})
		}
	}
	slices.SortFunc(out, func(a, b textField) int { return strings.Compare(a.in+a.name, b.in+b.name) })
	return out
}

// attack builds a request of an operation with one field in an attacker's words.
func attack(path string, o *openapi3.Operation, f textField, x, id string) (at string, body any) {
	value := func(in, name string) (any, bool) {
		if f == (textField{in, name}) {
			return x, true
		}
		v, ok := plausible[name]
		return v, ok
	}
	query := url.Values{}
	for _, p := range o.Parameters {
		v, ok := value(p.Value.In, p.Value.Name)
		switch p.Value.In {
		case "path":
			if !ok {
				v = id
			}
			path = strings.Replace(path, "{"+p.Value.Name+"}", url.PathEscape(fmt.Sprint(v)), 1)
		case "query":
			if ok {
				query.Set(p.Value.Name, fmt.Sprint(v))
			}
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	properties := propertiesOf(o)
	if properties == nil {
		return path, nil
	}
	given := map[string]any{}
	for name := range properties {
		if v, ok := value("body", name); ok {
			given[name] = v
		} else if name == "name" {
			given[name] = "Zed " + id[max(0, len(id)-8):]
		}
	}
	if f.in == "option" {
		var v any = x
		name := f.name
		switch name {
		case "whitelist":
			v = []string{x}
		case "":
			name, v = x, json.Number("1")
		}
		given["options"] = map[string]any{name: v}
	}
	return path, given
}

// Guard: first. A closed operation identifies the caller before it looks at path, query or
// body; each operation names an unknown or repeated query parameter.
func TestCallerIsIdentifiedFirst(t *testing.T) {
	w := newHarness(t, Config{})
	docs, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	chief := w.adminLoggedIn()
	key := chief.must("POST", "/admin/api/keys", map[string]any{"name": "studio", "issuer": "studio", "scopes": []string{"matches:read", "matches:write", "players:read", "webhooks:write"}}, 200).at("secret").(string)
	known := map[string]*browser{"/api/": w.guest("Ada"), "/admin/api/": chief, "/service/api/": w.serviceBrowser(key)}
	asked := 0
	for i, prefix := range []string{"/api/", "/admin/api/", "/service/api/"} {
		stranger := w.browser()
		stranger.base, stranger.token = known[prefix].base, "fks_"+strings.Repeat("A", 43)
		for pattern, item := range docs[i].Paths.Map() {
			for method, o := range item.Operations() {
				asked++
				spoilt := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(pattern, strings.Repeat("!", 300))
				if o.Security == nil || len(*o.Security) > 0 {
					for _, query := range []string{"", "?nonsense=1", "?limit=x&page=-1&tick=x"} {
						if r := stranger.do(method, spoilt+query, strings.NewReader("{")); r.status != http.StatusUnauthorized {
							t.Errorf("%s %s by a stranger: %d %s", method, pattern+query, r.status, r.raw)
						}
					}
				}
				if o.OperationID == "back-from-provider" {
					continue // providers add parameters of their own
				}
				plain := regexp.MustCompile(`\{\w+\}`).ReplaceAllString(pattern, "1")
				twice := ""
				for _, p := range o.Parameters {
					if p.Value.In == "query" {
						twice = p.Value.Name
					}
				}
				for query, field := range map[string]string{"?nonsense=1": "nonsense", "?" + twice + "=1&" + twice + "=2": twice} {
					if field == "" {
						continue
					}
					r := known[prefix].do(method, plain+query, nil)
					if o.OperationID == "play-scenario" && r.code() == string(model.ScenariosOff) {
						continue // on this server no player may, which is judged first
					}
					if r.status != http.StatusUnprocessableEntity || r.code() != string(model.BadRequest) || r.at("field") != field {
						t.Errorf("%s %s: %d %s", method, plain+query, r.status, r.raw)
					}
				}
			}
		}
	}
	if asked < 100 {
		t.Errorf("%d operations", asked)
	}
}
