package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// withEffects returns skirmish with more effects, and more of anything else that stands in
// for a piece of its text.
func withEffects(t *testing.T, effects string, swaps ...string) *rules.Ruleset {
	t.Helper()
	text := string(mustRules(t).Source)
	swaps = append(swaps, `"effects": [`, `"effects": [`+effects+`,`)
	for i := 0; i < len(swaps); i += 2 {
		if strings.Count(text, swaps[i]) != 1 {
			t.Fatalf("skirmish has %d of %s", strings.Count(text, swaps[i]), swaps[i])
		}
		text = strings.Replace(text, swaps[i], swaps[i+1], 1)
	}
	rs, _, err := rules.Check("attributes.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// attributeWorld returns a world with such effects, and a soldier of each team.
func attributeWorld(t *testing.T, effects string, swaps ...string) (w *World, man, foe *Entity) {
	t.Helper()
	w = sandboxOf(t, withEffects(t, effects, swaps...))
	man = w.find(w.block(0, "soldier", 1, 10, 8)[0])
	foe = w.find(w.block(1, "soldier", 1, 12, 8)[0])
	w.Step(nil)
	return w, man, foe
}

// sandboxOf is sandboxWorld with other rules.
func sandboxOf(t *testing.T, rs *rules.Ruleset) *World {
	t.Helper()
	w, err := empty(Setup{Map: flatMap(40), Rules: rs, Seed: 1, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	w.mode = sandbox{}
	return w
}

// effectNamed returns the number of an effect.
func (w *World) effectNamed(name string) uint8 {
	for i := range w.rules.Effects {
		if w.rules.Effects[i].Name == name {
			return uint8(i)
		}
	}
	panic(name)
}

// readings has all that effects can change of e.
func (w *World) readings(e *Entity) string {
	health, shield, energy := w.Most(e)
	wp := &w.rules.Weapons[w.WeaponOf(e, 0)]
	return fmt.Sprint(health, shield, energy, w.takenOf(e), w.damageOf(e), w.cooldownOf(e, &w.rt.weapons[w.WeaponOf(e, 0)]),
		w.rangeOf(e, wp), w.reachOf(e), w.speedOf(e), w.sourceOf(e).Radius, w.lookOut(e), w.attribute(e, rules.AttributeRegen, 0), w.attribute(e, rules.AttributeReflect, 0))
}

// Effects add, then multiply, then cap, in any order of their beginnings, and an attribute has its old value once they end.
func TestEffectsModifyByRule(t *testing.T) {
	const effects = `{"name": "more", "kind": "modify", "changes": [
		{"attribute": "health", "add": 20}, {"attribute": "speed", "add": 1}, {"attribute": "sight", "add": 2}, {"attribute": "range", "add": 1.5},
		{"attribute": "damage", "add": 50}, {"attribute": "armour", "add": -10}, {"attribute": "cooldown", "percent": 50}, {"attribute": "regen", "add": 3},
		{"attribute": "shield", "add": 10}, {"attribute": "reflect", "add": 25}]},
	{"name": "times", "kind": "modify", "changes": [{"attribute": "health", "percent": 200}, {"attribute": "speed", "percent": 150}, {"attribute": "damage", "percent": 120}]},
	{"name": "least", "kind": "modify", "changes": [{"attribute": "health", "cap": 130}, {"attribute": "speed", "cap_percent": 50}, {"attribute": "damage", "cap": 90}, {"attribute": "sight", "cap": 3}]}`
	var first string
	for _, order := range [][]string{{"more", "times", "least"}, {"least", "times", "more"}, {"times", "more", "least"}} {
		w, man, _ := attributeWorld(t, effects)
		before, speed := w.readings(man), w.rt.types[man.typ].speed
		for _, name := range order {
			w.addEffect(man, w.effectNamed(name), 0, man.id)
		}
		now := w.readings(man)
		if first == "" {
			first = now
		}
		more := w.rt.perTick(grid.WUPerTile)
		want := fmt.Sprint(130, 10, 0, 90, 90, 8, grid.Dist(6.5*grid.WUPerTile), grid.Dist(6.5*grid.WUPerTile), (speed+more)*150/100*50/100,
			visibility.Radius(6), grid.Dist(6.5*grid.WUPerTile), 3, 25)
		if now != first || now != want {
			t.Errorf("%v: %s, want %s", order, now, want)
		}
		if len(man.effects) != 3 || man.hp != 130 {
			t.Errorf("%d effects, health %d", len(man.effects), man.hp)
		}
		for _, name := range order {
			man.effectOf(w.effectNamed(name), 0).end = w.tick
		}
		w.runEffects(man)
		if after := w.readings(man); after != before || len(man.effects) != 0 || man.hp != 100 {
			t.Errorf("%v: after the effects %s, before them %s; health %d", order, after, before, man.hp)
		}
	}
}

// Health keeps its share of what a unit can have. A lasting effect does not end, and does not take the room of others.
func TestLastingEffects(t *testing.T) {
	const effects = `{"name": "strong", "kind": "modify", "changes": [{"attribute": "health", "percent": 150}, {"attribute": "regen", "add": 2}]},
		{"name": "weak", "kind": "modify", "duration": 1, "changes": [{"attribute": "health", "percent": 50}, {"attribute": "sight", "percent": 50}]}`
	w, man, _ := attributeWorld(t, effects, `"reveal_on_fire": 1`, `"reveal_on_fire": 0`)
	w.setHealth(man, 50)
	for range 6 {
		for slot := range grid.Slot(2) {
			w.addEffect(man, w.effectNamed("burning"), slot, 0)
			w.addEffect(man, w.effectNamed("slowed"), slot, 0)
			w.addEffect(man, w.effectNamed("shielded"), slot, 0)
		}
	}
	if len(man.effects) != rules.UnitEffectsMax {
		t.Fatalf("%d effects that end", len(man.effects))
	}
	w.addEffect(man, w.effectNamed("strong"), 0, 0)
	if len(man.effects) != rules.UnitEffectsMax+1 || man.hp != 75 {
		t.Fatalf("%d effects, health %d", len(man.effects), man.hp)
	}
	typ, _ := w.rules.TypeByName("tower")
	tower := w.spawn(0, typ, grid.Tile{X: 20, Y: 20}.Center(), false)
	w.settle()
	w.addEffect(tower, w.effectNamed("burning"), 0, 0)
	w.addEffect(tower, w.effectNamed("weak"), 0, 0)
	if len(tower.effects) != 1 || tower.hp != 200 {
		t.Fatalf("the tower has %d effects, health %d", len(tower.effects), tower.hp)
	}
	for range 200 {
		w.Step(nil)
		if _, eye := w.eyes.Get(tower.source); eye.Radius != w.sourceOf(tower).Radius {
			t.Fatalf("tick %d: the tower sees %d half tiles, not %d", w.tick, eye.Radius, w.sourceOf(tower).Radius)
		}
	}
	if len(man.effects) != 1 || man.effects[0].end != forever || len(tower.effects) != 0 || tower.hp != 400 {
		t.Errorf("%d and %d effects are left; health %d and %d", len(man.effects), len(tower.effects), man.hp, tower.hp)
	}
	w.setHealth(man, 100)
	from := man.hp
	for range 40 {
		w.Step(nil)
	}
	if man.hp != from+4 {
		t.Errorf("in two seconds its health grew from %d to %d", from, man.hp)
	}
	b := w.Save(nil)
	again, err := Restore(Setup{Rules: w.rules, Map: w.m, Seed: 1, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}, b)
	if err != nil {
		t.Fatal(err)
	}
	again.mode = sandbox{}
	for range 30 {
		w.Step(nil)
		again.Step(nil)
	}
	if w.Hash() != again.Hash() {
		t.Error("a restored world goes on otherwise")
	}
}

// A reflecting unit gives back a part of a weapon's hits, to shooters that see it alone. Two reflecting units do not
// reflect for ever.
func TestReflectedHits(t *testing.T) {
	const effects = `{"name": "thorny", "kind": "modify", "changes": [{"attribute": "reflect", "add": 50}]},
		{"name": "healthy", "kind": "modify", "changes": [{"attribute": "health", "add": 50}]}`
	w, man, foe := attributeWorld(t, effects)
	for _, e := range []*Entity{man, foe} {
		w.addEffect(e, w.effectNamed("thorny"), e.slot, 0)
	}
	rifle := w.WeaponOf(foe, 0)
	hit := func(by *Entity, weapon uint8) (taken, back int32) {
		man.hp, foe.hp = 100, 100
		w.hurt(man, harm{by: by.id, slot: by.slot, team: by.team, amount: 20, weapon: weapon})
		w.deal()
		return 100 - man.hp, 100 - foe.hp
	}
	man.viewers = man.viewers.With(1)
	if taken, back := hit(foe, rifle); taken != 20 || back != 10 {
		t.Errorf("a hit of 20 took %d and gave %d back", taken, back)
	}
	if taken, back := hit(foe, NoWeapon); taken != 20 || back != 0 {
		t.Errorf("damage of an ability took %d and gave %d back", taken, back)
	}
	if taken, back := hit(man, rifle); taken != 20 || back != 0 {
		t.Errorf("its own shot took %d and gave %d back", taken, back)
	}
	w.rules.Weapons[rifle].Effect = int16(w.effectNamed("healthy"))
	man.hp = 1
	w.hurt(man, harm{by: foe.id, slot: foe.slot, team: foe.team, amount: 20, weapon: rifle})
	if w.deal(); !man.dying {
		t.Error("the effect of a deadly hit saved a life")
	}
	w.rules.Weapons[rifle].Effect = -1
	man.dying, man.effects = false, man.effects[:1]
	man.viewers &^= 1 << 1
	if taken, back := hit(foe, rifle); taken != 20 || back != 0 {
		t.Errorf("a shot into the fog took %d and gave %d back: the shooter learns that it has hit", taken, back)
	}
}
