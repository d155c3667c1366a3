package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guard: CrossOriginProtection. A page of another site can neither post a form
// nor ask or read anything. A link there, and the way back from an identity
// provider, are a browser's requests without an Origin: they are served.
func TestCrossSite(t *testing.T) {
	origins, err := listen.ParseOrigins([]string{"https://play.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	w := newHarness(t, Config{Origins: origins})
	victim := w.guest("Ada")
	for _, h := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}}, // another port or subdomain
		{"Origin": {"https://evil.example"}},
		{"Origin": {"null"}},
		{"Origin": {strings.Replace(w.player, "http:", "https:", 1) + "9"}},
	} {
		for _, path := range []string{"/api/play/bot", "/api/logout", "/api/login", "/api/me/delete"} {
			victim.header = h
			victim.refused("POST", path, map[string]any{}, model.CrossOrigin)
		}
		admin := w.adminBrowser()
		admin.header = h
		if h.Get("Origin") != "" {
			for _, path := range []string{"/api/me", "/api/maps", "/api/openapi.json", "/api/nothing"} {
				for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
					if r := victim.do(method, path, nil); r.status != 403 || method != "HEAD" && r.code() != string(model.CrossOrigin) || r.header.Get("Cache-Control") != "no-store" {
						t.Errorf("%s %s with %v: %d %s", method, path, h, r.status, r.raw)
					}
				}
			}
			admin.refused("GET", "/admin/api/me", nil, model.CrossOrigin)
		} else {
			victim.must("GET", "/api/me", nil, 200)
		}
		admin.refused("POST", "/admin/api/login", map[string]any{"name": "admin", "password": "x"}, model.CrossOrigin)
	}
	victim.header = http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://play.example.org"}}
	victim.must("POST", "/api/play/bot", nil, 200) // the operator's own
	victim.header.Set("Access-Control-Request-Method", "POST")
	if r := victim.do("OPTIONS", "/api/play/bot", nil); r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "https://play.example.org" {
		t.Errorf("a listed origin that asks first: %d %v", r.status, r.header)
	}
	victim.header.Set("Origin", "https://evil.example")
	victim.refused("OPTIONS", "/api/play/bot", nil, model.CrossOrigin)
	victim.header = http.Header{"Origin": {w.player}}
	victim.must("GET", "/api/me", nil, 200) // its own
	victim.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	victim.must("GET", "/api/me", nil, 200)
	if r := victim.do("GET", "/api/me", nil); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("answers are open to other origins")
	}
}

// Guard: the quota of requests. One network's flood is cut short; others are served.
func TestRequestFlood(t *testing.T) {
	limits, err := quota.Defaults().Set([]string{"requests.address=20", "requests.reserve=0", "refusals.address=120"})
	if err != nil {
		t.Fatal(err)
	}
	w := newHarness(t, Config{Ledger: quota.New(limits), Proxies: loopback})
	flood, other := w.browser(), w.browser()
	flood.header.Set("X-Forwarded-For", "198.51.100.1")
	other.header.Set("X-Forwarded-For", "192.0.2.1")
	served := 0
	var last reply
	for range 50 {
		if last = flood.do("GET", "/api/maps", nil); last.status == 200 {
			served++
		}
	}
	if served > 20 || served < 10 || last.code() != string(model.Throttled) || last.header.Get("Retry-After") == "" {
		t.Errorf("%d of 50 were served; the last: %d %s, Retry-After %q", served, last.status, last.raw, last.header.Get("Retry-After"))
	}
	other.must("GET", "/api/maps", nil, 200)
}

// Guard: only JSON is read. Forms can send the other types without asking.
func TestContentTypes(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.guest("Ada")
	for _, ct := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "application/cbor", "nonsense"} {
		b.header.Set("Content-Type", ct)
		r := b.do("POST", "/api/lobbies", strings.NewReader(`{"name":"r","map":"ring"}`))
		if r.status != 415 || r.code() != string(model.WrongMediaType) {
			t.Errorf("%s: %d %s", ct, r.status, r.raw)
		}
	}
	if r := b.must("GET", "/api/lobbies", nil, 200); len(r.at("lobbies").([]any)) != 0 {
		t.Error("a lobby was made")
	}
	b.header.Del("Content-Type")
	for _, body := range []string{`{`, `[]`, `"x"`, `null`, `{"name":1,"map":2}`, `{"name":"r","map":"ring","admin":true}`, strings.Repeat("[", 20_000)} {
		if r := b.do("POST", "/api/lobbies", strings.NewReader(body)); r.status != 400 && r.status != 422 {
			t.Errorf("%.20q: %d %.100s", body, r.status, r.raw)
		}
	}
}

// Guard: a refused body is not repeated: it may hold a password.
func TestNoEcho(t *testing.T) {
	w := newHarness(t, Config{})
	for _, body := range []string{`{"name":"Ada","password":"swordfish42"`, `{"name":["Ada"],"password":"swordfish42"}`, `{"password":"swordfish42"}`} {
		if r := w.browser().do("POST", "/api/login", strings.NewReader(body)); strings.Contains(r.raw, "swordfish42") {
			t.Errorf("repeated: %s", r.raw)
		}
	}
}

// Guard: BodyMax, with and without a length.
func TestLargeBodies(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.guest("Ada")
	body := []byte(`{"name":"` + strings.Repeat("x", 10<<20) + `","map":"ring"}`)
	for name, reader := range map[string]io.Reader{"with length": bytes.NewReader(body), "chunked": struct{ io.Reader }{bytes.NewReader(body)}} {
		req, _ := http.NewRequest("POST", w.player+"/api/lobbies", reader)
		req.Header.Set("Content-Type", "application/json")
		before := time.Now()
		res, err := b.client.Do(req)
		if err != nil { // the server may hang up before all is sent
			var op *net.OpError
			if !errors.As(err, &op) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		res.Body.Close()
		if res.StatusCode != 413 || time.Since(before) > 60*time.Second {
			t.Errorf("%s: %d after %v", name, res.StatusCode, time.Since(before))
		}
	}
	// Just over the limit, so that the answer surely arrives.
	r := b.do("POST", "/api/lobbies", struct{ io.Reader }{strings.NewReader(`{"name":"` + strings.Repeat("x", BodyMax) + `"}`)})
	if r.status != 413 || r.code() != string(model.TooLarge) {
		t.Errorf("just over: %d %s", r.status, r.raw)
	}
}

// Guard: the guard's own two looks at a body, which hold for handlers that are not
// huma's too: by its announced length, before the first read, and by its real one.
func TestGuardBoundsBodies(t *testing.T) {
	w := newHarness(t, Config{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.player, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /api/logout HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n")
	_ = conn.SetReadDeadline(time.Now().Add(60 * time.Second))
	answer := make([]byte, 12)
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 413" {
		t.Errorf("10 MB announced: %q, %v", answer, err)
	}

	read := make(chan error, 1)
	h := Config{}.guard(model.PlayerRealm, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	}))
	r := httptest.NewRequest("POST", "/", struct{ io.Reader }{strings.NewReader(strings.Repeat("x", 10<<20))})
	r.ContentLength = -1
	h.ServeHTTP(httptest.NewRecorder(), r)
	if err := <-read; !errors.As(err, new(*http.MaxBytesError)) {
		t.Errorf("10 MB in chunks: %v", err)
	}
}

// Guard: parameters, never text, in SQL; checks before it.
func TestSQLInEveryField(t *testing.T) {
	w := newHarness(t, Config{})
	chief := w.adminLoggedIn()
	ada := w.guest("Ada")
	room := ada.must("POST", "/api/lobbies", map[string]any{"name": "room", "map": "ring"}, 200)
	id := room.at("id").(string)
	for _, x := range []string{`'; DROP TABLE accounts; --`, `" OR ""="`, `' OR '1'='1`, `%' OR 1=1 --`, `\'; DELETE FROM audit; --`, "a\x00b", `$1`, `?1`, "😀'"} {
		type attack struct {
			b            *browser
			method, path string
			body         map[string]any
		}
		q := strings.NewReplacer("%", "%25", " ", "%20", "'", "%27", `"`, "%22", ";", "%3B", "?", "%3F", `\`, "%5C", "#", "%23", "\x00", "%00", "$", "%24", "=", "%3D").Replace(x)
		for _, a := range []attack{
			{w.browser(), "POST", "/api/guest", map[string]any{"name": x}},
			{w.browser(), "POST", "/api/register", map[string]any{"name": x, "password": "difference engine"}},
			{w.browser(), "POST", "/api/register", map[string]any{"name": "Zed", "email": x, "password": "difference engine"}},
			{w.browser(), "POST", "/api/login", map[string]any{"name": x, "password": x}},
			{w.browser(), "POST", "/api/reset", map[string]any{"token": x, "password": x + "long enough"}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": x, "map": "ring"}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": x}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "options": map[string]any{"mode": x}}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "options": map[string]any{x: 1}}},
			{ada, "POST", "/api/lobbies/" + id + "/join", map[string]any{"password": x}},
			{ada, "POST", "/api/lobbies/" + id + "/chat", map[string]any{"text": x}},
			{ada, "GET", "/api/lobbies?q=" + q, nil},
			{ada, "GET", "/api/lobbies/" + q, nil},
			{ada, "POST", "/api/lobbies/" + q + "/join", nil},
			{ada, "GET", "/api/lobbies/" + q + "/events", nil},
			{chief, "GET", "/admin/api/accounts?q=" + q + "&after=" + q, nil},
			{chief, "GET", "/admin/api/accounts/" + q, nil},
			{chief, "POST", "/admin/api/bans", map[string]any{"account": x, "reason": x}},
			{chief, "POST", "/admin/api/bans", map[string]any{"range": x, "reason": x}},
			{chief, "POST", "/admin/api/house/announce", map[string]any{"text": x}},
			{chief, "PATCH", "/admin/api/admins/" + q, map[string]any{"fog": true}},
			{chief, "POST", "/admin/api/admins", map[string]any{"name": x, "role": "viewer"}},
		} {
			if r := a.b.do(a.method, a.path, a.body); r.status >= 500 {
				t.Errorf("%s %s %v: %d %s", a.method, a.path, a.body, r.status, r.raw)
			}
		}
		if r := ada.must("GET", "/api/lobbies?q=zzz"+q, nil, 200); len(r.at("lobbies").([]any)) != 0 {
			t.Errorf("q=%q widened the search: %s", x, r.raw)
		}
	}
	chief.must("GET", "/admin/api/audit", nil, 200)
	if r := chief.must("GET", "/admin/api/accounts?q=ada", nil, 200); len(r.at("accounts").([]any)) == 0 {
		t.Error("the accounts are gone")
	}
}

// Guard: an email goes to its owner alone, and a hash to no client.
func TestNothingSecretIsTold(t *testing.T) {
	w := newHarness(t, Config{})
	chief := w.adminLoggedIn()
	ada := w.browser()
	ada.must("POST", "/api/register", map[string]any{"name": "Ada", "email": "ada@example.org", "password": "difference engine"}, 200)
	id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide and time"}, 200).at("id").(string)
	account := ada.must("GET", "/api/me", nil, 200).at("account", "id").(string)
	var texts []string
	for _, path := range []string{"/api/lobbies", "/api/lobbies/" + id, "/api/accounts/" + account} {
		r := w.browser().must("GET", path, nil, 200)
		if strings.Contains(r.raw, "ada@example.org") {
			t.Errorf("%s tells the email", path)
		}
		texts = append(texts, r.raw)
	}
	for _, path := range []string{"/admin/api/accounts", "/admin/api/accounts/" + account, "/admin/api/lobbies", "/admin/api/admins", "/admin/api/audit"} {
		texts = append(texts, chief.must("GET", path, nil, 200).raw)
	}
	if i := slices.IndexFunc(texts, func(s string) bool { return strings.Contains(s, "argon2") || strings.Contains(s, "tide and time") }); i >= 0 {
		t.Errorf("a hash or password is told: %s", texts[i])
	}
}
