package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeService is a service API whose games end at once. It checks the organizer's requests.
type fakeService struct {
	t     *testing.T
	hooks string
	wins  func(request string, subjects []string) []int

	mu    sync.Mutex
	games map[string]*Game // by request
	sides map[string]string
	made  int
}

var hookKey = []byte("a key of webhooks")

func (f *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer key" {
		http.Error(w, "no key", http.StatusUnauthorized)
		return
	}
	switch {
	case r.URL.Path == "/service/api/webhooks":
		var in struct{ URL string }
		json.NewDecoder(r.Body).Decode(&in)
		f.hooks = in.URL
		json.NewEncoder(w).Encode(map[string]string{"secret": "whsec_" + base64.StdEncoding.EncodeToString(hookKey)})
	case r.Method == "POST":
		var in struct {
			Map     string
			Options map[string]any
			Seats   []struct {
				Subject     string
				Team, Start int
			}
		}
		request := r.Header.Get("Idempotency-Key")
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Seats) != 2 || request == "" {
			f.t.Errorf("request %q: %v, %+v", request, err, in)
			return
		}
		if in.Options["spectators"] != 1.0 || in.Options["spectatorDelay"] != 120.0 || in.Options["replays"] != "link" {
			f.t.Errorf("options %v", in.Options)
		}
		g := f.games[request]
		if g == nil {
			f.made++
			g = &Game{ID: fmt.Sprint("game-", f.made), Lobby: "lobby", State: "live"}
			f.games[request] = g
			f.sides[request] = fmt.Sprintf("%s:%d@%d %s:%d@%d %s", in.Seats[0].Subject, in.Seats[0].Team, in.Seats[0].Start, in.Seats[1].Subject, in.Seats[1].Team, in.Seats[1].Start, in.Map)
			winners := f.wins(request, []string{in.Seats[0].Subject, in.Seats[1].Subject})
			go f.end(g, winners)
		}
		json.NewEncoder(w).Encode(map[string]any{"match": g})
	default:
		for _, g := range f.games {
			if r.URL.Path == "/service/api/matches/"+g.ID {
				json.NewEncoder(w).Encode(g)
				return
			}
		}
		http.NotFound(w, r)
	}
}

// end ends a game and tells it: first by a forged webhook, which is refused.
func (f *fakeService) end(g *Game, winners []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range [][]byte{[]byte("forged"), hookKey} {
		if string(key) != "forged" {
			g.State, g.Result = "ended", &Result{Reason: "last-team", Winners: winners}
		}
		body := []byte(`{"type": "match.ended", "match": "` + g.ID + `"}`)
		at := strconv.FormatInt(time.Now().Unix(), 10)
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "1.%s.%s", at, body)
		r, _ := http.NewRequest("POST", f.hooks, bytes.NewReader(body))
		r.Header.Set("Webhook-Id", "1")
		r.Header.Set("Webhook-Timestamp", at)
		r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			f.t.Error(err)
			return
		}
		answer.Body.Close()
		if want := map[bool]int{true: http.StatusNoContent, false: http.StatusForbidden}[string(key) != "forged"]; answer.StatusCode != want {
			f.t.Errorf("a webhook is answered %d, want %d", answer.StatusCode, want)
		}
	}
}

// TestTournament plays the tournament of the file against a service API, and plays it again as after a restart.
func TestTournament(t *testing.T) {
	tournament, err := read("tournament.json")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeService{t: t, games: map[string]*Game{}, sides: map[string]string{}}
	// The better seed wins, but Ben takes one game of Ada's, and one game of Cleo's has no winner.
	f.wins = func(request string, subjects []string) []int {
		switch {
		case subjects[0] == "player-1" && subjects[1] == "player-2" && strings.HasSuffix(request, "/1"):
			return []int{1}
		case strings.Contains(strings.Join(subjects, " "), "player-3") && strings.HasSuffix(request, "/1"):
			return nil
		case subjects[0] < subjects[1]:
			return []int{0}
		}
		return []int{1}
	}
	service := httptest.NewServer(f)
	defer service.Close()
	play := func() (string, int) {
		t.Helper()
		var handler http.Handler
		hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r) }))
		defer hooks.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		before := f.made
		o, err := NewOrganizer(ctx, tournament, service.URL, "key", hooks.URL, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		handler = o
		champion, err := o.Play(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return champion.Name, f.made - before
	}
	champion, games := play()
	// Eight matches of two games; three matches have a third.
	if champion != "Ada" || games < 17 || games > 24 {
		t.Errorf("%s has won after %d games", champion, games)
	}
	for game, want := range []string{"player-1:0@0 player-2:1@1 twin-fords", "player-1:0@1 player-2:1@0 water-gates", "player-1:0@0 player-2:1@1 twin-fords"} {
		if got := f.sides[fmt.Sprint("Autumn cup/Final/", game+1)]; got != want {
			t.Errorf("game %d of the final: %q, want %q", game+1, got, want)
		}
	}
	if again, games := play(); again != champion || games != 0 {
		t.Errorf("after a restart %s has won, and %d games are new", again, games)
	}
}

func TestDescriptionsAreChecked(t *testing.T) {
	good, err := read("tournament.json")
	if err != nil {
		t.Fatal(err)
	}
	for field, change := range map[string]func(*Tournament){
		"name":       func(t *Tournament) { t.Name = "" },
		"bestOf":     func(t *Tournament) { t.BestOf = 2 },
		"maps":       func(t *Tournament) { t.Maps = nil },
		"casters":    func(t *Tournament) { t.Casters = castersMost + 1 },
		"delay":      func(t *Tournament) { t.Delay = -1 },
		"players":    func(t *Tournament) { t.Players = t.Players[:3] },
		"players[1]": func(t *Tournament) { t.Players = []Player{t.Players[0], t.Players[0], t.Players[1], t.Players[2]} },
	} {
		bad := good
		change(&bad)
		if err := bad.Check(); err == nil || !strings.HasPrefix(err.Error(), field+":") {
			t.Errorf("a wrong %s: %v", field, err)
		}
	}
}
