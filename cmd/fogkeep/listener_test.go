package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/fogkeep/fogkeep/internal/eventually"
)

// Pages of the public URL and of allowed origins open sockets, call the API and
// read event streams, even behind a proxy that rewrites the host. Others do not.
func TestOriginsHoldOnEveryPath(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error", "--public-url", "https://play.example.org/fog", "--allowed-origins", "https://game.example.org")
	play := s.url(t, "listening on")
	player := guest(t, play, "")
	id := player.playBot("").ID
	for origin, want := range map[string]bool{
		"":                         true,
		play:                       true,
		"https://play.example.org": true,
		"https://game.example.org": true,
		"https://evil.example.org": false,
		"null":                     false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		conn, res, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(play, "http")+"/ws", header)
		if err == nil {
			conn.Close()
		}
		if (err == nil) != want || err != nil && res.StatusCode != http.StatusForbidden {
			t.Errorf("a socket from %q: %v", origin, err)
		}
		for _, asked := range []string{"POST /api/nothing", "GET /api/maps", "GET /maps/" + strings.Repeat("0", 64), "GET /api/lobbies/" + id + "/events"} {
			method, path, _ := strings.Cut(asked, " ")
			req, err := http.NewRequest(method, play+path, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header = header.Clone()
			req.Header.Set("Authorization", "Bearer "+player.Token)
			req.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if (res.StatusCode != http.StatusForbidden) != want {
				t.Errorf("%s %s from %q: %d", method, path, origin, res.StatusCode)
			}
			if shared := res.Header.Get("Access-Control-Allow-Origin") != ""; shared != (want && strings.HasPrefix(origin, "https")) {
				t.Errorf("%s %s from %q: readable there: %v", method, path, origin, shared)
			}
		}
	}
}

// Every answer carries the headers that keep browsers from mistakes, and pages
// may talk to their own server alone.
func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error", "--frame-ancestors", "https://portal.example.org")
	play := s.url(t, "play")
	_, _, h := get(t, play+"/")
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"connect-src 'self' ws://" + strings.TrimPrefix(play, "http://") + " wss://", "style-src 'self';", "frame-ancestors https://portal.example.org", "script-src 'self';"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %q: %s", want, policy)
		}
	}
	if strings.Contains(policy, "ws: ") || strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is wide: %s", policy)
	}
	for _, path := range []string{"/api/docs", "/api/reset"} {
		_, _, h := get(t, play+path)
		if p := h.Get("Content-Security-Policy"); strings.Contains(p, "unsafe") || !strings.Contains(p, "script-src 'sha256-") {
			t.Errorf("%s: the policy is %s", path, p)
		}
	}
	for _, path := range []string{"/", "/api/maps", "/readyz", "/nothing"} {
		_, _, h := get(t, play+path)
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Strict-Transport-Security") != "" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if _, _, h := get(t, s.url(t, "admin")+"/"); !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		t.Errorf("the admin page may be framed: %v", h)
	}
	behind := start(t, t.TempDir(), "--log-level=error", "--trusted-proxies=127.0.0.0/8")
	req, err := http.NewRequest("GET", behind.url(t, "play")+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-Proto", "https")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); !strings.Contains(res.Header.Get("Strict-Transport-Security"), "max-age=") {
		t.Errorf("behind TLS: %v", res.Header)
	}
}

// A page whose name resolves to the server's address reads nothing of the listeners for
// operators. Players may come under any name.
func TestOperatorsListenersKnowTheirNames(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir(), "--log-level=error", "--service-addr=127.0.0.1:0", "--public-url=https://play.example.org/fog", "--allowed-hosts=admin.example.org")
	for _, at := range []struct{ listener, path string }{
		{"admin", "/"}, {"admin", "/admin/api/me"}, {"admin", "/readyz"}, {"metrics", ""}, {"service", "/service/api/matches"}, {"listening on", "/api/maps"},
	} {
		for host, want := range map[string]bool{"": true, "localhost": true, "play.example.org": true, "admin.example.org:80": true, "evil.example": at.listener == "listening on"} {
			req, err := http.NewRequest("GET", s.url(t, at.listener)+at.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if host != "" {
				req.Host = host
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if res.Body.Close(); (res.StatusCode != http.StatusMisdirectedRequest) != want {
				t.Errorf("%s%s under %q: %d", at.listener, at.path, host, res.StatusCode)
			}
		}
	}
}

// A draining server says that it takes nobody, and lives.
func TestDrainingIsNotHealthy(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir, "--log-level=error")
	for _, c := range []struct {
		word string
		code int
	}{{"on", 503}, {"off", 200}} {
		if code := run(t.Context(), []string{"admin", "drain", c.word, "--data-dir", dir}, &output{}, &output{}); code != 0 {
			t.Fatalf("drain %s: exit code %d", c.word, code)
		}
		var code int
		var body string
		eventually.Holds(t, fmt.Sprintf("drain is %s: /readyz answers %d", c.word, c.code), func() bool {
			code, body, _ = get(t, s.url(t, "play")+"/readyz")
			return code == c.code && (code == 200 || strings.Contains(body, "draining"))
		}, &code, &body)
		if code, _, _ := get(t, s.url(t, "play")+"/livez"); code != 200 {
			t.Errorf("drain is %s: livez %d", c.word, code)
		}
	}
}
