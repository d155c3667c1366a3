package nav

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of the search for a path.
const (
	pathLegsMax   = 24  // legs kept of a path; at its end the next part is traced
	pathLineTiles = 96  // a straight line is tried up to this length
	pathNearTiles = 20  // a short search is tried up to this distance
	pathNearWork  = 700 // and settles at most so many tiles
	costStraight  = 10  // a step to a neighbour
	costDiagonal  = 14  // a step across a corner
)

// Finder finds the paths of a match's units. The fields of its slots are part of
// the state; see field.go for how they are saved.
type Finder struct {
	m      *grid.Map
	near   nearSearch
	fields [grid.SlotsMax][]*field
	spare  []*field
	lanes  [routeLanes]lane   // that search routes
	most   int                // fields a slot may have
	work   int                // tiles that a slot's fields may settle in a tick
	budget int                // crossings and tiles that its routes may settle in a tick
	left   [grid.SlotsMax]int // of the budget, in this tick
	// The path that Find returns.
	legs []grid.Pos
	goal grid.Pos

	// Of FindAll.
	asks    []routeAsk
	paths   []Path
	allLegs []grid.Pos
	ground  *Ground     // while lanes search
	lane    func(i int) // searchLane, which is made once
}

// NewFinder returns the finder of a match of so many players.
func NewFinder(m *grid.Map, players int) *Finder {
	n := m.W * m.H
	f := &Finder{m: m}
	f.near.init(m)
	f.most = max(3, min(fieldsMax, fieldBytesMax/players/n))
	f.work = max(fieldWorkMin, min(fieldWorkMax, n/12))
	f.budget = max(routeWorkMin, routeWorkAll/players)
	for s := range f.left {
		f.left[s] = f.budget
	}
	f.lane = f.searchLane
	return f
}

// Request is a unit's request for a path.
type Request struct {
	Now   grid.Tick
	Slot  grid.Slot // whose fields are used
	Body  Body
	From  grid.Pos // where the unit is
	Goal  grid.Pos
	Hub   grid.Pos // where the path is searched to; the units of a group share one
	Group bool     // others of the slot go to the hub too: a field to it is worth its work
	Brief bool     // a path that needs a field or a route is too long
}

// Answer is the result of a request.
type Answer uint8

// The answers.
const (
	Found   Answer = iota // there is a path
	Pending               // the search goes on: ask again in the next tick
	TooLong               // the request was for a short path, which does not exist
)

// Find finds a path by the cheapest means. legs are the corners of the path. The last corner is goal, unless there were
// too many: the unit asks for the rest when it has walked so far. goal is where the path leads: the request's goal or,
// if the unit cannot stand there or cannot come there, a place near it or its own place. legs are good until the next
// call.
func (f *Finder) Find(g *Ground, q Request) (legs []grid.Pos, goal grid.Pos, answer Answer) {
	f.asks = f.asks[:0]
	if answer = f.find(g, &q); answer == routeAsked {
		answer = f.answer(g, &f.asks[0])
	}
	return f.legs, f.goal, answer
}

// find answers a request, or notes in asks that a route is to be searched.
func (f *Finder) find(g *Ground, q *Request) Answer {
	if q.Body.Move == grid.Air || q.From == q.Goal {
		return f.straight(q.Goal)
	}
	d2 := q.From.Tile().Dist2(q.Goal.Tile())
	if d2 <= pathLineTiles*pathLineTiles && g.ClearLine(q.Body, q.From, q.Goal) {
		return f.straight(q.Goal)
	}
	labels := g.labels(q.Body.Move)
	way := ways{parts: labels.parts, home: g.labelNear(labels, q.From.Tile()), big: q.Body.big()}
	goal, ok := f.nearestWay(way, q.Hub.Tile())
	if !ok {
		return f.straight(q.From) // nowhere to go: stand
	}
	if d2 <= pathNearTiles*pathNearTiles && f.searchNear(g, q, way, goal) {
		return Found
	}
	if q.Brief {
		return TooLong
	}
	return f.findFar(g, q, way, goal)
}

// straight answers with the path that is one straight line.
func (f *Finder) straight(goal grid.Pos) Answer {
	f.goal, f.legs = goal, append(f.legs[:0], goal)
	return Found
}

// ways says where a unit may walk: on tiles of its own label, and a big one
// only where all tiles around have it too.
type ways struct {
	parts
	home int32
	big  bool
}

// open reports whether the unit may stand on the tile with index i of a map
// that is width tiles wide.
func (y *ways) open(i, width int) bool {
	if y.at(i) != y.home {
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
		if y.at(n) != y.home {
			return false
		}
	}
	return true
}

// nearestWay returns the tile nearest to at on which the unit may stand, looking in rings,
// and false if no such tile is within nearRings.
func (f *Finder) nearestWay(y ways, at grid.Tile) (grid.Tile, bool) {
	const nearRings = 64
	if y.home == 0 {
		return at, false
	}
	for ring := int16(0); ring <= nearRings; ring++ {
		best, found := at, false
		for t := range at.Ring(ring) {
			if f.m.In(t) && (!found || t.Dist2(at) < best.Dist2(at)) && y.open(f.m.Index(t), f.m.W) {
				best, found = t, true
			}
		}
		if found {
			return best, true
		}
	}
	return at, false
}

// trace turns the directions that a search left on the tiles into legs: the
// corners of the way, as a taut string would lie. from is the unit's own tile or,
// where that is closed, one beside it. The legs end at the tile sub, before the goal,
// if no more of the way was searched out.
func (f *Finder) trace(g *Ground, q *Request, toGo []uint8, from, goal, sub grid.Tile) {
	f.goal, f.legs = q.Goal, f.legs[:0]
	if goal != q.Hub.Tile() {
		f.goal = goal.Center()
	}
	at, anchor, corner := from, q.From, q.From
	if from != q.From.Tile() {
		f.legs = append(f.legs, from.Center())
		anchor, corner = from.Center(), from.Center()
	}
	dir := uint8(0xFF)
	for at != sub {
		d := toGo[f.m.Index(at)] & fieldDir
		if here := at.Center(); d != dir && here != corner {
			// The way bends here. If the bend cannot be seen from the anchor, the
			// bend before it is a corner to go round.
			if corner != anchor && !g.ClearLine(q.Body, anchor, here) {
				f.legs = append(f.legs, corner)
				anchor = corner
				if len(f.legs) >= pathLegsMax {
					return // the rest is traced when this part is walked
				}
			}
			corner = here
		}
		dir = d
		at = grid.Tile{X: at.X + around[d].X, Y: at.Y + around[d].Y}
	}
	if corner != anchor && !g.ClearLine(q.Body, anchor, sub.Center()) {
		f.legs = append(f.legs, corner)
		anchor = corner
	}
	if sub != goal {
		f.legs = append(f.legs, sub.Center())
		return
	}
	switch {
	case g.ClearLine(q.Body, anchor, f.goal):
	case g.ClearLine(q.Body, goal.Center(), f.goal):
		f.legs = append(f.legs, goal.Center())
	default:
		f.goal = goal.Center()
	}
	f.legs = append(f.legs, f.goal)
}
