package bench

import (
	"math/rand/v2"

	"github.com/fogkeep/fogkeep/match/grid"
)

// walk is a crowd on the march: every unit goes one tile every tick, in one of
// eight directions, turns now and then, and never leaves the map. The same seed
// makes the same march for every implementation.
type walk struct {
	w, h  int
	at    []grid.Tile
	dir   []uint8
	every []uint8 // ticks until the unit turns by itself
	rng   *rand.Rand
}

var directions = [8][2]int16{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

func newWalk(w, h, units int) *walk {
	k := &walk{w: w, h: h, rng: rand.New(rand.NewPCG(1, 2))}
	for range units {
		k.at = append(k.at, grid.Tile{X: int16(k.rng.IntN(w)), Y: int16(k.rng.IntN(h))})
		k.dir = append(k.dir, uint8(k.rng.IntN(8)))
		k.every = append(k.every, uint8(1+k.rng.IntN(40)))
	}
	return k
}

// tick moves every unit by one tile.
func (k *walk) tick() {
	for i := range k.at {
		if k.every[i]--; k.every[i] == 0 {
			k.every[i] = uint8(1 + k.rng.IntN(40))
			k.dir[i] = uint8(k.rng.IntN(8))
		}
		for !k.step(i) {
			k.dir[i] = uint8(k.rng.IntN(8))
		}
	}
}

func (k *walk) step(i int) bool {
	d := directions[k.dir[i]]
	x, y := k.at[i].X+d[0], k.at[i].Y+d[1]
	if x < 0 || y < 0 || int(x) >= k.w || int(y) >= k.h {
		return false
	}
	k.at[i] = grid.Tile{X: x, Y: y}
	return true
}

// pathTicks is the length of a path: there and back again.
const pathTicks = 256

// newPath returns where each unit is at each tick of a march that leads back to
// where it began, so that it can be walked again and again.
func newPath(w, h, units int) [][]grid.Tile {
	k := newWalk(w, h, units)
	path := make([][]grid.Tile, pathTicks)
	path[0] = append([]grid.Tile(nil), k.at...)
	for i := 1; i <= pathTicks/2; i++ {
		k.tick()
		path[i] = append([]grid.Tile(nil), k.at...)
		path[(pathTicks-i)%pathTicks] = path[i]
	}
	return path
}

// hills returns a map of rolling hills of 8 levels with cliffs where the ground
// rises: what high ground and line of sight have to cope with. The ground is
// value noise, in integers, over a lattice of 16 tiles.
func hills(w, h int, o grid.Occlusion) *grid.Map {
	m := grid.NewMap("hills", w, h)
	m.Occlusion = o
	const cell = 16
	rng := rand.New(rand.NewPCG(3, 4))
	lw := w/cell + 2
	lattice := make([]int, lw*(h/cell+2))
	for i := range lattice {
		lattice[i] = rng.IntN(8 * 64)
	}
	for i := range m.Levels {
		x, y := i%w, i/w
		fx, fy := x%cell, y%cell
		l := lattice[y/cell*lw+x/cell:]
		top := l[0]*(cell-fx) + l[1]*fx
		bottom := l[lw]*(cell-fx) + l[lw+1]*fx
		m.Levels[i] = grid.Level((top*(cell-fy) + bottom*fy) / (cell * cell * 64))
	}
	for i := range m.Levels {
		if i%w > 0 && m.Levels[i] > m.Levels[i-1] && i%3 != 0 {
			m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
		}
	}
	return m
}
