package api

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
	"github.com/fogkeep/fogkeep/match/grid"
)

// namesOf returns the names of a list's rows.
func namesOf(t *testing.T, r reply, list, name string) []string {
	t.Helper()
	rows, ok := r.at(list).([]any)
	if !ok {
		t.Fatalf("no %s in %s", list, r.raw)
	}
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		out = append(out, fmt.Sprint(row.(map[string]any)[name]))
	}
	return out
}

// TestListOfLobbies: filters work alone and together, and pages hold every lobby once,
// newest first.
func TestListOfLobbies(t *testing.T) {
	w := newHarness(t, Config{})
	browsers := map[string]*browser{}
	ids := map[string]string{}
	for _, room := range []struct {
		name, mapID, password string
	}{{"alpha", "ring", ""}, {"beta", "ford", "tide"}, {"gamma", "ford", ""}, {"delta 50%_off", "ring", ""}, {"omega", "delta", ""}} {
		b := w.guest("host of " + strings.Fields(room.name)[0])
		r := b.must("POST", "/api/lobbies", map[string]any{"name": room.name, "map": room.mapID, "password": room.password}, 200)
		browsers[room.name], ids[room.name] = b, r.at("id").(string)
	}
	browsers["gamma"].must("POST", "/api/lobbies/"+ids["gamma"]+"/bots", nil, 200) // full
	browsers["omega"].must("POST", "/api/lobbies/"+ids["omega"]+"/bots", nil, 200)
	browsers["omega"].must("POST", "/api/lobbies/"+ids["omega"]+"/start", nil, 200)
	for query, want := range map[string]string{
		"":                                 "delta 50%_off,beta,alpha", // gamma and omega are of one player
		"q=ALPHA":                          "alpha",
		"q=delta":                          "delta 50%_off",
		"q=delta&state=playing":            "omega", // by its map's name
		"q=" + url.QueryEscape("50%_"):     "delta 50%_off",
		"q=" + url.QueryEscape("%"):        "delta 50%_off",
		"state=playing":                    "omega",
		"state=open&q=ford":                "gamma,beta",
		"public=true&state=open":           "delta 50%_off,gamma,alpha",
		"room=true":                        "delta 50%_off,beta,alpha",
		"room=true&public=true&state=open": "delta 50%_off,alpha",
		"q=nothing":                        "",
	} {
		got := strings.Join(namesOf(t, w.browser().must("GET", "/api/lobbies?"+query, nil, 200), "lobbies", "name"), ",")
		if got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	var all []string
	for page := "0"; ; {
		r := w.browser().must("GET", "/api/lobbies?state=open&limit=2&page="+page, nil, 200)
		all = append(all, namesOf(t, r, "lobbies", "name")...)
		if r.at("next") == nil {
			break
		}
		page = fmt.Sprintf("%.0f", r.at("next"))
		if len(all) == 2 { // a lobby made meanwhile is on no later page
			w.guest("late").must("POST", "/api/lobbies", map[string]any{"name": "late", "map": "ring"}, 200)
		}
	}
	if got := strings.Join(all, ","); got != "delta 50%_off,gamma,beta,alpha" {
		t.Errorf("pages: %s", got)
	}
	for _, bad := range []string{"limit=0", "limit=101", "limit=x", "page=-1", "state=closed", "state=x", "public=maybe"} {
		w.browser().refused("GET", "/api/lobbies?"+bad, nil, model.BadRequest)
	}
}

// TestHistoryPages: more matches than a page holds come in pages, each once; the record
// counts them all, and no player reads another's.
func TestHistoryPages(t *testing.T) {
	w := newHarness(t, Config{}, func(c *lobby.Config) { c.Ledger = storetest.Unlimited() })
	b := w.guest("Ada")
	me := b.must("GET", "/api/me", nil, 200).at("account", "id").(string)
	const played = historyPage + 3
	for i := range played {
		l, err := w.server.Room.PlayBot(context.Background(), storetest.Home, model.Account{ID: model.AccountID(me), Name: "Ada"}, model.BotMatchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		r := model.Result{Match: l.Match, Reason: "victory", Ticks: uint32(i), Winners: []grid.Team{grid.Team(i % 2)}}
		if i == 0 {
			r.Failed = true // does not count, and is shown
		}
		if err := w.server.Play.MatchEnded(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	first := b.must("GET", "/api/me/history", nil, 200)
	rest := b.must("GET", fmt.Sprintf("/api/me/history?before=%.0f", first.at("next")), nil, 200)
	ticks := append(namesOf(t, first, "matches", "ticks"), namesOf(t, rest, "matches", "ticks")...)
	if len(ticks) != played || rest.at("next") != nil || ticks[0] != fmt.Sprint(played-1) || ticks[played-1] != "0" {
		t.Fatalf("%d matches, from %s to %s", len(ticks), ticks[0], ticks[len(ticks)-1])
	}
	slices.Sort(ticks)
	if len(slices.Compact(ticks)) != played {
		t.Error("a match is on two pages")
	}
	for _, path := range []string{"/api/accounts/" + me, "/api/me"} {
		if r := b.must("GET", path, nil, 200); r.at("record", "played") != float64(played-1) || r.at("record", "won") != float64(played/2) {
			t.Errorf("%s: record %v", path, r.at("record"))
		}
	}
	w.browser().refused("GET", "/api/me/history", nil, model.Unauthenticated)
	if n := len(w.guest("Eve").must("GET", "/api/me/history", nil, 200).at("matches").([]any)); n != 0 {
		t.Errorf("another sees %d matches", n)
	}
}
