package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// A tower dazzles a soldier. The soldier's team and spectators with all eyes learn of it, the tower's team does not,
// although it sees the soldier.
func TestEffectsOfATeamStayWithIt(t *testing.T) {
	rs, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("dazzled", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 56, Y: 56}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rs, TickRate: 20, Seed: 3, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	edit := simtest.Edit(w)
	tower, _ := rs.TypeByName("tower")
	soldier, _ := rs.TypeByName("soldier")
	edit.Add(0, tower, grid.Tile{X: 20, Y: 20}.Center())
	edit.Add(1, soldier, grid.Tile{X: 24, Y: 20}.Center())
	dazzled := slices.IndexFunc(rs.Effects, func(e rules.Effect) bool { return e.Name == "dazzled" })
	near, seen := 0, map[grid.Team]int{}
	builders := map[grid.Team]*Builder{0: NewBuilder(0), 1: NewBuilder(1), grid.NoTeam: NewBuilder(grid.NoTeam)}
	for range 40 {
		w.Step(nil)
		for eyes, b := range builders {
			var v View
			b.Build(w, &v)
			for _, u := range v.Units {
				if u.Type == soldier && eyes == 0 && u.Owner == 1 {
					near++
				}
			}
			for _, x := range v.Effects {
				if int(x.Kind) == dazzled {
					seen[eyes]++
				}
			}
		}
	}
	if near == 0 || seen[0] != 0 || seen[1] == 0 || seen[grid.NoTeam] == 0 {
		t.Errorf("rows of the effect by eyes: %v", seen)
	}
}
