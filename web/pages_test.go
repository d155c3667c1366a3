package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Guard: sitePages. Files that the build compressed are sent so to clients that accept it,
// and no others are; a file that is not named by its content is never cached for good.
func TestPagesAreSentCompressed(t *testing.T) {
	pages := fstest.MapFS{
		"index.html":         {Data: []byte("<!doctype html>plain")},
		"admin.html":         {Data: []byte("<!doctype html>admin")},
		"assets/a-123.js":    {Data: []byte("plain script")},
		"assets/a-123.js.br": {Data: []byte("brotli")},
		"assets/a-123.js.gz": {Data: []byte("gzip")},
		"assets/b-456.css":   {Data: []byte("plain style")},
	}
	h := sitePages(pages, true, "index.html", Policy{})
	get := func(method, path string, header ...string) *http.Response {
		t.Helper()
		r := httptest.NewRequest(method, path, nil)
		for i := 0; i < len(header); i += 2 {
			r.Header.Add(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	const ae = "Accept-Encoding"
	for _, c := range []struct {
		path, accept   string
		body, encoding string
	}{
		{"/assets/a-123.js", "gzip, deflate, br, zstd", "brotli", "br"},
		{"/assets/a-123.js", "gzip, deflate", "gzip", "gzip"},
		{"/assets/a-123.js", "br;q=0, GZIP ; q=0.5", "gzip", "gzip"},
		{"/assets/a-123.js", "br;q=nonsense", "plain script", ""},
		{"/assets/a-123.js", "*", "plain script", ""},
		{"/assets/a-123.js", "brotli, x-gzip", "plain script", ""},
		{"/assets/a-123.js", "", "plain script", ""},
		{"/assets/b-456.css", "br, gzip", "plain style", ""},
		{"/", "br, gzip", "<!doctype html>plain", ""},
	} {
		res := get("GET", c.path, ae, c.accept)
		body, _ := io.ReadAll(res.Body)
		if string(body) != c.body || res.Header.Get("Content-Encoding") != c.encoding || res.StatusCode != 200 {
			t.Errorf("%s for %q: %d %q %q", c.path, c.accept, res.StatusCode, res.Header.Get("Content-Encoding"), body)
		}
		if policy := res.Header.Get("Content-Security-Policy"); (policy != "") != (c.path == "/") {
			t.Errorf("%s has the policy %q", c.path, policy)
		}
		if vary := res.Header.Get("Vary"); (vary == ae) != (c.path == "/assets/a-123.js") {
			t.Errorf("%s for %q varies by %q", c.path, c.accept, vary)
		}
		if strings.HasSuffix(c.path, ".js") && !strings.HasPrefix(res.Header.Get("Content-Type"), "text/javascript") {
			t.Errorf("%s for %q is %s", c.path, c.accept, res.Header.Get("Content-Type"))
		}
		immutable := strings.Contains(res.Header.Get("Cache-Control"), "immutable")
		if immutable != strings.HasPrefix(c.path, "/assets/") {
			t.Errorf("%s is cached as %q", c.path, res.Header.Get("Cache-Control"))
		}
	}
	if res := get("HEAD", "/assets/a-123.js", ae, "br"); res.Header.Get("Content-Length") != "6" || res.Header.Get("Content-Encoding") != "br" {
		t.Errorf("HEAD is told %v", res.Header)
	}
	res := get("GET", "/assets/a-123.js", ae, "br", "Range", "bytes=0-4")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 206 || string(body) != "plain" {
		t.Errorf("a part is %d %q", res.StatusCode, body)
	}
	for _, path := range []string{"/assets/a-123.js.br", "/assets/a-123.js.gz", "/admin.html", "/assets/none.js"} {
		if res := get("GET", path, ae, "br"); res.StatusCode != 404 {
			t.Errorf("%s is %d", path, res.StatusCode)
		}
	}
}

const compressFrom = 1024 // bytes, as web/vite.config.ts has it

// The files of this binary, if it was built with pages: each script and style from
// that size on has its compressed forms, and they are the same and smaller.
func TestBuiltPagesHaveCompressedForms(t *testing.T) {
	pages, built := Site()
	if !built {
		return // a binary without pages is a binary; the suite builds them
	}
	names, err := fs.Glob(pages, "assets/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if ext := path.Ext(name); ext != ".js" && ext != ".css" {
			continue
		}
		plain, err := fs.ReadFile(pages, name)
		if err != nil {
			t.Fatal(err)
		}
		zipped, err := fs.ReadFile(pages, name+".gz")
		if len(plain) < compressFrom {
			if err == nil {
				t.Errorf("%s: %d bytes, and has a compressed form", name, len(plain))
			}
			continue
		}
		if err != nil {
			t.Fatalf("the pages lack compressed forms; build them anew with make web: %v", err)
		}
		r, err := gzip.NewReader(bytes.NewReader(zipped))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s.gz is something else (%v)", name, err)
		}
		brotli, err := fs.ReadFile(pages, name+".br")
		if err != nil || len(brotli) >= len(zipped) || len(zipped) >= len(plain) {
			t.Errorf("%s: %d bytes, gzip %d, brotli %d (%v)", name, len(plain), len(zipped), len(brotli), err)
		}
	}
}

// Guard: Policy.header. A page may open sockets at the service's other servers, and
// nowhere else: what is no address of a server is left out.
func TestPagesMayReachTheNodes(t *testing.T) {
	policy := Policy{Nodes: func() []string {
		return []string{
			"https://n2.example.org", "http://127.0.0.1:8083/path", "wss://n4.example.org/ws", "http://127.0.0.1:8081",
			"", ":", "n5.example.org", "javascript:x", "https://n6.example.org; script-src *", "https://*", "file://n7/",
		}
	}}
	r := httptest.NewRequest("GET", "http://127.0.0.1:8081/", nil)
	got := policy.header(r)
	const want = "; connect-src 'self' ws://127.0.0.1:8081 wss://127.0.0.1:8081 wss://n2.example.org ws://127.0.0.1:8083 wss://n4.example.org; worker-src"
	if !strings.Contains(got, want) || strings.Count(got, "script-src") != 1 {
		t.Errorf("the policy is %s", got)
	}
	many := Policy{Nodes: func() []string { return slices.Repeat([]string{"https://n2.example.org"}, 1000) }}
	if got := many.header(r); strings.Count(got, "wss://n2.example.org") != nodesMax {
		t.Errorf("the policy names %d nodes", strings.Count(got, "wss://n2.example.org"))
	}
}
