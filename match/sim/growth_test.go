package sim

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// grownRules has men with values that grow by each event, levels and an ability that spends. A man sees 6 tiles far.
const grownRules = `{"name": "grown", "start": [{"type": "hut"}],
	"values": [
		{"name": "dealt", "max": 9999, "deal": 50}, {"name": "kills", "max": 9, "kill": 1, "levels": [{"at": 1, "effect": "veteran"}, {"at": 3, "effect": "elite"}]},
		{"name": "grief", "max": 9, "start": 4, "death": 2, "death_range": 3}, {"name": "calm", "max": 9, "second": 2}],
	"effects": [{"name": "veteran", "kind": "modify", "changes": [{"attribute": "health", "percent": 150}]},
		{"name": "elite", "kind": "modify", "changes": [{"attribute": "sight", "add": 2}]}],
	"abilities": [{"name": "roar", "kind": "sprint", "percent": 150, "spends": {"value": "grief", "amount": 4}, "cooldown": 1}],
	"types": [
		{"name": "man", "health": 100, "sight": 6, "radius": 0.3, "speed": 2, "abilities": ["roar"], "values": {"dealt": 0, "kills": 0, "grief": 4, "calm": 0}},
		{"name": "hut", "class": "structure", "health": 300, "sight": 1, "centre": true}]}`

// grownWorld has a man of each team, d tiles apart.
func grownWorld(t *testing.T, d int) (w *World, man, foe *Entity) {
	t.Helper()
	rs, _, err := rules.Check("grown.json", []byte(grownRules))
	if err != nil {
		t.Fatal(err)
	}
	w = sandboxOf(t, rs)
	man = w.find(w.block(0, "man", 1, 10, 8)[0])
	foe = w.find(w.block(1, "man", 1, 10+d, 8)[0])
	w.Step(nil)
	return w, man, foe
}

// blow lets by hurt v, and steps.
func (w *World) blow(by, v *Entity, amount int32) {
	w.hurt(v, harm{by: by.id, slot: by.slot, team: by.team, amount: amount, weapon: NoWeapon})
	w.Step(nil)
}

func pointsOf(e *Entity) string { return fmt.Sprint(e.values) }

// A value grows by damage that its entity deals and by kills, of enemies that its team sees.
func TestValuesGrowByFeats(t *testing.T) {
	w, man, foe := grownWorld(t, 2)
	w.blow(man, foe, 30)
	if got := pointsOf(man); got != "[15 0 4 0]" {
		t.Errorf("after 30 damage: %s", got)
	}
	w.blow(man, man, 10)
	if got := pointsOf(man); got != "[15 0 4 0]" {
		t.Errorf("damage to a friend counts: %s", got)
	}
	w.blow(man, foe, 500) // the foe has 70 left
	if got := pointsOf(man); got != "[50 1 6 0]" {
		t.Errorf("after a kill: %s", got)
	}
	w, man, foe = grownWorld(t, 8) // beyond its sight
	w.blow(man, foe, 30)
	w.blow(man, foe, 500)
	if got := pointsOf(man); got != "[0 0 4 0]" {
		t.Errorf("the man learns what his shots into the fog have hit: %s", got)
	}
}

// A feat counts only if the team sees the victim before the blow and its end after it: a unit that loses sight in that tick, or
// comes to see in it, does not learn what it has hit.
func TestFeatsNeedSightBeforeAndAfter(t *testing.T) {
	for _, c := range []struct {
		apart, moves int
		want         string
	}{{5, 0, "[50 1 4 0]"}, {5, -4, "[0 0 4 0]"}, {8, 4, "[0 0 4 0]"}} {
		w, man, foe := grownWorld(t, c.apart)
		w.hurt(foe, harm{by: man.id, slot: 0, team: 0, amount: 500, weapon: NoWeapon})
		man.put(man.Pos().Add(grid.Vec{X: int32(c.moves) * grid.WUPerTile}))
		if w.Step(nil); pointsOf(man) != c.want {
			t.Errorf("%d tiles apart, moved %d: %s, want %s", c.apart, c.moves, pointsOf(man), c.want)
		}
	}
}

// Ends near an entity count for the teams that see them, once per second time does, and bounds hold.
func TestValuesGrowByDeathsAndTime(t *testing.T) {
	w, man, foe := grownWorld(t, 2)
	far := w.find(w.block(0, "man", 1, 10, 14)[0])
	w.Step(nil)
	for range 3 {
		w.blow(foe, foe, 1)
	}
	w.blow(w.find(far.id), foe, 500)
	if got := pointsOf(man) + pointsOf(far); !strings.HasPrefix(got, "[0 0 6 0][") || !strings.Contains(got, " 4 0]") {
		t.Errorf("a man beside the end and one far off have %s", got)
	}
	for w.tick%20 != 0 {
		w.Step(nil)
	}
	if got := man.values[3]; got != 2 {
		t.Errorf("after a second calm is %d", got)
	}
	for range 200 {
		w.Step(nil)
	}
	if got := man.values[3]; got != 9 {
		t.Errorf("calm goes beyond its bound: %d", got)
	}
}

// A unit has the effects of its levels, and loses them as the value falls. They are state, and a restored world steps on
// to the same hashes.
func TestLevelsGiveEffects(t *testing.T) {
	w, man, foe := grownWorld(t, 4)
	show := func() string {
		health, _, _ := w.Most(man)
		return fmt.Sprint(health, man.hp, len(man.effects), w.sourceOf(man).Radius)
	}
	man.hp = 50
	for _, c := range []struct {
		kills int32
		want  string
	}{{0, "100 50 0 12"}, {1, "150 75 1 12"}, {3, "150 75 2 16"}, {2, "150 75 1 12"}, {0, "100 50 0 12"}, {9, "150 75 2 16"}} {
		w.setValue(man, 1, c.kills)
		if w.Step(nil); show() != c.want {
			t.Errorf("with %d kills: %s, want %s", c.kills, show(), c.want)
		}
	}
	before := len(w.refocused)
	if w.Step(nil); len(man.effects) != 2 || len(w.refocused) != before {
		t.Error("effects that stay are given again")
	}
	s := Setup{Map: w.m, Rules: w.rules, Seed: 1, Players: []Player{{Team: 0}, {Team: 1, Start: 1}}}
	back, err := Restore(s, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	back.mode = sandbox{}
	for range 40 {
		w.hurt(foe, harm{by: man.id, slot: 0, team: 0, amount: 2, weapon: NoWeapon})
		back.hurt(back.find(foe.id), harm{by: man.id, slot: 0, team: 0, amount: 2, weapon: NoWeapon})
		w.Step(nil)
		back.Step(nil)
	}
	if !bytes.Equal(w.Save(nil), back.Save(nil)) || man.values[0] != 40 {
		t.Errorf("the restored world goes another way; %v", man.values)
	}
}

// An ability that spends a value starts while the value covers it.
func TestAbilitiesSpendValues(t *testing.T) {
	w, man, _ := grownWorld(t, 8)
	if code := w.start(man, 0, 0, man.Pos(), nil); code != orders.OK || man.values[2] != 0 {
		t.Fatalf("%v, with %d points left", code, man.values[2])
	}
	w.stop(man, 0)
	man.acts[0].ready = 0
	man.values[2] = 3
	if code := w.start(man, 0, 0, man.Pos(), nil); code != orders.Unaffordable || man.values[2] != 3 {
		t.Errorf("with 3 of 4 points: %v, %d left", code, man.values[2])
	}
	j := judge{w}
	if j.Ability(man.id, 0).Affordable {
		t.Error("an order for it is accepted")
	}
	man.values[2] = 4
	if !j.Ability(man.id, 0).Affordable {
		t.Error("an order for it is refused")
	}
}
