package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/api"
)

// asJSON runs one command line that ends well and returns its one object.
func asJSON(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, out, errs := fogkeep(t, append(args, "--json")...)
	if code != 0 || strings.Count(out, "\n") != 1 {
		t.Fatalf("%v: exit code %d, %q, %q", args, code, out, errs)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return object
}

func TestAdminCommands(t *testing.T) {
	t.Setenv("SUDO_USER", "mallory") // anybody can say so
	at := "--data-dir=" + t.TempDir()
	added := asJSON(t, "admin", "add", "Mo", "--role=moderator", at)
	if p, _ := added["password"].(string); len(p) != 20 {
		t.Fatalf("added %v", added)
	}
	if code, _, errs := fogkeep(t, "admin", "add", "mo", at); code != 1 || !strings.Contains(errs, "already_exists") {
		t.Errorf("the same again: %d, %q", code, errs)
	}
	if p := asJSON(t, "admin", "password", "Mo", at)["password"]; p == added["password"] {
		t.Error("the password is the old one")
	}
	if r := asJSON(t, "admin", "rights", "Mo", "--role=viewer", "--fog", at); r["role"] != "viewer" || r["fog"] != true {
		t.Errorf("rights %v", r)
	}
	asJSON(t, "admin", "disable", "Mo", at)
	list := asJSON(t, "admin", "list", at)["admins"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["disabled"] != true {
		t.Errorf("admins %v", list)
	}
	ban := asJSON(t, "admin", "ban", "--range=192.0.2.0/24", "--reason=flood", "--for=1h", at)["ban"]
	if ban != 1.0 {
		t.Errorf("ban %v", ban)
	}
	asJSON(t, "admin", "unban", "1", at)
	key := asJSON(t, "admin", "key", "add", "matchmaker", "--issuer=studio", "--scope=matches:read", "--scope=matches:write", at)
	if rotated := asJSON(t, "admin", "key", "rotate", key["id"].(string), at); !strings.HasPrefix(rotated["secret"].(string), "fks_") || rotated["secret"] == key["secret"] {
		t.Errorf("key %v, rotated %v", key, rotated)
	}
	asJSON(t, "admin", "key", "revoke", key["id"].(string), at)
	if keys := asJSON(t, "admin", "key", "list", at)["keys"].([]any); len(keys) != 1 || keys[0].(map[string]any)["state"] != "revoked" {
		t.Errorf("keys %v", keys)
	}
	if asJSON(t, "admin", "drain", "on", at)["draining"] != true {
		t.Error("it does not drain")
	}
	for _, args := range [][]string{
		{"admin", "reset-password", "nobody"}, {"admin", "ban", "nobody", "--reason=x"}, {"admin", "ban", "--reason=x"},
		{"admin", "unban", "1"}, {"admin", "password", "nobody"}, {"admin", "logout", "nobody"},
		{"admin", "rights", "nobody", "--role=viewer"}, {"admin", "key", "revoke", "nobody"}, {"admin", "key", "rotate", "nobody"},
		{"admin", "key", "add", "x", "--issuer=x", "--scope=everything"},
	} {
		if code, out, errs := fogkeep(t, append(args, at)...); code != 1 || out != "" || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d, %q, %q", args, code, out, errs)
		}
	}
	var actions []string
	for _, row := range asJSON(t, "admin", "audit", at)["rows"].([]any) {
		r := row.(map[string]any)
		if who := r["admin"].(string); !strings.HasPrefix(who, "cli:") || who == "cli:mallory" || r["address"] != fmt.Sprintf("uid %d, claims to be mallory", os.Getuid()) {
			t.Errorf("row %v", r)
		}
		actions = append(actions, r["action"].(string))
	}
	if got := strings.Join(actions, " "); got != "house.drain key.revoke key.rotate key.add ban.lift ban.add admin.change admin.change admin.password admin.add" {
		t.Errorf("audit %s", got)
	}
	report := asJSON(t, "admin", "audit", "verify", at)
	head, _ := report["head"].(string)
	if report["rows"] != 10.0 || !strings.HasPrefix(head, "10:") {
		t.Errorf("verified %v", report)
	}
	asJSON(t, "admin", "audit", "verify", "--head="+head, at)
	for _, wrong := range []string{"10:" + strings.Repeat("0", 64), "11:" + head[3:], "nonsense"} {
		if code, _, errs := fogkeep(t, "admin", "audit", "verify", "--head="+wrong, at); code != 1 || strings.Count(errs, "\n") != 1 {
			t.Errorf("--head %s: %d, %q", wrong, code, errs)
		}
	}
}

// TestAdminCommandsOnPlayers: what the command line does to a player holds at
// once for the server that runs beside it.
func TestAdminCommandsOnPlayers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := "--data-dir=" + dir
	s := start(t, dir, "--log-level=error")
	play := s.url(t, "play")
	answer := func(path, token string, body map[string]any) (code, fresh string) {
		t.Helper()
		c, in := visitor(t, play), api.LoggedIn{}
		c.Token = token
		_, no := c.try("POST", path, body, &in)
		return no.Code, in.Token
	}
	logIn := func(password string) (string, string) {
		t.Helper()
		return answer("/api/login", "", map[string]any{"name": "ada@example.org", "password": password, "bearer": true})
	}
	_, first := answer("/api/register", "", map[string]any{"name": "Ada", "email": "ada@example.org", "password": "difference engine", "bearer": true})

	reset := asJSON(t, "admin", "reset-password", "ada@example.org", "--public-url=https://play.example.org", at)
	link, ok := strings.CutPrefix(reset["link"].(string), "https://play.example.org/api/reset#")
	if !ok || reset["name"] != "Ada" || reset["expires"] == "" {
		t.Fatalf("reset %v", reset)
	}
	if code, _ := logIn("difference engine"); code != "" {
		t.Errorf("the old password, before the link is used: %s", code)
	}
	for i, want := range []string{"", "bad_reset_token"} { // once
		if code, _ := answer("/api/reset", "", map[string]any{"token": link, "password": "analytical engine"}); code != want {
			t.Errorf("use %d of the link: %q, want %q", i+1, code, want)
		}
	}
	if code, _ := answer("/api/play/bot", first, map[string]any{}); code != "unauthenticated" {
		t.Errorf("a session from before the reset: %q", code)
	}
	if code, _ := logIn("difference engine"); code != "wrong_credentials" {
		t.Errorf("the old password, after: %q", code)
	}
	_, token := logIn("analytical engine")

	if n := asJSON(t, "admin", "logout", "Ada", at)["sessions"]; n != 1.0 {
		t.Errorf("%v sessions were ended", n)
	}
	if code, _ := answer("/api/play/bot", token, map[string]any{}); code != "unauthenticated" {
		t.Errorf("a session that was ended: %q", code)
	}
	_, token = logIn("analytical engine")
	asJSON(t, "admin", "drain", "on", at)
	if code, _ := answer("/api/play/bot", token, map[string]any{}); code != "draining" {
		t.Errorf("drained: %q", code)
	}
	asJSON(t, "admin", "drain", "off", at)
	ban := asJSON(t, "admin", "ban", "Ada", "--reason=spam", at)["ban"]
	_, token = logIn("analytical engine")
	if code, _ := answer("/api/play/bot", token, map[string]any{}); code != "banned_account" {
		t.Errorf("banned: %q", code)
	}
	asJSON(t, "admin", "unban", fmt.Sprint(ban), at)
	if code, _ := answer("/api/play/bot", token, map[string]any{}); code != "" {
		t.Errorf("no longer banned: %q", code)
	}
}

func TestMigrateCommands(t *testing.T) {
	t.Parallel()
	at := "--data-dir=" + t.TempDir()
	up := asJSON(t, "migrate", "up", "--to=21", at)
	if up["applied"] != 1.0 || up["version"] != 21.0 || up["store"] != "sqlite" {
		t.Fatalf("up %v", up)
	}
	missing := 0
	for _, m := range asJSON(t, "migrate", "status", at)["migrations"].([]any) {
		if m.(map[string]any)["applied"] == nil {
			missing++
		}
	}
	if missing == 0 {
		t.Error("nothing is missing at version 21")
	}
	if asJSON(t, "migrate", "up", at)["applied"] != float64(missing) {
		t.Error("up did not apply the rest")
	}
	if code, _, errs := fogkeep(t, "migrate", "down", at); code != 1 || !strings.Contains(errs, "--yes") {
		t.Errorf("down without --yes: %d, %q", code, errs)
	}
	if down := asJSON(t, "migrate", "down", "--yes", at); down["version"] != float64(20+missing) {
		t.Errorf("down %v", down)
	}
	for _, url := range []string{"mysql://x/y", "postgres://nobody@127.0.0.1:1/none?connect_timeout=2"} {
		if code, _, errs := fogkeep(t, "migrate", "up", "--database-url="+url); code != 1 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %d, %q", url, code, errs)
		}
	}
}
