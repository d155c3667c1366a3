package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// pass is a scenario on a drawn map: two soldiers for each of two people, and a seat for a
// bot.
func pass(members string) []byte {
	rows := strings.TrimSuffix(strings.Repeat(`"................................",`, 24), ",")
	return fmt.Appendf(nil, `{"name": "The pass", "map": {"rows": [%s]}, "ticksPerSecond": 20, "options": {"mode": "deathmatch", "timeLimitSeconds": 90},
		"seats": [{"name": "West", "team": 0, "start": [3, 3]}, {"name": "East", "team": 3, "start": [28, 20]}, {"name": "Guard", "team": 4, "start": [28, 3], "bot": true}],
		"units": [{"name": "a", "seat": 0, "type": "soldier", "at": [4.5, 4.5], "health": 20}, {"seat": 1, "type": "soldier", "at": [27.5, 19.5]}, {"seat": 2, "type": "soldier", "at": [27.5, 4.5]}]%s}`, rows, members)
}

// post sends a scenario to the admins' API, and returns the status and the answer.
func post(t *testing.T, url, token string, body []byte) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, b
}

// TestScenarioInALobby: an admin uploads a scenario; people claim its seats and play it,
// and its journal names it and plays again to the same hashes.
func TestScenarioInALobby(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, func(c *Config) { c.Limit = []string{"branches.account=20", "branches.address=20"} })
	admin := s.Addresses().Admins
	status, b := post(t, admin+"/admin/api/login", "", fmt.Appendf(nil, `{"name": "admin", "password": %q, "bearer": true}`, s.FirstPassword()))
	var session struct{ Token string }
	if err := json.Unmarshal(b, &session); status != http.StatusOK || err != nil || session.Token == "" {
		t.Fatalf("log-in: %d %s", status, b)
	}
	upload := admin + "/admin/api/scenarios"
	for name, bad := range map[string]struct {
		body  []byte
		token string
		code  model.Code
		field string
	}{
		"no session":     {pass(""), "", model.Unauthenticated, ""},
		"no JSON":        {[]byte("{"), session.Token, model.BadScenario, ""},
		"a wrong member": {pass(`, "unts": []`), session.Token, model.BadScenario, "/unts"},
		"on a cliff":     {bytes.Replace(pass(""), []byte("[4.5, 4.5]"), []byte("[99, 4.5]"), 1), session.Token, model.BadScenario, "/units/0"},
		"one team":       {bytes.ReplaceAll(bytes.ReplaceAll(pass(""), []byte(`"team": 3`), []byte(`"team": 0`)), []byte(`"team": 4`), []byte(`"team": 0`)), session.Token, model.BadScenario, "/seats"},
		"a wrong order":  {pass(`, "orders": [{"tick": 5, "seat": 0, "do": "stop", "units": ["z"]}]`), session.Token, model.BadScenario, "/orders/0/units/0"},
		"too large":      {bytes.Repeat([]byte(" "), room.ScenarioBytesMax+1), session.Token, model.TooLarge, ""},
	} {
		status, b := post(t, upload, bad.token, bad.body)
		var p api.Problem
		if err := json.Unmarshal(b, &p); err != nil || p.Code != string(bad.code) || p.Field != bad.field || status != bad.code.Info().Status {
			t.Errorf("%s: %d %s, want %s at %q", name, status, b, bad.code, bad.field)
		}
	}
	status, b = post(t, upload, session.Token, append(pass(""), bytes.Repeat([]byte(" "), 200<<10)...)) // more than other requests may have
	var opened api.Opened
	if err := json.Unmarshal(b, &opened); err != nil || opened.Link != s.Addresses().Players+"/#lobby="+opened.ID || opened.Map.Name != "The pass" {
		t.Errorf("the link is %q, the map %q, %v", opened.Link, opened.Map.Name, err)
	}
	var l api.Lobby
	if err := json.Unmarshal(b, &l); status != http.StatusOK || err != nil || l.From == nil || l.From.Scenario != "The pass" || len(l.Seats) != 3 || l.Seats[0].Was != "West" || l.Seats[2].Kind != "bot" || l.Host != "" {
		t.Fatalf("the lobby: %d %s", status, b)
	}

	ada, bob := guestOf(t, s, "Adelaide"), guestOf(t, s, "Bertram")
	ada.call("POST", "/api/scenarios", json.RawMessage(pass("")), nil, model.ScenariosOff)
	if _, err := ada.Join(t.Context(), l.ID, api.JoinRequest{}); err != nil {
		t.Fatal(err)
	}
	ada.call("PATCH", "/api/lobbies/"+l.ID+"/seat", map[string]any{"slot": 1}, nil, "")
	ada.call("PATCH", "/api/lobbies/"+l.ID, map[string]any{"options": map[string]any{"countdownSeconds": 0}}, nil, "")
	l, err := bob.Join(t.Context(), l.ID, api.JoinRequest{})
	if err == nil {
		_, err = bob.Ready(t.Context(), l)
	}
	if err == nil {
		l, err = ada.Start(t.Context(), l.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	live := s.Matches().Matches()
	if len(live) != 1 || live[0].Seats[0].Name != "Bertram" || live[0].Seats[1].Name != "Adelaide" || !live[0].Seats[2].Bot || live[0].Seats[1].Team != 3 {
		t.Fatalf("live: %+v", live)
	}
	ticket, err := ada.Ticket(t.Context(), l.ID)
	if err != nil {
		t.Fatal(err)
	}
	c, w, why := ada.dial("/ws", ticket)
	if w == nil {
		t.Fatal(why)
	}
	if err := c.Send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the match plays its tick 45", func() bool { return s.Matches().Matches()[0].Tick >= 45 })
	over(t, s, &cfg, ada, l.MatchID)
	past := filepath.Join(cfg.DataDir, "journals", "past", l.MatchID+".journal")
	inputs, hashes := 0, 0
	read := func(each func(uint64, []byte) error) error {
		_, err := journal.ReadFile(past, func(n uint64, rec []byte) error {
			r, err := journal.Decode(rec)
			if err == nil && r.Tick != nil {
				for _, in := range r.Tick.Inputs {
					if in.Kind == sim.InputOrder {
						inputs++
					}
				}
				if r.Tick.Hashed {
					hashes++
				}
			}
			if err != nil {
				return err
			}
			return each(n, rec)
		})
		return err
	}
	_, sum, err := journal.Replay(read, nil)
	if err != nil || sum.Header.Start == nil || sum.Header.Start.Scenario != "The pass" || sum.Header.Start.Match != "" || inputs == 0 || hashes == 0 {
		t.Errorf("the journal begins with %+v and has %d orders and %d hashes: %v", sum.Header.Start, inputs, hashes, err)
	}
	if sum.Setup.Options.AbandonMs == 0 || sum.Setup.Options.TimeLimitMs != 90_000 {
		t.Errorf("the match's options are %+v", sum.Setup.Options)
	}
}

// TestMissionIsPlayed: a mission starts at once against its orders or its bot, and no list of rulesets has its ruleset.
func TestMissionIsPlayed(t *testing.T) {
	t.Parallel()
	s, _ := running(t, nil)
	ada := guestOf(t, s, "Adelaide")
	var list api.MissionList
	ada.call("GET", "/api/missions", nil, &list, "")
	if len(list.Missions) != 8 || list.Missions[0].ID != "missions/first-ore" {
		t.Fatalf("missions %+v", list)
	}
	var l api.Lobby
	ada.call("POST", "/api/play/mission", map[string]any{"mission": "missions/first-ore"}, &l, "")
	if x := l.Seats[1]; l.State != "playing" || l.Options.Mode != "first-ore" || x.Kind != "bot" || x.Level != "orders" {
		t.Fatalf("the lobby is %+v", l)
	}
	ada.call("POST", "/api/play/mission", map[string]any{"mission": "missions/second-ore"}, nil, "not_found")
	var rulesets api.RulesetList
	ada.call("GET", "/api/rulesets", nil, &rulesets, "")
	if len(rulesets.Rulesets) == 0 || slices.ContainsFunc(rulesets.Rulesets, func(r model.RulesetInfo) bool { return r.ID == "missions" }) {
		t.Errorf("rulesets %+v", rulesets)
	}
}

// TestScenarioWithOrdersInALobby: orders of a seat that stays free are given at their
// ticks, without a bot; orders of a bot's seat are not. A player who comes gets the seat
// without orders.
func TestScenarioWithOrdersInALobby(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, func(c *Config) { c.Allow.Scenarios = true })
	ada := guestOf(t, s, "Adelaide")
	var l api.Lobby
	ada.call("POST", "/api/scenarios", json.RawMessage(pass(`, "orders": [
		{"tick": 5, "seat": 0, "do": "move", "units": ["a"], "at": [9, 9]}, {"tick": 30, "seat": 0, "do": "stop", "units": ["a"]}, {"tick": 32, "seat": 2, "do": "surrender"}]`)), &l, "")
	if l.Seats[1].Account == nil { // there is one without orders
		t.Fatalf("the host sits elsewhere: %+v", l.Seats)
	}
	ada.call("PATCH", "/api/lobbies/"+l.ID, map[string]any{"options": map[string]any{"countdownSeconds": 0}}, &l, "")
	if x := l.Seats[0]; x.Kind != "open" || x.Level != "orders" {
		t.Fatalf("the free seat: %+v", x)
	}
	l, err := ada.Start(t.Context(), l.ID)
	if err != nil {
		t.Fatal(err)
	}
	if x := l.Seats[0]; x.Kind != "bot" || x.Level != "orders" || x.Name != "West" {
		t.Fatalf("the seat of the orders: %+v", x)
	}
	eventually.Holds(t, "the match plays its tick 45", func() bool { return s.Matches().Matches()[0].Tick >= 45 })
	if x := s.Matches().Matches()[0].Seats; x[0].Connected || !x[2].Connected {
		t.Errorf("connected: the seat of the orders %v, the bot %v", x[0].Connected, x[2].Connected)
	}
	live := filepath.Join(cfg.DataDir, "journals", l.MatchID+".journal")
	var got []string
	if _, err := journal.ReadFile(live, func(_ uint64, rec []byte) error {
		r, err := journal.Decode(rec)
		if err == nil && r.Tick != nil {
			for i, in := range r.Tick.Inputs {
				if in.Kind == sim.InputOrder && (in.Slot < 2 || in.Order.Kind == orders.Surrender) {
					got = append(got, fmt.Sprint(r.Tick.Tick, in.Slot, in.Order.Kind, r.Tick.Answers[i].Code))
				}
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"5 0 move OK", "30 0 stop OK"}; strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("orders %q, want %q", got, want)
	}
}
