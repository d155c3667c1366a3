package sim_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Two worlds of one setup, which are given the same inputs, are the same world.
func Example() {
	maps, err := mapfile.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		fmt.Println(err)
		return
	}
	ford, _ := maps.ByID("twin-fords")
	setup := sim.Setup{Map: ford.Map, Rules: ruleset, Seed: 7, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	a, err := sim.New(setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, _ := sim.New(setup)
	for range 100 {
		a.Step(nil)
		b.Step(nil)
	}
	saved, err := sim.Restore(setup, a.Save(nil))
	fmt.Println(a.Tick(), a.Hash() == b.Hash(), saved.Hash() == a.Hash(), err)

	out := a.Step([]sim.Input{{Kind: sim.InputLeft, Slot: 1}}) // player 1 is gone for good
	for out.Ended == nil {
		out = a.Step(nil)
	}
	fmt.Println(out.Ended.Reason, "of team", out.Ended.Winner)
	// Output:
	// 100 true true <nil>
	// surrender of team 0
}
