package api

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// harness is a server with both listeners over a fresh SQLite store.
type harness struct {
	t                      *testing.T
	server                 *storetest.Harness
	player, admin, service string       // base URLs
	checked                atomic.Int64 // answers held against the documents
	hashes                 atomic.Int64
	queries                atomic.Int64
}

func newHarness(t *testing.T, c Config, change ...func(*lobby.Config)) *harness {
	t.Helper()
	w := &harness{t: t}
	store, err := sqlite.Open(context.Background(), sqlitetest.Dir(t), sqlite.Options{Hook: func(string) error { w.queries.Add(1); return nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	change = append(change, func(c *lobby.Config) { c.Hashing.Hook = func(string) { w.hashes.Add(1) } })
	w.server = storetest.NewHarness(store, change...)
	w.player = w.listen(New(w.server.Service, c), c, false)
	w.admin = w.listen(NewAdmin(w.server.Service, c), c, true)
	w.service = w.listen(NewService(w.server.Service, c), c, true)
	return w
}

// documents are the players', the admins' and the servers' OpenAPI documents: the
// same for every service.
var documents = sync.OnceValues(func() (docs []*openapi3.T, err error) {
	_, players := newPlayer(&lobby.Service{}, Config{})
	_, admins := newAdmin(&lobby.Service{}, Config{})
	_, services := newService(&lobby.Service{}, Config{})
	for _, a := range []huma.API{players, admins, services} {
		raw, err := json.Marshal(a.OpenAPI())
		if err != nil {
			return nil, err
		}
		doc, err := openapi3.NewLoader().LoadFromData(raw)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
})

// described holds an answer against the OpenAPI documents: its status is
// foreseen, and its body fits the schema.
func (w *harness) described(method, path string, r reply) {
	w.t.Helper()
	path, _, _ = strings.Cut(path, "?")
	docs, err := documents()
	if err != nil {
		w.t.Fatal(err)
	}
	for _, doc := range docs {
		for pattern, item := range doc.Paths.Map() {
			o := item.GetOperation(method)
			if o == nil || !fits(pattern, path) || strings.Contains(pattern, "{") && doc.Paths.Find(path) != nil {
				continue
			}
			answer := o.Responses.Status(r.status)
			if answer == nil {
				answer = o.Responses.Default()
			}
			if answer == nil {
				w.t.Errorf("%s %s: the document does not foresee %d", method, pattern, r.status)
				return
			}
			media := answer.Value.Content.Get(strings.Split(r.header.Get("Content-Type"), ";")[0])
			if r.raw == "" {
				return
			}
			if media == nil {
				w.t.Errorf("%s %s: %d comes as %s, which the document does not foresee", method, pattern, r.status, r.header.Get("Content-Type"))
				return
			}
			if err := media.Schema.Value.VisitJSON(r.body, openapi3.MultiErrors()); err != nil {
				w.t.Errorf("%s %s: %d does not fit the document: %v", method, pattern, r.status, err)
			}
			w.checked.Add(1)
			return
		}
	}
}

// fits reports whether a path is one of a pattern with {parameters}.
func fits(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i := range want {
		if want[i] != got[i] && !strings.HasPrefix(want[i], "{") {
			return false
		}
	}
	return true
}

// listen serves a handler the way cmd does.
func (w *harness) listen(h http.Handler, c Config, admin bool) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	s := listen.NewHTTPServer(listen.Handler(h, listen.Config{Ledger: c.Ledger, Proxies: c.Proxies, Admin: admin, Refuse: WriteProblem, Logger: slog.New(slog.DiscardHandler)}))
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	w.t.Cleanup(func() { s.Close(); <-done })
	return "http://" + l.Addr().String()
}

// browser keeps cookies; a bearer client has a token.
type browser struct {
	h      *harness
	base   string
	client *http.Client
	token  string
	header http.Header // sent with every request
}

func (w *harness) browser() *browser {
	jar, _ := cookiejar.New(nil)
	return &browser{h: w, base: w.player, client: &http.Client{Jar: jar}, header: http.Header{}}
}

func (w *harness) adminBrowser() *browser {
	b := w.browser()
	b.base = w.admin
	return b
}

// serviceBrowser is a studio's server with a key.
func (w *harness) serviceBrowser(key string) *browser {
	b := w.browser()
	b.base, b.token = w.service, key
	return b
}

// guest is a browser logged in as a guest.
func (w *harness) guest(name string) *browser {
	w.t.Helper()
	b := w.browser()
	b.must("POST", "/api/guest", map[string]any{"name": name}, 200)
	return b
}

// adminLoggedIn is a browser logged in as the first admin.
func (w *harness) adminLoggedIn() *browser {
	w.t.Helper()
	password, err := w.server.Admin.FirstAdmin(context.Background())
	if err != nil || password == "" {
		w.t.Fatalf("first admin: %q, %v", password, err)
	}
	b := w.adminBrowser()
	b.must("POST", "/admin/api/login", map[string]any{"name": "admin", "password": password}, 200)
	return b
}

type reply struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (r reply) code() string { s, _ := r.body["code"].(string); return s }

func (r reply) at(path ...string) any {
	var v any = r.body
	for _, p := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[p]
	}
	return v
}

func (b *browser) do(method, path string, body any) reply {
	b.h.t.Helper()
	var reader io.Reader
	contentType := "application/json"
	switch body := body.(type) {
	case nil:
	case io.Reader:
		reader = body
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			b.h.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, b.base+path, reader)
	if err != nil {
		b.h.t.Fatal(err)
	}
	if reader != nil {
		req.Header.Set("Content-Type", contentType)
	}
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	for k, v := range b.header {
		req.Header[k] = v
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.h.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		b.h.t.Fatal(err)
	}
	out := reply{status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &out.body) // empty bodies have no map
	prefix := map[string]string{b.h.player: "/api/", b.h.admin: "/admin/api/", b.h.service: "/service/api/"}[b.base]
	if prefix != "" && strings.HasPrefix(path, prefix) {
		b.h.described(method, path, out)
	}
	return out
}

func (b *browser) must(method, path string, body any, status int) reply {
	b.h.t.Helper()
	r := b.do(method, path, body)
	if r.status != status {
		b.h.t.Fatalf("%s %s: %d %s, want %d", method, path, r.status, r.raw, status)
	}
	return r
}

// refused checks status and code of a refusal.
func (b *browser) refused(method, path string, body any, code model.Code) reply {
	b.h.t.Helper()
	r := b.do(method, path, body)
	if r.code() != string(code) || r.status < 400 {
		b.h.t.Fatalf("%s %s: %d %s, want %s", method, path, r.status, r.raw, code)
	}
	if ct := r.header.Get("Content-Type"); ct != "application/problem+json" {
		b.h.t.Fatalf("%s %s: content type %q", method, path, ct)
	}
	return r
}

// sse reads a stream of events.
type sse struct {
	t      *testing.T
	res    *http.Response
	lines  *bufio.Scanner
	cancel context.CancelFunc
}

func (b *browser) events(lobbyID, lastID string) *sse {
	b.h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	req, _ := http.NewRequestWithContext(ctx, "GET", b.base+"/api/lobbies/"+lobbyID+"/events", nil)
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := b.client.Do(req)
	if err != nil || res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		b.h.t.Fatalf("events: %v %v", err, res)
	}
	s := &sse{b.h.t, res, bufio.NewScanner(res.Body), cancel}
	b.h.t.Cleanup(s.close)
	return s
}

func (s *sse) close() { s.cancel(); s.res.Body.Close() }

// next returns the next event; "" for the end of the stream.
func (s *sse) next() (event, id string, data map[string]any) {
	for s.lines.Scan() {
		line := s.lines.Text()
		switch {
		case strings.HasPrefix(line, "id: "):
			id = line[4:]
		case strings.HasPrefix(line, "event: "):
			event = line[7:]
		case strings.HasPrefix(line, "data: "):
			if err := json.Unmarshal([]byte(line[6:]), &data); err != nil {
				s.t.Fatalf("event %s: %v", event, err)
			}
		case line == "" && event != "":
			return event, id, data
		}
	}
	return "", "", nil
}
