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
		{"repair", "step 100"}, {"wrecks", "order 1 move foe at=30.5,15.5"}, {"transports", "show lift a b c"},
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
		{`"types": ["worker", "tank"]`, `"types": ["worker", "lifter"]`, `"lifter" carries "lifter", which is no unit that moves, or carries units itself`},
		{`"slots": 4, "types": ["worker", "tank"]`, `"slots": 1, "types": ["worker", "tank"]`, `"lifter" has 1 slots, "tank" takes 2`},
		{`"slots": 4, "types": ["worker", "tank"]`, `"slots": 33, "types": ["worker", "tank"]`, `33 is outside 1 to 32`},
		{`"slots": 4, "types": ["worker", "tank"]`, `"slots": 4`, `"types" is missing`},
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

// TestPassengersAreUnseen: two matches differ only in the units that are in a lifter. The other team sees the lifter come and
// shoots it down. It knows the same in both, from the tick after boarding on, and sees the same score.
func TestPassengersAreUnseen(t *testing.T) {
	var worlds [2]*World
	for i, board := range []string{"order 0 board a,b target=lift", "order 0 move a,b at=4.5,15.5"} {
		_, w := playStage(t, []byte(`map 40x20
set rules movers
unit lift 0 lifter 8.5,8.5
unit a 0 worker 7.5,8.5
unit b 0 tank 8.5,9.5
unit f 1 flak 29.5,8.5
`+board+`
step 200
order 0 move lift at=28.5,8.5
step 1
----
`))
		worlds[i] = w
	}
	if n := len(worlds[0].all); n != len(worlds[1].all)-2 {
		t.Fatalf("%d entities are in the world with passengers", n)
	}
	for range 200 {
		for _, w := range worlds {
			w.Step(nil)
		}
		a, b := worlds[0], worlds[1]
		if knownOf(a, 1) != knownOf(b, 1) || a.teams[1].Seen(nil) == nil || len(a.teams[1].Seen(nil)) != len(b.teams[1].Seen(nil)) || a.players[1].shown != b.players[1].shown {
			t.Fatalf("tick %d: team 1 knows of passengers", a.tick)
		}
	}
	if a := worlds[0]; a.players[0].losses != 3 || a.players[1].kills != 3 || worlds[1].players[0].losses != 1 {
		t.Errorf("slot 0 lost %d and %d, slot 1 destroyed %d", a.players[0].losses, worlds[1].players[0].losses, a.players[1].kills)
	}
}

// A restored transport has passengers that it can have, each once.
func TestRestoreRefusesPassengers(t *testing.T) {
	story, err := os.ReadFile("testdata/transports.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := bytes.Cut(story, []byte("show lift a b c"))
	setup := func(w *World) Setup {
		return Setup{Map: w.m, Rules: w.rules, Seed: w.seed, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	}
	for name, spoil := range map[string]func(c *Entity){
		"of another player": func(c *Entity) { c.cargo[0].slot, c.cargo[0].team = 1, 1 },
		"twice":             func(c *Entity) { c.cargo = append(c.cargo, c.cargo[0]) },
		"that still sees":   func(c *Entity) { c.cargo[0].source = 1 },
		"of a wrong class":  func(c *Entity) { c.cargo[0].typ++ },
		"that is an entity": func(c *Entity) { c.cargo[0].id = c.id },
	} {
		_, w := playStage(t, append(head[:len(head):len(head)], "step 1\n----\n"...))
		for _, e := range w.all {
			if len(e.cargo) > 0 {
				spoil(e)
			}
		}
		if _, err := Restore(setup(w), w.Save(nil)); err == nil {
			t.Errorf("a passenger %s is restored", name)
		}
	}
}
