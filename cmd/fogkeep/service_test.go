package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/webhook"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// serviceClient is a studio's server with a new key of all scopes.
func serviceClient(t *testing.T, s *testServer, admin *e2eClient, request string) *e2eClient {
	t.Helper()
	var made struct {
		Secret string `json:"secret"`
	}
	admin.must("POST", "/admin/api/keys", api.NewServiceKey{Name: "studio", Issuer: "studio", Scopes: []model.Scope{"matches:read", "matches:write", "players:read", "webhooks:write"}}, &made)
	c := visitor(t, s.url(t, "service"))
	c.Header = http.Header{"Authorization": {"Bearer " + made.Secret}, "Idempotency-Key": {request}}
	return c
}

// A studio's server makes a match for players whom this server has never seen; they
// come in with the tickets that it gives them, each in its place.
func TestAMatchByTheServiceAPIIsPlayed(t *testing.T) {
	t.Parallel()
	s := start(t, filepath.Join(t.TempDir(), "data"), "--service-addr=127.0.0.1:0")
	admin := adminClient(t, s.url(t, "admin"), "admin", s.firstPassword(t))
	studio := serviceClient(t, s, admin, "match-1")
	var made struct {
		Match   api.ServiceMatch   `json:"match"`
		Tickets []api.PlayerTicket `json:"tickets"`
	}
	zero, one := 0, 1
	studio.must("POST", "/service/api/matches", api.ServiceMatchRequest{Map: "four-winds", Options: map[string]any{"ruleset": "skirmish"}, Seats: []api.ServiceSeat{
		{Subject: "steam:1", Name: "Ada", Team: &one, Start: &one},
		{Subject: "steam:2", Name: "Grace", Team: &zero, Start: &zero},
	}}, &made)
	if made.Match.State != "live" || len(made.Tickets) != 2 {
		t.Fatalf("made %+v", made)
	}
	slots := map[string]uint32{}
	for _, k := range made.Tickets {
		w, closing := visitor(t, s.url(t, "play")).open(&pb.Hello{Ticket: k.Ticket}).welcome()
		if w == nil {
			t.Fatalf("%s is refused: %v", k.Subject, closing)
		}
		slots[k.Subject] = w.Slot
	}
	if slots["steam:2"] != 0 || slots["steam:1"] != 1 {
		t.Errorf("slots %v", slots)
	}
	var seen api.ServiceMatch
	// The match publishes who is connected after it has sent the welcome.
	eventually.Holds(t, "both players are connected", func() bool {
		studio.must("GET", "/service/api/matches/"+made.Match.ID, nil, &seen)
		return seen.Players != nil && *seen.Players == 2
	}, &seen)
	studio.must("POST", "/service/api/matches/"+made.Match.ID+"/end", nil, nil)
	eventually.Holds(t, "the match has ended", func() bool {
		studio.must("GET", "/service/api/matches/"+made.Match.ID, nil, &seen)
		return seen.State == "failed"
	}, &seen)
	// Without the flag there is no door.
	if status, problem := visitor(t, s.url(t, "play")).try("GET", "/service/api/key", nil, nil); status == http.StatusOK {
		t.Errorf("players reach the service API: %d %v", status, problem)
	}
}

// A studio's endpoint is told, signed and in order, of a match that its server has
// made: that it runs, who came, who went, how it ended.
func TestWebhooksOfAMatch(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var kinds []string
	var secret model.HookSecret
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		var e hook.HookBody
		if err := json.Unmarshal(body, &e); err != nil || !webhook.Verify(secret, r.Header, body, time.Now(), time.Minute) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		text := string(e.Type)
		if e.Player != nil {
			text += " " + e.Player.Subject
		}
		kinds = append(kinds, text)
	}))
	defer endpoint.Close()
	s := start(t, filepath.Join(t.TempDir(), "data"), "--service-addr=127.0.0.1:0", "--webhook-allow=127.0.0.1")
	studio := serviceClient(t, s, adminClient(t, s.url(t, "admin"), "admin", s.firstPassword(t)), "match-1")
	var registered struct {
		Secret model.HookSecret `json:"secret"`
	}
	mu.Lock()
	studio.must("POST", "/service/api/webhooks", api.NewWebhookEndpoint{URL: endpoint.URL}, &registered)
	secret = registered.Secret
	mu.Unlock()
	var made struct {
		Match   api.ServiceMatch   `json:"match"`
		Tickets []api.PlayerTicket `json:"tickets"`
	}
	studio.must("POST", "/service/api/matches", api.ServiceMatchRequest{Map: "four-winds", Seats: []api.ServiceSeat{{Subject: "ada"}, {Subject: "grace"}}}, &made)
	told := func(want string) {
		t.Helper()
		got := ""
		eventually.Holds(t, want, func() bool {
			mu.Lock()
			defer mu.Unlock()
			got = strings.Join(kinds, ", ")
			return got == want
		}, &got)
	}
	ticket := made.Tickets[0]
	socket := visitor(t, s.url(t, "play")).open(&pb.Hello{Ticket: ticket.Ticket})
	if w, closing := socket.welcome(); w == nil {
		t.Fatal(closing)
	}
	told("match.started, player.joined " + ticket.Subject)
	socket.conn.Close()
	told("match.started, player.joined " + ticket.Subject + ", player.left " + ticket.Subject)
	studio.must("POST", "/service/api/matches/"+made.Match.ID+"/end", nil, nil)
	told("match.started, player.joined " + ticket.Subject + ", player.left " + ticket.Subject + ", match.ended")
	// The server counts a try after it has read the endpoint's answer.
	eventually.Holds(t, "the metrics count the four webhooks that the endpoint accepted", func() bool {
		_, page, _ := get(t, s.url(t, "metrics"))
		return strings.Contains(page, `fogkeep_webhook_tries_total{result="taken"} 4`)
	})
}
