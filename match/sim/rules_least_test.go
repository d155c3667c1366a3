package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/rules"
)

// A ruleset may leave out every list but the types: without armours all damage
// counts in full, without resources all is free.
func TestARulesetOfTypesAlone(t *testing.T) {
	rs, err := rules.Parse("least.json", []byte(`{
		"name": "least", "start": [{"type": "lodge", "count": 1}, {"type": "heron", "count": 4}, {"type": "digger", "count": 1}],
		"weapons": [{"name": "beak", "range": 30, "cooldown": 0.5, "damage": 7}],
		"types": [
			{"name": "heron", "class": "unit", "health": 80, "sight": 32, "movement": "ground", "radius": 0.3, "speed": 3, "turn": 512, "weapons": ["beak"]},
			{"name": "digger", "class": "unit", "health": 80, "sight": 8, "movement": "ground", "radius": 0.3, "speed": 3, "turn": 512, "harvest": {"carry": 5, "time": 1}},
			{"name": "lodge", "class": "structure", "health": 300, "sight": 7, "width": 3, "height": 3, "centre": true, "trains": ["heron"], "drop_off": true}
		]}`))
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Setup{Map: flatMap(24), Rules: rs, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	hits := 0
	w.OnHarm(func(h Harm) {
		if h.Amount == 7 {
			hits++
		} else if h.Amount > 7 || !h.Killed {
			t.Errorf("a hit of %d, want 7", h.Amount)
		}
	})
	for range 200 {
		w.Step(nil)
	}
	if hits == 0 {
		t.Error("nobody was hit")
	}
}
