package api

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/fogkeep/fogkeep/internal/listen"
)

//go:embed docs.html
var docsHTML string

//go:embed reset.html
var resetHTML string

// docsPage shows an OpenAPI document. It is one page of our own, since the
// usual ones load their scripts from other hosts.
func docsPage(document string) http.HandlerFunc {
	return page(strings.ReplaceAll(docsHTML, "{{document}}", document))
}

// page serves a page that is complete in itself and sends requests only to this server.
func page(html string) http.HandlerFunc {
	policy := "default-src 'none'; connect-src 'self'; style-src " + listen.InlineSources(html, "style") + "; script-src " + listen.InlineSources(html, "script") +
		"; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
	return func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", policy)
		_, _ = w.Write([]byte(html)) // the client has gone
	}
}
