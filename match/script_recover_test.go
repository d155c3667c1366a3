package match

import (
	"bytes"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A match in a mode by script, with units whose ability is a script, comes back after a kill and steps on to the same
// hashes.
func TestAMatchOfScriptsComesBack(t *testing.T) {
	t.Parallel()
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text, err = rules.WithScripts(changed(t, text, map[string]string{
		`"places": [`: `"modes": [{"name": "waves", "script": "waves.star", "writes": ["spawn", "set_value"], "timers": ["next"],
			"vars": [{"name": "wave"}], "values": [{"name": "wave", "open": true}]}], "places": [`,
		`"abilities": [` + "\n":                       `"abilities": [{"name": "aura", "kind": "script", "script": "aura.star", "passive": true, "lasting": true, "every": 0.1, "radius": 9},` + "\n",
		`"weapons": ["rifle"], "abilities": ["rage"]`: `"weapons": ["rifle"], "abilities": ["rage", "aura"]`,
	}), map[string]string{
		"waves.star": `
def begin(w): return set_timer("next", 500)
def timer(w, name):
    n = w.var("wave") + 1
    at = w.players[n % 2]
    return [set_var("wave", n), set_timer(name, 500)] + [set_value("wave", t, n) for t in w.teams] + [spawn(at.slot, "soldier", at.x + w.random(9) * TILE, at.y + w.random(9, key = 1) * TILE)]
`,
		"aura.star": "def tick(u): return [damage(x, 1 + u.random(3)) for x in u.near(u.radius) if x != u.self and x.kind == 'unit']",
	})
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("waves.json", text)
	if err != nil {
		t.Fatal(err)
	}
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true, Options: sim.Options{Mode: "waves"},
		Seats: []SeatSpec{{Name: "player 0", Team: 0}, {Name: "player 1", Team: 1, Start: 1}},
	}, Config{})
	skirmish(a, 65)
	if v := a.live.world.ModeValue(0, grid.Team(0)); v < 4 {
		t.Errorf("there were %d waves: that proves little", v)
	}
	file := a.killed()
	if b := a.revived(folder(t, map[string][]byte{matchID: file}), Config{}); b.live == nil {
		t.Error("the match is not played on")
	}
	replays(t, folder(t, map[string][]byte{matchID: file}), matchID)
}

// changed is a ruleset's text with each old text replaced, of which there is one.
func changed(t *testing.T, text []byte, by map[string]string) []byte {
	t.Helper()
	for old, put := range by {
		if bytes.Count(text, []byte(old)) != 1 {
			t.Fatalf("the ruleset has %d of %q", bytes.Count(text, []byte(old)), old)
		}
		text = bytes.Replace(text, []byte(old), []byte(put), 1)
	}
	return text
}
