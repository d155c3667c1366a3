package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/web"
)

// contentPolicy lets a page run its own scripts and talk to its own server,
// and nothing else.
type contentPolicy struct {
	frames []string // origins whose pages may show it in a frame
}

// header returns the policy for a page of a host.
func (p contentPolicy) header(r *http.Request) string {
	connect := "'self'"
	if plainHost.MatchString(r.Host) { // not every browser takes 'self' for sockets too
		connect += " ws://" + r.Host + " wss://" + r.Host
	}
	frames := "'none'"
	if len(p.frames) > 0 {
		frames = strings.Join(p.frames, " ")
	}
	return "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src " + connect +
		"; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors " + frames
}

// plainHost is a Host header that may stand in a policy.
var plainHost = regexp.MustCompile(`^[A-Za-z0-9.:\[\]-]+$`)

// unbuilt is the one page of a binary without the built pages.
const unbuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>fogkeep</title>
<style>body{background:#0b1016;color:#e6ebf0;font:16px/1.5 system-ui;max-width:36rem;margin:15vh auto;padding:0 1rem}code{color:#ffd43b}</style>
<h1>The pages are not built</h1>
<p>The server runs, but this binary was built without the browser pages.
<p>In the folder of the source, with Node 20 or later, run <code>make run</code>, or <code>make build</code> and start
<code>bin/fogkeep serve</code> again.
`

// site serves the built pages; root is the page at /.
func site(root string, policy contentPolicy) http.Handler {
	pages, built := web.Site()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy.header(r))
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		if !built {
			h.Set("Content-Type", "text/html; charset=utf-8")
			h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
			h.Set("Cache-Control", "no-store")
			if r.URL.Path != "/" {
				w.WriteHeader(http.StatusNotFound)
			}
			fmt.Fprint(w, unbuilt)
			return
		}
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = root
		}
		// A page belongs to one listener: the admins' is not the players'.
		if strings.HasSuffix(name, ".html") && name != root {
			http.NotFound(w, r)
			return
		}
		data, err := fs.ReadFile(pages, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(name, "assets/") { // named by content
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(data))
	})
}

// serveMap serves a map's public form by its hash, which never changes.
func serveMap(maps *shelf) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		hash, err := grid.ParseMapHash(r.PathValue("hash"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		public, ok := maps.bytes(hash)
		if !ok {
			http.Error(w, "no map of that hash", http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(public))
	}
}
