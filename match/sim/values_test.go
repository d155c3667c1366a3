package sim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/rules"
)

// Scripts set values of units, which keep to their bounds.
func TestAScriptSetsValues(t *testing.T) {
	_, w, mage, man := scriptWorld(t, `
def start(u):
    man = [x for x in u.near(4 * TILE) if x.type == "man"][0]
    if u.self.value("rage") != 20 or man.value("chill") != 3 or man.value("rage") != None or u.self.value("hope") != None:
        fail("values")
    return [set_value(u.self, "rage", 101), set_value(u.self, "chill", -41), set_value(man, "rage", 1), set_value(man, "chill", 7)]
`)
	if got := fmt.Sprint(mage.Values(), man.Values()); got != "[20 -5] [3]" {
		t.Fatalf("they begin with %s", got)
	}
	begin(t, w, mage)
	if got := fmt.Sprint(mage.Values(), man.Values()); got != "[100 -40] [7]" {
		t.Errorf("they have %s", got)
	}
}

// Values are state: saved, restored, frozen and hashed. Types without values add no byte to
// it, and a state with a value outside its bounds is refused.
func TestValuesAreState(t *testing.T) {
	s, w, mage, man := scriptWorld(t, plainMark)
	saved := w.Save(nil)
	w.setValue(mage, 0, 77)
	changed := w.Save(nil)
	if bytes.Equal(saved, changed) {
		t.Error("a value is not in the state")
	}
	back, err := Restore(s, changed)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(back.find(mage.id).Values(), back.find(man.id).Values()); got != "[77 -5] [3]" || back.Hash() != w.Hash() {
		t.Errorf("restored as %s", got)
	}
	var f Frozen
	w.Freeze(&f)
	w.setValue(mage, 0, 1)
	if !bytes.Equal(f.Save(nil), changed) {
		t.Error("a frozen state changes with the world")
	}
	bare, without := *s.Rules, s
	bare.Values, bare.Types = nil, slices.Clone(bare.Types)
	for i := range bare.Types {
		bare.Types[i].Values = nil
	}
	begun := newWorld(t, s).Save(nil)
	if without.Rules = &bare; len(begun) != len(newWorld(t, without).Save(nil)) { // the players have a hut each, which has no values
		t.Error("a state without an entity with values has more bytes than without values in the ruleset")
	}
	for _, beyond := range []int32{-1, 101} {
		mage.values[0] = beyond
		if _, err := Restore(s, w.Save(nil)); err == nil || !strings.Contains(err.Error(), fmt.Sprintf(`value "rage" is %d, want 0 to 100`, beyond)) {
			t.Errorf("rage %d: %v", beyond, err)
		}
	}
}

// The conditions of values: each is a thing that teams see of the entity.
func TestConditionsOfValues(t *testing.T) {
	_, w, mage, man := scriptWorld(t, plainMark)
	shown := func(e *Entity) (out string) {
		for c, name := range []string{"change", "initial", "acting", "affected", "damaged"} {
			if w.ValueShown(e, rules.ValueWhen(c)) {
				out += " " + name
			}
		}
		return out
	}
	if got := shown(mage) + shown(man); got != " change initial change initial" {
		t.Errorf("at rest:%s", got)
	}
	begin(t, w, mage)
	if got := shown(mage); got != " change initial acting" {
		t.Errorf("while it acts:%s", got)
	}
	w.addEffect(man, 0, 0, mage.id)
	w.setHealth(man, 99)
	if got := shown(man); got != " change initial affected damaged" {
		t.Errorf("hurt, with an effect:%s", got)
	}
}

// A value grows by the damage that its entity takes, to its bounds and in its own direction.
func TestValuesGrowByDamage(t *testing.T) {
	_, w, mage, man := scriptWorld(t, plainMark)
	w.rules.Values[0].Hurt, w.rules.Values[1].Hurt = 150, -50
	for _, want := range []string{"[35 -10] [-2]", "[50 -15] [-7]"} {
		for _, e := range []*Entity{mage, man} {
			w.hurt(e, harm{by: man.id, slot: 1, team: 1, amount: 10, weapon: NoWeapon})
		}
		w.Step(nil)
		if got := fmt.Sprint(mage.Values(), man.Values()); got != want {
			t.Errorf("after 10 damage more: %s, want %s", got, want)
		}
	}
	w.hurt(mage, harm{by: man.id, slot: 1, team: 1, amount: 60, weapon: NoWeapon})
	if w.Step(nil); fmt.Sprint(mage.Values()) != "[100 -40]" {
		t.Errorf("beyond its bounds: %v", mage.Values())
	}
}
