package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/rules"
)

// vigil is a ruleset's mode: team 1 wins by waiting for a second.
func vigil(t *testing.T) *rules.Ruleset {
	t.Helper()
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"places": [`), []byte(`"modes": [{"name": "vigil", "script": "vigil.star", "writes": ["score", "set_value", "win"], "values": [{"name": "candles"}]}], "places": [`), 1)
	text, err = rules.WithScripts(text, map[string]string{"vigil.star": `def tick(w): return [score(1, 7), set_value("candles", 1, 3), win(1, "dawn")]`})
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("vigil.json", text)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// A mode of a ruleset is chosen in a lobby, checked there, played and won.
func TestAModeOfARulesetIsPlayedFromALobby(t *testing.T) {
	t.Parallel()
	cfg := local(t)
	seen := &watched{seats: make(chan match.Seat, 4), ended: make(chan match.Result, 4)}
	told := make(chan hook.HookBody, 4)
	studio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body hook.HookBody
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		told <- body
	}))
	defer studio.Close()
	cfg.WebhookAllow = []string{"127.0.0.0/8"}
	open := make(chan struct{})
	cfg.Hooks = Hooks{
		Admission: func(lobby Admission) Admission { seen.Admission = lobby; return seen },
		Ready:     func(*Server) { close(open) },
		Rulesets:  map[string]*rules.Ruleset{"vigil": vigil(t)},
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-open
	if _, err := s.Lobby().Admin.OperatorSession(admin.Operator{Name: "test"}).Webhooks().Add(ctx, hook.NewWebhookEndpoint{URL: studio.URL, Events: []model.HookKind{hook.HookMatchEnded}}); err != nil {
		t.Fatal(err)
	}
	host, err := client.New(s.Addresses().Players)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := host.Guest(ctx, "Ada"); err != nil {
		t.Fatal(err)
	}
	if modes, err := host.Modes(ctx); err != nil || !slices.Equal(modes, []string{"deathmatch", "skirmish"}) {
		t.Errorf("the server lists the modes %v, %v", modes, err)
	}
	maps, err := host.Maps(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wish := api.NewLobby{Name: "night", Map: maps[0].ID, Limit: 2, Options: map[string]any{"ruleset": "vigil", "mode": "vigil", "scoreLimit": 5}}
	var refused *client.Refusal
	if _, err := host.CreateLobby(ctx, wish); !errors.As(err, &refused) || refused.Field != "scoreLimit" {
		t.Errorf("with a score limit: %v, %+v", err, refused)
	}
	wish.Options = map[string]any{"ruleset": "vigil", "countdownSeconds": 0}
	l, err := host.CreateLobby(ctx, wish)
	if err == nil && l.Options.Mode != "skirmish" {
		t.Errorf("the lobby begins with %s", l.Options.Mode)
	}
	if err == nil {
		err = host.Call(ctx, http.MethodPatch, "/api/lobbies/"+l.ID, api.LobbyChange{Options: map[string]any{"mode": "vigil"}}, &l)
	}
	if err == nil {
		l, err = host.AddBot(ctx, l.ID, api.BotRequest{Level: model.EasyBot})
	}
	if err == nil {
		l, err = host.Start(ctx, l.ID)
	}
	if err != nil || l.Options.Mode != "vigil" {
		t.Fatalf("%+v, %v", l.Options, err)
	}
	select {
	case r := <-seen.ended:
		if r.Failed != "" || r.Ended == nil || r.Ended.Reason != "dawn" || r.Ended.Winner != 1 {
			t.Errorf("the result is %+v", r)
		}
	case <-time.After(30 * time.Second):
		t.Error("no result")
	}
	for l.Result == nil && ctx.Err() == nil { // the report is on its way
		if l, err = host.Lobby(ctx, l.ID); err != nil {
			t.Fatal(err)
		}
	}
	if seats := l.Result.Seats; len(seats) != 2 || seats[0].Score != 0 || seats[1].Score != 7 || seats[0].Values["candles"] != 0 || seats[1].Values["candles"] != 3 {
		t.Errorf("the lobby shows %+v", seats)
	}
	select {
	case e := <-told:
		if string(e.Match) != l.MatchID || e.Result == nil || len(e.Result.Seats) != 2 || e.Result.Seats[0].Score != 0 || e.Result.Seats[1].Score != 7 {
			t.Errorf("the webhook tells %+v with %+v", e, e.Result)
		}
	case <-time.After(30 * time.Second):
		t.Error("no webhook")
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
