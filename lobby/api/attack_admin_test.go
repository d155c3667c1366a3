package api

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guard: two handlers, two realms. The admins' API does not answer on the players'
// listener, and no player's session is an admin's.
func TestAdminFromPlayerListener(t *testing.T) {
	w := newHarness(t, Config{})
	chief := w.adminLoggedIn()
	onPlayers := *chief
	onPlayers.base = w.player
	player := w.browser()
	player.token = player.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	playerAtAdmin := *player
	playerAtAdmin.base = w.admin
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/me", "/admin/api/openapi.json", "/admin/api/docs"} {
		onPlayers.refused("GET", path, nil, model.NotFound)
	}
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/me", "/admin/api/audit"} {
		playerAtAdmin.refused("GET", path, nil, model.Unauthenticated)
	}
	onPlayers.refused("GET", "/api/me", nil, model.Unauthenticated) // nor the other way round
}

// Guard: no request that another site starts, not even a link, carries an admin's
// cookie, and scripts cannot read it.
func TestAdminCookie(t *testing.T) {
	for tls, name := range map[bool]string{false: "fogkeep_admin=", true: "__Host-fogkeep_admin="} {
		w := newHarness(t, Config{Proxies: loopback})
		password, err := w.server.Admin.FirstAdmin(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		b := w.adminBrowser()
		if tls {
			b.header.Set("X-Forwarded-Proto", "https")
		}
		k := b.must("POST", "/admin/api/login", map[string]any{"name": "admin", "password": password}, 200).header.Get("Set-Cookie")
		if !strings.HasPrefix(k, name) || !strings.Contains(k, "SameSite=Strict") || !strings.Contains(k, "HttpOnly") || strings.Contains(k, "; Secure") != tls {
			t.Errorf("TLS %t: cookie %q", tls, k)
		}
	}
}

// Guard: AdminSession.act checks the role, for each step of the ladder.
func TestPrivilegeSteps(t *testing.T) {
	w := newHarness(t, Config{})
	chief := w.adminLoggedIn()
	logIn := func(name, role string) *browser {
		password := chief.must("POST", "/admin/api/admins", map[string]any{"name": name, "role": role}, 200).at("password")
		b := w.adminBrowser()
		b.must("POST", "/admin/api/login", map[string]any{"name": name, "password": password}, 200)
		return b
	}
	viewer, mod := logIn("Val", "viewer"), logIn("Mo", "moderator")
	w.guest("Ada")
	match := w.guest("Bob").must("POST", "/api/play/bot", nil, 200)
	ada := chief.must("GET", "/admin/api/accounts?q=ada", nil, 200).at("accounts").([]any)[0].(map[string]any)["id"].(string)
	reason := map[string]any{"reason": "x"}
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/lobbies", "/admin/api/matches", "/admin/api/bans", "/admin/api/audit", "/admin/api/admins"} {
		viewer.must("GET", path, nil, 200)
		w.adminBrowser().refused("GET", path, nil, model.Unauthenticated)
	}
	forMods := []struct {
		method, path string
		body         any
	}{
		{"POST", "/admin/api/accounts/" + ada + "/kick", reason},
		{"POST", "/admin/api/accounts/" + ada + "/logout", nil},
		{"POST", "/admin/api/bans", map[string]any{"range": "198.51.100.0/24", "reason": "x"}},
		{"DELETE", "/admin/api/bans/1", nil},
		{"POST", "/admin/api/house/announce", map[string]any{"text": "x"}},
		{"POST", "/admin/api/matches/" + match.at("matchId").(string) + "/end", reason},
		{"POST", "/admin/api/lobbies/" + match.at("id").(string) + "/close", reason},
	}
	for _, a := range forMods {
		viewer.refused(a.method, a.path, a.body, model.Forbidden)
		if r := mod.do(a.method, a.path, a.body); r.status >= 300 {
			t.Errorf("moderator: %s %s: %d %s", a.method, a.path, r.status, r.raw)
		}
	}
	for _, a := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/admin/api/house/drain", map[string]any{"on": true}},
		{"POST", "/admin/api/accounts/" + ada + "/reset", nil},
		{"DELETE", "/admin/api/accounts/" + ada, nil},
		{"POST", "/admin/api/admins", map[string]any{"name": "Eve", "role": "admin"}},
		{"PATCH", "/admin/api/admins/Mo", map[string]any{"role": "admin"}}, // itself
		{"PATCH", "/admin/api/admins/Val", map[string]any{"fog": true}},
		{"POST", "/admin/api/admins/admin/password", nil},
	} {
		viewer.refused(a.method, a.path, a.body, model.Forbidden)
		mod.refused(a.method, a.path, a.body, model.Forbidden)
	}
	chief.refused("PATCH", "/admin/api/admins/admin", map[string]any{"role": "viewer"}, model.Forbidden) // not one's own
}

// looking registers an operation that looks at the match "m" from within, like the
// inspector's operations.
func looking(a *AdminAPI, next func(context.Context, http.ResponseWriter)) {
	o := huma.Operation{Method: http.MethodGet, Path: "/admin/api/fog", OperationID: "fog"}
	a.FogOperation(&o)
	huma.Register(a.API(), o, func(ctx context.Context, in *struct {
		Eyes int `query:"eyes" default:"-1"`
	}) (*huma.StreamResponse, error) {
		ctx, done, err := a.Look(ctx, "m", in.Eyes, nil)
		if err != nil {
			return nil, err
		}
		return &huma.StreamResponse{Body: func(h huma.Context) {
			defer done()
			_, w := humachi.Unwrap(h)
			next(ctx, w)
		}}, nil
	})
}

// Guard: FogOperation and Look, which the server puts before the inspector's
// operations.
func TestFogTakesARight(t *testing.T) {
	w := newHarness(t, Config{})
	w.server.AddMatch(t, "m")
	a := NewAdmin(w.server.Service, Config{})
	looking(a, func(_ context.Context, w http.ResponseWriter) { _, _ = w.Write([]byte(`{"world":true}`)) })
	w.admin = w.listen(a, Config{}, true)
	chief := w.adminLoggedIn()
	password := chief.must("POST", "/admin/api/admins", map[string]any{"name": "Root", "role": "admin"}, 200).at("password")
	noFog := w.adminBrowser()
	noFog.must("POST", "/admin/api/login", map[string]any{"name": "Root", "password": password}, 200)
	noFog.refused("GET", "/admin/api/fog?eyes=-1", nil, model.Forbidden) // no role includes it
	w.adminBrowser().refused("GET", "/admin/api/fog", nil, model.Unauthenticated)
	chief.must("GET", "/admin/api/fog?eyes=-1", nil, 200)
	row := chief.must("GET", "/admin/api/audit", nil, 200).at("rows").([]any)[0].(map[string]any)
	if row["action"] != "match.fog" || row["subject"] != "m eyes all" || row["admin"] != "admin" {
		t.Errorf("audit row %v", row)
	}
	chief.must("GET", "/admin/api/fog?eyes=0", nil, 200)
	if row = chief.must("GET", "/admin/api/audit", nil, 200).at("rows").([]any)[0].(map[string]any); row["subject"] != "m eyes team 1" {
		t.Errorf("the first team's audit row %v", row)
	}
}

// Guard: whileMay. A long answer that looks through the fog ends once the admin's
// right, or session, is taken away; other answers go on.
func TestFogEndsWithTheRight(t *testing.T) {
	w := newHarness(t, Config{})
	w.server.AddMatch(t, "m")
	a := NewAdmin(w.server.Service, Config{})
	a.recheck = 20 * time.Millisecond
	looking(a, func(ctx context.Context, w http.ResponseWriter) {
		for control := http.NewResponseController(w); ctx.Err() == nil; time.Sleep(5 * time.Millisecond) { // no faster than a browser reads
			_, _ = w.Write([]byte("seen\n"))
			_ = control.Flush()
		}
	})
	w.admin = w.listen(a, Config{}, true)
	chief := w.adminLoggedIn()
	look := func(name string) (*browser, *bufio.Reader) {
		password := chief.must("POST", "/admin/api/admins", map[string]any{"name": name, "role": "viewer", "fog": true}, 200).at("password")
		b := w.adminBrowser()
		b.must("POST", "/admin/api/login", map[string]any{"name": name, "password": password}, 200)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		t.Cleanup(cancel)
		req, _ := http.NewRequestWithContext(ctx, "GET", b.base+"/admin/api/fog", nil)
		res, err := b.client.Do(req)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("fog: %v %v", res, err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return b, bufio.NewReader(res.Body)
	}
	ends := func(r *bufio.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	}
	_, stays := look("Stays")
	_, right := look("Right")
	leaves, session := look("Leaves")
	chief.must("PATCH", "/admin/api/admins/Right", map[string]any{"fog": false}, 200)
	if err := ends(right); err != nil {
		t.Errorf("the right was taken away, and the picture goes on: %v", err)
	}
	leaves.must("POST", "/admin/api/logout", nil, 204)
	if err := ends(session); err != nil {
		t.Errorf("the session has ended, and the picture goes on: %v", err)
	}
	for range 200 { // far beyond the buffers at the time of the cut
		if line, err := stays.ReadString('\n'); err != nil || line != "seen\n" {
			t.Fatalf("one that may look is cut: %q %v", line, err)
		}
	}
	w.server.Step(11 * time.Minute)
	rows := 0
	eventually.Holds(t, "a look of eleven minutes has two rows", func() bool {
		rows = 0
		for _, row := range chief.must("GET", "/admin/api/audit", nil, 200).at("rows").([]any) {
			if r := row.(map[string]any); r["action"] == "match.fog" && r["admin"] == "Stays" {
				rows++
			}
		}
		return rows == 2
	}, &rows)
}
