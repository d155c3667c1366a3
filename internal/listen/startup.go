package listen

import (
	"io"
	"net/http"
	"sync/atomic"
)

// StartupGate is the handler of a listener whose services are not ready yet.
// Until Open is called it answers everything with 503 and a time to come again,
// health checks too.
type StartupGate struct{ inner atomic.Pointer[http.Handler] }

// Open lets h answer from now on.
func (o *StartupGate) Open(h http.Handler) { o.inner.Store(&h) }

func (o *StartupGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := o.inner.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"title":"Service Unavailable","status":503,"code":"starting",`+
		`"detail":"the server is starting and is restoring live matches: try again in a moment"}`+"\n")
}
