package nav

import "github.com/fogkeep/fogkeep/match/grid"

// nearSearch is the memory of the short search. It holds nothing between searches.
type nearSearch struct {
	tiles []nearTile
	toGo  []uint8
	round uint32   // of the search, an even number
	heap  []uint64 // estimate<<32 | tile
}

// nearTile is the result of a search for one tile. Both parts are read together.
type nearTile struct {
	cost int32
	mark uint32 // round: it has a cost; round+1: it is settled; else it is of an earlier search
}

func (p *nearSearch) init(m *grid.Map) {
	n := m.W * m.H
	p.tiles, p.toGo = make([]nearTile, n), make([]uint8, n)
}

// begin forgets the search before.
func (p *nearSearch) begin() {
	if p.round += 2; p.round == 0 { // after 2^31 searches
		clear(p.tiles)
		p.round = 2
	}
	p.heap = p.heap[:0]
}

// searchNear finds a path to a goal that is near, and gives up after pathNearWork tiles.
func (f *Finder) searchNear(g *Ground, q *Request, y ways, goal grid.Tile) bool {
	to := q.From.Tile()
	if !f.searchTiles(y, goal, to) {
		return false
	}
	f.trace(g, q, f.near.toGo, to, goal, goal)
	return true
}

// searchTiles searches by A* (Hart, Nilsson, Raphael 1968) from the goal back to the
// unit, and gives up after pathNearWork tiles. Corners are not cut. It leaves directions
// in near.toGo.
func (f *Finder) searchTiles(y ways, goal, to grid.Tile) bool {
	p := &f.near
	p.begin()
	round := p.round
	width := f.m.W
	end, start := f.m.Index(to), f.m.Index(goal)
	p.tiles[start] = nearTile{0, round}
	push(&p.heap, octile(goal, to), int32(start))
	for work := 0; len(p.heap) > 0 && work < pathNearWork; {
		_, i := pop(&p.heap)
		tile := &p.tiles[i]
		if tile.mark == round+1 {
			continue
		}
		tile.mark = round + 1
		work++
		if int(i) == end {
			return true
		}
		x, y0 := int(i)%width, int(i)/width
		var open [4]bool
		for d, step := range around {
			tx, ty := x+int(step.X), y0+int(step.Y)
			if uint(tx) >= uint(width) || uint(ty) >= uint(f.m.H) {
				continue
			}
			n := ty*width + tx
			// The unit's own tile is always a way, lest one pushed into a corner
			// stay there.
			ok := n == end || y.at(n) == y.home && (!y.big || y.open(n, width))
			cost := int32(costStraight)
			if d < 4 {
				open[d] = ok
			} else {
				cost = costDiagonal
				ok = ok && open[d-4] && open[(d-3)%4]
			}
			if !ok {
				continue
			}
			next := &p.tiles[n]
			if next.mark == round+1 {
				continue
			}
			if c := tile.cost + cost; next.mark != round || c < next.cost {
				*next, p.toGo[n] = nearTile{c, round}, back[d]
				push(&p.heap, c+octile(grid.Tile{X: int16(tx), Y: int16(ty)}, to), int32(n))
			}
		}
	}
	return false
}

// back[d] is the direction opposite to around[d].
var back = [8]uint8{2, 3, 0, 1, 6, 7, 4, 5}

// octile returns the cost of the shortest imaginable way between two tiles.
func octile(a, b grid.Tile) int32 {
	dx, dy := int32(a.X)-int32(b.X), int32(a.Y)-int32(b.Y)
	dx, dy = max(dx, -dx), max(dy, -dy)
	return costStraight*max(dx, dy) + (costDiagonal-costStraight)*min(dx, dy)
}

// push puts a number into a heap by an estimate.
func push(heap *[]uint64, estimate, of int32) {
	*heap = append(*heap, uint64(uint32(estimate))<<32|uint64(uint32(of)))
	h := *heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			return
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

// pop takes the number with the least estimate.
func pop(heap *[]uint64) (estimate, of int32) {
	h := *heap
	top, last := h[0], len(h)-1
	x := h[last]
	h = h[:last]
	*heap = h
	i, low := 0, 1
	for ; low+1 < last; low = 2*i + 1 {
		// Which of the two is less cannot be predicted, so there is no branch on it.
		least, right := h[low], 0
		if h[low+1] < least {
			least, right = h[low+1], 1
		}
		if x <= least {
			break
		}
		h[i] = least
		i = low + right
	}
	if low+1 == last && h[low] < x {
		h[i] = h[low]
		i = low
	}
	if last > 0 {
		h[i] = x
	}
	return int32(top >> 32), int32(uint32(top))
}
