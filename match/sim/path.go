package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// How paths are found. A unit that needs one asks, and is served in the paths
// phase, cheapest means first:
//
//  1. the straight line, if nothing its team knows of is in the way;
//  2. a short search (path_near.go), if its goal is near;
//  3. a flow field (field.go) that leads from everywhere to the goal, shared by
//     all units of the player that go there.
//
// Each slot has a budget of work a tick, and what the budget does not cover
// waits for the next tick. The budgets are apart, so that what others do, seen
// or not, costs a player no time.
const (
	pathLegsMax   = 24  // legs kept of a path; at its end the next part is traced
	pathLineTiles = 96  // a straight line is tried up to this length
	pathNearTiles = 20  // a short search is tried up to this distance
	pathNearWork  = 700 // and settles at most so many tiles
	pathAsksMax   = 150 // units of a slot that get a path in one tick
	costStraight  = 10  // a step to a neighbour
	costDiagonal  = 14  // a step across a corner
)

// pathFinder is the memory of the search. What outlives a tick in it, the
// fields, is part of the state; see field.go for how it is saved.
type pathFinder struct {
	near   nearSearch
	asks   []*Entity
	fields [grid.SlotsMax][]*field
	spare  []*field
	most   int // fields a slot may have
	work   int // steps of search that a slot's fields may take in a tick
}

func (p *pathFinder) init(w *World) {
	n := w.m.W * w.m.H
	p.near.init(n)
	p.most = max(3, min(fieldsMax, fieldBytesMax/len(w.players)/(5*n)))
	p.work = max(fieldWorkMin, min(fieldWorkMax, n/12))
}

// findPaths serves the units that ask for a path.
func (w *World) findPaths() {
	for s := range w.players {
		asks := w.paths.asks[:0]
		for _, e := range w.of(grid.Slot(s)) {
			if e.mv.want && !e.gone {
				asks = append(asks, e)
			}
		}
		w.paths.asks = asks
		if len(asks) > pathAsksMax {
			// Whose turn it is moves on with the tick, so that all are served.
			turn := int(w.tick) * pathAsksMax % len(asks)
			for i := range pathAsksMax {
				w.serve(asks[(turn+i)%len(asks)])
			}
		} else {
			for _, e := range asks {
				w.serve(e)
			}
		}
		w.growFields(grid.Slot(s))
	}
}

// serve finds the unit's path by the cheapest means, or leaves it asking.
func (w *World) serve(e *Entity) {
	t := &w.rules.Types[e.typ]
	if t.Move == grid.Air || e.Pos() == e.mv.goal {
		e.mv.setPath(e.mv.goal)
		return
	}
	d2 := e.Tile().Dist2(e.mv.goal.Tile())
	if d2 <= pathLineTiles*pathLineTiles && w.clearLine(e, e.Pos(), e.mv.goal) {
		e.mv.setPath(e.mv.goal)
		return
	}
	k := &w.teams[e.team]
	labels := w.labels(k, t.Move)
	way := ways{label: labels.label, own: w.labelNear(labels, e.Tile()), big: w.isBig(e)}
	goal, ok := w.nearestWay(way, e.mv.hub.Tile())
	if !ok {
		e.mv.goal = e.Pos()
		e.mv.setPath(e.mv.goal) // nowhere to go: stand
		return
	}
	if d2 <= pathNearTiles*pathNearTiles && w.searchNear(e, way, goal) {
		return
	}
	if e.mv.brief { // not worth a long way round
		e.mv.halt()
		e.chaseAfter = w.tick + grid.Tick(w.rt.repath)*2
		return
	}
	w.askField(e, way, goal)
}

func (m *mover) setPath(legs ...grid.Pos) {
	m.path = append(m.path[:0], legs...)
	m.want, m.best, m.side, m.waits = false, 0, 0, 0
}

// isBig reports whether a unit needs more room than one tile gives.
func (w *World) isBig(e *Entity) bool { return w.rules.Types[e.typ].Radius > grid.WUPerTile/2 }

// ways says where a unit may walk: on tiles of its own label, and a big one
// only where all tiles around have it too.
type ways struct {
	label []int32
	own   int32
	big   bool
}

// open reports whether the unit may stand on the tile with index i of a map
// that is width tiles wide.
func (y *ways) open(i, width int) bool {
	if y.label[i] != y.own {
		return false
	}
	if !y.big {
		return true
	}
	x := i % width
	if x == 0 || x == width-1 || i < width || i >= len(y.label)-width {
		return false
	}
	for _, n := range [8]int{i - 1, i + 1, i - width, i + width, i - width - 1, i - width + 1, i + width - 1, i + width + 1} {
		if y.label[n] != y.own {
			return false
		}
	}
	return true
}

// nearestWay returns the tile nearest to at on which the unit may stand,
// looking in rings, and false if there is none within nearRings.
func (w *World) nearestWay(y ways, at grid.Tile) (grid.Tile, bool) {
	const nearRings = 64
	if y.own == 0 {
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
				if w.m.In(t) && (!found || t.Dist2(at) < best.Dist2(at)) && y.open(w.m.Index(t), w.m.W) {
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

// trace turns the directions that a search left on the tiles into legs: the
// corners of the way, taut, as a string would lie. from is the unit's own tile
// or, where that is closed, one beside it.
func (w *World) trace(e *Entity, toGo []uint8, from, goal grid.Tile) {
	m := &e.mv
	m.setPath()
	if goal != m.hub.Tile() {
		m.goal = goal.Center()
	}
	at, anchor, corner := from, e.Pos(), e.Pos()
	if from != e.Tile() {
		m.path = append(m.path, from.Center())
		anchor, corner = from.Center(), from.Center()
	}
	dir := uint8(0xFF)
	for at != goal {
		d := toGo[w.m.Index(at)] & fieldDir
		if here := at.Center(); d != dir && here != corner {
			// The way bends here. If the bend cannot be seen from the anchor, the
			// bend before it is a corner to go round.
			if corner != anchor && !w.clearLine(e, anchor, here) {
				m.path = append(m.path, corner)
				anchor = corner
				if len(m.path) >= pathLegsMax {
					return // the rest is traced when this part is walked
				}
			}
			corner = here
		}
		dir = d
		at = grid.Tile{X: at.X + around[d].X, Y: at.Y + around[d].Y}
	}
	if corner != anchor && !w.clearLine(e, anchor, goal.Center()) {
		m.path = append(m.path, corner)
		anchor = corner
	}
	switch {
	case w.clearLine(e, anchor, m.goal):
	case w.clearLine(e, goal.Center(), m.goal):
		m.path = append(m.path, goal.Center())
	default:
		m.goal = goal.Center()
	}
	m.path = append(m.path, m.goal)
}
