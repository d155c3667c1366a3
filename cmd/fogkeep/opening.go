package main

import (
	"io"
	"net/http"
	"sync/atomic"
)

// opening is a door's handler while the rooms behind it are made ready: all are
// told to come again, health checks too, until open is called.
type opening struct{ inner atomic.Pointer[http.Handler] }

func (o *opening) open(h http.Handler) { o.inner.Store(&h) }

func (o *opening) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := o.inner.Load(); h != nil {
		(*h).ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"title":"Service Unavailable","status":503,"code":"starting",`+
		`"detail":"the server is starting and brings its live matches back: come again in a moment"}`+"\n")
}
