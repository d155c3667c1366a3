package api

import (
	"context"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
)

// A banned player reads why and until when with the first request after the log-in.
func TestABannedPlayerReadsWhy(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.browser()
	login := map[string]any{"name": "Ada", "password": "a lamp in the valley"}
	b.must("POST", "/api/register", login, 200)
	if r := b.must("GET", "/api/me", nil, 200); r.at("banned") != nil {
		t.Fatalf("nothing is banned: %s", r.raw)
	}
	ban := func(d time.Duration) {
		t.Helper()
		chief := w.server.Admin.OperatorSession(admin.Operator{Name: "t", UID: "1000"})
		if _, err := chief.Ban(context.Background(), admin.NewBan{Account: "Ada", Reason: "insults in chat", For: d}); err != nil {
			t.Fatal(err)
		}
	}
	ban(time.Hour)
	b.must("POST", "/api/login", login, 200)
	r := b.must("GET", "/api/me", nil, 200)
	until, err := time.Parse(time.RFC3339, r.at("banned", "until").(string))
	if r.at("banned", "reason") != "insults in chat" || err != nil || !until.Equal(w.server.Now().Add(time.Hour)) {
		t.Errorf("%s (%v)", r.raw, err)
	}
	w.server.Step(2 * time.Hour)
	if r := b.must("GET", "/api/me", nil, 200); r.at("banned") != nil {
		t.Errorf("the ban is over: %s", r.raw)
	}
}
