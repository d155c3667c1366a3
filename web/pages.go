package web

import (
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
)

// Policy is the content security policy of the pages: a page runs its own
// scripts and talks to its own service alone.
type Policy struct {
	Frames []string // origins whose pages may show a page in a frame
	// Nodes returns the addresses of the service's servers, such as
	// https://n2.example.org: a page may open sockets there, since its match may move.
	// A page has the policy that it was loaded with, so servers that are down for a
	// while belong to them too. nil: none. Called for each request; it must not wait.
	Nodes func() []string
}

// nodesMax bounds how many servers a policy names, and so its length.
const nodesMax = 64

// header returns the policy for a page of a host.
func (p Policy) header(r *http.Request) string {
	connect := "'self'"
	if plainHost.MatchString(r.Host) { // not every browser takes 'self' for sockets too
		connect += " ws://" + r.Host + " wss://" + r.Host
	}
	if p.Nodes != nil {
		nodes := p.Nodes()
		for _, node := range nodes[:min(nodesMax, len(nodes))] {
			if u, err := url.Parse(node); err == nil && socketSchemes[u.Scheme] != "" && u.Host != r.Host && plainHost.MatchString(u.Host) {
				connect += " " + socketSchemes[u.Scheme] + "://" + u.Host
			}
		}
	}
	frames := "'none'"
	if len(p.Frames) > 0 {
		frames = strings.Join(p.Frames, " ")
	}
	return "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src " + connect +
		"; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors " + frames
}

// socketSchemes maps the scheme of a server's address to the scheme of its sockets.
var socketSchemes = map[string]string{"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}

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

// Handler serves the built pages; root is the page at /.
func Handler(root string, policy Policy) http.Handler {
	pages, built := Site()
	return sitePages(pages, built, root, policy)
}

// encodings are the compressed forms that the build of the pages puts beside a
// file, the smallest first, with the ends of their names.
var encodings = []struct{ name, suffix string }{{"br", ".br"}, {"gzip", ".gz"}}

// sitePages serves pages that are files of a build: the same for everyone and
// known to everyone, so that compressing them gives no secret away. Nothing that
// is made for a request is compressed.
func sitePages(pages fs.FS, built bool, root string, policy Policy) http.Handler {
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
			h.Set("Content-Security-Policy", "default-src 'none'; style-src "+listen.InlineSources(unbuilt, "style")+"; frame-ancestors 'none'")
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
		for _, e := range encodings { // forms of a file are no files of their own
			if strings.HasSuffix(name, e.suffix) {
				http.NotFound(w, r)
				return
			}
		}
		data, _, ok := openPage(pages, name)
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(name, "assets/") { // named by content
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			// A policy is one of documents. With each script and style it would be
			// a tenth of what a first visit loads besides three.js.
			if ext := path.Ext(name); ext == ".js" || ext == ".css" {
				h.Del("Content-Security-Policy")
			}
		} else {
			h.Set("Cache-Control", "no-cache")
		}
		if compressed(w, r, pages, name) {
			return
		}
		http.ServeContent(w, r, path.Base(name), time.Time{}, data)
	})
}

// openPage opens a file of the build. It copies no bytes: a client that asks for a large
// file and does not read it holds no memory of its size. The files of a build
// are in memory and need no closing.
func openPage(pages fs.FS, name string) (data io.ReadSeeker, size int64, ok bool) {
	f, err := pages.Open(name)
	if err != nil {
		return nil, 0, false
	}
	info, err := f.Stat()
	data, seeks := f.(io.ReadSeeker)
	if err != nil || info.IsDir() || !seeks {
		return nil, 0, false
	}
	return data, info.Size(), true
}

// compressed serves a file's compressed form, if there is one and the client takes it, and reports whether it did.
func compressed(w http.ResponseWriter, r *http.Request, pages fs.FS, name string) bool {
	h, done := w.Header(), false
	for _, e := range encodings {
		data, size, ok := openPage(pages, name+e.suffix)
		if !ok {
			continue
		}
		h.Set("Vary", "Accept-Encoding") // also on the answer that is not compressed
		// A part of a file is asked for in its plain form's bytes.
		if done || r.Header.Get("Range") != "" || !Accepts(r.Header, e.name) {
			continue
		}
		done = true
		h.Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		h.Set("Content-Encoding", e.name)
		h.Set("Content-Length", strconv.FormatInt(size, 10))
		if r.Method != http.MethodHead {
			_, _ = io.Copy(w, data) // a client that has gone is its own affair
		}
	}
	return done
}

// Accepts reports whether the Accept-Encoding headers of a request name an
// encoding, and not with the weight 0 (RFC 9110, 12.5.3). A "*" names none.
func Accepts(h http.Header, encoding string) bool {
	for part := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, rest, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(name), encoding) {
			continue
		}
		q, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(rest)), "q=")
		if !weighted {
			return true
		}
		weight, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
		return err == nil && weight > 0
	}
	return false
}
