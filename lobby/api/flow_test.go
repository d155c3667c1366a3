package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TestNarrowPath is the newcomer's way, over HTTP: guest, lobby, ready, start,
// ticket, end, rematch.
func TestNarrowPath(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob := w.guest("Ada"), w.guest("Bob")
	maps := ada.must("GET", "/api/maps", nil, 200)
	if n := len(maps.at("maps").([]any)); n != 3 {
		t.Fatalf("%d maps", n)
	}
	room := ada.must("POST", "/api/lobbies", map[string]any{"name": "Ford at dawn", "map": "ford", "password": "tide", "options": map[string]any{"ticksPerSecond": 30}}, 200)
	id := room.at("id").(string)
	if room.at("private") != true || room.at("limit") != 2.0 || room.at("options", "ticksPerSecond") != 30.0 {
		t.Fatalf("lobby %s", room.raw)
	}
	bob.refused("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "ebb"}, model.WrongPassword)
	bob.refused("POST", "/api/lobbies/"+id+"/join", nil, model.WrongPassword)
	version := bob.must("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "tide"}, 200).at("settingsVersion")
	stream := bob.events(id, "")
	if event, _, data := stream.next(); event != "lobby" || data["name"] != "Ford at dawn" {
		t.Fatalf("first event %s %v", event, data)
	}
	ada.refused("POST", "/api/lobbies/"+id+"/start", nil, model.NotReady)
	r := bob.must("PATCH", "/api/lobbies/"+id+"/seat", map[string]any{"ready": true, "settingsVersion": version, "color": 5}, 200)
	if seat := r.at("seats").([]any)[1].(map[string]any); seat["ready"] != true || seat["color"] != 5.0 {
		t.Fatalf("seat %v", seat)
	}
	started := ada.must("POST", "/api/lobbies/"+id+"/start", nil, 200)
	if started.at("state") != "playing" {
		t.Fatalf("started: %s", started.raw)
	}
	me := bob.must("GET", "/api/me", nil, 200)
	if me.at("lobby", "matchId") != started.at("matchId") || me.at("account", "name") != "Bob" {
		t.Fatalf("me: %s", me.raw)
	}
	ticket := bob.must("POST", "/api/lobbies/"+id+"/ticket", nil, 200)
	seat, err := w.server.Play.Redeem(context.Background(), model.Secret(ticket.at("ticket").(string)), netip.Addr{})
	if err != nil || seat.Name != "Bob" || seat.Start != 1 || string(seat.Match) != ticket.at("matchId") {
		t.Fatalf("seat %+v, %v", seat, err)
	}
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: seat.Match, Reason: "victory", Ticks: 77, Winners: []grid.Team{1}}); err != nil {
		t.Fatal(err)
	}
	last := ""
	for {
		event, eid, data := stream.next()
		if event == "" {
			t.Fatal("the stream ended before the match did")
		}
		if data["state"] == "ended" {
			last = eid
			break
		}
	}
	stream.close()
	ada.must("POST", "/api/lobbies/"+id+"/chat", map[string]any{"text": "good game"}, 204)
	ada.must("POST", "/api/lobbies/"+id+"/rematch", nil, 200)
	resumed := bob.events(id, last)
	event, _, data := resumed.next()
	if event != "chat" || data["text"] != "good game" || data["name"] != "Ada" {
		t.Fatalf("resumed with %s %v", event, data)
	}
	if event, _, data = resumed.next(); event != "lobby" || data["state"] != "open" {
		t.Fatalf("then %s %v", event, data)
	}
	ada.must("DELETE", "/api/lobbies/"+id+"/seats/1", nil, 200)
	if event, _, _ = resumed.next(); event != "kicked" {
		t.Fatalf("then %s", event)
	}
	if event, _, _ = resumed.next(); event != "" {
		t.Fatalf("after the kick: %s", event)
	}
	history := bob.must("GET", "/api/me/history", nil, 200)
	if h := history.at("matches").([]any)[0].(map[string]any); h["outcome"] != "won" || h["map"] != "Ford" || h["ticks"] != 77.0 {
		t.Fatalf("history %v", h)
	}
	profile := ada.must("GET", "/api/accounts/"+me.at("account", "id").(string), nil, 200)
	if profile.at("record", "won") != 1.0 || profile.at("account", "name") != "Bob" {
		t.Fatalf("profile %s", profile.raw)
	}
	ada.must("POST", "/api/lobbies/"+id+"/leave", nil, 200)
	ada.refused("GET", "/api/lobbies/"+id, nil, model.NotFound)
	if n := w.checked.Load(); n < 15 {
		t.Errorf("only %d answers were held against the OpenAPI document", n)
	}
}

func TestPlayBot(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.guest("Ada")
	r := b.must("POST", "/api/play/bot", nil, 200)
	if r.at("state") != "playing" || r.at("seats").([]any)[1].(map[string]any)["kind"] != "bot" {
		t.Fatalf("play bot: %s", r.raw)
	}
	b.refused("POST", "/api/play/bot", map[string]any{"map": "delta"}, model.InMatch)
	b.must("POST", "/api/lobbies/"+r.at("id").(string)+"/leave", nil, 200)
	level := func(r reply, seat int) any { return r.at("seats").([]any)[seat].(map[string]any)["level"] }
	if level(r, 1) != "medium" || level(r, 0) != nil {
		t.Errorf("the levels of the seats: %s", r.raw)
	}
	if r = b.must("POST", "/api/play/bot", map[string]any{"map": "delta", "level": "hard"}, 200); r.at("map", "id") != "delta" || level(r, 1) != "hard" {
		t.Fatalf("play bot: %s", r.raw)
	}
	b.must("POST", "/api/lobbies/"+r.at("id").(string)+"/leave", nil, 200)
	id := b.must("POST", "/api/lobbies", map[string]any{"name": "bots", "map": "delta"}, 200).at("id").(string)
	if r = b.must("POST", "/api/lobbies/"+id+"/bots", map[string]any{"level": "easy", "team": 3}, 200); level(r, 1) != "easy" {
		t.Errorf("an easy bot: %s", r.raw)
	}
	if r = b.must("GET", "/api/lobbies/"+id, nil, 200); level(r, 1) != "easy" {
		t.Errorf("an easy bot, as stored: %s", r.raw)
	}
	if r = b.do("POST", "/api/lobbies/"+id+"/bots", map[string]any{"level": "brutal"}); r.status != 422 {
		t.Errorf("a bot of an unknown level: %d %s", r.status, r.raw)
	}
	b2 := w.guest("Bob")
	b2.refused("POST", "/api/play/bot", map[string]any{"map": "atlantis"}, model.UnknownMap)
}

func TestBearerAndCookies(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.browser()
	r := b.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200)
	token := r.at("token").(string)
	b.refused("GET", "/api/me", nil, model.Unauthenticated) // bearer: no cookie was set
	b.token = token
	b.must("GET", "/api/me", nil, 200)
	c := w.browser()
	r = c.must("POST", "/api/login", map[string]any{"name": "ada", "password": "difference engine"}, 200)
	k := r.header.Get("Set-Cookie")
	if r.at("token") != nil || !strings.Contains(k, "HttpOnly") || !strings.Contains(k, "SameSite=Lax") || strings.Contains(k, "Secure") {
		t.Fatalf("cookie %q, token %v", k, r.at("token"))
	}
	c.must("POST", "/api/logout", nil, 204)
	c.refused("GET", "/api/me", nil, model.Unauthenticated)
	b.must("GET", "/api/me", nil, 200)
	b.must("POST", "/api/logout/everywhere", nil, 204)
	b.refused("GET", "/api/me", nil, model.Unauthenticated)

	tls := newHarness(t, Config{Proxies: loopback}).browser()
	tls.header.Set("X-Forwarded-Proto", "https")
	k = tls.must("POST", "/api/guest", nil, 200).header.Get("Set-Cookie")
	if !strings.HasPrefix(k, "__Host-fogkeep=") || !strings.Contains(k, "; Secure") {
		t.Fatalf("cookie behind TLS: %q", k)
	}
}

func TestAccountLife(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.guest("Ada")
	before := b.must("GET", "/api/me", nil, 200).at("account", "id")
	room := b.must("POST", "/api/lobbies", map[string]any{"name": "room", "map": "ring"}, 200)
	b.refused("POST", "/api/me/upgrade", map[string]any{"name": "Ada", "password": "password1"}, model.CommonPassword)
	b.must("POST", "/api/me/upgrade", map[string]any{"name": "Ada L", "password": "difference engine"}, 200)
	me := b.must("GET", "/api/me", nil, 200)
	if me.at("account", "id") != before || me.at("account", "guest") != false || me.at("lobby", "id") != room.at("id") {
		t.Fatalf("upgraded: %s", me.raw)
	}
	b.refused("POST", "/api/me/upgrade", map[string]any{"name": "Ada", "password": "difference engine"}, model.NotGuest)
	other := w.browser()
	other.must("POST", "/api/login", map[string]any{"name": "Ada L", "password": "difference engine"}, 200)
	b.refused("POST", "/api/me/password", map[string]any{"old": "wrong", "new": "analytical engine"}, model.WrongCredentials)
	b.must("POST", "/api/me/password", map[string]any{"old": "difference engine", "new": "analytical engine"}, 200)
	b.must("GET", "/api/me", nil, 200)
	other.refused("GET", "/api/me", nil, model.Unauthenticated) // the other session has ended
	b.refused("POST", "/api/me/delete", map[string]any{"password": "wrong"}, model.WrongCredentials)
	b.must("POST", "/api/me/delete", map[string]any{"password": "analytical engine"}, 204)
	b.refused("GET", "/api/me", nil, model.Unauthenticated)
	w.browser().refused("POST", "/api/login", map[string]any{"name": "Ada L", "password": "analytical engine"}, model.WrongCredentials)
}

func TestAdminAPI(t *testing.T) {
	w := newHarness(t, Config{PublicURL: "https://play.example.org"})
	chief := w.adminLoggedIn()
	w.browser().must("POST", "/api/register", map[string]any{"name": "Rogue", "password": "difference engine"}, 200)
	victim := w.guest("Victim")
	match := victim.must("POST", "/api/play/bot", nil, 200)
	accounts := chief.must("GET", "/admin/api/accounts?q=rog", nil, 200).at("accounts").([]any)
	id := accounts[0].(map[string]any)["id"].(string)
	link := chief.must("POST", "/admin/api/accounts/"+id+"/reset", nil, 200).at("link").(string)
	token, ok := strings.CutPrefix(link, "https://play.example.org/api/reset#")
	if !ok {
		t.Fatalf("link %q", link)
	}
	if page := w.browser().must("GET", "/api/reset", nil, 200); !strings.Contains(page.raw, "new password") || page.header.Get("Content-Security-Policy") == "" {
		t.Fatalf("the link leads to %s", page.raw)
	}
	w.browser().must("POST", "/api/reset", map[string]any{"token": token, "password": "analytical engine"}, 204)
	w.browser().must("POST", "/api/login", map[string]any{"name": "rogue", "password": "analytical engine"}, 200)
	ban := chief.must("POST", "/admin/api/bans", map[string]any{"account": "Rogue", "reason": "spam", "hours": 2}, 200)
	chief.must("GET", "/admin/api/accounts/"+id, nil, 200)
	chief.must("DELETE", fmt.Sprintf("/admin/api/bans/%v", ban.at("ban", "id")), nil, 200)
	chief.must("POST", "/admin/api/house/announce", map[string]any{"text": "back in five"}, 204)
	if len(w.server.Fakes.Announced) != 1 {
		t.Fatal("the match was not told")
	}
	list := chief.must("GET", "/admin/api/matches?state=live", nil, 200).at("matches").([]any)
	if len(list) != 1 || list[0].(map[string]any)["tick"] == nil {
		t.Fatalf("matches %v", list)
	}
	chief.must("POST", "/admin/api/matches/"+match.at("matchId").(string)+"/end", map[string]any{"reason": "stuck"}, 204)
	if len(w.server.Fakes.Aborted) != 1 {
		t.Fatal("the match was not aborted")
	}
	chief.must("POST", "/admin/api/house/drain", map[string]any{"on": true}, 204)
	r := w.guest("Late").refused("POST", "/api/lobbies", map[string]any{"name": "room", "map": "ring"}, model.Draining)
	if r.status != 503 || r.header.Get("Retry-After") == "" {
		t.Fatalf("draining: %d %q", r.status, r.header.Get("Retry-After"))
	}
	if server := chief.must("GET", "/admin/api/house", nil, 200); server.at("draining") != true || server.at("store") != "sqlite" {
		t.Fatalf("server %s", server.raw)
	}
	chief.must("POST", "/admin/api/house/drain", map[string]any{"on": false}, 204)
	chief.must("POST", "/admin/api/accounts/"+id+"/logout", nil, 204)
	chief.must("POST", "/admin/api/lobbies/"+match.at("id").(string)+"/close", map[string]any{"reason": "stuck"}, 204)
	password := chief.must("POST", "/admin/api/admins", map[string]any{"name": "Mod", "role": "moderator"}, 200).at("password").(string)
	mod := w.adminBrowser()
	mod.must("POST", "/admin/api/login", map[string]any{"name": "mod", "password": password}, 200)
	mod.must("POST", "/admin/api/me/password", map[string]any{"old": password, "new": "hall of mirrors"}, 204)
	mod.must("GET", "/admin/api/me", nil, 200)
	chief.must("PATCH", "/admin/api/admins/Mod", map[string]any{"fog": true}, 200)
	if admins := chief.must("GET", "/admin/api/admins", nil, 200).at("admins").([]any); len(admins) != 2 {
		t.Fatalf("admins %v", admins)
	}
	audit := chief.must("GET", "/admin/api/audit", nil, 200)
	var actions []string
	for _, row := range audit.at("rows").([]any) {
		actions = append([]string{row.(map[string]any)["action"].(string)}, actions...)
	}
	if got, want := strings.Join(actions, " "), "admin.add login account.reset ban.add ban.lift house.announce match.end house.drain house.drain account.sessions.end lobby.close admin.add login admin.password admin.change"; got != want {
		t.Fatalf("audit\n%s\nwant\n%s", got, want)
	}
	chief.must("DELETE", "/admin/api/accounts/"+id, nil, 204)
	chief.must("POST", "/admin/api/logout", nil, 204)
	chief.refused("GET", "/admin/api/me", nil, model.Unauthenticated)
}

// TestCodes: every code has one row, and every row's status is a refusal.
func TestCodes(t *testing.T) {
	seen := map[model.Code]bool{}
	for _, row := range model.Codes {
		if seen[row.Code] || row.Status < 400 || row.Text == "" {
			t.Errorf("row %+v", row)
		}
		seen[row.Code] = true
		p := problem(row.Code).(*Problem)
		raw, err := json.Marshal(p)
		if err != nil || p.Status != row.Status || !strings.Contains(string(raw), string(row.Code)) {
			t.Errorf("problem of %s: %s", row.Code, raw)
		}
	}
}
