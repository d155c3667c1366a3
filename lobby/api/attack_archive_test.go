package api

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Guards: Archive and the catalogue show strangers no difference between a match that runs, even one that all share, and
// one that does not exist; no query widens a search.
func TestArchiveRevealsNothingLive(t *testing.T) {
	w := newHarness(t, Config{})
	ada, eve := w.guest("Ada"), w.guest("Eve")
	lobby := ada.must("POST", "/api/lobbies", map[string]any{"name": "Ford", "map": "ford", "bots": 1, "options": map[string]any{"replays": "listed", "spectatorDelay": 0}}, 200).at("id").(string)
	ada.must("PUT", "/api/me/sharing", map[string]any{"sharing": "replays"}, 204)
	match := ada.must("POST", "/api/lobbies/"+lobby+"/start", nil, 200).at("matchId").(string)
	for _, path := range []string{"/api/catalogue/%/journal", "/api/catalogue/%/timeline", "/api/replays/%"} {
		live, none := eve.do("GET", strings.Replace(path, "%", match, 1), nil), eve.do("GET", strings.Replace(path, "%", model.NewID(), 1), nil)
		if live.raw != none.raw || live.status != none.status || live.status != 404 {
			t.Errorf("%s of a match that runs: %d %s, of none: %d %s", path, live.status, live.raw, none.status, none.raw)
		}
	}
	ada.refused("GET", "/api/catalogue/"+match+"/journal", nil, model.NotFound) // its players neither
	for _, query := range []string{"", "?player=Ada", "?map=ford", "?before=9007199254740993"} {
		if r := eve.must("GET", "/api/catalogue"+query, nil, 200); len(r.at("replays").([]any)) > 0 {
			t.Errorf("%s finds %s", query, r.raw)
		}
	}
	for _, query := range []string{"?before=-1", "?limit=1000000", "?before=1&before=2", "?minSeconds=-1", "?maxSeconds=99999999", "?maxRating=-5", "?version=-1"} {
		if r := eve.do("GET", "/api/catalogue"+query, nil); r.status < 400 || r.status >= 500 {
			t.Errorf("%s: %d %s", query, r.status, r.raw)
		}
	}
	w.browser().refused("GET", "/api/catalogue", nil, model.Unauthenticated)
}
