package api

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
	"github.com/go-chi/chi/v5"
)

// New returns the handler of everything under /api/ on the player listener.
func New(s *lobby.Service, c Config) http.Handler {
	h, _ := newPlayer(s, c)
	return h
}

func newPlayer(s *lobby.Service, c Config) (http.Handler, huma.API) {
	r, h := newAPI("fogkeep: players", "Accounts, lobbies, tickets.", "/api", c)
	a := &playerAPI{s: s, config: c}
	first(h, func(ctx context.Context) (model.Account, error) {
		account, _, err := a.session(ctx)
		return account, err
	})
	a.accounts(h)
	a.identities(h)
	r.Get("/api/reset", page(resetHTML)) // where reset links lead, see admin.ResetLink
	a.lobbies(h)
	a.queues(h)
	a.relations(h)
	a.reports(h)
	a.replays(h)
	a.catalogue(h)
	a.scenarios(h)
	a.missions(h)
	describeOptions(h)
	return c.guard(model.PlayerRealm, r), h
}

// newAPI returns an empty API below a prefix, with its document at
// PREFIX/openapi.json and a page that shows it at PREFIX/docs.
func newAPI(title, about, prefix string, c Config) (*chi.Mux, huma.API) {
	r := chi.NewMux()
	r.NotFound(func(w http.ResponseWriter, _ *http.Request) { WriteProblem(w, model.NotFound) })
	r.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) {
		p := problem(model.NotFound).(*Problem)
		p.Status, p.Title, p.Detail = http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed), "method not allowed on this path"
		p.Write(w)
	})
	config := huma.DefaultConfig(title, strings.TrimSpace(c.Version+" "))
	if config.Info.Version == "" {
		config.Info.Version = "0"
	}
	config.Info.Description = about + " Refusals are application/problem+json with a short code."
	config.OpenAPIPath = prefix + "/openapi"
	config.DocsPath = ""    // our own page needs no other host: see docs.go
	config.SchemasPath = "" // the document holds them
	config.CreateHooks = nil
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "token of a log-in that asked for bearer"},
		"cookie": {Type: "apiKey", In: "cookie", Name: "fogkeep", Description: "for browsers, in place of a bearer token"},
	}
	r.Get(prefix+"/docs", docsPage(prefix+"/openapi.json"))
	return r, humachi.New(r, config)
}

// schemaName names a type in the document. Types of other packages, whose operations the admins' API has too, begin with
// the name of their package, less "server"; the lobby's types and the types that it shares with matches do not.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	room := t.PkgPath()
	if t.Name() == "" || !strings.Contains(room, "/fogkeep/") || strings.Contains(room, "/fogkeep/lobby") || path.Base(room) == "shared" {
		return name
	}
	from := strings.TrimSuffix(path.Base(room), "server")
	return strings.ToUpper(from[:1]) + from[1:] + name
}

// NewAdmin returns the admins' API for the admin listener. It does not answer on the
// players' listener, unless a program mounts it there.
func NewAdmin(s *lobby.Service, c Config) *AdminAPI {
	a, _ := newAdmin(s, c)
	return a
}

func newAdmin(s *lobby.Service, c Config) (*AdminAPI, huma.API) {
	r, h := newAPI("fogkeep: admins", "Accounts, lobbies, matches, bans, the server.", "/admin/api", c)
	h.OpenAPI().Components.SecuritySchemes["cookie"].Name = "fogkeep_admin"
	a := &AdminAPI{s: s, api: h, config: c, recheck: 5 * time.Second}
	first(h, a.session)
	a.sessions(h)
	a.accounts(h)
	a.lobbies(h)
	a.scenarios(h)
	a.server(h)
	a.cluster(h)
	a.packs(h)
	a.admins(h)
	a.cases(h)
	a.keys(h)
	webhooks(h, "/admin/api", "admin", true, func(ctx context.Context) (*hook.Webhooks, error) {
		session, err := a.session(ctx)
		if err != nil {
			return nil, err
		}
		return session.Webhooks(), nil
	}, func(o huma.Operation) huma.Operation { return o })
	describeOptions(h)
	a.Handler = c.guard(model.AdminRealm, r)
	return a, h
}

// NewService returns the handler of everything under /service/api/, for a listener of
// its own. Callers are servers: they have service keys, and no pages of other origins
// may call, even if c allows it.
func NewService(s *lobby.Service, c Config) http.Handler {
	h, _ := newService(s, c)
	return h
}

func newService(s *lobby.Service, c Config) (http.Handler, huma.API) {
	c.Origins = nil
	r, h := newAPI("fogkeep: servers", "Matches, tickets and results for the servers of a studio.", "/service/api", c)
	h.OpenAPI().Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer": {Type: "http", Scheme: "bearer", Description: "a service key, as an admin makes it; it is read from no other place"},
	}
	a := &serviceAPI{s: s, config: c}
	first(h, a.session)
	a.matches(h)
	a.players(h)
	webhooks(h, "/service/api", "service", false, func(ctx context.Context) (*hook.Webhooks, error) {
		session, err := a.session(ctx)
		if err != nil {
			return nil, err
		}
		return session.Webhooks(), nil
	}, func(o huma.Operation) huma.Operation {
		o.Security, o.Description = []map[string][]string{{"bearer": {}}}, "Needs the scope `"+string(studio.WebhooksWrite)+"`."
		return o
	})
	describeOptions(h)
	return c.guard(model.ServiceRealm, r), h
}
