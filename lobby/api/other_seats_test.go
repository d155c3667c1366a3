package api

import (
	"context"
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TestOtherSeats: over one path the host sets another's team before the match, and
// opens the seat of an absent player during it; one change a request. A lobby shows
// absent players while the match runs, and no list does.
func TestOtherSeats(t *testing.T) {
	w := newHarness(t, Config{})
	ada, bob := w.guest("Ada"), w.guest("Bob")
	room := ada.must("POST", "/api/lobbies", map[string]any{"name": "both", "map": "ring", "limit": 3, "bots": 1, "options": map[string]any{"teams": "coop", "openOtherTeams": true}}, 200)
	path := "/api/lobbies/" + room.at("id").(string)
	bob.must("POST", path+"/join", nil, 200)
	seat := func(r reply, place int, member string) any {
		return r.at("seats").([]any)[place].(map[string]any)[member]
	}
	if r := ada.must("GET", path, nil, 200); seat(r, 0, "team") != 0.0 || seat(r, 1, "team") != 1.0 || seat(r, 2, "team") != 0.0 {
		t.Errorf("together against bots: %s", r.raw)
	}
	if r := ada.must("PATCH", path+"/seats/2", map[string]any{"team": 4}, 200); seat(r, 2, "team") != 4.0 {
		t.Errorf("the host sets a team: %s", r.raw)
	}
	if r := ada.must("PATCH", path+"/seats/1", map[string]any{"level": "hard"}, 200); seat(r, 1, "level") != "hard" {
		t.Errorf("the host sets a bot's level: %s", r.raw)
	}
	bob.refused("PATCH", path+"/seats/1", map[string]any{"level": "easy"}, model.NotHost)
	ada.refused("PATCH", path+"/seats/1", map[string]any{"level": "orders"}, model.BadRequest)
	ada.refused("PATCH", path+"/seats/1", map[string]any{"level": "easy", "team": 1}, model.BadRequest)
	bob.refused("PATCH", path+"/seats/0", map[string]any{"team": 1}, model.NotHost)
	half, all := map[string]any{"damage": 50.0}, map[string]any{"start": 50.0, "damage": 300.0}
	if r := ada.must("PATCH", path+"/seats/1", map[string]any{"handicap": all}, 200); !reflect.DeepEqual(seat(r, 1, "handicap"), any(all)) || seat(r, 0, "handicap") != nil {
		t.Errorf("the host sets a bot's handicap: %s", r.raw)
	}
	if r := bob.must("PATCH", path+"/seat", map[string]any{"handicap": half}, 200); !reflect.DeepEqual(seat(r, 2, "handicap"), any(half)) {
		t.Errorf("a player lowers its own damage: %s", r.raw)
	}
	bob.refused("PATCH", path+"/seat", map[string]any{"handicap": map[string]any{"damage": 51}}, model.NotHost)
	bob.refused("PATCH", path+"/seats/1", map[string]any{"handicap": half}, model.NotHost)
	ada.refused("PATCH", path+"/seats/1", map[string]any{"handicap": half, "team": 1}, model.BadRequest)
	ada.refused("PATCH", path+"/seats/1", map[string]any{"handicap": map[string]any{"income": 401}}, model.BadRequest)
	ada.refused("PATCH", path+"/seats/2", map[string]any{}, model.BadRequest)
	ada.refused("PATCH", path+"/seats/2", map[string]any{"team": 1, "open": true}, model.BadRequest)
	ada.refused("PATCH", path+"/seats/2", map[string]any{"open": true}, model.WrongState)
	version := bob.must("GET", path, nil, 200).at("settingsVersion")
	bob.must("PATCH", path+"/seat", map[string]any{"ready": true, "settingsVersion": version}, 200)

	me := bob.must("GET", "/api/me", nil, 200).at("account", "id").(string)
	r := ada.must("POST", path+"/start", nil, 200)
	if seat(r, 2, "away") != nil || seat(r, 2, "canOpen") != nil || seat(r, 1, "canOpen") != true {
		t.Errorf("the match says nothing of Bob: %s", r.raw)
	}
	w.server.Fakes.Out = []int{1}
	if r := ada.must("GET", path, nil, 200); seat(r, 1, "out") != true || seat(r, 1, "canOpen") != nil {
		t.Errorf("the bot is out: %s", r.raw)
	}
	ada.refused("PATCH", path+"/seats/2", map[string]any{"open": true}, model.WrongState)
	ada.refused("PATCH", path+"/seats/2", map[string]any{"team": 0}, model.WrongState)
	w.server.Fakes.Gone = []model.AccountID{model.AccountID(me)}
	if r := ada.must("GET", path, nil, 200); seat(r, 2, "away") != true || seat(r, 2, "canOpen") != true || seat(r, 0, "canOpen") != nil {
		t.Errorf("Bob is away: %s", r.raw)
	}
	r = ada.must("PATCH", path+"/seats/2", map[string]any{"open": true}, 200)
	if seat(r, 2, "open") != true {
		t.Errorf("opened: %s", r.raw)
	}
	listed := ada.must("GET", "/api/lobbies", nil, 200).at("lobbies").([]any)
	if len(listed) != 1 || listed[0].(map[string]any)["seats"].([]any)[2].(map[string]any)["away"] != nil {
		t.Errorf("listed are %v", listed)
	}

	match := r.at("matchId").(string)
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: model.MatchID(match), Reason: "last-team", Ticks: 1200, Winners: []grid.Team{0}}); err != nil {
		t.Fatal(err)
	}
	if r := ada.must("GET", path, nil, 200); seat(r, 0, "away") != nil {
		t.Errorf("away from a match that is over: %s", r.raw)
	}
	played := bob.must("GET", "/api/me/history", nil, 200).at("matches").([]any)[0].(map[string]any)
	fellows := played["players"].([]any)
	if played["seconds"] != 60.0 || len(fellows) != 3 || fellows[2].(map[string]any)["you"] != true || fellows[1].(map[string]any)["bot"] != true || fellows[0].(map[string]any)["name"] != "Ada" {
		t.Errorf("Bob's history is %v", played)
	}
	if f := fellows[1].(map[string]any); !reflect.DeepEqual(f["handicap"], any(all)) || !reflect.DeepEqual(fellows[2].(map[string]any)["handicap"], any(half)) {
		t.Errorf("the history has the handicaps %v", fellows)
	}
	replay := bob.must("GET", "/api/replays/"+match, nil, 200).at("players").([]any)
	result := ada.must("GET", path, nil, 200).at("result", "seats").([]any)
	for name, rows := range map[string][]any{"replay": replay, "result": result} {
		if !reflect.DeepEqual(rows[1].(map[string]any)["handicap"], any(all)) || rows[0].(map[string]any)["handicap"] != nil {
			t.Errorf("the %s has the handicaps %v", name, rows)
		}
	}
}
