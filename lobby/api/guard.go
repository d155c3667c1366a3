package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// BodyMax bounds the body of a request, in bytes.
const BodyMax = 64 << 10

// scenariosPath is below each API that takes scenarios.
const scenariosPath = "/api/scenarios"

// bodyMax bounds the body of one request: scenarios and packs are larger than all others.
func bodyMax(r *http.Request) int64 {
	if r.Method == http.MethodPost && (r.URL.Path == scenariosPath || r.URL.Path == "/admin"+scenariosPath) {
		return room.ScenarioBytesMax
	}
	if r.Method == http.MethodPost && r.URL.Path == packsPath {
		return model.PackBytesMax
	}
	return BodyMax
}

// Config is how a listener stands in the world. The zero value is one without
// a proxy and without further origins.
type Config struct {
	Proxies   Proxies      // whose X-Forwarded-For and -Proto are believed
	Origins   *Origins     // which pages may call besides the server's own; nil: no others
	Version   string       // of the program, for the OpenAPI document
	Ledger    *core.Ledger // what accounts and addresses may take; nil: no limit
	PublicURL string       // where players reach the server, for reset links; "" makes them relative
	LinkURL   string       // where players reach the server, as it is configured; "": it is not
	Identity  *identity.Providers
	// NetworkURLs returns where other machines find the server, as far as it knows; nil: unknown.
	NetworkURLs func() []string
}

// caller has the guard's findings about a request.
type caller struct {
	model.Client
	token  model.Secret
	login  model.Secret // of log-ins at identity providers that this browser began; "": no log-in
	secure bool         // the browser came by https
	origin bool         // a page that may call sent it, or no page
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// guard wraps a handler with what every request goes through first.
func (c Config) guard(realm model.Realm, next http.Handler) http.Handler {
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.ContentLength > bodyMax(r) {
			h.Set("Connection", "close") // the rest stays unread
			WriteProblem(w, &model.Error{Code: model.TooLarge})
			return
		}
		caller := caller{Client: model.Client{Address: c.Proxies.Address(r), UserAgent: r.UserAgent()}, secure: c.Proxies.Secure(r), origin: c.Origins.Allows(r)}
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			caller.token = model.Secret(bearer)
		} else if realm == model.ServiceRealm {
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
			return // a service key comes in no cookie, so that no browser sends it by itself
		} else if k, err := r.Cookie(cookieName(realm, caller.secure)); err == nil {
			caller.token = model.Secret(k.Value)
		}
		if len(caller.token) == 43 {
			caller.Old = caller.token
		}
		if k, err := r.Cookie(deviceCookie(realm, caller.secure)); err == nil {
			caller = caller.withDevice(k.Value)
		}
		if k, err := r.Cookie(loginCookie(caller.secure)); err == nil && len(k.Value) == 43 {
			caller.login = model.Secret(k.Value)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, caller)))
	})
	pages := c.Pages(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.MaxBytesHandler(known, bodyMax(r)+1).ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		pages.ServeHTTP(w, r)
	})
}

type sessionKey struct{}

// first lets each operation identify the caller, check its [permission], and check the names of
// the query, before it reads any other part of the request: a stranger learns no rules of
// requests. begin finds the session of the kind S, which the operation then has in its context.
// It is for an API without operations.
func first[S any](h huma.API, begin func(context.Context) (S, error)) {
	h.UseMiddleware(func(c huma.Context, next func(huma.Context)) {
		o := c.Operation()
		_, w := humachi.Unwrap(c)
		if len(o.Security) > 0 {
			session, err := begin(c.Context())
			if err != nil {
				WriteProblem(w, err)
				return
			}
			c = huma.WithValue(c, sessionKey{}, session)
		}
		if may, ok := o.Metadata[permission].(func(context.Context) error); ok {
			if err := may(c.Context()); err != nil {
				WriteProblem(w, err)
				return
			}
		}
		var known []string
		for _, p := range o.Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		at := c.URL()
		if err := listen.CheckQuery(&at, known...); err != nil && o.Metadata[furtherQuery] == nil {
			WriteProblem(w, err)
			return
		}
		next(c)
	})
}

// permission is where an operation has a func(context.Context) error that refuses an asker
// without its right.
const permission = "permission"

// furtherQuery marks an operation whose query may have parameters that it does not read.
const furtherQuery = "furtherQuery"

// WithoutQuery refuses requests with a query, for handlers without one.
func WithoutQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := listen.CheckQuery(r.URL); err != nil {
			WriteProblem(w, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Pages refuses scripts of pages that may not call, and lets pages of the named
// origins read the answers.
func (c Config) Pages(next http.Handler) http.Handler {
	shared := c.Origins.Share(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A script's request to another origin has an Origin with any method. A link
		// has no Origin, nor has the way back from an identity provider.
		if (r.Header.Get("Origin") != "" || !safe(r.Method)) && !c.Origins.Allows(r) {
			WriteProblem(w, &model.Error{Code: model.CrossOrigin})
			return
		}
		shared.ServeHTTP(w, r)
	})
}

// safe reports whether a method only reads.
func safe(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// cookieName tells the realms apart, since cookies are shared by all ports of
// a host. Behind TLS the __Host- prefix makes the browser refuse cookies that
// another host or plain http would plant.
func cookieName(realm model.Realm, secure bool) string {
	name := "fogkeep"
	if realm == model.AdminRealm {
		name = "fogkeep_admin"
	}
	if secure {
		return "__Host-" + name
	}
	return name
}

// deviceCookie names the cookie by which a device is known after the session has
// ended: wrong passwords that others type do not shut it out.
func deviceCookie(realm model.Realm, secure bool) string {
	return cookieName(realm, secure) + "_device"
}

// loginCookie names the cookie that binds log-ins at identity providers to the
// browser that began them.
func loginCookie(secure bool) string { return cookieName(model.PlayerRealm, secure) + "_login" }

func (c caller) withDevice(token string) caller {
	if len(token) == 43 {
		c.Device = model.Secret(token)
	}
	return c
}

// onDevice gives the caller the device token that it sent, or a new one: a log-in makes
// it known.
func (c caller) onDevice(sent string) caller {
	if c = c.withDevice(sent); c.Device == "" {
		c.Device = model.NewSecret()
	}
	return c
}

// opened is the answer to a log-in: cookies, or, to a client that asked for them,
// tokens.
func opened(realm model.Realm, caller caller, token model.Secret, life time.Duration, bearer bool) (cookies []http.Cookie, session, device string) {
	if bearer {
		return []http.Cookie{cookie(realm, caller, "", 0)}, string(token), string(caller.Device)
	}
	cookies = []http.Cookie{cookie(realm, caller, token, life)}
	if caller.Device != "" {
		k := cookie(realm, caller, caller.Device, model.PlaceLife)
		k.Name = deviceCookie(realm, caller.secure)
		cookies = append(cookies, k)
	}
	return cookies, "", ""
}

// cookie carries a session; an empty token takes it back.
func cookie(realm model.Realm, caller caller, token model.Secret, life time.Duration) http.Cookie {
	k := http.Cookie{
		Name: cookieName(realm, caller.secure), Value: string(token), Path: "/", HttpOnly: true, Secure: caller.secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second),
	}
	if realm == model.AdminRealm {
		k.SameSite = http.SameSiteStrictMode
	}
	if token == "" {
		k.MaxAge = -1
	}
	return k
}
