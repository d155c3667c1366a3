package sim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/orders"
)

// scriptSetup is the match of [modeSetup], in a mode with a script.
func scriptSetup(t testing.TB, mode, source string) Setup {
	t.Helper()
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"weapons": [`), []byte(`"modes": [{"name": "m", "script": "m.star", `+mode+`}], "weapons": [`), 1)
	if text, err = rules.WithScripts(text, map[string]string{"m.star": source}); err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("mode.json", text)
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}, {X: 10, Y: 37}}
	return Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Options: Options{Mode: "m"},
		Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 1, Start: 2, Bot: true}}}
}

var writesAll = `"writes": ["` + strings.Join(script.Modes.EffectNames(), `", "`) + `"]`

// TestScriptEvents: each event of modes has its handler called, with its arguments. The handlers note it in variables.
func TestScriptEvents(t *testing.T) {
	var vars []string
	source := `
def _note(name, ok = True):
    return [set_var(name, 1)] if ok else []
`
	for _, e := range script.Modes.Events {
		vars = append(vars, fmt.Sprintf(`{"name": %q, "max": 1}`, e.Name))
		ok := map[string]string{
			"begin":   `w.tick == 0 and len(w.teams) == 2 and len(w.players) == 3`,
			"created": `unit.type == "raider" and unit.slot == 0 and unit.built and unit.kind == "unit"`,
			"order":   `slot == 0 and kind == "move" and len(units) == 1 and units[0].type == "raider"`,
			"ability": `name == "cloak" and unit.type == "raider"`,
			"built":   `unit.type == "barracks"`,
			"died":    `unit.type == "flyer" and slot == None and unit.team == 1`,
			"entered": `area == "hill" and unit.type == "raider"`,
			"left":    `area == "hill" and unit.type == "raider"`,
			"timer":   `name == "soon" and w.ms == 500 and w.timer("soon") == None`,
			"tick":    `w.tick % 10 == 0 and w.ms == w.tick * 50`,
		}[e.Name]
		more := ""
		if e.Name == "begin" {
			more = ` + [set_timer("soon", 500)]`
		}
		source += fmt.Sprintf("def %s(%s):\n    return _note(%q, %s)%s\n", e.Name, strings.Join(e.Params, ", "), e.Name, ok, more)
	}
	s := scriptSetup(t, `"every": 0.5, "timers": ["soon"], "areas": [{"name": "hill", "radius": 2}], "vars": [`+strings.Join(vars, ", ")+`], `+writesAll, source)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	raider, _ := s.Rules.TypeByName("raider")
	flyer, _ := s.Rules.TypeByName("flyer")
	barracks, _ := s.Rules.TypeByName("barracks")
	w.Step(nil)
	man := w.spawn(0, raider, grid.Tile{X: 20, Y: 24}.Center(), false)
	prey := w.spawn(1, flyer, grid.Tile{X: 4, Y: 4}.Center(), false)
	mason := w.spawn(0, 0, grid.Tile{X: 15, Y: 32}.Center(), false)
	site := w.spawn(0, barracks, grid.Tile{X: 15, Y: 30}.Center(), true)
	w.settle()
	w.Step(nil)
	w.due = append(w.due, dueOrder{at: w.tick + 1, kind: orders.Move, hasPoint: true, point: grid.Tile{X: 30, Y: 24}.Center(), units: []grid.EntityID{man.id}})
	ability, _ := s.Rules.AbilityByName("cloak")
	man.energy = s.Rules.Types[raider].EnergyMax
	w.due = append(w.due, dueOrder{at: w.tick + 1, kind: orders.UseAbility, ability: ability, units: []grid.EntityID{man.id}})
	site.raised = int32(w.rt.types[barracks].build) - 1
	mason.give([]task{{kind: orders.Build, phase: buildRaise, typ: barracks, target: site.id}})
	w.kill(prey)
	w.Step(nil)
	stepped(t, s, w, 160)
	m := scriptOf(w, &s.Rules.Modes[0])
	for _, e := range script.Modes.Events {
		if at, _, err := m.variable(e.Name, 0); err != nil || m.word(at) != 1 {
			t.Errorf("the handler of %q was not called rightly: %v", e.Name, err)
		}
	}
	if len(w.out.Faults) > 0 {
		t.Error(w.out.Faults[0])
	}
}

// TestScriptEffects: each effect of modes does its work, once, and each read sees it.
func TestScriptEffects(t *testing.T) {
	for _, tt := range []struct {
		name, do, reads string
		want            func(w *World) bool
	}{
		{"damage", `[damage(u, 7) for u in w.units("worker", 0)]`, `max([u.max - u.hp for u in w.units("worker", 0)]) == 7`, nil},
		{"heal", `[damage(u, 9) for u in w.units("worker", 0)] if w.tick == 1 else [heal(u, 4) for u in w.units("worker", 0)]`, `True`, nil},
		{"kill", `[kill(u) for u in w.units("worker", 0)]`, `len(w.units("worker", 0)) == 0`, nil},
		{"give", `give(1, "ore", 25)`, `w.stock(1, "ore") > w.stock(0, "ore")`, nil},
		{"take all", `give(1, "ore", -2000000)`, `w.stock(1, "ore") == 0`, nil},
		{"score", `score(2, 12)`, `w.players[2].score == 12 and w.leader == 1`, nil},
		{"set_value", `set_value("v", 1, 44)`, `w.value("v", 1) == 44 and w.value("v", 0) == 0`, nil},
		{"set_value below 0", `set_value("v", 1, -44)`, `w.value("v", 1) == 0`, nil},
		{"set_var", `set_var("n", 99, of = 1)`, `w.var("n", 1) == 50 and w.var("n") == 5`, nil},
		{"set_timer", `set_timer("t", 2000)`, `w.timer("t") > 0`, nil},
		{"stop_timer", `[set_timer("t", 2000), stop_timer("t")]`, `w.timer("t") == None`, nil},
		{"spawn", `[spawn(0, "raider", 24 * TILE, 24 * TILE)]`, `len(w.near(24 * TILE, 24 * TILE, TILE)) == 1 and w.owned(0, "raider") == 1 and len(w.inside("hill")) == 1`, nil},
		{"reveal", `reveal(1, 24 * TILE, 10 * TILE, 2 * TILE, 9000)`, `w.sees(1, 24 * TILE, 10 * TILE) and not w.sees(0, 24 * TILE, 24 * TILE)`, nil},
		{"own", `[own(u, 1) for u in w.units() if u.kind == "structure" and u.slot == 0]`, `not [u for u in w.units(slot = 0) if u.kind == "structure"]`, nil},
		{"defeat", `defeat(2)`, `w.players[2].alive == False and w.players[2].bot`, nil},
		{"random", `set_var("n", w.random(1000, key = 3) % 40, of = 1)`, `w.random(1) == 0`, func(w *World) bool { return w.draw(grid.NoSlot, 3, drawMode) != 0 }},
		{"win", `win(1, "by-script")`, "False", func(w *World) bool { return w.result.Winner == 1 && w.result.Reason == "by-script" }},
		{"draw", `draw("by-script")`, "False", func(w *World) bool { return w.result.Winner == grid.NoTeam && w.result.Reason == "by-script" }},
	} {
		s := scriptSetup(t, `"defeat": "never", "every": 0.05, "timers": ["t"], "values": [{"name": "v"}], "areas": [{"name": "hill", "radius": 2}],
			"vars": [{"name": "n", "per": "player", "start": 5, "max": 50}, {"name": "good"}], `+writesAll, `
def tick(w):
    if w.tick == 1 or w.tick == 2 and "`+tt.name+`" == "heal":
        return `+tt.do+`
    if w.tick == 3:
        return set_var("good", 1 if `+tt.reads+` else 2)
`)
		w, err := New(s)
		if err != nil {
			t.Fatal(tt.name, err)
		}
		for range 6 {
			if out := w.Step(nil); len(out.Faults) > 0 {
				t.Error(tt.name, out.Faults[0])
			}
		}
		m := scriptOf(w, &s.Rules.Modes[0])
		at, _, _ := m.variable("good", 0)
		if over := tt.reads == "False"; over != (w.result != nil) || !over && m.word(at) != 1 || tt.want != nil && !tt.want(w) {
			t.Errorf("%s: the next handler reads %d", tt.name, m.word(at))
		}
		if tt.name == "heal" {
			for _, e := range w.all {
				if most, _, _ := w.Most(e); w.rules.Types[e.typ].Name == "worker" && e.slot == 0 && most-e.hp != 5 {
					t.Errorf("after damage of 9 and healing of 4, %d are missing", most-e.hp)
				}
			}
		}
	}
}

// A handler with a fault loses its effects, and no other handler does. The match goes on.
func TestScriptFaults(t *testing.T) {
	for body, want := range map[string]string{
		`return [set_var("n", 9), set_var("m", 1)]`:                                       `m.star:3: the mode has no variable "m" of 0`,
		`return [set_var("n", 9), set_var("n", 1, of = 1)]`:                               `no variable "n" of 1`,
		`return [set_var("n", 9), set_value("x", 0, 1)]`:                                  `set_value: there is no value x`,
		`return [set_var("n", 9), set_value("v", 2, 1)]`:                                  `set_value: there is no team 2`,
		`return [set_var("n", 9), spawn(0, "tank9", 0, 0)]`:                               `spawn: there is no type tank9`,
		`return [set_var("n", 9), score(3, 1)]`:                                           `score: there is no slot 3`,
		`return [set_var("n", 9), own(w.units()[0], 9)]`:                                  `own: there is no slot 9`,
		`return [set_var("n", 9), give(0, "gold", 1)]`:                                    `give: there is no resource gold`,
		`return [set_var("n", 9), reveal(5, 0, 0, 1, 1)]`:                                 `reveal: there is no team 5`,
		`return [set_var("n", 9), win(0, "No Reason")]`:                                   `win: there is no reason`,
		`return [set_var("n", 9), defeat(-1)]`:                                            `defeat: there is no slot -1`,
		`return [set_var("n", 9), set_timer("x", 1)]`:                                     `no timer "x"`,
		`return [set_var("n", w.var("q"))]`:                                               `m.star:4: `,
		`return [set_var("n", w.stock(0, "gold"))]`:                                       `no resource "gold"`,
		`return [set_var("n", w.owned(9, "raider"))]`:                                     `no slot 9`,
		`return [set_var("n", w.inside("home"))]`:                                         `no area "home"`,
		`return [set_var("n", w.random(0))]`:                                              `random: below 0`,
		`return [set_var("n", w.sees(0, -1, 0))]`:                                         `sees: there is no team 0, or no such place`,
		`return [set_var("n", w.value("v", 7))]`:                                          `there is no team 7`,
		`return [set_var("n", len(w.units("tank9")))]`:                                    `no type "tank9"`,
		`return [set_var("n", 9) for i in range(10 * w.tick)] + [1 // (w.tick - w.tick)]`: `division by 0`,
	} {
		s := scriptSetup(t, `"every": 0.05, "timers": ["t"], "values": [{"name": "v"}], "vars": [{"name": "n"}, {"name": "ticks"}], "areas": [{"name": "home", "at_start": true}], `+writesAll, `
def begin(w): return set_timer("t", 50)
def tick(w):
    `+body+`
def timer(w, name): return [set_timer("t", 50), set_var("ticks", w.var("ticks") + 1)]
`)
		w, err := New(s)
		if err != nil {
			t.Fatal(body, err)
		}
		out := w.Step(nil)
		if len(out.Faults) != 1 || !strings.Contains(out.Faults[0].Error(), want) {
			t.Errorf("%s: %v, want %s", body, out.Faults, want)
		}
		stepped(t, s, w, 3)
		m := scriptOf(w, &s.Rules.Modes[0])
		if m.word(m.place(0)) != 0 || m.word(m.place(1)) != 4 {
			t.Errorf("%s: n is %d, and there were %d ticks", body, m.word(m.place(0)), m.word(m.place(1)))
		}
	}
}

// TestScriptTickIsBounded: all handlers of a tick share its steps.
func TestScriptTickIsBounded(t *testing.T) {
	s := scriptSetup(t, `"vars": [{"name": "n"}], `+writesAll, `
def created(w, unit):
    for i in range(1500): unit
    return set_var("n", w.var("n") + 1)
`)
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 400 {
		w.spawn(0, 0, grid.Tile{X: int16(i % 40), Y: int16(i / 40)}.Center(), false)
	}
	w.settle()
	out := w.Step(nil)
	m := scriptOf(w, &s.Rules.Modes[0])
	if n := m.word(m.place(0)); len(out.Faults) != 1 || !strings.Contains(out.Faults[0].Why, "400000 steps in one tick") || n < 20 || n > 100 {
		t.Errorf("%d calls, faults %v", n, out.Faults)
	}
	if w.scripts.steps > scriptStepsMax+script.StepsMax {
		t.Errorf("%d steps", w.scripts.steps)
	}
}

// A saved state of another length is refused.
func TestScriptMemoryHasItsSize(t *testing.T) {
	s := scriptSetup(t, `"vars": [{"name": "n", "per": "team"}], "timers": ["t"]`, "def tick(w): return set_var('n', 1, of = 1)")
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.guest.memory) != 12 {
		t.Errorf("the memory has %d bytes", len(w.guest.memory))
	}
	w.guest.memory = w.guest.memory[:8]
	if _, err := Restore(s, w.Save(nil)); err == nil || !strings.Contains(err.Error(), "memory of 8 bytes, want 12") {
		t.Error(err)
	}
}

// TestHillByScript: the shipped king of the hill is won by the team that alone stands on the hill.
func TestHillByScript(t *testing.T) {
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 64, 64)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 53, Y: 53}}
	s := Setup{Map: m, Rules: rs, Seed: 9, TickRate: 5, Options: Options{Mode: "king-of-the-hill"}, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	soldier, _ := rs.TypeByName("soldier")
	at := grid.Tile{X: 32, Y: 32}.Center()
	if !slices.Equal(w.ModeAreas(), []ModeArea{{"hill", grid.Tile{X: 32, Y: 32}, 9 * grid.WUPerTile}}) {
		t.Errorf("the areas are %v", w.ModeAreas())
	}
	own := w.spawn(1, soldier, at.Add(grid.Vec{X: 900}), false)
	w.settle()
	stepped(t, s, w, 50)
	if w.guest.values[0] != [grid.TeamsMax]int32{0, 10} {
		t.Fatalf("after ten seconds the teams have %v", w.guest.values[0])
	}
	w.spawn(0, soldier, at, false)
	w.settle()
	w.Step(nil)
	for range 4 { // on a full second both stand there
		own.hp = 1000
		w.Step(nil)
	}
	if got := w.guest.values[0][1]; got > 11 {
		t.Errorf("a contested hill gives points: %d", got)
	}
	w.guest.values[0][1] = 179
	for _, e := range w.all {
		if e.slot == 0 && e.typ == soldier && e.Pos().Sub(at).Len() < 6*grid.WUPerTile {
			w.kill(e)
		}
	}
	stepped(t, s, w, 10)
	if w.result == nil || w.result.Winner != 1 || w.result.Reason != "hill-held" {
		t.Errorf("the result is %+v", w.result)
	}
}

// shippedMode is a match of a mode of arsenal.
func shippedMode(t *testing.T, mode string, players ...Player) (Setup, *World) {
	t.Helper()
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 96, 96)
	m.Starts = []grid.Tile{{X: 12, Y: 12}, {X: 83, Y: 83}, {X: 12, Y: 83}}
	for i := range players {
		players[i].Start = i
	}
	s := Setup{Map: m, Rules: rs, Seed: 9, TickRate: 5, Options: Options{Mode: mode}, Players: players}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// lose destroys the entities of a type that a player has.
func (w *World) lose(slot grid.Slot, typ string) {
	i, _ := w.rules.TypeByName(typ)
	for _, e := range w.all {
		if e.slot == slot && e.typ == i {
			w.kill(e)
		}
	}
}

// TestSurvival: the waves of bots grow and do not end, each team of people plays for its longest time, and the last of
// several wins.
func TestSurvival(t *testing.T) {
	s, w := shippedMode(t, "survival", Player{Team: 0}, Player{Team: 1}, Player{Team: 2, Bot: true})
	soldier, _ := s.Rules.TypeByName("soldier")
	tank, _ := s.Rules.TypeByName("rail-tank")
	first := w.players[2].counts[soldier]
	count := func(typ uint16) int32 { return w.players[2].counts[typ] + w.players[2].losses }
	calm := func(seconds int) { // nothing shoots
		for range seconds * 5 {
			for _, e := range w.all {
				for k := range e.arms {
					e.arms[k].ready = 1 << 30
				}
			}
			w.Step(nil)
		}
	}
	calm(46)
	if got := count(soldier) - first; got != 3 || w.guest.values[0][0] != 1 || w.guest.values[1] != [grid.TeamsMax]int32{46, 46} {
		t.Fatalf("after the first wave there are %d more soldiers, the values are %v", got, w.guest.values[:2])
	}
	calm(45 * 10)
	if w.guest.values[0][0] != 11 || count(tank) < 6 || w.result != nil {
		t.Errorf("wave %d, %d tanks, %+v", w.guest.values[0][0], count(tank), w.result)
	}
	again, err := Restore(s, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	w.lose(0, "command-centre")
	calm(1)
	if w.result == nil || w.result.Winner != 1 || w.result.Reason != "outlasted" || w.result.Players[0].Values["survived"] < 495 {
		t.Errorf("the result is %+v", w.result)
	}
	w = again
	w.lose(0, "command-centre")
	w.lose(1, "command-centre")
	calm(1)
	if w.result == nil || w.result.Winner != 2 || w.result.Reason != "overrun" {
		t.Errorf("the result is %+v", w.result)
	}
}

// TestSurvivalAlone: one team plays until the waves have overrun it.
func TestSurvivalAlone(t *testing.T) {
	_, w := shippedMode(t, "survival", Player{Team: 0}, Player{Team: 0}, Player{Team: 1, Bot: true})
	for range 20 {
		w.Step(nil)
	}
	w.lose(0, "command-centre")
	for range 10 {
		w.Step(nil)
	}
	if w.result != nil || w.guest.values[1][0] != 6 {
		t.Fatalf("with one centre left: %+v, values %v", w.result, w.guest.values[1])
	}
	w.lose(1, "command-centre")
	for range 5 {
		w.Step(nil)
	}
	if w.result == nil || w.result.Winner != 1 || w.result.Reason != "overrun" {
		t.Errorf("the result is %+v", w.result)
	}
}

// TestOtherShippedModes: points are captured, waves are held out, and a player without a general is out.
func TestOtherShippedModes(t *testing.T) {
	people := []Player{{Team: 0}, {Team: 1}}
	for _, tt := range []struct {
		mode, reason string
		players      []Player
		do           func(w *World)
	}{
		{"capture-points", "points-held", people, func(w *World) {
			soldier, _ := w.rules.TypeByName("soldier")
			for _, a := range w.ModeAreas() {
				w.spawn(0, soldier, a.At.Center(), false)
			}
			w.settle()
			w.guest.values[0][0] = 398
		}},
		{"assassination", "last-team", people, func(w *World) { w.lose(1, "general") }},
		{"wave-defence", "held-out", []Player{{Team: 0}, {Team: 0}, {Team: 1, Bot: true}}, func(w *World) { w.tick = 749 * 5 }},
	} {
		_, w := shippedMode(t, tt.mode, slices.Clone(tt.players)...)
		for range 15 {
			w.Step(nil)
		}
		if w.result != nil {
			t.Errorf("%s: it ends with %+v", tt.mode, w.result)
		}
		tt.do(w)
		for range 15 {
			w.Step(nil)
		}
		if w.result == nil || w.result.Winner != 0 || w.result.Reason != tt.reason {
			t.Errorf("%s: the result is %+v", tt.mode, w.result)
		}
	}
}

// TestHeroes: the general of a player comes back after 20 seconds, which the player's team alone is shown.
func TestHeroes(t *testing.T) {
	s, w := shippedMode(t, "heroes", Player{Team: 0}, Player{Team: 1})
	general, _ := s.Rules.TypeByName("general")
	w.Step(nil)
	for i, want := range []struct{ seconds, generals, left, steps int32 }{{0, 1, 0, 5}, {1, 0, 20, 5}, {19, 0, 1, 91}, {21, 1, 0, 10}} {
		if i == 1 {
			w.lose(1, "general")
		}
		for range want.steps {
			w.Step(nil)
		}
		if n := w.players[1].counts[general]; int32(n) != want.generals || w.ModeValue(0, 0) != 0 || w.ModeValue(0, 1) != want.left || w.result != nil {
			t.Errorf("after %d seconds: %d generals, values %d and %d, result %+v", want.seconds, n, w.ModeValue(0, 0), w.ModeValue(0, 1), w.result)
		}
	}
}
