package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guards: Report takes time, place and words from the server's own record, counts accounts and addresses, and shows
// strangers no difference between a match, lobby, message or case of others and one that does not exist.
func TestReportsCannotBeForged(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob, eve := w.guest("Ada"), w.guest("Bob"), w.guest("Eve")
	lobby := ada.must("POST", "/api/lobbies", map[string]any{"name": "Ford", "map": "ford"}, 200).at("id").(string)
	version := bob.must("POST", "/api/lobbies/"+lobby+"/join", nil, 200).at("settingsVersion")
	bob.must("PATCH", "/api/lobbies/"+lobby+"/seat", map[string]any{"ready": true, "settingsVersion": version}, 200)
	match := ada.must("POST", "/api/lobbies/"+lobby+"/start", nil, 200).at("matchId").(string)
	bobID := bob.must("GET", "/api/me", nil, 200).at("account", "id").(string)
	of := func(more ...any) map[string]any {
		body := map[string]any{"kind": "chat"}
		for i := 0; i < len(more); i += 2 {
			body[more[i].(string)] = more[i+1]
		}
		return body
	}
	same := func(what string, a, b reply) {
		t.Helper()
		if a.raw != b.raw || a.status != b.status {
			t.Errorf("%s: %d %s, one that does not exist: %d %s", what, a.status, a.raw, b.status, b.raw)
		}
	}
	report := func(b *browser, body map[string]any) reply { return b.do("POST", "/api/reports", body) }
	same("another's match", report(eve, of("match", match, "slot", 1)), report(eve, of("match", "none", "slot", 1)))
	same("another's message", report(eve, of("account", bobID, "message", 1)), report(eve, of("account", "none", "message", 1)))
	w.browser().refused("POST", "/api/reports", of("match", match, "slot", 1), model.Unauthenticated)
	ada.refused("POST", "/api/reports", of("match", match, "slot", 1, "tick", 4_000_000_000), model.BadTick)
	ada.refused("POST", "/api/reports", of("match", match, "slot", 9), model.NoSuchSeat)
	ada.refused("POST", "/api/reports", of("match", match, "slot", 0), model.BadRequest) // itself
	ada.refused("POST", "/api/reports", of("lobby", lobby, "line", 4711), model.NotFound)
	if r := report(ada, of("match", match, "slot", 1, "lines", []map[string]any{{"text": "never said"}})); r.status < 400 {
		t.Errorf("a report with the reporter's own lines: %s", r.raw)
	}
	if r := report(ada, of("match", match, "slot", 1, "text", strings.Repeat("x", 5000))); r.status < 400 {
		t.Errorf("a long text: %s", r.raw)
	}
	chief := w.adminLoggedIn()
	if r := chief.must("GET", "/admin/api/cases", nil, 200); len(r.at("cases").([]any)) > 0 {
		t.Fatalf("forged reports make cases: %s", r.raw)
	}

	// A flood: of one account, and of an address with many guests.
	ada, bob = w.guest("Ana"), w.guest("Bea")
	lobby = ada.must("POST", "/api/lobbies", map[string]any{"name": "Ford", "map": "ford"}, 200).at("id").(string)
	bob.must("POST", "/api/lobbies/"+lobby+"/join", nil, 200)
	sent := 0
	for report(ada, of("lobby", lobby, "slot", 1)).status < 300 {
		sent++
	}
	if most := limit(quota.Reports, quota.Account); sent != most {
		t.Errorf("an account sends %d reports, the limit is %d", sent, most)
	}
	ada.refused("POST", "/api/reports", of("lobby", lobby, "slot", 1), model.Throttled)
	ada.must("POST", "/api/lobbies/"+lobby+"/leave", nil, 200)
	for i := 0; ; i++ {
		guest := w.guest(fmt.Sprint("Gus", i))
		guest.must("POST", "/api/lobbies/"+lobby+"/join", nil, 200)
		n := 0
		for report(guest, of("lobby", lobby, "slot", 1)).status < 300 {
			n++
		}
		if sent += n; n == 0 {
			break
		}
		guest.must("POST", "/api/lobbies/"+lobby+"/leave", nil, 200)
	}
	if most := limit(quota.Reports, quota.Address); sent != most {
		t.Errorf("an address sends %d reports, the limit is %d", sent, most)
	}

	// Cases of others, and pages of cases.
	list := chief.must("GET", "/admin/api/cases?state=open", nil, 200).at("cases").([]any)
	if len(list) != 1 {
		t.Fatalf("%d cases about one account in one lobby", len(list))
	}
	id := int64(list[0].(map[string]any)["id"].(float64))
	as := w.server.Admin.OperatorSession(admin.Operator{Name: "t", UID: "1000"})
	if err := as.Decide(context.Background(), id, admin.Decision{Verdict: model.Mute, Scopes: []model.BanScope{model.LobbyChat}, Reason: "insults", For: time.Hour}); err != nil {
		t.Fatal(err)
	}
	appeal := func(b *browser, id int64) reply {
		return b.do("POST", fmt.Sprintf("/api/cases/%d/appeal", id), map[string]any{"text": "please"})
	}
	same("the case of another account", appeal(ada, id), appeal(ada, id+1000))
	if r := ada.must("GET", "/api/reports", nil, 200); strings.Contains(r.raw, "mute") || strings.Contains(r.raw, "insults") || strings.Contains(r.raw, `"id"`) {
		t.Errorf("a reporter reads %s", r.raw)
	}
	if r := appeal(bob, id); r.status != 204 {
		t.Errorf("the appeal: %s", r.raw)
	}
	if r := chief.must("GET", fmt.Sprintf("/admin/api/cases?before=%d", id), nil, 200); len(r.at("cases").([]any)) != 0 {
		t.Errorf("cases before the first: %s", r.raw)
	}
}
