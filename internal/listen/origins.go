package listen

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/rs/cors"
)

// Origins decides which web pages may call the server: its own, and pages of the origins that the operator named.
// Programs that are no browsers send no origin and are let through. The zero value and nil know no further origins.
//
// The rule equals [http.CrossOriginProtection]'s: a browser says with
// Sec-Fetch-Site or Origin where a request comes from.
type Origins struct {
	named []string
	cross *http.CrossOriginProtection
	extra func() []string
}

// ErrOrigin is the refusal of a socket that a page of another site opens.
var ErrOrigin = errors.New("the page comes from another site")

// RefuseSocket answers a request for a socket in plain text, with the status of its
// error.
func RefuseSocket(w http.ResponseWriter, err error) {
	status := http.StatusTooManyRequests
	if errors.Is(err, ErrOrigin) {
		status = http.StatusForbidden
	}
	http.Error(w, err.Error(), status)
}

// And returns the rule with further origins, which can change: more's addresses. Their pages may call, but not
// read answers. more is called for each request of another origin and must not wait.
func (o *Origins) And(more func() []string) *Origins {
	out := Origins{extra: more}
	if o != nil {
		out.named, out.cross = o.named, o.cross
	}
	return &out
}

// ParseOrigins returns the rule for origins such as "https://play.example.org".
// Duplicates and empty strings are left out.
func ParseOrigins(origins []string) (*Origins, error) {
	o := &Origins{cross: http.NewCrossOriginProtection()}
	for _, s := range origins {
		if s == "" || slices.Contains(o.named, s) {
			continue
		}
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || s != u.Scheme+"://"+u.Host {
			return nil, fmt.Errorf("origin %q: want scheme and host alone, such as https://play.example.org", s)
		}
		if err := o.cross.AddTrustedOrigin(s); err != nil {
			return nil, fmt.Errorf("origin %q: %w", s, err)
		}
		o.named = append(o.named, s)
	}
	return o, nil
}

// Allows reports whether the page that sent the request may call, with any method of the request.
func (o *Origins) Allows(r *http.Request) bool {
	cross := http.NewCrossOriginProtection()
	if o != nil && o.cross != nil {
		cross = o.cross
	}
	// The rule lets safe methods pass. A websocket and an event stream are GET, and act or tell with the rights of the
	// logged-in account.
	if cross.Check(&http.Request{Method: http.MethodPost, Header: r.Header, Host: r.Host, URL: r.URL}) == nil {
		return true
	}
	return o != nil && o.extra != nil && slices.ContainsFunc(o.extra(), func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && u.Host != "" && r.Header.Get("Origin") == u.Scheme+"://"+u.Host
	})
}

// Share lets pages of the named origins read answers, by the headers of the
// fetch standard (CORS). Without named origins it is next.
func (o *Origins) Share(next http.Handler) http.Handler {
	if o == nil || len(o.named) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowedOrigins: o.named, AllowCredentials: true,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders: []string{"Authorization", "Content-Type", "Last-Event-ID"},
		ExposedHeaders: []string{"Retry-After"},
		MaxAge:         int(10 * time.Minute / time.Second),
	}).Handler(next)
}
