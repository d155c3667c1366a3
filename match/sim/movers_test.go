package sim

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A restored world goes on as the first did, also in the middle of repairs and with wrecks.
func TestMoversAreState(t *testing.T) {
	for _, c := range []struct{ story, upTo string }{
		{"repair", "step 100"}, {"wrecks", "order 1 move foe at=30.5,15.5"},
	} {
		story, err := os.ReadFile("testdata/" + c.story + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := bytes.Cut(story, []byte(c.upTo))
		_, w := playStage(t, append(head, "step 40\n----\n"...))
		back, err := Restore(Setup{Map: w.m, Rules: w.rules, Seed: w.seed, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}, w.Save(nil))
		if err != nil {
			t.Fatal(err)
		}
		back.mode = w.mode // the stage's, which never ends
		for range 400 {
			w.Step(nil)
			back.Step(nil)
			if w.Hash() != back.Hash() {
				t.Fatalf("%s, tick %d: the restored world went another way", c.story, w.Tick())
			}
		}
	}
}

// TestRulesOfMovers: wrong numbers and contradictions are refused, with their names.
func TestRulesOfMovers(t *testing.T) {
	b, err := os.ReadFile("testdata/movers.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, with, want string }{
		{`"types": ["tank", "hut"], "health": 25`, `"types": ["tank", "scrap"], "health": 25`, `"worker" repairs "scrap", which is neither unit nor structure`},
		{`"types": ["tank", "hut"], "health": 25`, `"health": 25`, `"types" is missing`},
		{`"types": ["tank", "hut"], "health": 25`, `"types": ["tonk"], "health": 25`, `unknown type "tonk"`},
		{`"seek": 6`, `"seek": 17`, `17 is outside 0 to 16`},
		{`"speed": 2.5, "turn": 2048, "health": 40, "sight": 6, "cost": {"ore": 50},` + "\n" + `     "repairs"`, `"health": 40,` + "\n" + `     "repairs"`, `"drone": only a unit that moves repairs`},
		{`"wreck": {"type": "scrap", "percent": 40`, `"wreck": {"type": "hut", "percent": 40`, `"tank" leaves "hut", which is no resource`},
		{`"wreck": {"type": "scrap", "percent": 40`, `"wreck": {"percent": 40`, `"type" is missing`},
		{`"percent": 40`, `"percent": 101`, `101 is outside 1 to 100`},
	} {
		text := strings.Replace(string(b), c.old, c.with, 1)
		if _, err := rules.Parse("movers.json", []byte(text)); err == nil || text == string(b) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.with, err, c.want)
		}
	}
}

// The wrecks of a match are bounded: with one more, the oldest goes.
func TestWrecksAreBounded(t *testing.T) {
	b, err := os.ReadFile("testdata/movers.json")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("movers.json", b)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, Setup{Rules: rs, Map: flatMap(96)})
	tank, _ := rs.TypeByName("tank")
	for i := range int(rules.WrecksMax + 3) {
		e := w.spawn(1, tank, grid.Tile{X: int16(20 + i%48), Y: int16(20 + i/48)}.Center(), false)
		w.hits = append(w.hits, hit{e, harm{amount: 1000, weapon: NoWeapon}})
	}
	w.settle()
	w.deal()
	w.settle()
	w.removeDead()
	places := 0
	for _, e := range w.all {
		if w.rules.IsWreck(e.typ) {
			places++
		}
	}
	if places != rules.WrecksMax || w.wrecks[0].id.Counter() != 4 {
		t.Errorf("%d wrecks, the oldest is %v", places, w.wrecks[0].id)
	}
}
