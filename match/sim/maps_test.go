package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// playable are the shipped maps and, where FOGKEEP_TEST_MAPS names a folder,
// the real ones in it.
func playable(t *testing.T) map[string]*grid.Map {
	maps := map[string]*grid.Map{}
	lib, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range lib.List() {
		maps[m.Map.Name] = m.Map
	}
	if dir := os.Getenv("FOGKEEP_TEST_MAPS"); dir != "" {
		found, _, err := mapfile.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			m, err := mapfile.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			maps[filepath.Base(path)] = m
		}
	}
	return maps
}

// walk returns the tiles that land units come to from a tile, the obvious way.
func walk(m *grid.Map, from grid.Tile) map[grid.Tile]bool {
	seen, todo := map[grid.Tile]bool{from: true}, []grid.Tile{from}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range []grid.Tile{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); m.Passable(t, grid.Ground) && !seen[t] {
				seen[t] = true
				todo = append(todo, t)
			}
		}
	}
	return seen
}

// TestMapsCanBePlayed: on every map each player gets all it begins with, on its
// own side of the cliffs, and can be ordered to go to each start that the map
// connects with its own.
func TestMapsCanBePlayed(t *testing.T) {
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, e := range rules.Start {
		want += int(e.Count)
	}
	for name, m := range playable(t) {
		setup := sim.Setup{Map: m, Rules: rules}
		for i := range m.Starts {
			setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
		}
		w, err := sim.New(setup)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for s := range m.Starts {
			home := walk(m, m.Starts[s])
			var all, scouts []grid.Handle
			for _, sight := range w.Knowledge(grid.Team(s)).Seen(nil) {
				e := w.Entity(sight.ID)
				if e.Slot() != grid.Slot(s) {
					continue
				}
				all = append(all, sight.Handle)
				if !home[e.Tile()] {
					t.Errorf("%s: player %d begins with a %s at %v, cut off from its start", name, s, rules.Types[e.Type()].Name, e.Tile())
				}
				if rules.Types[e.Type()].Name == "scout" {
					scouts = append(scouts, sight.Handle)
				}
			}
			if len(all) != want {
				t.Errorf("%s: player %d begins with %d of %d", name, s, len(all), want)
			}
			var in []sim.Input
			for i, to := range m.Starts {
				in = append(in, sim.Input{Slot: grid.Slot(s), Seq: uint32(i), Order: orders.Order{
					Kind: orders.Move, Units: scouts, HasPoint: true, Point: to.Center(),
				}})
			}
			for i, a := range w.Step(in).Answers {
				if home[m.Starts[i]] != (a.Code == orders.OK) {
					t.Errorf("%s: from start %d to start %d: %v", name, s, i, a.Code)
				}
			}
		}
	}
}
