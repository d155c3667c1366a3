package sim

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
)

// unitScriptWorld is a world in which type "raider" of the shipped rules has the ability "call" of kind script, and
// the effect "mark" is of kind script.
func unitScriptWorld(t testing.TB, ability, onAbility, onEffect string) (Setup, *World) {
	t.Helper()
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	for _, edit := range [][2]string{
		{`"abilities": [`, `"values": [{"name": "own", "max": 99}, {"name": "open", "class": "seeing", "max": 99}], "abilities": [{"name": "call", "kind": "script", "script": "call.star", ` + ability + `}, `},
		{`"effects": [`, `"effects": [{"name": "mark", "kind": "script", "script": "mark.star", "duration": 1, "every": 0.25, "stacks": 2, "changes": [{"attribute": "speed", "percent": 75}]}, `},
		{`"abilities": ["cloak"]`, `"abilities": ["cloak", "call"], "values": {"own": 3, "open": 4}`},
	} {
		if !bytes.Contains(text, []byte(edit[0])) {
			t.Fatal(edit[0])
		}
		text = bytes.Replace(text, []byte(edit[0]), []byte(edit[1]), 1)
	}
	if text, err = rules.WithScripts(text, map[string]string{"call.star": onAbility, "mark.star": onEffect}); err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("call.json", text)
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}}
	s := Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// made puts a unit of a type on a tile. It holds its fire.
func made(t testing.TB, w *World, slot grid.Slot, typ string, x, y int16) *Entity {
	t.Helper()
	i, ok := w.rules.TypeByName(typ)
	if !ok {
		t.Fatal(typ)
	}
	e := w.spawn(slot, i, grid.Tile{X: x, Y: y}.Center(), false)
	for k := range e.arms {
		e.arms[k].ready = 1 << 30
	}
	w.settle()
	return e
}

const plainMark = "def tick(u): return None"

// TestAbilityScriptActs: each effect of an ability's script does its work.
func TestAbilityScriptActs(t *testing.T) {
	for _, tt := range []struct {
		do   string
		want func(w *World, own, foe *Entity) bool
	}{
		{`damage(foe, 7)`, func(_ *World, _, foe *Entity) bool { return foe.hp == 93 }},
		{`damage_area(foe.x, foe.y, TILE, 9, 100, friends = True)`, func(_ *World, _, foe *Entity) bool { return foe.hp == 91 }},
		{`strike(foe, "rifle")`, func(_ *World, _, foe *Entity) bool { return foe.hp < 100 }},
		{`heal(u.self, 5)`, func(_ *World, own, _ *Entity) bool { return own.hp == 55 }},
		{`put(foe, "mark")`, func(_ *World, _, foe *Entity) bool { return len(foe.effects) == 1 }},
		{`[put(foe, "mark"), lift(foe, "mark")]`, func(w *World, _, foe *Entity) bool { w.Step(nil); return len(foe.effects) == 0 }},
		{`push(foe, TILE, 0)`, func(_ *World, _, foe *Entity) bool { return foe.Tile() == grid.Tile{X: 35, Y: 30} }},
		{`move(foe, 30 * TILE, 26 * TILE)`, func(_ *World, _, foe *Entity) bool { return foe.Tile() == grid.Tile{X: 30, Y: 26} }},
		{`spawn("detector", 30 * TILE, 26 * TILE)`, func(w *World, _, _ *Entity) bool {
			i, _ := w.rules.TypeByName("detector")
			return w.players[0].counts[i] == 1
		}},
		{`reveal(50 * TILE, 10 * TILE, 2 * TILE, 9000)`, func(w *World, _, _ *Entity) bool {
			return w.eyes.Visible(0, grid.Tile{X: 50, Y: 10}) && !w.eyes.Visible(1, grid.Tile{X: 50, Y: 10})
		}},
		{`set_value(u.self, "own", 42)`, func(_ *World, own, _ *Entity) bool { return own.values[0] == 42 }},
		{`end()`, func(w *World, own, _ *Entity) bool { return !own.acts[1].on && own.acts[1].ready > w.tick }},
	} {
		s, w := unitScriptWorld(t, `"passive": true, "lasting": true, "every": 0.05, "radius": 6, "cooldown": 99`, `
def ready(u): return len(u.near(u.radius)) == 2
def start(u):
    foe = [x for x in u.near(u.radius) if x.team != u.team][0]
    return `+tt.do+`
`, plainMark)
		own, foe := made(t, w, 0, "raider", 30, 30), made(t, w, 1, "soldier", 34, 30)
		own.hp = 50
		stepped(t, s, w, 3) // it starts in the first tick in which its team sees the soldier
		if own, foe = w.find(own.id), w.find(foe.id); len(w.out.Faults) > 0 || !tt.want(w, own, foe) {
			t.Errorf("%s: the foe has %d at %v, the own unit %d; %v", tt.do, foe.hp, foe.Tile(), own.hp, w.out.Faults)
		}
	}
}

// TestAbilityScriptEvents: a passive ability starts when it is ready, works in its interval and stops. Its reads are right.
func TestAbilityScriptEvents(t *testing.T) {
	s, w := unitScriptWorld(t, `"passive": true, "every": 0.2, "radius": 6, "range": 3, "duration": 1, "cooldown": 99`, `
def ready(u):
    return u.tick >= 8
def start(u):
    if u.name != "call" or u.radius != 6 * TILE or u.range != 3 * TILE or u.slot != 0 or u.team != 0 or u.ms != u.tick * 50:
        fail("entry")
    if u.target != None or u.source != None or u.x != u.self.x or u.y != u.self.y or u.since != 0 or u.hurt or u.random(1, key = 2) != 0:
        fail("call")
    if u.stacks != 0 or u.energy < 1 or u.self.type != "raider" or not u.self.value("open") == 4 or u.self.value("gone") != None:
        fail("self")
    return set_value(u.self, "own", 10)
def tick(u): return set_value(u.self, "own", u.self.value("own") + 1)
def stop(u): return set_value(u.self, "own", u.self.value("own") + 50)
`, plainMark)
	own := made(t, w, 0, "raider", 30, 30)
	for _, c := range []struct {
		ticks int
		want  int32
	}{{7, 3}, {1, 10}, {4, 11}, {8, 13}, {8, 64}, {30, 64}} {
		if stepped(t, s, w, c.ticks); own.values[0] != c.want || len(w.out.Faults) > 0 {
			t.Errorf("tick %d: the value is %d, want %d; %v", w.tick, own.values[0], c.want, w.out.Faults)
		}
	}
}

// TestEffectScript: the handlers of an effect run for the player who put it on, it counts up to its stacks, and its
// changes count as often.
func TestEffectScript(t *testing.T) {
	s, w := unitScriptWorld(t, `"aim": "unit", "targets": "enemies", "range": 9`, `def start(u): return put(u.target, "mark")`, `
def start(u): return set_value(u.source, "own", 20) if u.source.slot == u.slot and u.slot == 0 else fail("source")
def tick(u): return [damage(u.self, 3 * u.stacks), set_value(u.source, "own", u.source.value("own") + 1)]
def stop(u): return set_value(u.source, "own", u.source.value("own") + 50)
`)
	own, foe := made(t, w, 0, "raider", 30, 30), made(t, w, 1, "soldier", 34, 30)
	stepped(t, s, w, 1)
	fast := w.speedOf(foe)
	put := func() {
		own.acts[1].ready = 0
		if code := w.start(own, 1, 0, own.Pos(), foe); code != 0 {
			t.Fatal(code)
		}
	}
	put()
	stepped(t, s, w, 6)
	if foe.hp != 97 || own.values[0] != 21 || w.speedOf(foe) != fast*75/100 {
		t.Errorf("the foe has %d, the value is %d, the speed %d of %d", foe.hp, own.values[0], w.speedOf(foe), fast)
	}
	put()
	put()
	stepped(t, s, w, 6)
	if foe.hp != 91 || w.speedOf(foe) != fast*50/100 {
		t.Errorf("with two stacks the foe has %d, the speed is %d of %d", foe.hp, w.speedOf(foe), fast)
	}
	stepped(t, s, w, 20)
	if len(foe.effects) != 0 || own.values[0] < 70 || len(w.out.Faults) > 0 {
		t.Errorf("at its end there are %d effects, the value is %d; %v", len(foe.effects), own.values[0], w.out.Faults)
	}
}

// A script of a team reads nothing that the team does not see: a hidden unit, a hidden target, a value that the server
// does not send to the team.
func TestAbilityScriptKnowsItsTeamOnly(t *testing.T) {
	s, w := unitScriptWorld(t, `"passive": true, "lasting": true, "every": 0.05, "radius": 6`, `
def tick(u):
    foes = [x for x in u.near(32 * TILE) if x.team != u.team]
    known = [x for x in foes if x.value("own") == None and x.value("open") == 4]
    return set_value(u.self, "own", 10 * len(foes) + len(known))
`, plainMark)
	own := made(t, w, 0, "raider", 30, 30)
	for _, c := range []struct {
		x       int16
		cloaked bool
		want    int32
	}{{34, false, 11}, {34, true, 0}, {44, false, 0}} { // sight is 8 tiles
		foe := made(t, w, 1, "raider", c.x, 30)
		foe.cloaked = c.cloaked
		foe.acts[0].on = c.cloaked
		foe.energy = 60_000
		stepped(t, s, w, 3)
		if own.values[0] != c.want || len(w.out.Faults) > 0 {
			t.Errorf("a foe at %d, cloaked %v: the script reads %d, want %d; %v", c.x, c.cloaked, own.values[0], c.want, w.out.Faults)
		}
		w.kill(foe)
		stepped(t, s, w, 1)
	}
}

// TestAbilityScriptFaults: a handler that names an unknown thing has no effects.
func TestAbilityScriptFaults(t *testing.T) {
	for do, want := range map[string]string{
		`put(u.self, "gone")`:          `put: the ruleset has no "gone"`,
		`lift(u.self, "gone")`:         `lift: the ruleset has no "gone"`,
		`strike(u.self, "gone")`:       `strike: the ruleset has no "gone"`,
		`spawn("gone", 1, 1)`:          `spawn: the ruleset has no "gone"`,
		`set_value(u.self, "gone", 1)`: `set_value: the ruleset has no "gone"`,
		`heal(u.target, 1)`:            `"unit" is NoneType, want a unit`,
		`[u.random(0)]`:                `random: below 0`,
	} {
		s, w := unitScriptWorld(t, `"passive": true, "lasting": true, "every": 60`, "def start(u):\n    return [set_value(u.self, 'own', 9)] + ["+do+"]", plainMark)
		own := made(t, w, 0, "raider", 30, 30)
		out := w.Step(nil)
		if len(out.Faults) != 1 || !strings.Contains(out.Faults[0].Error(), want) || own.values[0] != 3 {
			t.Errorf("%s: %v, want %s; the value is %d", do, out.Faults, want, own.values[0])
		}
		stepped(t, s, w, 2)
	}
}

// TestMend: the shipped aura heals hurt units of its team within its radius, each second.
func TestMend(t *testing.T) {
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}}
	s := Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	made(t, w, 0, "detector", 30, 30)
	near, far, foe := made(t, w, 0, "soldier", 33, 30), made(t, w, 0, "soldier", 36, 30), made(t, w, 1, "soldier", 30, 33)
	for _, e := range []*Entity{near, far, foe} {
		e.hp = 40
	}
	stepped(t, s, w, 45)
	if near.hp != 48 || far.hp != 40 || foe.hp != 40 {
		t.Errorf("after two seconds the near unit has %d, the far one %d, the foe %d", near.hp, far.hp, foe.hp)
	}
}

// TestSimplePartsAreSimple: the parts that scripts compare without a check are no lists.
func TestSimplePartsAreSimple(t *testing.T) {
	_, w := unitScriptWorld(t, `"passive": true, "lasting": true`, plainMark, plainMark)
	own := made(t, w, 0, "raider", 30, 30)
	checked := map[string]bool{}
	mode := &modeScript{w: w, def: &rules.Mode{}}
	for _, host := range []script.Host{mode, scriptPlayer{w, &w.players[0]}, &scriptUnit{w: w, e: own, team: grid.NoTeam}, &turn{w: w, e: own, team: own.team, ability: 1}} {
		for _, name := range host.Parts() {
			if !slices.Contains(script.SimpleParts, name) {
				continue
			}
			checked[name] = true
			switch v := host.Part(name); v.Type() {
			case "int", "string", "bool", "NoneType", "unit":
			default:
				t.Errorf("%T has %q of %s", host, name, v.Type())
			}
		}
	}
	if len(checked) != len(script.SimpleParts) {
		t.Errorf("of %v the hosts have %v", script.SimpleParts, checked)
	}
}
