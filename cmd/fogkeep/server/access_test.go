package server

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/telemetry"
)

// TestAccessLog: each request has a line with its id, its session and its match, and without the secrets of its address;
// profiles are served where they were asked for.
func TestAccessLog(t *testing.T) {
	t.Parallel()
	out := &logged{}
	s, cfg := running(t, func(c *Config) {
		c.Pprof = true
		c.Hooks.Logger, _ = telemetry.NewLogger(out, "debug") // all requests
	})
	at := s.Addresses()
	answer := func(url, bearer string, want int) (id string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+bearer)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if body, _ := io.ReadAll(r.Body); r.StatusCode != want {
			t.Fatalf("%s: %s: %.300s", url, r.Status, body)
		}
		return r.Header.Get(listen.RequestHeader)
	}
	guest := guestOf(t, s, "Ada")
	const match = "01a20494-14eb-7000-8000-000000000000"
	first := answer(at.Players+"/api/me", guest.Token, 200)
	second := answer(at.Players+"/api/replays/"+match+"?key=SECRET", guest.Token, 422)
	lines := map[string]map[string]any{}
	text := func() string {
		out.mu.Lock()
		defer out.mu.Unlock()
		return out.text.String()
	}
	eventually.Holds(t, "both lines", func() bool {
		for line := range strings.Lines(text()) {
			var fields map[string]any
			if json.Unmarshal([]byte(line), &fields) == nil && fields["msg"] == "request" {
				lines[fields["id"].(string)] = fields
			}
		}
		return lines[first] != nil && lines[second] != nil
	})
	for id, want := range map[string]map[string]any{
		first:  {"listener": "players", "method": "GET", "route": "/api/me", "code": 200.0, "account": string(guest.ID), "match": nil},
		second: {"route": "/api/replays/{match}", "code": 422.0, "account": string(guest.ID), "match": match},
	} {
		for name, value := range want {
			if lines[id][name] != value {
				t.Errorf("%s is %v, want %v: %v", name, lines[id][name], value, lines[id])
			}
		}
	}
	if bytes, _ := lines[first]["bytes"].(float64); bytes < 20 || lines[first]["tookMs"] == nil {
		t.Errorf("no size or time: %v", lines[first])
	}
	if strings.Contains(text(), "SECRET") || strings.Contains(text(), guest.Token) {
		t.Error("the log has a secret")
	}

	answer(at.Metrics+"/debug/pprof/heap", "", 200)
	answer(at.Metrics+"/debug/pprof/trace?seconds=61", "", 400)
	answer(at.Metrics+"/debug/pprof/cmdline", "", 404)
	cfg.MetricsAddr = "0.0.0.0:0"
	if w := strings.Join(cfg.Warnings(), "\n"); !strings.Contains(w, "--pprof with --metrics-addr 0.0.0.0:0") {
		t.Errorf("no warning of open profiles: %s", w)
	}
}

// TestAccessLogIsSampled: at most one line per second of the successful reads of a route, ten of others, and the next line
// counts those left out.
func TestAccessLogIsSampled(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	a := newAccessLog(nil)
	a.now = func() time.Time { return now }
	lines := func(l accessLine) (n, skipped int) {
		for range 50 {
			if before, due := a.sampled(l); due {
				n, skipped = n+1, skipped+before
			}
		}
		return n, skipped
	}
	for _, c := range []struct {
		line accessLine
		want int
	}{
		{accessLine{"players", "GET", "/api/me", 200}, 1},
		{accessLine{"players", "GET", "/api/maps", 304}, 1},
		{accessLine{"players", "GET", "/ws", 101}, 10},
		{accessLine{"players", "GET", "/api/me", 401}, 10},
		{accessLine{"players", "POST", "/api/guest", 200}, 10},
	} {
		if n, skipped := lines(c.line); n != c.want || skipped != 0 {
			t.Errorf("%v: %d lines, %d skipped; want %d and 0", c.line, n, skipped, c.want)
		}
		now = now.Add(time.Second)
		if n, skipped := lines(c.line); n != c.want || skipped != 50-c.want {
			t.Errorf("%v, a second later: %d lines, %d skipped; want %d and %d", c.line, n, skipped, c.want, 50-c.want)
		}
	}
}

// TestRequestsHaveIDs: a request has the id of a trusted proxy, or a new one.
func TestRequestsHaveIDs(t *testing.T) {
	t.Parallel()
	own := regexp.MustCompile(`^[0-9a-f]{16}$`)
	for _, proxies := range [][]string{nil, {"127.0.0.0/8"}} {
		s, _ := running(t, func(c *Config) { c.TrustedProxies = proxies })
		for _, sent := range []string{"req-1", "", "two words", strings.Repeat("a", 65)} {
			req, _ := http.NewRequest(http.MethodGet, s.Addresses().Players+"/livez", nil)
			req.Header.Set(listen.RequestHeader, sent)
			r, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			got := r.Header.Get(listen.RequestHeader)
			if taken := proxies != nil && sent == "req-1"; taken && got != sent || !taken && !own.MatchString(got) {
				t.Errorf("proxies %v: %q is answered with %q", proxies, sent, got)
			}
		}
	}
}
