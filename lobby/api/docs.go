package api

import (
	_ "embed"
	"net/http"
	"strings"
)

//go:embed docs.html
var docsHTML string

// docsPage shows an OpenAPI document. It is one page of our own, since the
// usual ones load their scripts from other hosts.
func docsPage(document string) http.HandlerFunc {
	page := strings.ReplaceAll(docsHTML, "{{document}}", document)
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'")
		_, _ = w.Write([]byte(page)) // the client has gone
	}
}
