package bench

import (
	"math/rand/v2"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The maze of the paths workload, in tiles.
const (
	mazeCorridor = 4
	mazePeriod   = mazeCorridor + 1 // a corridor and a wall
	mazeCourt    = 3                // corridors on a side of the open court around a start
	mazeLoops    = 10               // of a hundred walls that the maze keeps, so many are opened
)

// newMaze draws a maze of corridors by a depth-first search, which makes them long, and
// opens some of the walls that are left, so that most places can be reached in several
// ways. In the middle of two opposite sides is a court for a start. The same side and
// seed give the same maze.
func newMaze(side int, seed uint64) *grid.Map {
	m := grid.NewMap("maze", side, side)
	for i := range m.Pass {
		m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
	}
	dig := func(x0, y0, x1, y1 int) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				i := m.Index(grid.Tile{X: int16(x), Y: int16(y)})
				m.Terrain[i], m.Pass[i] = grid.Grass, grid.PassOf(grid.Grass)
			}
		}
	}
	n := (side - 1) / mazePeriod // rooms on a side
	rng := rand.New(rand.NewPCG(seed, 17))
	room := func(x, y int) {
		dig(1+x*mazePeriod, 1+y*mazePeriod, 1+x*mazePeriod+mazeCorridor, 1+y*mazePeriod+mazeCorridor)
	}
	wall := func(x, y int, east bool) { // opens it
		if east {
			dig(1+x*mazePeriod+mazeCorridor, 1+y*mazePeriod, 1+(x+1)*mazePeriod, 1+y*mazePeriod+mazeCorridor)
		} else {
			dig(1+x*mazePeriod, 1+y*mazePeriod+mazeCorridor, 1+x*mazePeriod+mazeCorridor, 1+(y+1)*mazePeriod)
		}
	}
	type cell struct{ x, y int }
	seen := make([]bool, n*n)
	stack := []cell{{0, 0}}
	seen[0] = true
	room(0, 0)
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		var next []cell
		for _, d := range []cell{{1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
			if c := (cell{at.x + d.x, at.y + d.y}); c.x >= 0 && c.y >= 0 && c.x < n && c.y < n && !seen[c.y*n+c.x] {
				next = append(next, c)
			}
		}
		if len(next) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		c := next[rng.IntN(len(next))]
		seen[c.y*n+c.x] = true
		room(c.x, c.y)
		wall(min(at.x, c.x), min(at.y, c.y), at.y == c.y)
		stack = append(stack, c)
	}
	for y := range n {
		for x := range n {
			for _, east := range []bool{true, false} {
				if inside := east && x < n-1 || !east && y < n-1; inside && rng.IntN(100) < mazeLoops {
					wall(x, y, east)
				}
			}
		}
	}
	for _, x := range []int{0, n - mazeCourt} {
		y := (n - mazeCourt) / 2
		dig(1+x*mazePeriod, 1+y*mazePeriod, (x+mazeCourt)*mazePeriod, (y+mazeCourt)*mazePeriod)
		m.Starts = append(m.Starts, grid.Tile{X: int16((2*x + mazeCourt) * mazePeriod / 2), Y: int16((2*y + mazeCourt) * mazePeriod / 2)})
	}
	return m
}
