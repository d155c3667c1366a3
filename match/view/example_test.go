package view_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// One team's view of a world: its own units, and not the far enemy's.
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
	w, err := sim.New(sim.Setup{Map: ford.Map, Rules: ruleset, Seed: 1, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Step(nil)
	var team, all view.View
	view.NewBuilder(0).Build(w, &team)
	view.NewBuilder(grid.NoTeam).Build(w, &all)
	enemies := 0
	for _, e := range team.Units {
		if e.Owner == 1 {
			enemies++
		}
	}
	fmt.Println("enemies in sight:", enemies, "and all eyes see more:", len(all.Units) > len(team.Units))
	// Output: enemies in sight: 0 and all eyes see more: true
}
