package refcount_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
	"github.com/fogkeep/fogkeep/visibility/refcount"
)

// TestEqualsEngine moves a crowd over a map with odd sides and compares the
// baseline with the engine it is the baseline of: a baseline that is wrong would
// be no measure.
func TestEqualsEngine(t *testing.T) {
	m := grid.NewMap("flat", 67, 45)
	m.Occlusion = grid.OcclusionNone
	m.Starts = []grid.Tile{{}}
	e, err := visibility.New(visibility.Config{Map: m, Teams: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := refcount.New(m.W, m.H, 2)
	rng := rand.New(rand.NewPCG(5, 6))
	type unit struct {
		id visibility.SourceID
		at grid.Tile
		r  int
	}
	var units []unit
	for i := range 60 {
		u := unit{at: m.TileAt(rng.IntN(m.W * m.H)), r: rng.IntN(30)}
		u.id = e.Add(grid.Team(i%2), visibility.Source{Tile: u.at, Radius: visibility.Radius(u.r)})
		c.Add(grid.Team(i%2), u.at, u.r)
		units = append(units, u)
	}
	for step := range 60 {
		for i := range units {
			u := &units[i]
			to := grid.Tile{
				X: int16(max(0, min(m.W-1, int(u.at.X)+rng.IntN(3)-1))),
				Y: int16(max(0, min(m.H-1, int(u.at.Y)+rng.IntN(3)-1))),
			}
			if rng.IntN(10) == 0 {
				to = m.TileAt(rng.IntN(m.W * m.H))
			}
			e.Move(u.id, to)
			c.Move(grid.Team(i%2), u.at, to, u.r)
			u.at = to
		}
		if step == 40 { // one goes
			last := len(units) - 1
			e.Remove(units[last].id)
			c.Remove(grid.Team(last%2), units[last].at, units[last].r)
			units = units[:last]
		}
		e.Step(0)
		for i := range m.W * m.H {
			for team := range grid.Team(2) {
				if e.Visible(team, m.TileAt(i)) != c.Visible(team, m.TileAt(i)) {
					t.Fatalf("step %d, team %d, %v: engine and counters differ", step, team, m.TileAt(i))
				}
			}
		}
		c.Flush()
	}
}
