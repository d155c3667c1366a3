package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// reach returns, for each tile, its distance in steps over open ground from
// the tiles next to a place, or -1. The place itself may be covered by a
// structure.
func (b *mind) reach(from grid.Tile) []int32 {
	steps := make([]int32, b.Map.W*b.Map.H)
	for i := range steps {
		steps[i] = -1
	}
	if !b.Map.In(from) {
		return steps
	}
	steps[b.Map.Index(from)] = 0
	for queue := []grid.Tile{from}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		for _, n := range around(t) {
			if b.open(n) && steps[b.Map.Index(n)] < 0 {
				steps[b.Map.Index(n)] = steps[b.Map.Index(t)] + 1
				queue = append(queue, n)
			}
		}
	}
	return steps
}

// fromHome is reach from home, kept until home moves.
func (b *mind) fromHome() []int32 {
	if at := b.home.Tile(); b.homeSteps == nil || b.homeStepsAt != at {
		b.homeSteps, b.homeStepsAt = b.reach(at), at
	}
	return b.homeSteps
}

// way returns the tiles of a shortest way over the public map, the goal's own
// tile last, or nil without a way. Straight runs are preferred by taking
// the neighbours in a fixed order, diagonal ones first.
func (b *mind) way(from, to grid.Tile) []grid.Tile {
	steps := b.reach(from)
	if !b.Map.In(to) || steps[b.Map.Index(to)] < 0 {
		return nil
	}
	way := []grid.Tile{to}
	for t := to; steps[b.Map.Index(t)] > 0; {
		for _, n := range around(t) {
			if b.Map.In(n) && steps[b.Map.Index(n)] == steps[b.Map.Index(t)]-1 {
				t = n
				break
			}
		}
		way = append(way, t)
	}
	slices.Reverse(way)
	return way
}

func around(t grid.Tile) [4]grid.Tile {
	ns := [4]grid.Tile{{X: t.X + 1, Y: t.Y}, {X: t.X, Y: t.Y + 1}, {X: t.X - 1, Y: t.Y}, {X: t.X, Y: t.Y - 1}}
	if (t.X+t.Y)%2 != 0 { // so that a way across is a staircase, not a corner
		ns[0], ns[1], ns[2], ns[3] = ns[1], ns[0], ns[3], ns[2]
	}
	return ns
}
