package api

import (
	"context"
	"net/netip"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TestReplays: over HTTP, participants watch a match once it is over, its host passes
// its link on, and others do not learn that the match existed.
func TestReplays(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob, eve := w.guest("Ada"), w.guest("Bob"), w.guest("Eve")
	room := ada.must("POST", "/api/lobbies", map[string]any{"name": "Ford", "map": "ford", "options": map[string]any{"ticksPerSecond": 30}}, 200)
	if room.at("options", "replays") != "participants" {
		t.Errorf("the option is %v", room.at("options", "replays"))
	}
	ada.refused("POST", "/api/lobbies", map[string]any{"name": "Ford", "map": "ford", "options": map[string]any{"replays": "everyone"}}, model.BadOption)
	path := "/api/lobbies/" + room.at("id").(string)
	version := bob.must("POST", path+"/join", nil, 200).at("settingsVersion")
	bob.must("PATCH", path+"/seat", map[string]any{"ready": true, "settingsVersion": version}, 200)
	match := ada.must("POST", path+"/start", nil, 200).at("matchId").(string)
	replay := "/api/replays/" + match

	if r := ada.must("GET", replay, nil, 200); r.at("unavailable") != "not_over" || r.at("mayShare") != true || r.at("ended") != nil {
		t.Errorf("while it runs: %s", r.raw)
	}
	row := func(b *browser) any {
		return b.must("GET", "/api/me/history", nil, 200).at("matches").([]any)[0].(map[string]any)["replay"]
	}
	if row(bob) != "not_over" {
		t.Errorf("the history says %v", row(bob))
	}
	ada.refused("POST", replay+"/tickets", nil, model.MatchRuns)
	eve.refused("GET", replay, nil, model.NotFound)
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: model.MatchID(match), Reason: "surrender", Ticks: 900, Winners: []grid.Team{1}}); err != nil {
		t.Fatal(err)
	}

	r := bob.must("GET", replay, nil, 200)
	players := r.at("players").([]any)
	if r.at("unavailable") != "" || r.at("seconds") != 30.0 || r.at("mayShare") != false || r.at("mayBranch") != true || r.at("key") != nil || r.at("access") != "participants" ||
		len(players) != 2 || players[1].(map[string]any)["you"] != true || players[1].(map[string]any)["outcome"] != "won" || players[0].(map[string]any)["name"] != "Ada" {
		t.Errorf("Bob is told %s", r.raw)
	}
	if row(bob) != "available" {
		t.Errorf("the history says %v", row(bob))
	}
	ticket := bob.must("POST", replay+"/tickets", nil, 200)
	if right, err := w.server.Replay.RedeemReplay(context.Background(), model.Secret(ticket.at("ticket").(string)), netip.Addr{}); err != nil || string(right.Match) != match {
		t.Errorf("the ticket gives %+v, %v", right, err)
	}
	w.browser().refused("GET", replay, nil, model.Unauthenticated)
	w.browser().refused("POST", replay+"/tickets", nil, model.Unauthenticated)
	for _, none := range []string{replay, "/api/replays/0123-4567"} {
		eve.refused("GET", none, nil, model.NotFound)
		eve.refused("POST", none+"/tickets", nil, model.NotFound)
	}

	on := bob.must("POST", replay+"/branches", map[string]any{"tick": 401}, 200)
	if from := on.at("from").(map[string]any); from["matchId"] != match || from["tick"] != 401.0 || from["seconds"] != 13.0 || len(from["out"].([]any)) != 1 || from["out"].([]any)[0] != "Bob" {
		t.Errorf("it plays on from %s", on.raw)
	}
	if seats := on.at("seats").([]any); len(seats) != 1 || seats[0].(map[string]any)["was"] != "Ada" || seats[0].(map[string]any)["name"] != "Bob" {
		t.Errorf("the seats are %s", on.raw)
	}
	listed := eve.must("GET", "/api/lobbies?state=open", nil, 200).at("lobbies").([]any)
	if len(listed) != 1 {
		t.Fatalf("%d lobbies are listed", len(listed))
	}
	one := "/api/lobbies/" + on.at("id").(string)
	names := func(l map[string]any) (out, was int) {
		for _, s := range l["seats"].([]any) {
			if _, is := s.(map[string]any)["was"]; is {
				was++
			}
		}
		return len(l["from"].(map[string]any)["out"].([]any)), was
	}
	for who, l := range map[string]any{"the list": listed[0], "Eve": eve.must("GET", one, nil, 200).at(), "nobody": w.browser().must("GET", one, nil, 200).at()} {
		if out, was := names(l.(map[string]any)); out+was != 0 {
			t.Errorf("%s is told of %d who were out, and of %d who had the seats", who, out, was)
		}
	}
	if out, was := names(bob.must("GET", one, nil, 200).at().(map[string]any)); out != 1 || was != 1 {
		t.Errorf("who sits there is told of %d who were out, and of %d who had the seats", out, was)
	}
	eve.refused("POST", "/api/lobbies/"+on.at("id").(string)+"/join", nil, model.NotOpen)
	eve.refused("POST", replay+"/branches", map[string]any{"tick": 401}, model.NotFound)
	w.browser().refused("POST", replay+"/branches", map[string]any{"tick": 401}, model.Unauthenticated)
	bob.refused("PATCH", "/api/lobbies/"+on.at("id").(string)+"/seat", map[string]any{"slot": 1}, model.NoSuchSeat)

	bob.refused("PUT", replay+"/access", map[string]any{"access": "link"}, model.NotHost)
	eve.refused("PUT", replay+"/access", map[string]any{"access": "link"}, model.NotFound)
	ada.refused("PUT", replay+"/access", map[string]any{"access": "all"}, model.BadRequest)
	key := ada.must("PUT", replay+"/access", map[string]any{"access": "link"}, 200).at("key").(string)
	if again := bob.must("GET", replay, nil, 200).at("key"); again != key {
		t.Errorf("Bob is told the key %v, Ada %v", again, key)
	}
	eve.refused("GET", replay, nil, model.NotFound)
	eve.header = map[string][]string{"Replay-Key": {key}}
	if r := eve.must("GET", replay, nil, 200); r.at("key") != nil || r.at("mayShare") != false || r.at("unavailable") != "" {
		t.Errorf("Eve is told %s", r.raw)
	}
	eve.must("POST", replay+"/tickets", map[string]any{"key": key}, 200)
	eve.refused("POST", replay+"/tickets", map[string]any{"key": key[1:] + "x"}, model.NotFound)

	root := w.adminLoggedIn()
	root.must("PUT", "/admin/api/matches/"+match+"/replays", map[string]any{"access": "off"}, 204)
	eve.refused("GET", replay, nil, model.NotFound)
	bob.refused("POST", replay+"/tickets", nil, model.ReplayOff)
	if row(bob) != "off" {
		t.Errorf("the history says %v", row(bob))
	}
}
