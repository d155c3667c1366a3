package api

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// playerAPI is the players' API.
type playerAPI struct {
	s      *lobby.Service
	config Config
}

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
	a.replays(h)
	a.scenarios(h)
	describeOptions(h)
	return c.guard(model.PlayerRealm, r), h
}

// newAPI returns an empty API below a prefix, with its document at
// PREFIX/openapi.json and a page that shows it at PREFIX/docs.
func newAPI(title, about, prefix string, c Config) (*chi.Mux, huma.API) {
	r := chi.NewMux()
	r.NotFound(func(w http.ResponseWriter, _ *http.Request) { writeProblem(w, model.NotFound) })
	r.MethodNotAllowed(func(w http.ResponseWriter, _ *http.Request) {
		p := problem(model.NotFound).(*Problem)
		p.Status, p.Title, p.Detail = http.StatusMethodNotAllowed, http.StatusText(http.StatusMethodNotAllowed), "method not allowed on this path"
		send(w, p)
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

// op describes one operation.
func op(method, path, id, summary string, o ...func(*huma.Operation)) huma.Operation {
	out := huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		MaxBodyBytes: BodyMax, BodyReadTimeout: 10 * time.Second,
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}},
	}
	for _, change := range o {
		change(&out)
	}
	return out
}

func tag(name string) func(*huma.Operation) {
	return func(o *huma.Operation) { o.Tags = []string{name} }
}

// public marks an operation that needs no session.
func public(o *huma.Operation) { o.Security = []map[string][]string{} }

// asAnyone registers an operation that needs no session.
func asAnyone[I, O any](h huma.API, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	public(&o)
	registerWith(h, o, func(ctx context.Context) (context.Context, error) { return ctx, nil }, func(ctx, _ context.Context, in *I) (*O, error) { return do(ctx, in) })
}

// session finds the calling player.
func (a *playerAPI) session(ctx context.Context) (model.Account, caller, error) {
	who := callerOf(ctx)
	if account, ok := ctx.Value(sessionKey{}).(model.Account); ok {
		return account, who, nil
	}
	s, err := a.s.Account.Session(ctx, who.Client, who.token)
	return s.Account, who, err
}

// player is the calling player.
type player struct {
	account model.Account
	who     caller
}

// asPlayer registers an operation for logged-in players.
func asPlayer[I, O any](a *playerAPI, h huma.API, o huma.Operation, do func(context.Context, player, *I) (*O, error)) {
	registerWith(h, o, func(ctx context.Context) (player, error) {
		account, who, err := a.session(ctx)
		return player{account, who}, err
	}, do)
}

// asChanger counts the operation against the player's limits, too. Leaving is no such
// change: a player may always leave.
func asChanger[I, O any](a *playerAPI, h huma.API, o huma.Operation, do func(context.Context, player, *I) (*O, error)) {
	registerWith(h, o, func(ctx context.Context) (player, error) {
		account, who, err := a.changer(ctx)
		return player{account, who}, err
	}, do)
}

func (a *playerAPI) out(l *model.Lobby, err error) (*body[Lobby], error) {
	if err != nil {
		return nil, err
	}
	return &body[Lobby]{a.shape(l)}, nil
}

// shape is a lobby with the states of its seats from the running match.
func (a *playerAPI) shape(l *model.Lobby) Lobby {
	out := lobbyOf(l, a.s.Now())
	if l.State != model.Playing {
		return out
	}
	state := a.s.Room.SeatStates(l)
	for _, s := range l.Seats {
		i := slices.IndexFunc(out.Seats, func(o Seat) bool { return o.Place == s.Place })
		if i < 0 {
			continue
		}
		is := state(s)
		out.Seats[i].Away, out.Seats[i].Out = is == model.SeatAway, is == model.SeatOut
		out.Seats[i].CanOpen = l.MayOpen(&s, is) == nil
	}
	return out
}
