package nav

import "github.com/fogkeep/fogkeep/match/grid"

// partSearch is the memory of the search of a route's first part, tile by tile. It holds
// the tiles of the clusters through which the route goes, and of no others, so it stays in
// the fast caches.
type partSearch struct {
	place []uint8 // by cluster: its number here and 1; 0: the route does not go through it
	cells []partCell
	heap  []uint64 // estimate<<32 | partKey
}

type partCell struct {
	cluster int32
	open    *clusterRows
	tiles   [clusterSide * clusterSide]partTile
}

type partTile struct {
	cost int32
	met  bool
	done bool
	toGo uint8
}

// find searches by A* (Hart, Nilsson, Raphael 1968) from the end of the part back to the
// unit, through these clusters. Corners are not cut. It returns how many tiles it has
// settled, and adds the directions to way.
func (p *partSearch) find(cg *clusterGraph, open func(c int) *clusterRows, clusters []int32, from, to grid.Tile, way []uint8) (work int, _ []uint8, ok bool) {
	if p.place == nil {
		p.place = make([]uint8, len(cg.cells))
	}
	n := 0
	for _, c := range clusters {
		if p.place[c] != 0 {
			continue
		}
		if n == len(p.cells) {
			p.cells = append(p.cells, partCell{})
		}
		cell := &p.cells[n]
		n++
		cell.cluster, cell.open = c, open(int(c))
		clear(cell.tiles[:])
		p.place[c] = uint8(n)
	}
	work, ok = p.search(cg, from, to)
	if ok {
		for at := from; at != to; {
			d := p.at(cg, at).toGo
			way = append(way, d)
			at = grid.Tile{X: at.X + around[d].X, Y: at.Y + around[d].Y}
		}
	}
	for i := range n {
		p.place[p.cells[i].cluster] = 0
		p.cells[i].open = nil
	}
	return work, way, ok
}

func (p *partSearch) at(cg *clusterGraph, t grid.Tile) *partTile {
	c, at := cg.ofTile(t)
	return &p.cells[p.place[c]-1].tiles[at]
}

func (p *partSearch) search(cg *clusterGraph, from, to grid.Tile) (work int, ok bool) {
	p.heap = p.heap[:0]
	p.at(cg, to).met = true
	push(&p.heap, octile(to, from), partKey(to))
	for len(p.heap) > 0 {
		_, i := pop(&p.heap)
		at := grid.Tile{X: int16(i & 0xFFFF), Y: int16(i >> 16)}
		c, place := cg.ofTile(at)
		cell := &p.cells[p.place[c]-1]
		tile := &cell.tiles[place]
		if tile.done {
			continue
		}
		tile.done = true
		work++
		if at == from {
			return work, true
		}
		open := cell.open.beside(place)
		rim := placeOnRim(place)
		for d, step := range around {
			if open>>d&1 == 0 || d >= 4 && (open>>(d-4)&1 == 0 || open>>((d-3)%4)&1 == 0) {
				continue
			}
			t := grid.Tile{X: at.X + step.X, Y: at.Y + step.Y}
			next := &cell.tiles[place+uint8(step.Y<<clusterShift+step.X)]
			if rim {
				c, place := cg.ofTile(t)
				here := p.place[c]
				if here == 0 {
					open &^= 1 << d
					continue
				}
				next = &p.cells[here-1].tiles[place]
			}
			cost := tile.cost + costDiagonal
			if d < 4 {
				cost = tile.cost + costStraight
			}
			if !next.done && (!next.met || cost < next.cost) {
				next.cost, next.met, next.toGo = cost, true, back[d]
				push(&p.heap, cost+octile(t, from), partKey(t))
			}
		}
	}
	return work, false
}

// partKey names a tile in the heap. Names are in the order of the tiles.
func partKey(t grid.Tile) int32 { return int32(t.Y)<<16 | int32(t.X) }

// beside returns which tiles beside a place are open: bit d belongs to around[d].
func (r *clusterRows) beside(place uint8) uint32 {
	x, y := place&(clusterSide-1), place>>clusterShift
	up, here, down := r[y]>>x, r[y+1]>>x, r[y+2]>>x // bits 0, 1 and 2: west, middle, east
	return here>>2&1 | down&2 | here&1<<2 | up&2<<2 | down&4<<2 | down&1<<5 | up&1<<6 | up&4<<5
}

// placeOnRim reports whether a tile beside the place is in another cluster.
func placeOnRim(place uint8) bool {
	x, y := place&(clusterSide-1), place>>clusterShift
	return (x+1)&(clusterSide-1) <= 1 || (y+1)&(clusterSide-1) <= 1
}
