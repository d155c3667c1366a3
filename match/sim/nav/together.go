package nav

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of searching routes side by side.
const (
	routeLanes     = 4  // searches at a time, each with memory of its own
	routesAtFirst  = 16 // requests whose routes are searched together, until the cost of a route is known
	routeLaneLeast = 2  // routes for which it is worth to ask for help
)

// Path is the result of [Finder.FindAll] for one request: the values that [Finder.Find]
// returns.
type Path struct {
	Legs   []grid.Pos
	Goal   grid.Pos
	Answer Answer
}

// FindAll answers the requests of one slot as Find would, one after the other. It searches
// the routes among them side by side, by run. The answers and their cost to the slot's
// budget do not depend on run. They are good until the next call.
func (f *Finder) FindAll(g *Ground, all []Request, run grid.Runner) []Path {
	f.paths, f.allLegs = f.paths[:0], f.allLegs[:0]
	dear := 0 // the cost of the dearest route so far
	for len(all) > 0 {
		some := all[:min(f.atOnce(all[0].Slot, dear), len(all))]
		all = all[len(some):]
		f.asks = f.asks[:0]
		for i := range some {
			f.paths = append(f.paths, Path{})
			f.settle(len(f.paths)-1, f.find(g, &some[i]))
		}
		// Earlier requests do not change a route, only whether the budget still covers it.
		if run != nil && len(f.asks) >= routeLaneLeast && f.left[f.asks[0].q.Slot] > 0 {
			f.ground = g
			run.Run(routeLanes, f.lane)
			f.ground = nil
		}
		for i := range f.asks {
			ask := &f.asks[i]
			f.settle(ask.of, f.answer(g, ask))
			dear = max(dear, ask.work)
		}
	}
	return f.paths
}

// atOnce returns how many of a slot's requests are served together. A route that the budget
// does not cover any more is thrown away when it was searched already, so they are as
// many as the budget covers if each costs as much as the dearest one so far.
func (f *Finder) atOnce(s grid.Slot, dear int) int {
	switch left := f.left[s]; {
	case left <= 0:
		return int(^uint(0) >> 1) // no more searches
	case dear == 0:
		return routesAtFirst
	default:
		return max(routeLanes, left/dear)
	}
}

// settle notes the answer to a request, unless its route is still to be searched.
func (f *Finder) settle(i int, answer Answer) {
	if answer == routeAsked {
		f.asks[len(f.asks)-1].of = i
		return
	}
	from := len(f.allLegs)
	if answer == Found {
		f.allLegs = append(f.allLegs, f.legs...)
	}
	f.paths[i] = Path{f.allLegs[from:len(f.allLegs):len(f.allLegs)], f.goal, answer}
}

// routeAsk is a route to search, and the result.
type routeAsk struct {
	q    *Request
	of   int // which of the requests
	ways ways
	goal grid.Tile
	far  grid.Dist

	searched bool
	from     grid.Tile
	to       grid.Tile // where the first part ends
	ok       bool
	work     int     // its cost to the budget
	way      []uint8 // directions (indices into around) of the first part, from tile to tile
}

// routeAsked is the answer to a request whose route is to be searched: the caller does it.
const routeAsked Answer = 0xFF

// ask notes that a request needs a route, no longer than so far.
func (f *Finder) ask(g *Ground, q *Request, y ways, goal grid.Tile, far grid.Dist) Answer {
	g.graph(q.Body.walker()) // so that searches side by side find it made
	n := len(f.asks)
	if n == cap(f.asks) {
		f.asks = append(f.asks, routeAsk{})
	} else {
		f.asks = f.asks[:n+1] // with the memory of its way
	}
	a := &f.asks[n]
	*a = routeAsk{q: q, ways: y, goal: goal, far: far, way: a.way[:0]}
	return routeAsked
}

// searchLane searches every routeLanes-th route of the asks. It writes only the lane's
// memory and these asks. It leaves asks that first need new parts of the ground to the
// answering goroutine.
func (f *Finder) searchLane(lane int) {
	for i := lane; i < len(f.asks); i += routeLanes {
		f.lanes[lane].search(f.ground, &f.asks[i], true)
	}
}

// answer answers a request with the first part of its route over the cluster graph.
func (f *Finder) answer(g *Ground, a *routeAsk) Answer {
	if f.left[a.q.Slot] <= 0 {
		return Pending
	}
	if !a.searched {
		f.lanes[0].search(g, a, false)
	}
	f.left[a.q.Slot] -= a.work
	if !a.ok {
		return f.straight(a.q.From)
	}
	at := a.from
	for _, d := range a.way {
		f.near.toGo[f.m.Index(at)] = d
		at = grid.Tile{X: at.X + around[d].X, Y: at.Y + around[d].Y}
	}
	f.trace(g, a.q, f.near.toGo, a.from, a.goal, a.to)
	f.shorten(a.q.From, a.far)
	return Found
}
