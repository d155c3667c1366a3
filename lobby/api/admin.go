package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
)

// AdminAPI is the admins' API.
type AdminAPI struct {
	http.Handler // everything under /admin/api/ that is the lobby's

	s      *lobby.Service
	api    huma.API
	config Config
	again  time.Duration // between two looks at the right of one who looks on
}

// NewAdmin returns the admins' API for the admin listener. Nothing of it
// answers on the players' listener, unless somebody mounts it there.
func NewAdmin(s *lobby.Service, c Config) *AdminAPI {
	a, _ := newAdmin(s, c)
	return a
}

func newAdmin(s *lobby.Service, c Config) (*AdminAPI, huma.API) {
	r, h := newAPI("fogkeep: admins", "Accounts, lobbies, matches, bans, the server.", "/admin/api", c)
	h.OpenAPI().Components.SecuritySchemes["cookie"].Name = "fogkeep_admin"
	a := &AdminAPI{s: s, api: h, config: c, again: 5 * time.Second}
	a.sessions(h)
	a.accounts(h)
	a.lobbies(h)
	a.scenarios(h)
	a.server(h)
	a.cluster(h)
	a.admins(h)
	a.keys(h)
	webhooks(h, "/admin/api", "admin", true, func(ctx context.Context) (*lobby.Webhooks, error) {
		session, err := a.session(ctx)
		if err != nil {
			return nil, err
		}
		return session.Webhooks(), nil
	}, func(o huma.Operation) huma.Operation { return o })
	describeOptions(h)
	a.Handler = c.guard(lobby.AdminRealm, r)
	return a, h
}

// API is where other rooms register operations of theirs below /admin/api: they are in
// the same document, and a session's cookie and address are looked at as for all. What
// shows a match from within has the middleware [AdminAPI.Fog].
func (a *AdminAPI) API() huma.API { return a.api }

// RequireFog wraps a handler that shows a live match from within, as [AdminAPI.Fog] does.
func (a *AdminAPI) RequireFog(look func(*http.Request) (match lobby.MatchID, eyes string), next http.Handler) http.Handler {
	return a.config.guard(lobby.AdminRealm, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		match, eyes := look(r)
		a.fog(w, r.Context(), match, eyes, nil, func(ctx context.Context) { next.ServeHTTP(w, r.WithContext(ctx)) })
	}))
}

// Fog returns a middleware for operations that show a match from within: only admins
// with the right to look through the fog get through, and leave an audit row.
// look says which match a request is about, and through whose eyes ("all" or
// a team). An answer that lasts is cut once the session or the right has ended,
// and leaves a row for each ten minutes. kept says whether there is a journal of a match
// that the database no longer has.
func (a *AdminAPI) Fog(look func(huma.Context) (match, eyes string), kept func(match string) bool) func(huma.Context, func(huma.Context)) {
	return func(c huma.Context, next func(huma.Context)) {
		match, eyes := look(c)
		_, w := humachi.Unwrap(c)
		a.fog(w, c.Context(), lobby.MatchID(match), eyes, func() bool { return kept(match) }, func(ctx context.Context) { next(huma.WithContext(c, ctx)) })
	}
}

func (a *AdminAPI) fog(w http.ResponseWriter, ctx context.Context, match lobby.MatchID, eyes string, kept func() bool, next func(context.Context)) {
	may := func(ctx context.Context) error {
		session, err := a.session(ctx)
		if err != nil {
			return err
		}
		return session.AllowFog(ctx, match, eyes, kept)
	}
	if err := may(ctx); err != nil {
		writeProblem(w, err)
		return
	}
	ctx, cut := context.WithCancel(ctx)
	var asks sync.WaitGroup
	defer asks.Wait()
	defer cut()
	asks.Go(func() {
		defer panics.Catch(a.s.Logger, "fog", cut)
		a.whileMay(ctx, cut, may)
	})
	next(ctx)
}

// whileMay asks again and again, until ctx ends, and cuts once it is refused. A
// database that is away refuses nobody.
func (a *AdminAPI) whileMay(ctx context.Context, cut func(), may func(context.Context) error) {
	again := time.NewTicker(a.again)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		switch e := lobby.AsError(may(ctx)); {
		case e == nil:
		case e.Code == lobby.Unauthenticated, e.Code == lobby.Forbidden, e.Code == lobby.NotFound:
			cut()
			return
		}
	}
}

// session finds the admin who asks.
func (a *AdminAPI) session(ctx context.Context) (*lobby.AdminSession, error) {
	who := callerOf(ctx)
	return a.s.AdminSession(ctx, who.Client, who.token)
}

// Admin is an admin as shown to admins.
type Admin struct {
	Name     string    `json:"name"`
	Role     string    `json:"role" enum:"viewer,moderator,admin"`
	Fog      bool      `json:"fog" doc:"may look through the fog of live matches"`
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created"`
}

func adminOf(a lobby.Admin) Admin {
	return Admin{a.Name, string(a.Role), a.Fog, !a.Disabled.IsZero(), a.Created}
}

type adminOut struct {
	Body struct {
		Admin Admin `json:"admin"`
	}
}

// AdminLoggedIn is the answer of an admin's log-in.
type AdminLoggedIn struct {
	Admin  Admin  `json:"admin"`
	Token  string `json:"token,omitempty"`
	Device string `json:"device,omitempty"`
}

type adminSessionOut struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      AdminLoggedIn
}

func (a *AdminAPI) sessions(h huma.API) {
	t := tag("session")
	huma.Register(h, op(http.MethodPost, "/admin/api/login", "admin-log-in", "Log in as an admin", t, public),
		func(ctx context.Context, in *struct{ Body Credentials }) (*adminSessionOut, error) {
			who := callerOf(ctx).onDevice(in.Body.Device)
			admin, token, err := a.s.AdminLogIn(ctx, who.Client, in.Body.Name, in.Body.Password)
			if err != nil {
				return nil, problem(err)
			}
			out := &adminSessionOut{}
			out.SetCookie, out.Body.Token, out.Body.Device = opened(lobby.AdminRealm, who, token, a.s.AdminLife, in.Body.Bearer)
			out.Body.Admin = adminOf(admin)
			return out, nil
		})
	huma.Register(h, op(http.MethodPost, "/admin/api/logout", "admin-log-out", "End this session", t, public),
		func(ctx context.Context, _ *none) (*cookieOut, error) {
			who := callerOf(ctx)
			if err := a.s.LogOut(ctx, lobby.AdminRealm, who.token); err != nil {
				return nil, problem(err)
			}
			return &cookieOut{cookie(lobby.AdminRealm, who, "", 0)}, nil
		})
	huma.Register(h, op(http.MethodGet, "/admin/api/me", "admin-me", "Who am I", t),
		func(ctx context.Context, _ *none) (*adminOut, error) {
			session, err := a.session(ctx)
			if err != nil {
				return nil, problem(err)
			}
			out := &adminOut{}
			out.Body.Admin = adminOf(session.Admin())
			return out, nil
		})
	register(a, h, op(http.MethodPost, "/admin/api/me/password", "admin-change-password", "Change one's own password; other sessions end", t),
		func(ctx context.Context, session *lobby.AdminSession, in *struct {
			Body struct {
				Old string `json:"old" maxLength:"1000"`
				New string `json:"new" maxLength:"1000"`
			}
		}) (*none, error) {
			return nil, session.ChangeOwnPassword(ctx, in.Body.Old, in.Body.New)
		})
}

// register registers an operation for admins who are logged in. What their
// role allows is decided by the session, inside the transaction.
func register[I, O any](a *AdminAPI, h huma.API, o huma.Operation, do func(context.Context, *lobby.AdminSession, *I) (*O, error)) {
	registerWith(h, o, a.session, do)
}

// registerWith registers an operation that needs a session of the kind S.
func registerWith[S, I, O any](h huma.API, o huma.Operation, begin func(context.Context) (S, error), do func(context.Context, S, *I) (*O, error)) {
	huma.Register(h, o, func(ctx context.Context, in *I) (*O, error) {
		session, err := begin(ctx)
		if err != nil {
			return nil, problem(err)
		}
		out, err := do(ctx, session, in)
		if err != nil {
			return nil, problem(err)
		}
		return out, nil
	})
}
