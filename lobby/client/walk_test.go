package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func field() *grid.Map {
	m := grid.NewMap("Field", 40, 40)
	m.Starts = []grid.Tile{{X: 6, Y: 6}, {X: 33, Y: 33}}
	return m
}

// lobbyServer is an API of our own.
func lobbyServer(t *testing.T) *httptest.Server {
	polls, agreed := 0, 0.0
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	problem := func(w http.ResponseWriter, status int, code, detail string) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		answer(w, map[string]any{"status": status, "code": code, "detail": detail})
	}
	mux.HandleFunc("POST /api/guest", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Name   string
			Bearer bool
		}
		if json.NewDecoder(r.Body).Decode(&in) != nil || !in.Bearer || in.Name != "robot" {
			t.Errorf("guest %+v", in)
		}
		answer(w, map[string]any{"account": map[string]any{"id": "a1"}, "token": "secret"})
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			problem(w, 401, "not_logged_in", "log in first")
			return
		}
		version := 7 + polls/2 // the settings change once
		lobby := map[string]any{"id": "5", "name": "Friday", "state": "open", "settingsVersion": version, "seats": []any{
			map[string]any{"kind": "player", "account": map[string]any{"id": "a1"}, "ready": agreed == float64(version)},
		}}
		switch r.Method + " " + r.URL.Path {
		case "GET /api/lobbies":
			answer(w, map[string]any{"lobbies": []any{lobby}})
		case "GET /api/lobbies/5":
			if polls++; polls > 2 && agreed == 8 {
				lobby["state"] = "playing"
			}
			answer(w, lobby)
		case "POST /api/lobbies/5/join", "PATCH /api/lobbies/5/seat":
			var in map[string]any
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			if strings.HasSuffix(r.URL.Path, "join") && in["password"] != "pw" {
				problem(w, 403, "wrong_password", "the password is wrong")
				return
			}
			if in["ready"] == true {
				if agreed, _ = in["settingsVersion"].(float64); agreed != float64(version) {
					problem(w, 409, "settings_changed", "the lobby has changed")
					return
				}
			}
			answer(w, lobby)
		case "POST /api/lobbies/5/ticket":
			answer(w, map[string]any{"ticket": "t1", "matchId": "m1"})
		default:
			problem(w, 404, "not_found", "there is no such thing")
		}
	})
	mux.HandleFunc("GET /maps/{hash}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(field().Marshal())
	})
	return httptest.NewServer(mux)
}

func TestClientWalksFromGuestToTicket(t *testing.T) {
	server := lobbyServer(t)
	defer server.Close()
	ctx := context.Background()
	c, err := New(server.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer c.HTTP.CloseIdleConnections()
	if _, err := c.FindLobby(ctx, "Friday"); err == nil || !strings.Contains(err.Error(), "log in first (not_logged_in, 401)") {
		t.Errorf("before the log-in: %v", err)
	}
	account, err := c.Guest(ctx, "robot")
	if err != nil || account.ID != "a1" {
		t.Fatal(account, err)
	}
	for _, name := range []string{"Friday", "5"} {
		if id, err := c.FindLobby(ctx, name); err != nil || id != "5" {
			t.Errorf("lobby %s: %q, %v", name, id, err)
		}
	}
	if _, err := c.FindLobby(ctx, "Monday"); err == nil || !strings.Contains(err.Error(), `lobby "Monday": no lobby has`) {
		t.Error(err)
	}
	if err := c.JoinTeam(ctx, "5", "", -1); err == nil || !strings.Contains(err.Error(), "the password is wrong (wrong_password, 403)") {
		t.Error(err)
	}
	if err := c.JoinTeam(ctx, "5", "pw", 1); err != nil {
		t.Error(err)
	}
	if err := c.AwaitMatch(ctx, "5", "a1"); err != nil {
		t.Error(err)
	}
	if err := c.AwaitMatch(ctx, "5", "another"); err == nil || !strings.Contains(err.Error(), "has lost its seat") {
		t.Error(err)
	}
	if ticket, err := c.Ticket(ctx, "5"); err != nil || ticket != "t1" {
		t.Error(ticket, err)
	}
	m, err := c.Map(ctx, field().Hash().String())
	if err != nil || m.Hash() != field().Hash() {
		t.Error(err)
	}
	if _, err := c.Map(ctx, "../../etc"); err == nil {
		t.Error("a hash that is none was asked for")
	}
	if want := fmt.Sprintf("ws%s/ws", strings.TrimPrefix(server.URL, "http")); c.Socket() != want {
		t.Errorf("socket %s, want %s", c.Socket(), want)
	}
	for _, bad := range []string{"", "127.0.0.1:80", "ftp://x", "http://"} {
		if _, err := New(bad); err == nil {
			t.Errorf("%q is taken for an address", bad)
		}
	}
}
