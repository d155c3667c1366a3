package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of the search for paths.
const (
	pathLegsMax   = 24   // legs kept of a path; at its end the next part is searched
	pathWorkTick  = 6000 // steps of search a slot may spend in a tick, before it has to wait
	pathLineTiles = 96   // a straight line is tried up to this length
	costStraight  = 10   // a step to a neighbour
	costDiagonal  = 14   // a step across a corner
)

// pathFinder is the memory of the search. Nothing in it outlives a tick: a
// path is found in one go or asked for again in the next tick, so there is
// nothing to save.
type pathFinder struct {
	cost  []int32
	toGo  []uint8  // direction (index into around) of the next tile on the way to the goal
	mark  []uint32 // cost and toGo hold in the search of this number
	done  []uint32 // settled in the search of this number
	need  []uint32 // a unit of the search of this number stands there
	round uint32
	heap  []uint64 // estimate<<32 | tile
	asks  []*Entity
	batch []*Entity
}

func (p *pathFinder) init(w *World) {
	n := w.m.W * w.m.H
	p.cost, p.toGo = make([]int32, n), make([]uint8, n)
	p.mark, p.done, p.need = make([]uint32, n), make([]uint32, n), make([]uint32, n)
}

// findPaths finds paths for the units that ask for one, slot by slot, each
// with a budget of its own: what others do, seen or not, costs a player no
// time. Units of one slot that go to one place are served by one search.
func (w *World) findPaths() {
	for s := range w.players {
		w.paths.asks = w.paths.asks[:0]
		for _, e := range w.of(grid.Slot(s)) {
			if e.mv.want && !e.gone {
				w.paths.asks = append(w.paths.asks, e)
			}
		}
		w.serve(w.paths.asks)
	}
}

// serve works through the units that ask, within one slot's budget.
func (w *World) serve(asks []*Entity) {
	p := &w.paths
	left := pathWorkTick
	for i, e := range asks {
		if !e.mv.want {
			continue // served with an earlier one
		}
		if left <= 0 {
			return
		}
		left -= w.straight(e)
		if !e.mv.want {
			continue
		}
		hub, move, big := e.mv.hub.Tile(), w.rules.Types[e.typ].Move, w.isBig(e)
		p.batch = append(p.batch[:0], e)
		for _, o := range asks[i+1:] {
			if o.mv.want && o.mv.hub.Tile() == hub && w.rules.Types[o.typ].Move == move && w.isBig(o) == big {
				p.batch = append(p.batch, o)
			}
		}
		left -= w.searchFor(p.batch, hub, move, big, left)
	}
}

// straight gives the unit a path of one leg if nothing its team knows of is in
// the way. It returns the work done.
func (w *World) straight(e *Entity) int {
	t := &w.rules.Types[e.typ]
	from := e.Pos()
	if t.Move == grid.Air {
		e.mv.setPath(e.mv.goal)
		return 1
	}
	if from.Tile().Dist2(e.mv.goal.Tile()) > pathLineTiles*pathLineTiles {
		return 0
	}
	if w.clearLine(e, from, e.mv.goal) {
		e.mv.setPath(e.mv.goal)
	}
	return 1 + int(from.Tile().Dist2(e.mv.goal.Tile()))/512
}

func (m *mover) setPath(legs ...grid.Pos) {
	m.path = append(m.path[:0], legs...)
	m.want, m.best, m.side, m.waits = false, 0, 0, 0
}

// isBig reports whether a unit needs more room than one tile gives.
func (w *World) isBig(e *Entity) bool { return w.rules.Types[e.typ].Radius > grid.WUPerTile/2 }

// openFor reports whether, as far as the team knows, a unit may stand on the
// tile; a big one needs the tiles around it as well.
func (w *World) openFor(k *Knowledge, i int, move grid.MoveKind, big bool) bool {
	if !k.ground.open(w, i, move) {
		return false
	}
	if !big {
		return true
	}
	at := w.m.TileAt(i)
	for _, d := range around {
		t := grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}
		if !w.m.In(t) || !k.ground.open(w, w.m.Index(t), move) {
			return false
		}
	}
	return true
}

// searchFor finds paths to the hub for all units of the batch, by A* (Hart,
// Nilsson, Raphael 1968) from the hub outwards with the distance to the box
// around the units as the estimate: it never overestimates the way to any of
// them, so one search serves all and looks at little else. Corners are not
// cut. It returns the work done; units that left is too small for ask again.
func (w *World) searchFor(batch []*Entity, hub grid.Tile, move grid.MoveKind, big bool, left int) int {
	p := &w.paths
	k := &w.teams[batch[0].team]
	r := w.labels(k, move)
	// The goal is the hub or, where that is taken or cut off, the tile nearest
	// to it that the first unit can come to.
	goal, ok := w.nearestWith(r, k, hub, w.labelNear(r, batch[0].Tile()), move, big)
	if !ok {
		for _, e := range batch {
			e.mv.goal = e.Pos()
			e.mv.setPath(e.mv.goal) // nowhere to go: stand
		}
		return len(batch)
	}
	p.round++
	wanted := 0
	box := boxOf(batch)
	for _, e := range batch {
		if i := w.m.Index(e.Tile()); p.need[i] != p.round {
			p.need[i] = p.round
			wanted++
		}
	}
	p.heap = p.heap[:0]
	start := w.m.Index(goal)
	p.cost[start], p.mark[start] = 0, p.round
	p.push(box.estimate(goal), int32(start))
	work := 0
	for len(p.heap) > 0 && wanted > 0 {
		i := p.pop()
		if p.done[i] == p.round {
			continue
		}
		p.done[i] = p.round
		work++
		if p.need[i] == p.round {
			wanted--
		}
		w.expand(k, i, box, move, big)
	}
	for n, e := range batch {
		work += w.trace(e, goal, goal == hub)
		if work > left && n+1 < len(batch) {
			break
		}
	}
	return work
}

// expand offers the neighbours of a settled tile a way over it. A tile that a
// unit stands on counts as open, lest a unit pushed into a corner stay there.
func (w *World) expand(k *Knowledge, i int32, box tileBox, move grid.MoveKind, big bool) {
	p := &w.paths
	at := w.m.TileAt(int(i))
	var open [4]bool
	for d, step := range around {
		t := grid.Tile{X: at.X + step.X, Y: at.Y + step.Y}
		if !w.m.In(t) {
			continue
		}
		n := int32(w.m.Index(t))
		ok := w.openFor(k, int(n), move, big)
		cost := int32(costStraight)
		if d < 4 {
			open[d] = ok
		} else {
			// around[4+j] lies between around[j] and around[(j+1)%4].
			cost = costDiagonal
			if !open[d-4] || !open[(d-3)%4] {
				continue
			}
		}
		if !ok && p.need[n] != p.round || p.done[n] == p.round {
			continue
		}
		if c := p.cost[i] + cost; p.mark[n] != p.round || c < p.cost[n] {
			p.cost[n], p.mark[n], p.toGo[n] = c, p.round, uint8(back(d))
			p.push(c+box.estimate(t), n)
		}
	}
}

// back returns the direction opposite to around[d].
func back(d int) int {
	if d < 4 {
		return (d + 2) % 4
	}
	return 4 + (d-4+2)%4
}

// trace turns the search's result into legs for one unit: the corners of the
// way, taut, as a string would lie. It returns the work done.
func (w *World) trace(e *Entity, goal grid.Tile, exact bool) int {
	p := &w.paths
	e.mv.want, e.mv.best, e.mv.side, e.mv.waits = false, 0, 0, 0
	e.mv.path = e.mv.path[:0]
	i := w.m.Index(e.Tile())
	if p.mark[i] != p.round {
		e.mv.goal = e.Pos() // cut off from the rest of its group
		e.mv.path = append(e.mv.path, e.mv.goal)
		return 1
	}
	if !exact {
		e.mv.goal = goal.Center()
	}
	work, at := 1, e.Tile()
	anchor, corner := e.Pos(), e.Pos()
	dir := uint8(0xFF)
	for at != goal && len(e.mv.path) < pathLegsMax {
		d := p.toGo[w.m.Index(at)]
		if d != dir && at.Center() != corner {
			// The way bends here. If the bend cannot be seen from the anchor, the
			// bend before it is a corner to go round.
			work += 4
			if here := at.Center(); !w.clearLine(e, anchor, here) && corner != anchor {
				e.mv.path = append(e.mv.path, corner)
				anchor = corner
			}
			corner = at.Center()
		}
		dir = d
		at = grid.Tile{X: at.X + around[d].X, Y: at.Y + around[d].Y}
		work++
	}
	if len(e.mv.path) >= pathLegsMax {
		return work // the rest is searched when this part is walked
	}
	if !w.clearLine(e, anchor, goal.Center()) && corner != anchor {
		e.mv.path = append(e.mv.path, corner)
		anchor = corner
	}
	switch {
	case w.clearLine(e, anchor, e.mv.goal):
	case w.clearLine(e, goal.Center(), e.mv.goal):
		e.mv.path = append(e.mv.path, goal.Center())
	default:
		e.mv.goal = goal.Center()
	}
	e.mv.path = append(e.mv.path, e.mv.goal)
	return work + 8
}

// nearestWith returns the open tile with the label that is nearest to at,
// looking in rings, and false if there is none within nearRings.
func (w *World) nearestWith(r *reach, k *Knowledge, at grid.Tile, label int32, move grid.MoveKind, big bool) (grid.Tile, bool) {
	const nearRings = 48
	if label == 0 {
		return at, false
	}
	for ring := int16(0); ring <= nearRings; ring++ {
		best, found := at, false
		for dy := -ring; dy <= ring; dy++ {
			step := max(1, 2*ring)
			if dy == -ring || dy == ring {
				step = 1
			}
			for dx := -ring; dx <= ring; dx += step {
				t := grid.Tile{X: at.X + dx, Y: at.Y + dy}
				if !w.m.In(t) {
					continue
				}
				i := w.m.Index(t)
				if r.label[i] == label && w.openFor(k, i, move, big) && (!found || t.Dist2(at) < best.Dist2(at)) {
					best, found = t, true
				}
			}
		}
		if found {
			return best, true
		}
	}
	return at, false
}

// tileBox is a rectangle of tiles, both corners in it.
type tileBox struct{ x0, y0, x1, y1 int32 }

func boxOf(batch []*Entity) tileBox {
	b := tileBox{1 << 30, 1 << 30, -1, -1}
	for _, e := range batch {
		t := e.Tile()
		b.x0, b.y0 = min(b.x0, int32(t.X)), min(b.y0, int32(t.Y))
		b.x1, b.y1 = max(b.x1, int32(t.X)), max(b.y1, int32(t.Y))
	}
	return b
}

// estimate returns the cost of the shortest imaginable way into the box.
func (b tileBox) estimate(t grid.Tile) int32 {
	dx := max(b.x0-int32(t.X), int32(t.X)-b.x1, 0)
	dy := max(b.y0-int32(t.Y), int32(t.Y)-b.y1, 0)
	return costStraight*max(dx, dy) + (costDiagonal-costStraight)*min(dx, dy)
}

func (p *pathFinder) push(estimate, tile int32) {
	p.heap = append(p.heap, uint64(uint32(estimate))<<32|uint64(uint32(tile)))
	h := p.heap
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if h[up] <= h[i] {
			return
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
}

func (p *pathFinder) pop() int32 {
	h := p.heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	p.heap = h
	for i := 0; ; {
		low := 2*i + 1
		if low >= last {
			break
		}
		if low+1 < last && h[low+1] < h[low] {
			low++
		}
		if h[i] <= h[low] {
			break
		}
		h[i], h[low] = h[low], h[i]
		i = low
	}
	return int32(uint32(top))
}
