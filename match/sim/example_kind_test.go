package sim_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// kindsRules is a ruleset that names a kind of ability and a kind of effect of this
// program: guards push back units that come near, and leave them weak.
const kindsRules = `{
	"name": "guards", "start": [{"type": "hut", "count": 1}, {"type": "guard", "count": 2}],
	"effects": [{"name": "dazed", "kind": "weakness", "duration": 3, "every": 1, "slower": 25, "pain": 4}],
	"abilities": [{"name": "shove", "kind": "repulse", "cooldown": 2, "radius": 3, "distance": 1.5, "leaves": "dazed"}],
	"types": [
		{"name": "guard", "class": "unit", "health": 100, "sight": 9, "radius": 0.3, "speed": 2, "abilities": ["shove"]},
		{"name": "hut", "class": "structure", "health": 300, "sight": 7, "width": 2, "height": 2, "centre": true}
	]}`

// repulse starts by itself when an enemy is near. It pushes all enemies within its
// radius away, and leaves an effect on them.
var repulse = sim.AbilityKind{
	Passive: true,
	Params: []rules.Param{
		{Name: "distance", Kind: rules.ParamTiles, Default: 1000, Min: 500, Max: 4000}, // thousandths of a tile
		{Name: "leaves", Kind: rules.ParamEffect, Required: true},
	},
	Ready: func(w sim.UnitWorld) bool {
		for range enemies(w) {
			return true
		}
		return false
	},
	Start: func(w sim.UnitWorld) {
		for _, u := range enemies(w) {
			off := u.At.Sub(w.Self().At)
			w.Push(u.ID, off.Scale(grid.Dist(w.Param("distance"))))
			w.PutEffect(u.ID, w.Param("leaves"))
		}
	},
}

func enemies(w sim.UnitWorld) (out []sim.Unit) {
	for u := range w.Near(w.Self().At, w.Radius()) {
		if u.Class == rules.ClassUnit && u.Team != w.Team() {
			out = append(out, u)
		}
	}
	return out
}

// weakness slows a unit, the more the more often it is put on it, and hurts it more each
// time. How often it has hurt is in its bytes.
var weakness = sim.EffectKind{
	Stacks: 3,
	Params: []rules.Param{
		{Name: "slower", Kind: rules.ParamWhole, Default: 10, Min: 1, Max: 30}, // percent, each time
		{Name: "pain", Kind: rules.ParamWhole, Required: true, Default: 1, Min: 1, Max: 1000},
	},
	Modify: func(p rules.Params) sim.Modifiers { return sim.Modifiers{Speed: -p.Get("slower")} },
	Begin:  func(w sim.UnitWorld) { _ = w.SetBytes([]byte{0}) },
	Tick: func(w sim.UnitWorld) {
		times := w.Bytes()
		times[0]++
		w.Damage(w.Self().ID, w.Param("pain")*int32(times[0]))
		_ = w.SetBytes(times) // a byte fits
	},
}

func init() {
	sim.RegisterAbility("repulse", 1, repulse)
	sim.RegisterEffect("weakness", 1, weakness)
}

// A program adds a kind of ability before it reads the rulesets that name it. The error of
// a bad entry names the line and the field.
func ExampleRegisterAbility() {
	_, err := rules.Parse("guards.json", []byte(`{"name": "guards", "abilities": [
		{"name": "shove", "kind": "repulse", "radius": 3,
		 "distance": 9}]}`))
	fmt.Println(err)

	ruleset, err := rules.Parse("guards.json", []byte(kindsRules))
	if err != nil {
		fmt.Println(err)
		return
	}
	field := grid.NewMap("field", 24, 24)
	field.Starts = []grid.Tile{{X: 8, Y: 12}, {X: 12, Y: 12}}
	setup := sim.Setup{Map: field, Rules: ruleset, Seed: 7, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	w, err := sim.New(setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("kinds:", sim.KindsOf(ruleset))
	shoves := 0
	for range 100 {
		w.Step(nil)
		for _, e := range w.Events() {
			if e.Kind == sim.EventAction && e.On {
				shoves++
			}
		}
	}
	again, err := sim.Restore(setup, w.Save(nil))
	fmt.Println(shoves > 0, again.Hash() == w.Hash(), err)
	// Output:
	// guards.json:1: a ruleset needs types
	// guards.json:2: /abilities/0: "leaves" is missing
	// guards.json:3: /abilities/0/distance: 9 is outside 0.5 to 4
	// kinds: [{ability repulse 1} {effect weakness 1}]
	// true true <nil>
}

// An effect of a registered kind changes a unit's powers, and acts at intervals. Its bytes
// on a unit are saved with the match.
func ExampleRegisterEffect() {
	ruleset, err := rules.Parse("guards.json", []byte(kindsRules))
	if err != nil {
		fmt.Println(err)
		return
	}
	field := grid.NewMap("field", 24, 24)
	field.Starts = []grid.Tile{{X: 8, Y: 12}, {X: 12, Y: 12}}
	setup := sim.Setup{Map: field, Rules: ruleset, Seed: 7, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	w, err := sim.New(setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	most := map[int32]bool{}
	w.OnHarm(func(h sim.Harm) { most[h.Amount] = true })
	for range 150 {
		w.Step(nil)
	}
	fmt.Println("hurt by 4:", most[4], "by 8:", most[8])
	again, err := sim.Restore(setup, w.Save(nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 100 {
		w.Step(nil)
		again.Step(nil)
	}
	fmt.Println(again.Tick(), again.Hash() == w.Hash())
	// Output:
	// hurt by 4: true by 8: true
	// 250 true
}
