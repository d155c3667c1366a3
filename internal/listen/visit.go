package listen

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"regexp"
)

// RequestHeader has the id of a request in its answer, and in requests that trusted proxies pass on.
const RequestHeader = "X-Request-Id"

// Visit has the facts of a request for its line in the log. Handlers fill it in.
type Visit struct {
	ID      string // of the request
	Account string // of the session: an account's id, "admin:NAME" or "key:ID"
	Trusted bool   // a trusted proxy sent the request
}

type visitKey struct{}

// VisitOf returns the facts of the request of a context.
func VisitOf(ctx context.Context) *Visit {
	if v, ok := ctx.Value(visitKey{}).(*Visit); ok {
		return v
	}
	return new(Visit) // its server does not log requests
}

// requestID matches ids that are taken over from proxies.
var requestID = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// withVisit gives the request a new id, or the one that a trusted proxy gave it.
func withVisit(w http.ResponseWriter, r *http.Request, trusted Proxies) *http.Request {
	v := &Visit{ID: r.Header.Get(RequestHeader), Trusted: trusted.trust(peer(r))}
	if !v.Trusted || !requestID.MatchString(v.ID) {
		var id [8]byte
		rand.Read(id[:]) // never fails: see crypto/rand
		v.ID = hex.EncodeToString(id[:])
	}
	w.Header().Set(RequestHeader, v.ID)
	return r.WithContext(context.WithValue(r.Context(), visitKey{}, v))
}
