package api

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-chi/httprate"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby"
)

// BodyMax bounds what a request may send, in bytes.
const BodyMax = 64 << 10

// Config is how a listener stands in the world. The zero value is one without
// TLS and without a proxy.
type Config struct {
	TLS            bool           // the listener itself speaks TLS
	TrustedProxies []netip.Prefix // whose X-Forwarded-For and -Proto are believed
	Origins        []string       // further origins to accept, such as "https://play.example.org"
	Version        string         // of the program, for the OpenAPI document
	PerMinute      int            // requests a minute and network that are answered; 0: 3000
	Budget         *budget.Ledger // what accounts and addresses may take; nil: no limit
	PublicURL      string         // where players reach the server, for reset links; "" makes them relative
}

// NewServer returns an http.Server with the limits that keep slow and greedy
// clients from holding on to it: the header within 5 s and 16 KiB, the body
// within 30 s, idle connections for 2 minutes. There is no limit on writing,
// since event streams and sockets go on; those set deadlines of their own.
func NewServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// caller is what the guard found out about a request.
type caller struct {
	lobby.Client
	token  lobby.Secret
	secure bool // the browser came by https
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// guard wraps a handler with what every request goes through first.
func (c Config) guard(realm lobby.Realm, next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	for _, origin := range c.Origins {
		// Checked by CheckOrigins; one that is malformed is not trusted.
		_ = cross.AddTrustedOrigin(origin)
	}
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, &lobby.Error{Code: lobby.CrossOrigin})
	}))
	// A flood meets this before the database does. It counts in this process
	// alone and forgets at a restart; what must not be forgotten (log-ins) is
	// counted in the store.
	limited := httprate.LimitBy(cmp.Or(c.PerMinute, 3000), time.Minute,
		func(r *http.Request) (string, error) { return callerOf(r.Context()).Network(), nil },
		httprate.WithResponseHeaders(httprate.ResponseHeaders{RetryAfter: "Retry-After"}),
		httprate.WithLimitHandler(func(w http.ResponseWriter, _ *http.Request) {
			writeProblem(w, &lobby.Error{Code: lobby.Throttled})
		}))(next)
	known := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if r.ContentLength > BodyMax {
			h.Set("Connection", "close") // nobody reads the rest
			writeProblem(w, &lobby.Error{Code: lobby.TooLarge})
			return
		}
		who := caller{Client: lobby.Client{Address: c.Address(r), UserAgent: r.UserAgent()}, secure: c.secure(r)}
		if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			who.token = lobby.Secret(bearer)
		} else if k, err := r.Cookie(cookieName(realm, who.secure)); err == nil {
			who.token = lobby.Secret(k.Value)
		}
		if len(who.token) == 43 {
			who.Old = who.token
		}
		limited.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
	})
	return cross.Handler(http.MaxBytesHandler(known, BodyMax+1))
}

// CheckOrigins returns what is wrong with Origins.
func (c Config) CheckOrigins() error {
	cross := http.NewCrossOriginProtection()
	for _, origin := range c.Origins {
		if err := cross.AddTrustedOrigin(origin); err != nil {
			return err
		}
	}
	return nil
}

// Address is the client's: of the connection, or, if that is a trusted
// proxy's, the last one in X-Forwarded-For that is not. What stands further
// left was written by the client and proves nothing. The match service asks for
// it too, so that a ban means the same at every door.
func (c Config) Address(r *http.Request) netip.Addr {
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	addr := ap.Addr().Unmap().WithZone("")
	if err != nil || !c.trusts(addr) {
		return addr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return addr
		}
		if addr = hop.Unmap().WithZone(""); !c.trusts(addr) {
			return addr
		}
	}
	return addr
}

func (c Config) trusts(a netip.Addr) bool {
	for _, p := range c.TrustedProxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// secure reports whether the browser sees https.
func (c Config) secure(r *http.Request) bool {
	if c.TLS || r.TLS != nil {
		return true
	}
	ap, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && c.trusts(ap.Addr().Unmap()) && r.Header.Get("X-Forwarded-Proto") == "https"
}

// cookieName tells the realms apart, since cookies are shared by all ports of
// a host. Behind TLS the __Host- prefix makes the browser refuse cookies that
// another host or plain http would plant.
func cookieName(realm lobby.Realm, secure bool) string {
	name := "fogkeep"
	if realm == lobby.AdminRealm {
		name = "fogkeep_admin"
	}
	if secure {
		return "__Host-" + name
	}
	return name
}

// cookie carries a session; an empty token takes it back.
func cookie(realm lobby.Realm, who caller, token lobby.Secret, life time.Duration) http.Cookie {
	k := http.Cookie{
		Name: cookieName(realm, who.secure), Value: string(token), Path: "/", HttpOnly: true, Secure: who.secure,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life / time.Second),
	}
	if realm == lobby.AdminRealm {
		k.SameSite = http.SameSiteStrictMode
	}
	if token == "" {
		k.MaxAge = -1
	}
	return k
}
