package nav

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Limits of routes.
const (
	routePart     = 24 // tiles of a route that are searched out at once
	routeFar      = 2 * routePart * grid.WUPerTile
	routeBrief    = 8 * grid.WUPerTile // the part of a route that a unit walks while a field to its goal grows
	routeWorkAll  = 400_000            // crossings and tiles that a match's routes may settle in a tick
	routeWorkMin  = 40_000             // and the routes of one slot, if there are many slots
	routeWorkEach = 100                // the fixed cost of a route
	routeSlack    = 2 * costStraight   // by which a landmark may say too much
)

// routeSearch is the memory of a search over a cluster graph. It holds nothing between
// searches.
type routeSearch struct {
	nodes []routeNode // by crossing; the last is the unit
	round uint16
	heap  []uint64 // estimate<<32 | crossing
	met   []int32  // by spread, in the order of their costs
	goal  localSearch
	start localSearch

	cg       *clusterGraph
	blind    bool      // search without estimates
	frozen   bool      // search only the finished parts
	stale    bool      // the search has ended because something is to be made
	aim      grid.Tile // the unit's tile
	best     [4]bestLandmark
	clusters []int32 // clusters of the part that is searched out
	// Districts into whose clusters the search looks.
	home                     int
	west, east, north, south int
}

// routeNode is a search's result for one crossing, in 16 bytes, since a search visits
// crossings all over the map. The search goes from the goal to the unit.
type routeNode struct {
	cost int32 // from the goal to the tile beyond the crossing
	rest int32 // estimate of the rest from there
	next int32 // towards the goal: the next crossing, -1: no crossing
	// The cluster in which the way to next lies; it begins on the crossing's tile
	// there.
	via   uint16
	round uint16
}

// begin forgets the search before.
func (s *routeSearch) begin(cg *clusterGraph) {
	if s.nodes == nil {
		s.nodes = make([]routeNode, 2*crossingsMax*len(cg.cells)+1)
	}
	if s.round++; s.round == 0 {
		clear(s.nodes)
		s.round = 1
	}
	s.heap, s.cg, s.stale = s.heap[:0], cg, false
}

// cluster returns a cluster as the team knows it. A frozen search notes if that is still
// to be made.
func (s *routeSearch) cluster(g *Ground, w walker, team *ownGraph, c int) *cluster {
	if s.frozen && team.cells[c] == staleCluster {
		s.stale = true
		return nil
	}
	return g.cluster(w, s.cg, team, c)
}

// district does the same for a district.
func (s *routeSearch) district(g *Ground, w walker, team *ownGraph, d int) *district {
	if s.frozen && team.districts[d] == staleDistrict {
		s.stale = true
		return nil
	}
	return g.district(w, s.cg, team, d)
}

func (s *routeSearch) end() int32 { return int32(len(s.nodes) - 1) }

// offer offers the j-th of some links a way to the goal, over the crossing next.
func (s *routeSearch) offer(l *links, j int, cost, next int32) {
	id := l.id[j]
	n := &s.nodes[id]
	if n.round != s.round {
		n.round = s.round
		n.rest = 0
		if !s.blind {
			n.rest = s.estimate(l, j)
		}
	} else if cost >= n.cost {
		return
	}
	n.cost, n.next, n.via = cost, next, uint16(l.in[j])
	push(&s.heap, cost+n.rest, id)
}

// estimate returns a lower bound of the cost from a link's outer tile to the unit.
func (s *routeSearch) estimate(l *links, j int) int32 {
	least := octile(l.outer[j], s.aim)
	row := &s.cg.rows[l.row[j]]
	for i := range s.best {
		d := row[s.best[i].landmark] - s.best[i].cost
		least = max(least, max(d, -d)-routeSlack)
	}
	return least
}

// cross offers all links the way over the i-th link.
func (s *routeSearch) cross(l *links, i int, cost int32) {
	cost += costStraight
	nodes, round, ids := s.nodes, s.round, l.id
	for _, e := range l.edgesOf(i) {
		c := cost + int32(e.cost)
		// Most links already have a way that is as cheap.
		if n := &nodes[ids[e.to]]; n.round != round || c < n.cost {
			s.offer(l, int(e.to), c, ids[i])
		}
	}
}

// near reports whether the search looks into the clusters of a district: the goal's
// district, and the districts around the unit, where its route is searched out.
func (s *routeSearch) near(d int) bool {
	x, y := d%s.cg.broad, d/s.cg.broad
	return d == s.home || x >= s.west && x <= s.east && y >= s.north && y <= s.south
}

// search finds the cheapest route over the crossings from the goal's tile to the unit's.
// It returns how many crossings it has settled, and whether there is a route.
func (s *routeSearch) search(g *Ground, w walker, goal, from grid.Tile) (work int, ok bool) {
	cg, team := g.graph(w)
	s.begin(cg)
	goalC, goalAt := cg.ofTile(goal)
	fromC, fromAt := cg.ofTile(from)
	const around = (routePart + clusterSide - 1) >> clusterShift
	s.home = cg.districtOf(goalC)
	s.west, s.east = (fromC%cg.wide-around)>>districtShift, (fromC%cg.wide+around)>>districtShift
	s.north, s.south = (fromC/cg.wide-around)>>districtShift, (fromC/cg.wide+around)>>districtShift
	home, aim := s.cluster(g, w, team, fromC), s.cluster(g, w, team, goalC)
	if s.stale {
		return 0, false
	}
	s.start.enter(&home.open)
	s.start.run(fromAt)
	s.goal.enter(&aim.open)
	s.goal.run(goalAt)
	if cost := s.goal.cost[fromAt]; goalC == fromC && cost != noWay {
		s.finish(int32(cost), -1, goalC)
	}
	s.aim = from
	if s.choose(home, aim) {
		for i, at := range aim.at {
			if cost := s.goal.cost[at]; cost != noWay {
				s.offer(&aim.links, i, int32(cost)+costStraight, -1)
			}
		}
	}
	for len(s.heap) > 0 {
		estimate, id := pop(&s.heap)
		n := &s.nodes[id]
		if n.cost+n.rest != estimate {
			continue // met again on a shorter way
		}
		if id == s.end() {
			return work, true
		}
		work++
		c := cg.across(int(n.via), id)
		if d := cg.districtOf(c); !s.near(d) {
			x := s.district(g, w, team, d)
			if s.stale {
				return 0, false
			}
			s.cross(&x.links, x.indexOf(cg, c, id), n.cost)
			continue
		}
		x := s.cluster(g, w, team, c)
		if s.stale {
			return 0, false
		}
		i := x.indexOf(c, id)
		if c == fromC {
			if cost := s.start.cost[x.at[i]]; cost != noWay {
				s.finish(n.cost+int32(cost), id, c)
			}
		}
		s.cross(&x.links, i, n.cost)
	}
	return work, false
}

// finish offers the unit a way to the goal, which begins in cluster c.
func (s *routeSearch) finish(cost, next int32, c int) {
	if n := &s.nodes[s.end()]; n.round != s.round || cost < n.cost {
		*n = routeNode{cost: cost, round: s.round, next: next, via: uint16(c)}
		push(&s.heap, cost, s.end())
	}
}

// choose computes the cost of the unit's tile from each landmark, and chooses the landmarks
// with the largest bound for the distance to the goal. It reports whether the unit and the
// goal can leave their clusters.
func (s *routeSearch) choose(home, goal *cluster) bool {
	starts, ok := s.cg.costs(home, &s.start)
	goals, can := s.cg.costs(goal, &s.goal)
	if !ok || !can {
		return false
	}
	for i := range s.best {
		farthest := int32(-1)
		for l := range starts {
			if d := max(starts[l]-goals[l], goals[l]-starts[l]); d > farthest && !slices.ContainsFunc(s.best[:i], func(b bestLandmark) bool { return b.landmark == l }) {
				farthest, s.best[i] = d, bestLandmark{l, starts[l]}
			}
		}
	}
	return true
}

// bestLandmark is a landmark that a search asks.
type bestLandmark struct {
	landmark int
	cost     int32 // of the unit's tile
}

// costs returns the cost of a tile from each landmark, after a search in its cluster, and
// whether there is a way out of the cluster.
func (cg *clusterGraph) costs(x *cluster, l *localSearch) (row landmarkRow, ok bool) {
	for i, at := range x.at {
		cost := l.cost[at]
		if cost == noWay {
			continue
		}
		for k, d := range cg.rows[x.row[i]] {
			if d += int32(cost); !ok || d < row[k] {
				row[k] = d
			}
		}
		ok = true
	}
	return row, ok
}

// spread finds the costs of all crossings of the map's graph from one crossing. They are in
// met, the cheapest first.
func (s *routeSearch) spread(bare *Ground, w walker, from int32) {
	cg, team := bare.graph(w)
	s.begin(cg)
	s.met = append(s.met[:0], from)
	s.nodes[from] = routeNode{round: s.round, next: -1}
	c := int(from) / crossingsMax / 2
	s.enter(bare, w, team, c, from, 0)
	s.enter(bare, w, team, cg.across(c, from), from, 0)
	for len(s.heap) > 0 {
		cost, id := pop(&s.heap)
		if n := &s.nodes[id]; n.cost == cost {
			s.met = append(s.met, id)
			s.enter(bare, w, team, cg.across(int(n.via), id), id, cost)
		}
	}
}

// spreadIn finds the costs of a district's crossings from a crossing on its border, whose
// inner tile is in cluster c, without leaving the district.
func (s *routeSearch) spreadIn(g *Ground, w walker, cg *clusterGraph, team *ownGraph, d int, from int32, c int) {
	s.begin(cg)
	s.nodes[from] = routeNode{round: s.round, next: -1}
	s.enter(g, w, team, c, from, 0)
	for len(s.heap) > 0 {
		cost, id := pop(&s.heap)
		if n := &s.nodes[id]; n.cost == cost {
			if c := cg.across(int(n.via), id); cg.districtOf(c) == d {
				s.enter(g, w, team, c, id, cost)
			}
		}
	}
}

// enter offers all crossings of a cluster the way over one crossing.
func (s *routeSearch) enter(g *Ground, w walker, team *ownGraph, c int, id, cost int32) {
	x := g.cluster(w, s.cg, team, c)
	s.cross(&x.links, x.indexOf(c, id), cost)
}

// lane is the memory of one search for a route. It holds nothing between searches.
type lane struct {
	routes routeSearch
	part   partSearch
}

// search searches a route, and its first part tile by tile. If frozen, it does not change
// the ground: it leaves the ask as it is if a part of the graph is to be made again.
func (l *lane) search(g *Ground, a *routeAsk, frozen bool) {
	w := a.q.Body.walker()
	if a.from, a.ok = a.ways.openBeside(g.m, a.q.From.Tile()); !a.ok {
		a.searched = true
		return
	}
	s := &l.routes
	s.frozen = frozen
	work, ok := s.search(g, w, a.goal, a.from)
	if s.stale {
		return
	}
	a.searched, a.work, a.ok = true, routeWorkEach+work, ok
	if !ok {
		return
	}
	cg, team := g.graph(w)
	a.to = s.firstPart(g, w, a.goal)
	open := func(c int) *clusterRows { return &s.cluster(g, w, team, c).open }
	if work, a.way, ok = l.part.find(cg, open, s.clusters, a.from, a.to, a.way); !ok {
		panic("nav: the clusters of a route are not connected")
	}
	a.work += work
}

// openBeside returns a tile on which the unit may stand: the tile itself or one beside
// it, if there is one.
func (y *ways) openBeside(m *grid.Map, at grid.Tile) (grid.Tile, bool) {
	if y.open(m.Index(at), m.W) {
		return at, true
	}
	for _, d := range around {
		if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); m.In(t) && y.open(m.Index(t), m.W) {
			return t, true
		}
	}
	return at, false
}

// firstPart returns the tile to which the route that was found is searched out, and
// notes which clusters it goes through until there.
func (s *routeSearch) firstPart(g *Ground, w walker, goal grid.Tile) grid.Tile {
	_, team := g.graph(w)
	s.clusters = s.clusters[:0]
	n := &s.nodes[s.end()]
	s.clusters = append(s.clusters, int32(n.via))
	for id, total := n.next, n.cost; id >= 0; id = n.next {
		n = &s.nodes[id]
		s.clusters = append(s.clusters, int32(n.via))
		if total-n.cost >= routePart*costStraight {
			c := int(n.via)
			x := s.cluster(g, w, team, c)
			return s.cg.tile(c, x.at[x.indexOf(c, id)])
		}
	}
	return goal
}

// shorten cuts the path off so far from its begin.
func (f *Finder) shorten(from grid.Pos, far grid.Dist) {
	for i, leg := range f.legs {
		v := leg.Sub(from)
		d := v.Len()
		if d > far {
			f.legs = append(f.legs[:i], from.Add(v.Scale(far)))
			return
		}
		far -= d
		from = leg
	}
}
