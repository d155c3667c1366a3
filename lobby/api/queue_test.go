package api

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TestQueueOverHTTP: two players find each other over the API, and an attacker's tries
// are refused: accepting for another, a foreign party, a second place in the queue,
// made-up ids, a queue while a match runs.
func TestQueueOverHTTP(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob, eve := w.guest("Ada"), w.guest("Bob"), w.guest("Eve")
	round := func() {
		t.Helper()
		w.server.Step(time.Second)
		w.server.Tick(t)
	}
	queues := eve.must("GET", "/api/queues", nil, 200).at("queues").([]any)
	if len(queues) != 5 || queues[0].(map[string]any)["rated"] != true || queues[2].(map[string]any)["botAfterMs"] != 30000.0 {
		t.Fatalf("queues %v", queues)
	}
	stranger := w.browser()
	for _, path := range []string{"/api/queue", "/api/queue/events", "/api/me/ratings"} {
		stranger.refused("GET", path, nil, model.Unauthenticated)
	}
	stranger.refused("POST", "/api/queue", map[string]any{"queue": "1v1"}, model.Unauthenticated)
	ada.refused("POST", "/api/queue", map[string]any{"queue": "nowhere"}, model.UnknownQueue)
	ada.refused("POST", "/api/queue", map[string]any{"queue": strings.Repeat("x", 41)}, model.BadRequest)
	ada.refused("POST", "/api/queue", map[string]any{"queue": "1v1", "rating": 9000}, model.BadRequest)
	ada.refused("DELETE", "/api/queue", nil, model.NoParty)

	ada.must("POST", "/api/queue", map[string]any{"queue": "1v1"}, 200)
	ada.refused("POST", "/api/queue", map[string]any{"queue": "1v1"}, model.AlreadyQueued)
	ada.refused("POST", "/api/queue", map[string]any{"queue": "2v2"}, model.AlreadyQueued)
	bob.must("POST", "/api/queue", map[string]any{"queue": "1v1"}, 200)
	if n := eve.must("GET", "/api/queues", nil, 200).at("queues").([]any)[0].(map[string]any)["waiting"]; n != 2.0 {
		t.Errorf("%v wait", n)
	}
	round()
	st := ada.must("GET", "/api/queue", nil, 200)
	offer, code := st.at("offer", "id").(string), st.at("party", "code").(string)
	if left := st.at("offer", "leftMs").(float64); left <= 0 || left > 15000 {
		t.Errorf("%v ms are left", left)
	}
	if strings.Contains(st.raw, bob.must("GET", "/api/me", nil, 200).at("account", "id").(string)) {
		t.Error("who the opponent is is told before the match")
	}
	eve.refused("POST", "/api/queue/answer", map[string]any{"offer": offer, "accept": true}, model.NoParty)
	eve.must("POST", "/api/party", nil, 200)
	eve.refused("POST", "/api/queue/answer", map[string]any{"offer": offer, "accept": true}, model.NoOffer)
	eve.refused("POST", "/api/queue/answer", map[string]any{"offer": "", "accept": true}, model.NoOffer)
	eve.refused("DELETE", "/api/party/members/"+ada.must("GET", "/api/me", nil, 200).at("account", "id").(string), nil, model.NoParty)
	if st := ada.must("GET", "/api/queue", nil, 200); st.at("offer", "accepted") != false {
		t.Errorf("another accepted for Ada: %s", st.raw)
	}
	ada.must("POST", "/api/queue/answer", map[string]any{"offer": offer, "accept": true}, 200)
	st = bob.must("POST", "/api/queue/answer", map[string]any{"offer": offer, "accept": true}, 200)
	room := st.at("party", "lobby").(string)
	eve.refused("GET", "/api/lobbies/"+room, nil, model.NotFound)
	if l := bob.must("GET", "/api/lobbies/"+room, nil, 200); l.at("state") != "playing" {
		t.Errorf("the lobby is %s", l.raw)
	}
	ada.must("POST", "/api/lobbies/"+room+"/ticket", nil, 200)
	eve.refused("POST", "/api/lobbies/"+room+"/ticket", nil, model.NotFound)
	ada.refused("POST", "/api/queue", map[string]any{"queue": "1v1"}, model.InMatch)
	// Nor does a playing account come into a queue by joining another's party.
	eve.refused("POST", "/api/party/join", map[string]any{"code": "guess"}, model.NoParty)
	ada.refused("POST", "/api/party/join", map[string]any{"code": eve.must("GET", "/api/queue", nil, 200).at("party", "code")}, model.InMatch)
	// An invitation tells names, and no ids.
	if r := stranger.must("GET", "/api/parties/"+code, nil, 200); r.at("leader") != "Ada" || strings.Contains(r.raw, `"id"`) {
		t.Errorf("the invitation tells %s", r.raw)
	}
	stranger.refused("GET", "/api/parties/0000000000000000", nil, model.NoParty)

	l, err := w.server.Play.Lobby(context.Background(), model.LobbyID(room))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: l.Match, Reason: "last-team", Ticks: 1200, Winners: []grid.Team{0}}); err != nil {
		t.Fatal(err)
	}
	r := ada.must("GET", "/api/me/ratings", nil, 200).at("ratings").([]any)[0].(map[string]any)
	if r["lastMatch"] != string(l.Match) || r["provisional"] != true || r["lastChange"] == 0.0 {
		t.Errorf("rating %v", r)
	}
	for _, page := range []string{"x", "1500", "1500_%27", "99999999999_a", "1500_a%20OR%201"} {
		ada.refused("GET", "/api/leaderboards/1v1?page="+page, nil, model.BadRequest)
	}
	ada.must("GET", "/api/leaderboards/1v1?page=1500_0a-b", nil, 200)
	ada.refused("GET", "/api/leaderboards/none", nil, model.UnknownQueue)

	// Admins' doors are not players' doors.
	chief := w.adminLoggedIn()
	chief.must("POST", "/admin/api/leaderboards/pool/season", map[string]any{"endsAt": w.server.Now().Add(time.Hour)}, 204)
	season := func(want map[string]any) {
		t.Helper()
		got := eve.must("GET", "/api/queues", nil, 200).at("queues").([]any)[3].(map[string]any)["ladder"].(map[string]any)
		for k, v := range want {
			if got[k] != v {
				t.Errorf("the season is %v, want %s %v", got, k, v)
			}
		}
	}
	season(map[string]any{"season": 1.0, "endsMs": 3600000.0, "placements": 2.0})
	if got := chief.must("GET", "/admin/api/leaderboards", nil, 200).at("leaderboards").([]any); len(got) != 1 || fmt.Sprint(got[0].(map[string]any)["queue"], got[0].(map[string]any)["ladder"].(map[string]any)["season"]) != "pool1" {
		t.Errorf("the ladders are %v", got)
	}
	chief.must("DELETE", "/admin/api/leaderboards/pool/season", nil, 204)
	season(map[string]any{"season": 1.0, "over": true})
	if raw := chief.must("GET", "/admin/api/audit", nil, 200).raw; !strings.Contains(raw, "season.start") || !strings.Contains(raw, "season.end") {
		t.Errorf("the audit has no seasons: %s", raw)
	}
	if got := ada.do("DELETE", "/admin/api/leaderboards/1v1", nil).status; got != 404 {
		t.Errorf("a player's reset is answered %d", got)
	}
	w.adminBrowser().refused("DELETE", "/admin/api/leaderboards/1v1", nil, model.Unauthenticated)
}
