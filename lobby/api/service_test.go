package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// studio makes a service key by the admins' API and returns its secret and id.
func (w *harness) studio(chief *browser, scopes ...string) (secret, id string) {
	w.t.Helper()
	r := chief.must("POST", "/admin/api/keys", map[string]any{"name": "matchmaker", "issuer": "https://id.studio.example", "scopes": scopes}, 200)
	return r.at("secret").(string), r.at("key", "id").(string)
}

var allScopes = []string{"matches:read", "matches:write", "players:read", "webhooks:write"}

func twoSeats(a, b string) map[string]any {
	return map[string]any{"map": "ford", "options": map[string]any{"timeLimitMinutes": 10}, "seats": []any{
		map[string]any{"subject": a, "name": "Ada", "team": 0, "start": 1},
		map[string]any{"subject": b, "name": "Grace", "team": 1, "start": 0},
	}}
}

// once is a studio's server that sends a request with a request key.
func (b *browser) once(key string) *browser {
	out := *b
	out.header = http.Header{"Idempotency-Key": {key}}
	return &out
}

// The way of a match by the service API, from its making to the players' results.
func TestServiceAPI(t *testing.T) {
	w := newHarness(t, Config{})
	chief := w.adminLoggedIn()
	secret, id := w.studio(chief, allScopes...)
	b := w.serviceBrowser(secret)
	if got := b.must("GET", "/service/api/key", nil, 200); got.at("id") != id || got.at("issuer") != "https://id.studio.example" {
		t.Errorf("key %s", got.raw)
	}
	b.refused("POST", "/service/api/matches", twoSeats("ada", "grace"), model.BadRequest) // without a request key
	made := b.once("m1").must("POST", "/service/api/matches", twoSeats("ada", "grace"), 201)
	match := made.at("match", "id").(string)
	if tickets := made.at("tickets").([]any); len(tickets) != 2 || made.at("match", "state") != "live" || made.at("match", "options", "timeLimitMinutes") != 10.0 {
		t.Errorf("made %s", made.raw)
	}
	if again := b.once("m1").must("POST", "/service/api/matches", twoSeats("ada", "grace"), 200); again.at("match", "id") != match || again.at("repeated") != true {
		t.Errorf("again %s", again.raw)
	}
	b.once("m1").refused("POST", "/service/api/matches", twoSeats("ada", "linus"), model.AlreadyExists)
	if r := b.must("POST", "/service/api/matches/"+match+"/tickets", map[string]any{"subjects": []string{"ada"}}, 200); len(r.at("tickets").([]any)) != 1 {
		t.Errorf("tickets %s", r.raw)
	}
	b.must("POST", "/service/api/matches/"+match+"/tickets", nil, 200)
	if r := b.must("GET", "/service/api/matches/"+match, nil, 200); r.at("seats").([]any)[0].(map[string]any)["subject"] != "grace" {
		t.Errorf("seats by start point: %s", r.raw)
	}
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: model.MatchID(match), Reason: "surrender", Ticks: 5}); err != nil {
		t.Fatal(err)
	}
	// Its players watch it again; others with the link.
	replay := "/service/api/matches/" + match + "/replay-tickets"
	r := b.must("POST", replay, nil, 200)
	if tickets := r.at("tickets").([]any); len(tickets) != 2 || tickets[0].(map[string]any)["expires"] == nil {
		t.Errorf("tickets for the replay %s", r.raw)
	} else if right, err := w.server.Replay.RedeemReplay(context.Background(), model.Secret(tickets[0].(map[string]any)["ticket"].(string)), netip.Addr{}); err != nil || string(right.Match) != match {
		t.Errorf("the ticket gives %+v, %v", right, err)
	}
	b.refused("POST", replay, map[string]any{"subjects": []string{"nobody"}}, model.NotFound)
	b.refused("POST", replay, map[string]any{"subjects": slices.Repeat([]string{"ada"}, 65)}, model.BadRequest)
	if r := b.must("PUT", "/service/api/matches/"+match+"/replays", map[string]any{"access": "link"}, 200); len(r.at("key").(string)) != 43 || r.at("access") != "link" {
		t.Errorf("the link %s", r.raw)
	}
	if r := b.must("GET", "/service/api/matches/"+match, nil, 200); r.at("options", "replays") != "link" {
		t.Errorf("the match %s", r.raw)
	}
	b.refused("PUT", "/service/api/matches/"+match+"/replays", map[string]any{"access": "all"}, model.BadRequest)
	if r := b.must("GET", "/service/api/matches?state=ended", nil, 200); len(r.at("matches").([]any)) != 1 {
		t.Errorf("list %s", r.raw)
	}
	if r := b.must("GET", "/service/api/player?subject=ada", nil, 200); r.at("record", "drawn") != 1.0 || r.at("name") != "Ada" {
		t.Errorf("player %s", r.raw)
	}
	if r := b.must("GET", "/service/api/player/results?subject=ada", nil, 200); len(r.at("matches").([]any)) != 1 {
		t.Errorf("results %s", r.raw)
	}
	made = b.once("m2").must("POST", "/service/api/matches", twoSeats("ada", "grace"), 201)
	b.must("POST", "/service/api/matches/"+made.at("match", "id").(string)+"/end", map[string]any{"reason": "maintenance"}, 204)
	if len(w.server.Fakes.Aborted) != 1 {
		t.Error("the match service was not told")
	}
	// The keys' life by the admins' API.
	rotated := chief.must("POST", "/admin/api/keys/"+id+"/rotate", map[string]any{"overlapHours": 0}, 200)
	b.refused("GET", "/service/api/key", nil, model.Unauthenticated)
	b.token = rotated.at("secret").(string)
	b.must("GET", "/service/api/key", nil, 200)
	chief.must("POST", "/admin/api/keys/"+id+"/revoke", nil, 204)
	b.refused("GET", "/service/api/key", nil, model.Unauthenticated)
	if r := chief.must("GET", "/admin/api/keys", nil, 200); strings.Contains(r.raw, secret) || r.at("keys").([]any)[0].(map[string]any)["revoked"] == nil {
		t.Errorf("keys %s", r.raw)
	}
}

// Guard: a key is read from the header Authorization alone, on its own listener alone,
// and from no page; tokens of other realms are invalid there.
func TestServiceKeyAttacks(t *testing.T) {
	w := newHarness(t, Config{Origins: mustOrigins(t, "https://game.example")})
	chief := w.adminLoggedIn()
	secret, _ := w.studio(chief, "matches:read")
	b := w.serviceBrowser("")
	for _, path := range []string{"/service/api/key?key=" + secret, "/service/api/key?token=" + secret, "/service/api/key?access_token=" + secret, "/service/api/key?Authorization=Bearer%20" + secret} {
		b.refused("GET", path, nil, model.Unauthenticated)
	}
	for _, h := range []http.Header{
		{"Cookie": {"fogkeep=" + secret}}, {"Cookie": {"fogkeep_service=" + secret}}, {"X-Api-Key": {secret}},
		{"Authorization": {secret}}, {"Authorization": {"Basic " + secret}}, {"Authorization": {"Bearer " + secret + " "}},
	} {
		b.header = h
		r := b.do("GET", "/service/api/key", nil)
		if spaces := h.Get("Authorization") == "Bearer "+secret+" "; r.code() != string(model.Unauthenticated) && !spaces { // HTTP trims a header
			t.Errorf("%v: %d %s", h, r.status, r.raw)
		}
	}
	player := w.browser()
	token := player.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	w.serviceBrowser(token).refused("GET", "/service/api/key", nil, model.Unauthenticated)
	player.token = secret
	player.refused("GET", "/api/me", nil, model.Unauthenticated)
	player.refused("GET", "/service/api/key", nil, model.NotFound)
	admin := w.adminBrowser()
	admin.token = secret
	admin.refused("GET", "/admin/api/me", nil, model.Unauthenticated)
	admin.refused("GET", "/service/api/key", nil, model.NotFound)
	// A page may not call, not even one that the players' listener allows.
	page := w.serviceBrowser(secret)
	page.header = http.Header{"Origin": {"https://game.example"}, "Idempotency-Key": {"x"}}
	page.refused("POST", "/service/api/matches", twoSeats("a", "b"), model.CrossOrigin)
	if r := page.do("GET", "/service/api/key", nil); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("a page may read the answers of the service API")
	}
	// The scope is the key's, even if the request names another.
	reader := w.serviceBrowser(secret)
	reader.once("x").refused("POST", "/service/api/matches", twoSeats("a", "b"), model.Forbidden)
	reader.refused("GET", "/service/api/player?subject=a", nil, model.Forbidden)
}

// Guard: quota.ServiceCalls, one key for itself.
func TestServiceKeyFlood(t *testing.T) {
	ledger := storetest.Ledger("service-calls.account=5")
	w := newHarness(t, Config{Ledger: ledger}, func(c *lobby.Config) { c.Ledger = ledger })
	chief := w.adminLoggedIn()
	one, _ := w.studio(chief, "matches:read")
	two, _ := w.studio(chief, "matches:read")
	b := w.serviceBrowser(one)
	for range 5 {
		b.must("GET", "/service/api/matches", nil, 200)
	}
	if r := b.refused("GET", "/service/api/matches", nil, model.Throttled); r.header.Get("Retry-After") == "" {
		t.Error("not told when to come again")
	}
	w.serviceBrowser(two).must("GET", "/service/api/matches", nil, 200)
	if ledger.Limit(quota.ServiceCalls).Most[quota.Account] != 5 {
		t.Error("the limit is not that of the test")
	}
}

func mustOrigins(t *testing.T, list ...string) *listen.Origins {
	t.Helper()
	o, err := listen.ParseOrigins(list)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Guard: Lobby.Planned. For strangers each operation on a planned lobby answers like one on a
// missing lobby.
func TestPlannedLobbiesAreTheirMembers(t *testing.T) {
	w := newHarness(t, Config{})
	member, stranger := w.guest("Ada"), w.guest("Eve")
	account := model.AccountID(member.must("GET", "/api/me", nil, 200).at("account", "id").(string))
	plan := room.MatchPlan{Map: "ring", Payer: quota.Payer{Trusted: true}, Seats: []model.PlannedSeat{{Account: account}, {}}}
	l, err := w.server.Room.StartMatchFor(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	docs, err := documents()
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]any{
		"change-seat": map[string]any{"team": 1}, "change-other-seat": map[string]any{"open": true}, "match-budget": map[string]any{"bytesPerS": 800},
		"ask-lobby": map[string]any{"kind": "start"}, "vote-in-lobby": map[string]any{"poll": 1, "yes": true},
		"chat": map[string]any{"text": "hello"}, "configure-lobby": map[string]any{"name": "mine"}, "join-lobby": map[string]any{"spectate": true},
	}
	asked := 0
	compare := func(when string) {
		for pattern, item := range docs[0].Paths.Map() {
			if !strings.HasPrefix(pattern, "/api/lobbies/{id}") {
				continue
			}
			for method, o := range item.Operations() {
				asked++
				path := func(id string) string { return strings.NewReplacer("{id}", id, "{slot}", "0").Replace(pattern) }
				for name, b := range map[string]*browser{"a stranger": stranger, "nobody": w.browser()} {
					there, missing := b.do(method, path(string(l.ID)), bodies[o.OperationID]), b.do(method, path("f"+string(l.ID)[1:]), bodies[o.OperationID])
					if there.status != missing.status || there.raw != missing.raw || name == "a stranger" && missing.status != 404 {
						t.Errorf("%s: %s %s by %s: %d %s, of no lobby %d %s", when, method, pattern, name, there.status, there.raw, missing.status, missing.raw)
					}
				}
			}
		}
	}
	compare("playing")
	member.must("GET", "/api/lobbies/"+string(l.ID), nil, 200)
	member.events(string(l.ID), "").next()
	if err := w.server.Play.MatchEnded(context.Background(), model.Result{Match: l.Match, Reason: "surrender", Ticks: 40}); err != nil {
		t.Fatal(err)
	}
	compare("ended")
	member.must("GET", "/api/lobbies/"+string(l.ID), nil, 200)
	if asked < 20 {
		t.Errorf("%d operations", asked)
	}
	// A plan may have seats for spectators: accounts with its id come in.
	plan.Options = map[string]any{"spectators": json.RawMessage("1")}
	if l, err = w.server.Room.StartMatchFor(context.Background(), plan); err != nil {
		t.Fatal(err)
	}
	stranger.refused("GET", "/api/lobbies/"+string(l.ID), nil, model.NotFound)
	stranger.refused("POST", "/api/lobbies/"+string(l.ID)+"/join", nil, model.NotFound)
	stranger.must("POST", "/api/lobbies/"+string(l.ID)+"/join", map[string]any{"spectate": true}, 200)
	stranger.must("GET", "/api/lobbies/"+string(l.ID), nil, 200)
}
