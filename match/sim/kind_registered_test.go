package sim

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// unitScript has the calls of the kinds "told", which a test gives. The tests of this
// file do not run at the same time as others.
var unitScript struct {
	start, tick, stop, begin, each, end func(UnitWorld)
	ready                               func(UnitWorld) bool
}

func scripting(f *func(UnitWorld)) func(UnitWorld) {
	return func(u UnitWorld) {
		if *f != nil {
			(*f)(u)
		}
	}
}

// wildKind does at random everything that a registered kind can do. Its draws are the
// world's.
func wildKind(u UnitWorld) {
	n := uint32(u.Param("seed"))
	draw := func(most int) int { n++; return below(u.Rand(n), most) }
	var around []Unit
	look := u.Near
	if draw(2) == 0 {
		look = u.All
	}
	for x := range look(u.Self().At, grid.Dist(draw(10*grid.WUPerTile))) {
		around = append(around, x)
	}
	for range draw(4) {
		if len(around) == 0 {
			break
		}
		x := around[draw(len(around))]
		at := x.At.Add(grid.Vec{X: int32(draw(8<<grid.TileShift)) - 4<<grid.TileShift, Y: int32(draw(8<<grid.TileShift)) - 4<<grid.TileShift})
		switch draw(13) {
		case 0:
			u.Damage(x.ID, int32(draw(30)))
		case 1:
			u.Strike(x.ID, int32(draw(6)))
		case 2:
			u.DamageArea(x.At, grid.Dist(draw(3000)), int32(draw(20)), int32(draw(101)), draw(2) == 0)
		case 3:
			u.Heal(x.ID, int32(draw(40)))
		case 4, 5:
			u.PutEffect(x.ID, int32(draw(6)))
		case 6:
			u.EndEffect(x.ID, int32(draw(6)))
		case 7:
			u.Push(x.ID, at.Sub(x.At))
		case 8:
			u.Move(x.ID, at)
		case 9:
			u.Spawn(int32(draw(12)), at.Tile())
		case 10:
			u.Reveal(x.At.Tile(), uint8(draw(20)), grid.Ticks(draw(80)), draw(2) == 0)
		case 11:
			u.End()
		case 12:
			n, _ := u.Value(x.ID, "ire")
			u.SetValue(x.ID, "ire", n+int32(draw(9))-2)
		}
	}
	if draw(3) == 0 {
		_ = u.SetBytes(bytes.Repeat([]byte{byte(draw(256))}, draw(UnitBytesMax+1)))
	}
}

func init() {
	seed := rules.Param{Name: "seed", Kind: rules.ParamWhole, Max: 1 << 20}
	s := &unitScript
	RegisterAbility("told", 3, AbilityKind{Lasting: true, Start: scripting(&s.start), Tick: scripting(&s.tick), Stop: scripting(&s.stop)})
	RegisterAbility("told-by-itself", 1, AbilityKind{Passive: true, Ready: func(u UnitWorld) bool { return s.ready != nil && s.ready(u) }, Start: scripting(&s.start)})
	RegisterEffect("told", 4, EffectKind{
		Params: []rules.Param{
			{Name: "speed", Kind: rules.ParamWhole, Min: -1000, Max: 5000}, {Name: "dealt", Kind: rules.ParamWhole, Min: -1000, Max: 1000},
			{Name: "taken", Kind: rules.ParamWhole, Min: -1000, Max: 1000}, {Name: "regen", Kind: rules.ParamWhole, Min: -1, Max: 1000},
			{Name: "wait", Kind: rules.ParamSeconds, Default: 1500, Max: 9000},
		},
		Modify: func(p rules.Params) Modifiers {
			return Modifiers{Speed: p.Get("speed"), Dealt: p.Get("dealt"), Taken: p.Get("taken"), Regen: p.Get("regen")}
		},
		Stacks: 2, Begin: scripting(&s.begin), Tick: scripting(&s.each), End: scripting(&s.end),
	})
	wild := AbilityKind{Params: []rules.Param{seed}, Start: wildKind, Tick: wildKind, Stop: wildKind}
	for i, aim := range []orders.TargetMode{orders.AimNone, orders.AimUnit, orders.AimGround} {
		wild.Aim, wild.Rooted, wild.Lasting = aim, i == 1, i == 2
		RegisterAbility(fmt.Sprint("wild-", i), 1, wild)
	}
	wild.Aim, wild.Passive, wild.Ready = orders.AimNone, true, func(u UnitWorld) bool { return u.Hurt() || u.Rand(9)%32 == 0 }
	RegisterAbility("wild-passive", 1, wild)
	RegisterEffect("wild", 1, EffectKind{
		Params: []rules.Param{seed}, Stacks: 3, Begin: wildKind, Tick: wildKind, End: wildKind,
		Modify: func(p rules.Params) Modifiers {
			r := rand.New(rand.NewPCG(uint64(p.Get("seed")), 1))
			return Modifiers{Speed: r.Int32N(300) - 150, Dealt: r.Int32N(200) - 100, Taken: r.Int32N(200) - 100, Regen: r.Int32N(5)}
		},
	})
}

// toldRules has a unit with kinds that run a test's functions.
const toldRules = `{"name": "told", "start": [{"type": "hut"}], "settings": {"pop_max": 20},
	"weapons": [{"name": "bow", "range": 8, "damage": 10}, {"name": "oath", "damage": 30}],
	"effects": [
		{"name": "mark", "kind": "told", "duration": 2, "every": 0.5, "speed": -25, "dealt": 50, "taken": 100, "regen": 3},
		{"name": "burns", "kind": "damage", "damage": 1, "duration": 5}],
	"abilities": [{"name": "do", "kind": "told", "range": 3, "radius": 2, "cooldown": 1}, {"name": "react", "kind": "told-by-itself", "cooldown": 1}],
	"types": [
		{"name": "mage", "class": "unit", "health": 100, "sight": 9, "radius": 0.3, "speed": 2, "turn": 9999, "pop": 1, "abilities": ["do", "react"]},
		{"name": "man", "class": "unit", "health": 100, "sight": 9, "radius": 0.3, "speed": 2, "turn": 9999, "weapons": ["bow"]},
		{"name": "post", "class": "unit", "health": 100, "sight": 9, "radius": 0.3},
		{"name": "hut", "class": "structure", "health": 300, "sight": 7, "width": 2, "height": 2, "pop_gives": 4, "centre": true}]}`

// toldWorld is a world of toldRules with a mage of player 0 at 20,20 and a man of player 1
// at 20,22.
func toldWorld(t *testing.T) (s Setup, w *World, mage, man *Entity) {
	t.Helper()
	t.Cleanup(func() {
		unitScript = struct {
			start, tick, stop, begin, each, end func(UnitWorld)
			ready                               func(UnitWorld) bool
		}{}
	})
	rs, err := rules.Parse("told.json", []byte(toldRules))
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

// tell lets the mage begin its ability, with f as the function of the ability.
func tell(w *World, mage *Entity, f func(UnitWorld)) {
	unitScript.start = f
	mage.acts[0] = action{}
	mage.custom[0].runs = false
	(Editor{w}).StartAbility(mage, 0, mage.Pos())
	w.Step(nil)
	unitScript.start = nil
}

func TestRegisterKindsRefusesMisuse(t *testing.T) {
	good := AbilityKind{Start: func(UnitWorld) {}}
	param := func(p rules.Param) AbilityKind { return AbilityKind{Params: []rules.Param{p}} }
	for what, c := range map[string]struct {
		register func()
		why      string
	}{
		"a shipped name":           {func() { RegisterAbility("burn", 1, good) }, "fogkeep itself"},
		"a shipped effect":         {func() { RegisterEffect("slow", 1, EffectKind{}) }, "fogkeep itself"},
		"version 0":                {func() { RegisterAbility("x", 0, good) }, "version"},
		"a bad name":               {func() { RegisterEffect("X y", 1, EffectKind{}) }, "name"},
		"an aim":                   {func() { RegisterAbility("x", 1, AbilityKind{Aim: 9}) }, "aimed"},
		"a passive that aims":      {func() { RegisterAbility("x", 1, AbilityKind{Passive: true, Aim: orders.AimUnit}) }, "passive"},
		"a passive without Ready":  {func() { RegisterAbility("x", 1, AbilityKind{Passive: true}) }, "Ready"},
		"Ready of one that is not": {func() { RegisterAbility("x", 1, AbilityKind{Ready: func(UnitWorld) bool { return true }}) }, "Ready"},
		"too many stacks":          {func() { RegisterEffect("x", 1, EffectKind{Stacks: 101}) }, "101"},
		"a parameter of all":       {func() { RegisterAbility("x", 1, param(rules.Param{Name: "range"})) }, `"range"`},
		"a parameter's name":       {func() { RegisterAbility("x", 1, param(rules.Param{Name: "Big"})) }, `"Big"`},
		"a parameter's default":    {func() { RegisterAbility("x", 1, param(rules.Param{Name: "a", Default: 5, Max: 4})) }, "default"},
		"a parameter's bounds":     {func() { RegisterAbility("x", 1, param(rules.Param{Name: "a", Max: 1 << 40})) }, "from 0 to 1099511627776"},
		"a parameter's kind":       {func() { RegisterAbility("x", 1, param(rules.Param{Name: "a", Kind: 99})) }, "kind"},
		"a parameter twice": {func() {
			RegisterAbility("x", 1, AbilityKind{Params: []rules.Param{{Name: "a"}, {Name: "a"}}})
		}, `"a"`},
		"too many parameters": {func() { RegisterAbility("x", 1, AbilityKind{Params: make([]rules.Param, 17)}) }, "17"},
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), c.why) {
					t.Errorf("%s: %v", what, r)
				}
			}()
			c.register()
			t.Errorf("%s is registered", what)
		}()
	}
	defer func() {
		if r := recover(); !strings.Contains(fmt.Sprint(r), "too late") {
			t.Errorf("late: %v", r)
		}
	}()
	rules.AddedAbilityKind("told") // closes the table
	RegisterAbility("late", 1, good)
}

// Parsing checks an entry of a registered kind, and names its fields in errors.
func TestModifiersAreBounded(t *testing.T) {
	for field, why := range map[string]string{`"speed": 1001`: "1001", `"regen": -1`: "restores -1"} {
		_, err := rules.Parse("r.json", []byte(`{"name": "r", "effects": [{"name": "mark", "kind": "told", "duration": 1, `+field+`}]}`))
		if err == nil || !strings.Contains(err.Error(), `r.json:1: /effects/0: effect "mark": `) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", field, err)
		}
	}
}

func TestKindsAreNamedWithTheirVersions(t *testing.T) {
	s, _, _, _ := toldWorld(t)
	kinds := KindsOf(s.Rules)
	if fmt.Sprint(kinds) != "[{ability told 3} {ability told-by-itself 1} {effect told 4}]" {
		t.Errorf("%v", kinds)
	}
	if err := CheckKinds(kinds); err != nil {
		t.Error(err)
	}
	for _, k := range []Kind{{"ability", "told", 4}, {"effect", "told", 3}, {"ability", "unheard-of", 1}, {"mode", "told", 3}} {
		var refused *KindError
		if err := CheckKinds([]Kind{k}); !errors.As(err, &refused) || refused.Kind != k || !strings.Contains(err.Error(), `"`+k.Name+`"`) {
			t.Errorf("%v: %v", k, err)
		}
	}
	if KindsOf(mustRules(t)) != nil {
		t.Error("the shipped ruleset needs registered kinds")
	}
}

// Programs that have registered different things have different names for how they
// simulate.
func TestSimulationNamesWhatIsRegistered(t *testing.T) {
	if first := Simulation(); first != Simulation() || !strings.HasPrefix(first, fmt.Sprint(Behaviour, "-")) || len(first) > 128 {
		t.Errorf("this program simulates as %q", first)
	}
	if simulation(nil) != fmt.Sprint(Behaviour) || simulation([]string{"mode a 1\n", "ability a 1\n"}) != simulation([]string{"ability a 1\n", "mode a 1\n"}) {
		t.Error("without anything registered, or in another order")
	}
	names := map[string]bool{}
	for _, rows := range [][]string{nil, {"mode a 1\n"}, {"mode a 2\n"}, {"ability a 1\n"}, {"mode a 1\n", "effect b 1\n"}} {
		names[simulation(rows)] = true
	}
	if len(names) != 5 {
		t.Errorf("programs share a name: %v", names)
	}
}

// An ability's functions are called in their order, once each.
func TestWhenAnAbilityIsCalled(t *testing.T) {
	_, w, mage, _ := toldWorld(t)
	var calls string
	note := func(f *func(UnitWorld), what string) { *f = func(UnitWorld) { calls += what } }
	note(&unitScript.start, "S")
	note(&unitScript.tick, "t")
	note(&unitScript.stop, "E")
	edit := Editor{w}
	if !edit.StartAbility(mage, 0, mage.Pos()) || edit.StartAbility(mage, 0, mage.Pos()) {
		t.Error("it does not start, or twice")
	}
	for range 3 {
		w.Step(nil)
	}
	w.stop(mage, 0)
	for range 3 {
		w.Step(nil)
	}
	if calls != "SttE" {
		t.Errorf("called %s", calls)
	}
	if edit.StartAbility(mage, 0, mage.Pos()) {
		t.Error("it starts while it cools down")
	}
	// An ability that ends itself as it starts, and an ability whose unit dies.
	calls = ""
	unitScript.start = func(u UnitWorld) { calls += "S"; u.End() }
	tell(w, mage, unitScript.start)
	note(&unitScript.start, "S")
	if w.Step(nil); calls != "SE" {
		t.Errorf("one that ends itself: %s", calls)
	}
	calls = ""
	tell(w, mage, func(UnitWorld) { calls += "S" })
	edit.Remove(mage)
	w.Step(nil)
	w.Step(nil)
	if calls != "S" {
		t.Errorf("of one that died: %s", calls)
	}
}

// A passive ability starts when its kind says so, and cools down.
func TestAPassiveAbility(t *testing.T) {
	_, w, mage, man := toldWorld(t)
	started := 0
	unitScript.start = func(UnitWorld) { started++ }
	unitScript.ready = func(u UnitWorld) bool { return u.Hurt() }
	w.hurt(mage, harm{by: man.id, slot: 1, team: 1, amount: 5, weapon: NoWeapon})
	w.Step(nil)
	if started != 0 {
		t.Error("it started before it was hurt")
	}
	if w.Step(nil); started != 1 {
		t.Errorf("started %d times", started)
	}
	unitScript.ready = func(UnitWorld) bool { return true }
	for range 20 {
		w.Step(nil)
	}
	if started != 2 {
		t.Errorf("in a second more it started %d times, want once", started-1)
	}
}

// An effect's changes, the times of its calls, and its count.
func TestChangesOfAnEffect(t *testing.T) {
	_, w, mage, man := toldWorld(t)
	var calls string
	counts := map[int]bool{}
	unitScript.begin = func(u UnitWorld) {
		if by, ok := u.Source(); !ok || by.ID != mage.id || u.Slot() != 0 || u.Self().ID != man.id || u.Ticks("wait") != 30 {
			t.Errorf("begun by %+v for %d", by, u.Slot())
		}
		calls += "B"
	}
	unitScript.each = func(u UnitWorld) { calls += "t"; counts[u.Count()] = true }
	unitScript.end = func(UnitWorld) { calls += "E" }
	man.hp = 50
	for i := range 3 {
		tell(w, mage, func(u UnitWorld) {
			if !u.PutEffect(man.id, 0) {
				t.Error("no effect")
			}
		})
		if want := int32(100 - 25*min(i+1, 2)); w.speedOf(man) != percent(w.rt.types[1].speed, want) {
			t.Errorf("after %d: its speed is %d of %d", i+1, w.speedOf(man), w.rt.types[1].speed)
		}
	}
	if w.damageOf(man) != 200 || w.takenOf(man) != 300 || w.damageOf(mage) != 100 {
		t.Errorf("it deals %d percent and takes %d", w.damageOf(man), w.takenOf(man))
	}
	for range 60 {
		w.Step(nil)
	}
	if calls != "BttttE" || len(man.effects) != 0 || !counts[2] || w.speedOf(man) != w.rt.types[1].speed {
		t.Errorf("called %s, counts %v, effects %v", calls, counts, man.effects)
	}
	if man.hp != 50+2*2*3 { // two seconds
		t.Errorf("its health is %d", man.hp)
	}
	if got := w.rt.effects[1]; got.custom != nil {
		t.Error("a shipped effect is taken for a registered one")
	}
}

// The acts of a call, and its refusals.
func TestActsOfACall(t *testing.T) {
	s, w, mage, man := toldWorld(t)
	edit := Editor{w}
	hidden := edit.Add(1, 1, grid.Tile{X: 44, Y: 10}.Center())
	post := edit.Add(1, 2, grid.Tile{X: 17, Y: 20}.Center())
	beside := edit.Add(1, 1, grid.Tile{X: 23, Y: 20}.Center())
	hut := w.all[0]
	w.Step(nil)
	dark, lit := grid.Tile{X: 44, Y: 12}, grid.Tile{X: 22, Y: 17}
	tell(w, mage, func(u UnitWorld) {
		for what, done := range map[string]func() bool{
			"no unit":   func() bool { return u.Damage(0xFFFFF, 5) || u.Heal(0xFFFFF, 5) || u.PutEffect(0xFFFFF, 0) },
			"no damage": func() bool { return u.Damage(man.id, 0) || u.Damage(man.id, -4) || u.Damage(man.id, UnitAmountMax+1) },
			"no weapon": func() bool { return u.Strike(man.id, -1) || u.Strike(man.id, 2) },
			"no effect": func() bool { return u.PutEffect(man.id, -1) || u.PutEffect(man.id, 2) || u.EndEffect(man.id, 0) },
			"on a structure": func() bool {
				return u.PutEffect(hut.id, 0) || u.Push(hut.id, grid.Vec{X: 500}) > 0 || u.Move(hut.id, lit.Center())
			},
			"of what does not walk": func() bool { return u.Push(post.id, grid.Vec{X: 500}) > 0 || u.Move(post.id, lit.Center()) },
			"a long push": func() bool {
				return u.Push(man.id, grid.Vec{X: UnitPushMax, Y: UnitPushMax}) > 0 || u.Push(man.id, grid.Vec{X: 1 << 30}) > 0
			},
			"onto another":           func() bool { return u.Move(man.id, mage.Pos()) },
			"into the dark":          func() bool { return u.Move(man.id, dark.Center()) },
			"off the map":            func() bool { return u.Move(man.id, grid.Pos{X: -1}) || u.Reveal(grid.Tile{X: -1}, 4, 4, false) },
			"spawned in the dark":    func() bool { _, ok := u.Spawn(1, dark); return ok },
			"spawned on another":     func() bool { _, ok := u.Spawn(1, man.Tile()); return ok },
			"a structure is spawned": func() bool { _, ok := u.Spawn(3, lit); return ok },
			"no type":                func() bool { _, a := u.Spawn(-1, lit); _, b := u.Spawn(9, lit); return a || b },
			"a wide area": func() bool {
				return u.DamageArea(man.Pos(), UnitReachMax+1, 5, 50, true) || u.DamageArea(man.Pos(), 5, 5, 101, true)
			},
			"a long sight": func() bool {
				return u.Reveal(lit, 4, UnitRevealTicks+1, false) || u.Reveal(lit, 65, 4, false) || u.Reveal(lit, 4, 0, false)
			},
			"many bytes":              func() bool { return u.SetBytes(make([]byte, UnitBytesMax+1)) == nil },
			"a target or a source":    func() bool { _, a := u.Target(); _, b := u.Source(); return a || b || u.Count() != 0 },
			"a search of a wide area": func() bool { return found(u.All(mage.Pos(), UnitReachMax+1)) > 0 },
		} {
			if done() {
				t.Errorf("%s: done", what)
			}
		}
		if u.Range() != 3<<10 || u.Radius() != 2<<10 || u.Point() != mage.Pos() || u.Since() != w.tick-1 {
			t.Errorf("range %d, radius %d, since %d", u.Range(), u.Radius(), u.Since())
		}
	})
	tell(w, mage, func(u UnitWorld) {
		if n := found(u.Near(mage.Pos(), 5<<10)); n != 4 {
			t.Errorf("%d near, want itself, the man, the post and the one beside", n)
		}
		if found(u.Near(hidden.Pos(), 2<<10)) != 0 || found(u.All(hidden.Pos(), 2<<10)) != 1 {
			t.Error("near one that the team does not see")
		}
		if n := u.Push(beside.id, grid.Vec{X: -4 << 10}); n == 0 || n > 3<<10 || beside.Pos().Within(mage.Pos(), 2*w.rules.Types[0].Radius-2) {
			t.Errorf("pushed by %d to %v, into %v", n, beside.Pos(), mage.Pos())
		}
		if !u.Move(man.id, lit.Center()) || man.Pos() != lit.Center() || u.Move(beside.id, lit.Center()) {
			t.Error("moved")
		}
		if found(u.Near(lit.Center(), 100)) != 1 {
			t.Error("what was moved is not found where it is")
		}
		if !u.Damage(man.id, 7) || !u.Strike(post.id, 1) || !u.DamageArea(hidden.Pos(), 1000, 20, 50, false) || !u.Reveal(dark, 6, 20, true) {
			t.Error("not done")
		}
		if id, ok := u.Spawn(0, grid.Tile{X: 19, Y: 18}); !ok || u.Heal(id, 5) != true {
			t.Error("not spawned")
		}
		if err := u.SetBytes([]byte("kept")); err != nil || string(u.Bytes()) != "kept" {
			t.Error(err)
		}
		u.Bytes()[0] = 'x'
	})
	if man.hp != 93 || post.hp != 70 || hidden.hp != 80 || !w.Eyes().Detected(0, dark) || mage.custom[0].bytes != "kept" || w.Player(0).Pop != 2 {
		t.Errorf("health %d, %d, %d; population %d", man.hp, post.hp, hidden.hp, w.Player(0).Pop)
	}
	again, err := Restore(s, w.Save(nil))
	if err != nil || again.Hash() != w.Hash() || again.find(mage.id).custom[0].bytes != "kept" {
		t.Fatalf("restored: %v", err)
	}
}

func found(units func(func(Unit) bool)) (n int) {
	units(func(Unit) bool { n++; return true })
	return n
}

// The acts of a call, and of a player's calls in a tick, are bounded. Other players' calls
// do not count.
func TestCallsAreBounded(t *testing.T) {
	_, w, mage, man := toldWorld(t)
	tell(w, mage, func(u UnitWorld) {
		acts, spawns, reveals := 0, 0, 0
		for i := range 30 {
			if _, ok := u.Spawn(1, grid.Tile{X: int16(14 + i%12), Y: int16(14 + i/12)}); ok {
				spawns++
			}
			if u.Reveal(grid.Tile{X: 5, Y: 5}, 4, 50, false) {
				reveals++
			}
		}
		for range 2 * UnitActsMax {
			if u.Damage(man.id, 1) {
				acts++
			}
		}
		if acts != UnitActsMax-60 || spawns != UnitSpawnsMax || reveals != UnitRevealsMax {
			t.Errorf("%d acts, %d spawns, %d reveals", acts, spawns, reveals)
		}
	})
	tell(w, mage, func(u UnitWorld) {
		w.turns.done[0] = done{UnitActsTickMax - 1, UnitSpawnsTickMax, UnitRevealsTickMax}
		if _, ok := u.Spawn(1, grid.Tile{X: 25, Y: 25}); ok || u.Damage(man.id, 1) {
			t.Error("beyond what a tick may do")
		}
		w.turns.done[0], w.turns.done[1] = done{}, done{UnitActsTickMax, UnitSpawnsTickMax, UnitRevealsTickMax}
		if _, ok := u.Spawn(1, grid.Tile{X: 25, Y: 25}); !ok {
			t.Error("what another player's did counts")
		}
		w.players[0].counts[1] = UnitEntitiesMax
		if _, ok := u.Spawn(1, grid.Tile{X: 26, Y: 25}); ok {
			t.Error("beyond what a player may have")
		}
		w.players[0].counts[1] = 9
		pop := 0
		for i := range 6 {
			if _, ok := u.Spawn(0, grid.Tile{X: int16(14 + 2*i), Y: 26}); ok {
				pop++
			}
		}
		if pop != 4-1 { // the hut gives room for four, the mage is one
			t.Errorf("%d were spawned beyond the population's limit", pop)
		}
	})
}

// The world is lent for a call.
func TestAKindCannotKeepItsWorld(t *testing.T) {
	_, w, mage, man := toldWorld(t)
	var kept UnitWorld
	tell(w, mage, func(u UnitWorld) { kept = u })
	defer func() {
		if r := recover(); !strings.Contains(fmt.Sprint(r), "after the call") {
			t.Errorf("%v", r)
		}
	}()
	kept.Damage(man.id, 1)
	t.Error("it still acts")
}

// A state of another version of a kind is refused, and its hash is another one.
func TestAKindsVersionIsInTheState(t *testing.T) {
	s, w, mage, _ := toldWorld(t)
	tell(w, mage, func(u UnitWorld) { _ = u.SetBytes([]byte("kept")) })
	saved := w.Save(nil)
	w.rt.kinds[0].Version = 9
	other := w.Save(nil)
	if bytes.Equal(saved, other) {
		t.Error("two versions have one state")
	}
	var refused *KindError
	if _, err := Restore(s, other); !errors.As(err, &refused) || refused.Kind.Version != 9 || refused.Have != 3 {
		t.Errorf("version 9: %v", err)
	}
	w.rt.kinds[0].Version = 3
	mage.custom[0].bytes = "other"
	if bytes.Equal(saved, w.Save(nil)) {
		t.Error("what a unit keeps is not in the state")
	}
	mage.custom[0].bytes = strings.Repeat("x", UnitBytesMax+1)
	if _, err := Restore(s, w.Save(nil)); err == nil || !strings.Contains(err.Error(), "17 bytes") {
		t.Errorf("17 bytes: %v", err)
	}
}

// wildKindsSetup is a wild match whose units have kinds that do anything.
func wildKindsSetup(t testing.TB, seed uint64) Setup {
	s := wildSetup(t, seed)
	rs := *s.Rules
	r := rand.New(rand.NewPCG(seed, 77))
	some := func() rules.Params { return rules.Params{{Name: "seed", Value: r.Int32N(1 << 20)}} }
	first := uint8(len(rs.Abilities))
	rs.Abilities, rs.Effects = append([]rules.Ability(nil), rs.Abilities...), append([]rules.Effect(nil), rs.Effects...)
	for _, kind := range []string{"wild-0", "wild-1", "wild-2", "wild-passive"} {
		rs.Abilities = append(rs.Abilities, rules.Ability{
			Name: kind, Kind: kind, CooldownMs: r.Int32N(1000), DurationMs: r.Int32N(2) * r.Int32N(2000), Range: grid.Dist(r.Int32N(8000)),
			Weapon: -1, Effect: -1, Percent: 100, Targets: rules.TargetsAll, Params: some(),
		})
	}
	for i := range 3 {
		rs.Effects = append(rs.Effects, rules.Effect{Name: fmt.Sprint("wild", i), Kind: rules.EffectRegistered, KindName: "wild", DurationMs: 1 + r.Int32N(3000), EveryMs: 1 + r.Int32N(500), Params: some()})
	}
	rs.Values = []rules.Value{{Name: "ire", Max: 30, Step: 1}}
	rs.Types = append([]rules.Type(nil), rs.Types...)
	for i := range rs.Types {
		t := &rs.Types[i]
		if i%3 != 0 {
			t.Values = []rules.TypeValue{{Start: int32(i)}}
		}
		if t.Class != rules.ClassUnit && t.Class != rules.ClassStructure {
			continue
		}
		for n := 0; len(t.Abilities) < rules.UnitAbilitiesMax && n < 4; n++ {
			t.Abilities = append(append([]uint8(nil), t.Abilities...), first+uint8((i+n)%4))
		}
	}
	s.Rules = &rs
	return s
}

// TestRegisteredKindsAreDeterministic plays matches whose units have kinds that do
// anything, and steps a world beside them that was restored in the middle. The worlds stay
// whole.
func TestRegisteredKindsAreDeterministic(t *testing.T) {
	called, short := 0, testing.Short()
	for seed := uint64(1); seed <= 6; seed++ {
		setup := wildKindsSetup(t, seed)
		w := newWorld(t, setup)
		players := []*chaos{}
		for s := range 2 {
			players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(seed, uint64(s)))})
		}
		var twin *World
		for tick := range 400 {
			if short && tick > 120 {
				break
			}
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
			called += int(w.turns.lent / 2)
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
	if called < 1000 {
		t.Errorf("%d calls prove little", called)
	}
}

// The acts of registered kinds do not depend on which unit was made first: worlds that
// differ only in that look the same.
func TestRegisteredKindsDoNotTellWhoWasMadeFirst(t *testing.T) {
	soldier := func(s Setup) uint16 { n, _ := s.Rules.TypeByName("soldier"); return n }
	for seed := uint64(20); seed < 26; seed++ {
		var looks [2]string
		for order := range 2 {
			setup := wildKindsSetup(t, seed)
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
					looks[order] += fmt.Sprintln(x.kind, x.slot, x.custom)
				}
			}
		}
		if looks[0] != looks[1] {
			t.Fatalf("seed %d: %s", seed, firstLine([]byte(looks[0]), []byte(looks[1])))
		}
	}
}

// Acts of kinds in the dark change nothing for a team that does not see them: not the acts
// of its own kinds, not its sight, not its handles.
func TestKindsInTheDarkChangeNothing(t *testing.T) {
	var told [2]string
	acted := [2]int{}
	for busy := range 2 {
		unitScript.ready, unitScript.start = nil, nil // while the world is made
		_, w, mage, _ := toldWorld(t)
		edit := Editor{w}
		for i := range 6 {
			edit.Add(1, 0, grid.Tile{X: int16(36 + 2*i), Y: 10}.Center())
		}
		unitScript.ready = func(u UnitWorld) bool { return u.Slot() == 0 || busy == 1 }
		unitScript.start = func(u UnitWorld) {
			at := u.Self().At
			acted[u.Slot()]++
			for n := range uint32(UnitActsMax) {
				x := at.Add(grid.Vec{X: int32(u.Rand(3*n)%8192) - 4096, Y: int32(u.Rand(3*n+1)%8192) - 4096})
				switch u.Rand(3*n+2) % 5 {
				case 0:
					u.Spawn(1, x.Tile())
				case 1:
					u.Reveal(x.Tile(), 6, 9, true)
				case 2:
					u.DamageArea(x, 900, 4, 50, true)
				default:
					for o := range u.Near(x, 2<<10) {
						u.Push(o.ID, grid.Vec{X: 300, Y: int32(n)})
						u.PutEffect(o.ID, 0)
						u.Heal(o.ID, 1)
						break
					}
				}
			}
		}
		for range 60 {
			w.Step(nil)
			told[busy] += fmt.Sprintln(w.Tick(), w.eyes.Hash(0), w.Player(0))
			for _, s := range w.Knowledge(0).Seen(nil) {
				e := w.find(s.ID)
				told[busy] += fmt.Sprintln(s.Handle, s.Entered, e.typ, e.slot, e.x, e.y, e.hp, e.effects)
			}
		}
		if mage.gone || len(w.Knowledge(0).Seen(nil)) < 5 {
			t.Error("the team has little to see")
		}
	}
	if acted[0] < 4 || acted[1] < 12 {
		t.Errorf("they acted %v times: that proves little", acted)
	}
	if told[0] != told[1] {
		a, b := strings.Split(told[0], "\n"), strings.Split(told[1], "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d: %s\nand with kinds in the dark: %s", i, a[i], b[i])
			}
		}
		t.Fatal("one is told more")
	}
}
