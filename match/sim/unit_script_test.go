package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/orders"
)

// wild is a script that does at random everything that the script of an ability or effect can do.
const wild = `
EFFECTS = [EFFECT_NAMES]
def _act(u, k, x):
    n = u.random(12, key = k)
    at = (x.x + u.random(8 * TILE, key = k + 1) - 4 * TILE, x.y + u.random(8 * TILE, key = k + 2) - 4 * TILE)
    if n == 0: return damage(x, u.random(30, key = k + 3))
    if n == 1: return strike(x, "rifle")
    if n == 2: return damage_area(x.x, x.y, u.random(3000, key = k + 3), u.random(20, key = k + 4), u.random(101, key = k + 5), friends = u.random(2, key = k + 6) == 0)
    if n == 3: return heal(x, u.random(40, key = k + 3))
    if n == 4 or n == 5: return put(x, EFFECTS[u.random(len(EFFECTS), key = k + 3)])
    if n == 6: return lift(x, EFFECTS[u.random(len(EFFECTS), key = k + 3)])
    if n == 7: return push(x, at[0] - x.x, at[1] - x.y)
    if n == 8: return move(x, at[0], at[1])
    if n == 9: return spawn("soldier", at[0], at[1])
    if n == 10: return reveal(x.x, x.y, u.random(10 * TILE, key = k + 3), u.random(4000, key = k + 4), detect = u.random(2, key = k + 5) == 0)
    return set_value(x, "ire", u.random(60, key = k + 3) - 20)
def _wild(u, seed):
    near = u.near(u.random(10 * TILE, key = seed))
    if not near:
        return []
    out = [_act(u, seed + 10 * i, near[u.random(len(near), key = seed + 10 * i + 8)]) for i in range(1, 1 + u.random(4, key = seed + 1))]
    return out + ([end()] if u.random(8, key = seed + 2) == 0 else [])
def start(u): return _wild(u, 100)
def tick(u): return _wild(u, 200)
def stop(u): return _wild(u, 300)
`

// scriptWorld is a world with a mage of player 0 at 20,20, whose ability "do" does work, and a man of player 1 at 20,22.
func scriptWorld(t *testing.T, work string) (s Setup, w *World, mage, man *Entity) {
	t.Helper()
	text, err := rules.WithScripts([]byte(mageRules), map[string]string{"do.star": work, "mark.star": plainMark})
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("mages.json", text)
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 6, Y: 6}, {X: 41, Y: 41}}
	s = Setup{Map: m, Rules: rs, Seed: 5, TickRate: 20, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	w = newWorld(t, s)
	edit := Editor{w}
	mage, man = edit.Add(0, 0, grid.Tile{X: 20, Y: 20}.Center()), edit.Add(1, 1, grid.Tile{X: 20, Y: 22}.Center())
	edit.Order(man, orders.Move, man.Pos(), false)
	w.Step(nil)
	return s, w, mage, man
}

const mageRules = `{"name": "mages", "start": [{"type": "hut"}], "settings": {"pop_max": 20},
	"weapons": [{"name": "bow", "range": 8, "damage": 10}, {"name": "oath", "damage": 30}],
	"effects": [
		{"name": "mark", "kind": "script", "script": "mark.star", "duration": 2, "every": 0.5, "stacks": 2},
		{"name": "burns", "kind": "damage", "damage": 1, "duration": 5}],
	"abilities": [{"name": "do", "kind": "script", "script": "do.star", "lasting": true, "every": 0.05, "range": 3, "radius": 2, "cooldown": 1}],
	"values": [{"name": "rage", "max": 100}, {"name": "chill", "min": -40, "max": 10, "start": 0, "class": "seeing"}],
	"types": [
		{"name": "mage", "class": "unit", "health": 100, "sight": 9, "radius": 0.3, "speed": 2, "turn": 9999, "pop": 1, "abilities": ["do"], "values": {"rage": 20, "chill": -5}},
		{"name": "man", "class": "unit", "health": 100, "sight": 9, "radius": 0.3, "speed": 2, "turn": 9999, "weapons": ["bow"], "values": {"chill": 3}},
		{"name": "post", "class": "unit", "health": 100, "sight": 9, "radius": 0.3},
		{"name": "hut", "class": "structure", "health": 300, "sight": 7, "width": 2, "height": 2, "pop_gives": 4, "centre": true}]}`

// begin lets the mage begin its ability.
func begin(t *testing.T, w *World, mage *Entity) {
	t.Helper()
	mage.acts[0] = action{}
	if !(Editor{w}).StartAbility(mage, 0, mage.Pos()) {
		t.Fatal("the ability does not begin")
	}
	if w.Step(nil); len(w.out.Faults) > 0 {
		t.Fatal(w.out.Faults)
	}
}

// The handlers of an ability are called in their order, once each: of an ability that a player stops, of one that ends
// itself as it starts, and of one whose unit dies.
func TestWhenAScriptIsCalled(t *testing.T) {
	const counts = `
def start(u): return set_value(u.self, "rage", 1)
def tick(u): return set_value(u.self, "rage", u.self.value("rage") + 10)
def stop(u): return set_value(u.self, "rage", u.self.value("rage") + 5)
`
	_, w, mage, _ := scriptWorld(t, counts)
	begin(t, w, mage)
	if (Editor{w}).StartAbility(mage, 0, mage.Pos()) {
		t.Error("it starts twice")
	}
	for range 2 {
		w.Step(nil)
	}
	w.stop(mage, 0)
	for range 3 {
		w.Step(nil)
	}
	if mage.values[0] != 26 {
		t.Errorf("the value is %d", mage.values[0])
	}
	if (Editor{w}).StartAbility(mage, 0, mage.Pos()) {
		t.Error("it starts while it cools down")
	}
	_, w, mage, _ = scriptWorld(t, strings.Replace(counts, `set_value(u.self, "rage", 1)`, `[end(), set_value(u.self, "rage", 1)]`, 1))
	begin(t, w, mage)
	if w.Step(nil); mage.values[0] != 6 {
		t.Errorf("of an ability that ends itself the value is %d", mage.values[0])
	}
}

// TestScriptsRefuseActs: acts that are not possible change nothing.
func TestScriptsRefuseActs(t *testing.T) {
	for _, do := range []string{
		`damage(man, 0)`, `damage(man, -4)`, `damage(man, 1000001)`, `heal(man, 0)`, `damage_area(man.x, man.y, 33 * TILE, 5, 50)`, `damage_area(man.x, man.y, 5, 5, 101)`,
		`put(hut, "mark")`, `push(hut, 500, 0)`, `push(post, 500, 0)`, `push(man, 4 * TILE, 4 * TILE)`, `push(man, 1000000000, 0)`, `push(man, 0, 0)`,
		`move(post, 22 * TILE, 17 * TILE)`, `move(man, u.self.x, u.self.y)`, `move(man, 44 * TILE, 12 * TILE)`, `move(man, -1, 0)`,
		`reveal(44 * TILE, 12 * TILE, 2 * TILE, 31000)`, `reveal(-5 * TILE, 0, 2 * TILE, 900)`, `reveal(44 * TILE, 12 * TILE, 2 * TILE, 0)`,
		`spawn("man", 44 * TILE, 12 * TILE)`, `spawn("man", man.x, man.y)`, `spawn("hut", 22 * TILE, 17 * TILE)`, `set_value(man, "rage", 5)`, `lift(man, "mark")`,
	} {
		_, w, mage, man := scriptWorld(t, `
def start(u):
    man, post = [[x for x in u.near(9 * TILE) if x.type == name][0] for name in ("man", "post")]
    hut = u.near(2 * TILE, x = 6 * TILE, y = 6 * TILE)[0]
    return `+do)
		post := (Editor{w}).Add(1, 2, grid.Tile{X: 17, Y: 20}.Center())
		w.Step(nil)
		before := fmt.Sprint(w.Len(), man.Pos(), post.Pos(), man.hp, man.values, man.effects, w.all[0].effects)
		begin(t, w, mage)
		if got := fmt.Sprint(w.Len(), man.Pos(), post.Pos(), man.hp, man.values, man.effects, w.all[0].effects); got != before || w.eyes.Visible(0, grid.Tile{X: 44, Y: 12}) {
			t.Errorf("%s: from %s to %s", do, before, got)
		}
	}
}

// The acts of a call, and of a player's calls in a tick, are bounded. The calls of other players do not count.
func TestScriptsAreBounded(t *testing.T) {
	const many = `
def start(u):
    man = [x for x in u.near(4 * TILE) if x.type == "man"][0]
    return ([spawn("man", (14 + i % 12) * TILE, (14 + i // 12) * TILE) for i in range(10)] + [reveal(5 * TILE, 5 * TILE, 2 * TILE, 2000) for i in range(5)] +
        [damage(man, 1) for i in range(100)])
`
	for _, c := range []struct {
		own, other           done
		counts               int32 // of the player's men before
		men, reveals, damage int
	}{
		{men: unitSpawnsMax, reveals: unitRevealsMax, damage: unitActsMax - 16},
		{other: done{unitActsTickMax, unitSpawnsTickMax, unitRevealsTickMax}, men: unitSpawnsMax, reveals: unitRevealsMax, damage: unitActsMax - 16},
		{own: done{unitActsTickMax - 20, unitSpawnsTickMax - 1, unitRevealsTickMax - 1}, men: 1, reveals: 1, damage: 4},
		{counts: unitEntitiesMax, reveals: unitRevealsMax, damage: unitActsMax - 16},
	} {
		_, w, mage, man := scriptWorld(t, many)
		w.players[0].counts[1] = c.counts
		mage.acts[0] = action{on: true}
		w.turns.done = [grid.SlotsMax]done{c.own, c.other}
		w.call(turn{e: mage, slot: 0, team: 0}, w.rules.Abilities[0].Script.Program, "start")
		men, reveals := 0, 0
		for _, e := range w.newborns {
			if e.slot == 0 {
				men++
			}
		}
		for range w.eyes.Timed(0) {
			reveals++
		}
		w.deal()
		if hurt := int(100 - man.hp); men != c.men || reveals != c.reveals || hurt != c.damage {
			t.Errorf("%+v: %d men, %d reveals, %d damage", c, men, reveals, hurt)
		}
	}
	_, w, mage, _ := scriptWorld(t, `def start(u): return [spawn("mage", (14 + 2 * i) * TILE, 26 * TILE) for i in range(6)]`)
	if begin(t, w, mage); w.Player(0).Pop != 4 { // the hut gives room for four
		t.Errorf("the population is %d", w.Player(0).Pop)
	}
}

// wildScriptsSetup is a wild match whose units have abilities and effects with scripts that do anything.
func wildScriptsSetup(t testing.TB, seed uint64) Setup {
	s := wildSetup(t, seed)
	rs := *s.Rules
	r := rand.New(rand.NewPCG(seed, 77))
	first := uint8(len(rs.Abilities))
	rs.Abilities, rs.Effects = slices.Clone(rs.Abilities), slices.Clone(rs.Effects)
	var names []string
	for i := range 3 {
		x := rules.Effect{Name: fmt.Sprint("wild", i), Kind: rules.EffectScript, KindName: "script", DurationMs: 1 + r.Int32N(3000), EveryMs: 1 + r.Int32N(500), Stacks: 3}
		for a := rules.AttributeSpeed; a <= rules.AttributeArmour; a++ {
			x.Changes = append(x.Changes, rules.AttributeChange{Attribute: a, Percent: r.Int32N(200) - 100})
		}
		rs.Effects = append(rs.Effects, x)
	}
	for _, x := range rs.Effects {
		names = append(names, fmt.Sprintf("%q", x.Name))
	}
	source := strings.Replace(wild, "EFFECT_NAMES", strings.Join(names, ","), 1)
	program := func(on *script.Table, more string) *script.Program {
		p, faults := script.Compile("wild.star", source+more, on, on.EffectNames())
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		return p
	}
	for i := range rs.Effects {
		if rs.Effects[i].Kind == rules.EffectScript {
			rs.Effects[i].Script = program(script.Effects, "")
		}
	}
	for i, by := range []rules.AbilityScript{{Aim: 0}, {Aim: 1, Rooted: true}, {Aim: 2, Lasting: true}, {Passive: true}} {
		more := ""
		if by.Passive {
			more = "def ready(u): return u.hurt or u.random(32, key = 9) == 0\n"
		}
		by.Program, by.EveryMs = program(script.Abilities, more), 200
		rs.Abilities = append(rs.Abilities, rules.Ability{
			Name: fmt.Sprint("wild-", i), Kind: "script", CooldownMs: r.Int32N(1000), DurationMs: r.Int32N(2) * r.Int32N(2000), Range: grid.Dist(r.Int32N(8000)),
			Weapon: -1, Effect: -1, Percent: 100, Targets: rules.TargetsAll, Script: &by,
		})
	}
	rs.Values = []rules.Value{{Name: "ire", Max: 30, Step: 1}}
	rs.Types = slices.Clone(rs.Types)
	for i := range rs.Types {
		t := &rs.Types[i]
		if i%3 != 0 {
			t.Values = []rules.TypeValue{{Start: int32(i)}}
		}
		if t.Class != rules.ClassUnit && t.Class != rules.ClassStructure {
			continue
		}
		for n := 0; len(t.Abilities) < rules.UnitAbilitiesMax && n < 4; n++ {
			t.Abilities = append(slices.Clone(t.Abilities), first+uint8((i+n)%4))
		}
	}
	s.Rules = &rs
	return s
}

// TestScriptsAreDeterministic plays matches whose units have scripts that do anything, and steps a world beside them that was restored in the middle. The worlds stay
// whole.
func TestScriptsAreDeterministic(t *testing.T) {
	called := 0
	for seed := uint64(1); seed <= 3; seed++ {
		setup := wildScriptsSetup(t, seed)
		w := newWorld(t, setup)
		players := []*chaos{}
		for s := range 2 {
			players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
		}
		var twin *World
		for tick := range 160 {
			var in []Input
			for _, p := range players {
				in = append(in, p.inputs()...)
			}
			if tick%40 == 7 {
				var err error
				if twin, err = Restore(setup, w.Save(nil)); err != nil {
					t.Fatalf("seed %d tick %d: %v", seed, w.Tick(), err)
				}
			}
			w.Step(in)
			called += int(w.scripts.steps)
			if len(w.out.Faults) > 0 {
				t.Fatal(w.out.Faults)
			}
			if twin != nil {
				if twin.Step(in); tick%5 == 0 && twin.Hash() != w.Hash() {
					t.Fatalf("seed %d tick %d: the restored world stepped elsewhere: %s", seed, w.Tick(), firstDifference(w, twin))
				}
			}
			if err := invariants(w, nil); err != nil {
				t.Fatalf("seed %d tick %d: %v", seed, w.Tick(), err)
			}
		}
	}
	if called < 100_000 {
		t.Errorf("%d steps prove little", called)
	}
}

// The acts of scripts do not depend on which unit was made first: worlds that
// differ only in that look the same.
func TestScriptsDoNotTellWhoWasMadeFirst(t *testing.T) {
	soldier := func(s Setup) uint16 { n, _ := s.Rules.TypeByName("soldier"); return n }
	for seed := uint64(20); seed < 26; seed++ {
		var looks [2]string
		for order := range 2 {
			setup := wildScriptsSetup(t, seed)
			w := newWorld(t, setup)
			edit := Editor{w}
			for i := range 12 {
				n := i
				if order == 1 {
					n = 11 - i
				}
				edit.Add(grid.Slot(n%2), soldier(setup), grid.Tile{X: int16(20 + n%4*2), Y: int16(18 + n/4*2)}.Center())
			}
			for range 2 {
				w.Step(nil)
			}
			all := append([]*Entity(nil), w.all...)
			slices.SortStableFunc(all, CompareLooks)
			for _, e := range all {
				looks[order] += fmt.Sprintln(e.typ, e.slot, e.x, e.y, e.hp, len(e.effects))
				for _, x := range e.effects {
					looks[order] += fmt.Sprintln(x.kind, x.slot, x.begun, x.count)
				}
			}
		}
		if looks[0] != looks[1] {
			t.Fatalf("seed %d: %s", seed, firstLine([]byte(looks[0]), []byte(looks[1])))
		}
	}
}

// Acts of scripts in the dark change nothing for a team that does not see them: not the acts of its own scripts, not its
// sight, not its handles.
func TestScriptsInTheDarkChangeNothing(t *testing.T) {
	const busy = `
def tick(u):
    if u.tick % 20:
        return None
    out = []
    for n in range(0, 120, 4):
        x, y = u.self.x + u.random(8 * TILE, key = n) - 4 * TILE, u.self.y + u.random(8 * TILE, key = n + 1) - 4 * TILE
        k = u.random(5, key = n + 2)
        if k == 0: out.append(spawn("man", x, y))
        elif k == 1: out.append(reveal(x, y, 3 * TILE, 450, detect = True))
        elif k == 2: out.append(damage_area(x, y, 900, 4, 50, friends = True))
        else:
            near = u.near(2 * TILE, x = x, y = y)
            out += [push(near[0], 300, n), put(near[0], "mark"), heal(near[0], 1)] if near else []
    return out
`
	var told [2]string
	for acts := range 2 {
		_, w, mage, _ := scriptWorld(t, busy)
		edit := Editor{w}
		for i := range 6 {
			e := edit.Add(1, 0, grid.Tile{X: int16(36 + 2*i), Y: 10}.Center())
			if acts == 1 && !edit.StartAbility(e, 0, e.Pos()) {
				t.Fatal("a mage in the dark does not act")
			}
		}
		begin(t, w, mage)
		steps := uint64(0)
		for range 60 {
			w.Step(nil)
			if len(w.out.Faults) > 0 {
				t.Fatal(w.out.Faults)
			}
			steps += w.scripts.steps
			told[acts] += fmt.Sprintln(w.Tick(), w.eyes.Hash(0), w.Player(0))
			for _, s := range w.Knowledge(0).Seen(nil) {
				e := w.find(s.ID)
				told[acts] += fmt.Sprintln(s.Handle, s.Entered, e.typ, e.slot, e.x, e.y, e.hp, e.effects)
			}
		}
		if mage.dying || len(w.Knowledge(0).Seen(nil)) < 5 || steps < 1000 {
			t.Errorf("the team sees %d, and the scripts took %d steps: that proves little", len(w.Knowledge(0).Seen(nil)), steps)
		}
	}
	if told[0] != told[1] {
		t.Fatal(firstLine([]byte(told[0]), []byte(told[1])))
	}
}
