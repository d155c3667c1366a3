package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
)

// Of what all are told, in sight or not, other teams are told the values that the
// rules name, and its own team is told all.
func TestOfALandmarkTheDeclaredValuesAreTold(t *testing.T) {
	rs, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"amount", "health", "flags"} {
		if !slices.Contains(ValueNames[:], name) {
			t.Errorf("%s, which rules may name, is no value", name)
		}
	}
	m := grid.NewMap("landmark", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 56, Y: 56}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rs, TickRate: 20, Seed: 3, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	edit := simtest.Edit(w)
	beacon, _ := rs.TypeByName("beacon")
	soldier, _ := rs.TypeByName("soldier")
	told := func(eyes grid.Team) *Unit {
		b := NewBuilder(eyes)
		var v View
		b.Build(w, &v)
		i := slices.IndexFunc(v.Units, func(u Unit) bool { return u.Type == beacon })
		if i < 0 {
			t.Fatalf("eyes %d are not told of the landmark", eyes)
		}
		return &v.Units[i]
	}
	edit.Add(0, soldier, grid.Tile{X: 31, Y: 30}.Center())
	for range 20 {
		w.Step(nil)
	}
	for _, eyes := range []grid.Team{0, 1, grid.NoTeam} {
		if u := told(eyes); u.Owner != grid.NoSlot || u.Values[ValueAmount] != 128 {
			t.Errorf("eyes %d are told that it is %d's and captured to %d of 255", eyes, u.Owner, u.Values[ValueAmount])
		}
	}
	for range 25 {
		w.Step(nil)
	}
	for _, e := range w.Entities() {
		if e.Type() == beacon {
			edit.SetHealth(e, 100)
		}
	}
	w.Step(nil)
	for eyes, health := range map[grid.Team]uint32{0: 400, 1: 0, grid.NoTeam: 400} {
		u := told(eyes)
		if u.Owner != 0 || u.Values[ValueHealth] != health || (u.Values[ValueHealthChanges] != 0) && health == 0 {
			t.Errorf("eyes %d are told that it is %d's and lacks %d health", eyes, u.Owner, u.Values[ValueHealth])
		}
	}
}
