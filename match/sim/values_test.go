package sim

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// valuedWorld is the world of toldRules, in which a mage has the values rage and chill, and
// a man has chill alone.
func valuedWorld(t *testing.T) (s Setup, w *World, mage, man *Entity) {
	t.Helper()
	s, _, _, _ = toldWorld(t)
	text := strings.NewReplacer(`"types": [`, `"values": [{"name": "rage", "max": 100}, {"name": "chill", "min": -40, "max": 10, "start": 0, "class": "seeing"}], "types": [`,
		`"name": "mage",`, `"name": "mage", "values": {"rage": 20, "chill": -5},`, `"name": "man",`, `"name": "man", "values": {"chill": 3},`).Replace(toldRules)
	rs, err := rules.Parse("valued.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s.Rules = rs
	w = newWorld(t, s)
	edit := Editor{w}
	mage, man = edit.Add(0, 0, grid.Tile{X: 20, Y: 20}.Center()), edit.Add(1, 1, grid.Tile{X: 20, Y: 22}.Center())
	w.Step(nil)
	return s, w, mage, man
}

// A kind reads and sets values of units, which keep to their bounds.
func TestAKindSetsValues(t *testing.T) {
	_, w, mage, man := valuedWorld(t)
	if got := fmt.Sprint(mage.Values(), man.Values()); got != "[20 -5] [3]" {
		t.Fatalf("they begin with %s", got)
	}
	tell(w, mage, func(u UnitWorld) {
		if n, ok := u.Value(mage.id, "rage"); n != 20 || !ok {
			t.Errorf("its rage is %d, %v", n, ok)
		}
		if n, ok := u.Value(man.id, "chill"); n != 3 || !ok {
			t.Errorf("the man's chill is %d, %v", n, ok)
		}
		for _, bad := range []struct {
			id   grid.EntityID
			name string
		}{{man.id, "rage"}, {mage.id, "hope"}, {man.id + 99, "chill"}} {
			if _, ok := u.Value(bad.id, bad.name); ok || u.SetValue(bad.id, bad.name, 1) {
				t.Errorf("%v has %s", bad.id, bad.name)
			}
		}
		if !u.SetValue(mage.id, "rage", 101) || !u.SetValue(mage.id, "chill", -41) || !u.SetValue(man.id, "chill", 7) {
			t.Error("a value is not set")
		}
		for range UnitActsMax {
			u.SetValue(man.id, "chill", 7)
		}
		if u.SetValue(man.id, "chill", 8) {
			t.Error("a call sets values without bound")
		}
	})
	if got := fmt.Sprint(mage.Values(), man.Values()); got != "[100 -40] [7]" {
		t.Errorf("they have %s", got)
	}
}

// Values are state: saved, restored, frozen and hashed. Types without values add no byte to
// it, and a state with a value outside its bounds is refused.
func TestValuesAreState(t *testing.T) {
	s, w, mage, man := valuedWorld(t)
	saved, plain := w.Save(nil), newWorld(t, func() Setup { x, _, _, _ := toldWorld(t); return x }()).Save(nil)
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
	if begun := newWorld(t, s).Save(nil); len(begun) != len(plain) { // the players have a hut each, which has no values
		t.Errorf("a state without an entity with values has %d bytes, and %d where the ruleset declares none", len(begun), len(plain))
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
	_, w, mage, man := valuedWorld(t)
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
	tell(w, mage, func(UnitWorld) {})
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
	_, w, mage, man := valuedWorld(t)
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

func init() {
	RegisterAbility("heating", 1, AbilityKind{Values: []rules.Value{{Name: "heat", Max: 9, Start: 2, Class: rules.ValueSeeing}}})
}

// A type with an ability of a registered kind has the values of the kind.
func TestAKindDeclaresValues(t *testing.T) {
	s, _, _, _ := toldWorld(t)
	rs, err := rules.Parse("heat.json", []byte(`{"name": "heat", "abilities": [{"name": "boil", "kind": "heating"}], "types": [{"name": "pot", "abilities": ["boil"]}, {"name": "cup"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Rules = rs
	w := newWorld(t, s)
	edit := Editor{w}
	pot, cup := edit.Add(0, 0, grid.Tile{X: 20, Y: 20}.Center()), edit.Add(0, 1, grid.Tile{X: 22, Y: 20}.Center())
	if got := fmt.Sprint(pot.Values(), cup.Values()); got != "[2] []" {
		t.Errorf("they begin with %s", got)
	}
}
