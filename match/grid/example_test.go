package grid_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A map is made, checked, and named by its content.
func Example() {
	m := grid.NewMap("Pond", 32, 32)
	m.Starts = []grid.Tile{{X: 4, Y: 4}, {X: 27, Y: 27}}
	for _, t := range []grid.Tile{{X: 15, Y: 15}, {X: 16, Y: 15}} {
		i := m.Index(t)
		m.Terrain[i], m.Pass[i] = grid.Water, grid.PassOf(grid.Water)
	}
	if err := m.Check(); err != nil {
		fmt.Println(err)
		return
	}
	same, err := grid.UnmarshalMap(m.Marshal())
	fmt.Println(same.Hash() == m.Hash(), err)
	fmt.Println(m.Starts[0].Center(), "is on", m.Starts[0].Center().Tile())
	// Output:
	// true <nil>
	// pos 4608,4608 is on tile 4,4
}
