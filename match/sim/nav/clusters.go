package nav

import (
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Sizes of the cluster graph.
const (
	clusterShift = 4
	clusterSide  = 1 << clusterShift // tiles
	crossingSpan = 6                 // tiles of a border that share one crossing
	crossingsMax = 8                 // on one border: every other tile
	noWay        = 1<<16 - 1         // more than any way inside of a cluster costs
)

// walker holds the properties of a body that decide which tiles it may stand on: its way of
// moving and whether it is big.
type walker uint8

const walkers = 2 * int(grid.MoveKinds)

func (b Body) walker() walker {
	if b.big() {
		return walker(b.Move)<<1 | 1
	}
	return walker(b.Move) << 1
}

func (w walker) move() grid.MoveKind { return grid.MoveKind(w >> 1) }

func (w walker) big() bool { return w&1 != 0 }

// clusterGraph is the map's tiles in square clusters (Botea, Müller, Schaeffer 2004). Two
// neighbours are joined by crossings: pairs of open tiles, one on each side of their
// border, that share an edge. Every stretch of open pairs has one crossing for each
// crossingSpan tiles or fewer. The graph knows the cost from each crossing of a cluster to
// each other crossing in it. So two tiles are joined by open tiles exactly if the graph
// joins them.
//
// Clusters are joined to districts: squares of clusters, with the costs from each crossing
// on a district's border to each other such crossing. A search looks into the clusters of
// the districts around the unit and its goal, and at the others from border to border.
//
// A border is named by the cluster west or north of it, a crossing by its border and its
// place among the border's crossings. The names follow from the tiles alone, not from the
// order in which they changed.
type clusterGraph struct {
	wide, high int // clusters
	cells      []*cluster
	broad      int // districts in a row
	districts  []*district
	rows       []landmarkRow // by crossing; see landmarks.go
}

// links are the crossings out of a part of the graph, and the costs from one crossing to
// another without leaving the part. A crossing's tile in the part is its inner tile, the
// other its outer tile.
type links struct {
	id    []int32
	row   []int32     // of landmarks
	in    []int32     // cluster of the inner tile
	outer []grid.Tile // outer tile
	// The ways from the i-th crossing's inner tile to the others' inner tiles are
	// edges[first[i]] to edges[first[i+1]].
	first []uint16
	edges []edge
}

// edge is a way inside of a part of the graph.
type edge struct {
	to   uint16 // which of the links
	cost uint16
}

// edgesOf returns the ways from the i-th crossing.
func (l *links) edgesOf(i int) []edge { return l.edges[l.first[i]:l.first[i+1]] }

// setEdges makes the edges. costs returns the costs from a crossing's inner tile to each
// other inner tile, or noWay; the slice is good until the next call.
func (l *links) setEdges(costs func(i int) []uint16) {
	n := len(l.id)
	l.first = make([]uint16, 1, n+1)
	edges := make([]edge, 0, n*n)
	for i := range n {
		for j, cost := range costs(i) {
			if j != i && cost != noWay {
				edges = append(edges, edge{uint16(j), cost})
			}
		}
		l.first = append(l.first, uint16(len(edges)))
	}
	l.edges = slices.Clone(edges)
}

// cluster is one square of the graph.
type cluster struct {
	links
	// The crossings of side s (as in around: east, south, west, north) are those from
	// side[s] to side[s+1].
	side  [5]uint8
	at    []uint8 // the inner tile of each: y<<clusterShift | x
	open  clusterRows
	pairs [4]uint16 // of each side, which pairs of tiles are open
}

// crossing returns the name of the k-th crossing on a side of a cluster.
func (cg *clusterGraph) crossing(c, side, k int) int32 {
	switch side {
	case 2:
		c--
	case 3:
		c -= cg.wide
	}
	return int32((2*c+side&1)*crossingsMax + k)
}

// sideOf returns on which side of a cluster a crossing lies, and its place there.
func sideOf(c int, id int32) (side, k int) {
	border := int(id) / crossingsMax
	if side = border & 1; c != border>>1 {
		side += 2 // the border is named by the other cluster
	}
	return side, int(id) % crossingsMax
}

// indexOf returns which of the links of cluster c a crossing is.
func (x *cluster) indexOf(c int, id int32) int {
	side, k := sideOf(c, id)
	return int(x.side[side]) + k
}

// across returns the cluster that a crossing joins with another one.
func (cg *clusterGraph) across(c int, id int32) int {
	side, _ := sideOf(c, id)
	return cg.beside(c, side)
}

// beside returns the neighbour of a cluster on a side.
func (cg *clusterGraph) beside(c, side int) int {
	return c + int(around[side].X) + int(around[side].Y)*cg.wide
}

// ofTile returns the cluster of a tile, and the tile's place in it.
func (cg *clusterGraph) ofTile(t grid.Tile) (c int, at uint8) {
	return int(t.Y>>clusterShift)*cg.wide + int(t.X>>clusterShift), uint8(t.Y&(clusterSide-1))<<clusterShift | uint8(t.X&(clusterSide-1))
}

// tile returns the tile at a place in a cluster.
func (cg *clusterGraph) tile(c int, at uint8) grid.Tile {
	return grid.Tile{
		X: int16(c%cg.wide)<<clusterShift | int16(at&(clusterSide-1)),
		Y: int16(c/cg.wide)<<clusterShift | int16(at>>clusterShift),
	}
}

// clusterRows says which tiles of a cluster are open, and of the ring of tiles around
// it: row y+1 has bit x+1 for tile x, y of the cluster.
type clusterRows [clusterSide + 2]uint32

// rows reads which tiles of a cluster are open for a walker. known reports whether the
// team knows of an obstacle that matters there.
func (g *Ground) rows(w walker, cx, cy int) (r clusterRows, known bool) {
	// Two tiles around it are read, since a big unit's tile also depends on the tiles
	// beside it.
	var wide [clusterSide + 4]uint32
	for y := range wide {
		ty := cy<<clusterShift + y - 2
		if ty < 0 || ty >= g.m.H {
			continue
		}
		for x := range clusterSide + 4 {
			tx := cx<<clusterShift + x - 2
			if tx < 0 || tx >= g.m.W {
				continue
			}
			i := ty*g.m.W + tx
			known = known || Closes(g.solid[i], w.move())
			if g.open(i, w.move()) {
				wide[y] |= 1 << x
			}
		}
	}
	for y := range r {
		if !w.big() {
			r[y] = wide[y+1] >> 1 & (1<<(clusterSide+2) - 1)
			continue
		}
		all := wide[y] & wide[y+1] & wide[y+2]
		r[y] = all & (all >> 1) & (all >> 2) & (1<<(clusterSide+2) - 1)
	}
	return r, known
}

// makeCluster makes a cluster of its open tiles.
func (cg *clusterGraph) makeCluster(c int, r *clusterRows, l *localSearch) *cluster {
	x := &cluster{open: *r}
	const inside = (1<<clusterSide - 1) << 1
	for y := range clusterSide {
		row := r[y+1]
		x.pairs[0] |= uint16(row>>clusterSide&(row>>(clusterSide+1))&1) << y
		x.pairs[2] |= uint16(row&(row>>1)&1) << y
	}
	x.pairs[1] = uint16(r[clusterSide] & r[clusterSide+1] & inside >> 1)
	x.pairs[3] = uint16(r[0] & r[1] & inside >> 1)
	for side := range 4 {
		x.side[side] = uint8(len(x.at))
		eachCrossing(x.pairs[side], func(o int) {
			x.id = append(x.id, cg.crossing(c, side, len(x.at)-int(x.side[side])))
			x.at = append(x.at, placeAt(side, o))
			at := cg.tile(c, placeAt(side, o))
			x.in = append(x.in, int32(c))
			x.outer = append(x.outer, grid.Tile{X: at.X + around[side].X, Y: at.Y + around[side].Y})
		})
	}
	n := len(x.at)
	x.side[4] = uint8(n)
	whole := true
	for y := range clusterSide {
		whole = whole && r[y+1]&inside == inside
	}
	if !whole {
		l.enter(r)
	}
	var costs [4 * crossingsMax]uint16
	x.setEdges(func(i int) []uint16 {
		if !whole {
			l.run(x.at[i])
		}
		for j := range n {
			if whole {
				costs[j] = uint16(octile(cg.tile(c, x.at[i]), cg.tile(c, x.at[j])))
			} else {
				costs[j] = l.cost[x.at[j]]
			}
		}
		return costs[:n]
	})
	return x
}

// eachCrossing calls do for the place of each crossing on a border with these open
// pairs of tiles.
func eachCrossing(pairs uint16, do func(o int)) {
	for pairs != 0 {
		from := bits.TrailingZeros16(pairs)
		long := bits.TrailingZeros16(^(pairs >> from))
		parts := (long + crossingSpan - 1) / crossingSpan
		for p := range parts {
			do(from + (2*p+1)*long/(2*parts))
		}
		pairs &^= uint16((1<<long - 1) << from)
	}
}

// placeAt returns the place in a cluster of the o-th tile along a side.
func placeAt(side, o int) uint8 {
	switch side {
	case 0:
		return uint8(o<<clusterShift | (clusterSide - 1))
	case 1:
		return uint8((clusterSide-1)<<clusterShift | o)
	case 2:
		return uint8(o << clusterShift)
	}
	return uint8(o)
}

// placeOn returns how far along a side a place lies.
func placeOn(side int, at uint8) int {
	if side&1 == 0 {
		return int(at >> clusterShift)
	}
	return int(at & (clusterSide - 1))
}

// localSearch finds the costs from one tile of a cluster to all others without leaving the
// cluster.
type localSearch struct {
	cost    [clusterSide * clusterSide]uint16
	rows    clusterRows
	buckets [16][]uint8 // more than a step costs
}

// enter begins to search in a cluster.
func (l *localSearch) enter(r *clusterRows) {
	const inside = (1<<clusterSide - 1) << 1
	for y := range r {
		l.rows[y] = r[y] & inside
	}
	l.rows[0], l.rows[clusterSide+1] = 0, 0
}

// run searches from a tile. The tile itself need not be open.
func (l *localSearch) run(from uint8) {
	for i := range l.cost {
		l.cost[i] = noWay
	}
	l.cost[from] = 0
	l.buckets[0] = append(l.buckets[0], from)
	for now, left := uint16(0), 1; left > 0; now++ {
		b := &l.buckets[now%16]
		for len(*b) > 0 {
			i := (*b)[len(*b)-1]
			*b = (*b)[:len(*b)-1]
			left--
			if l.cost[i] != now {
				continue // met again on a shorter way
			}
			x, y := uint(i%clusterSide), uint(i/clusterSide)
			up, here, down := l.rows[y]>>x, l.rows[y+1]>>x, l.rows[y+2]>>x
			// Bits 0, 1 and 2 are the tiles west, in the middle and east.
			straight, across := now+costStraight, now+costDiagonal
			east, south, west, north := here&4 != 0, down&2 != 0, here&1 != 0, up&2 != 0
			if east {
				left += l.meet(i+1, straight)
			}
			if south {
				left += l.meet(i+clusterSide, straight)
			}
			if west {
				left += l.meet(i-1, straight)
			}
			if north {
				left += l.meet(i-clusterSide, straight)
			}
			if east && south && down&4 != 0 {
				left += l.meet(i+clusterSide+1, across)
			}
			if south && west && down&1 != 0 {
				left += l.meet(i+clusterSide-1, across)
			}
			if west && north && up&1 != 0 {
				left += l.meet(i-clusterSide-1, across)
			}
			if north && east && up&4 != 0 {
				left += l.meet(i-clusterSide+1, across)
			}
		}
	}
}

func (l *localSearch) meet(i uint8, cost uint16) int {
	if cost >= l.cost[i] {
		return 0
	}
	l.cost[i] = cost
	l.buckets[cost%16] = append(l.buckets[cost%16], i)
	return 1
}

// graph returns the cluster graph of the map for a walker, which is made once.
func (b *Base) graph(w walker) *clusterGraph {
	if b.graphs[w] != nil {
		return b.graphs[w]
	}
	cg := &clusterGraph{wide: (b.m.W + clusterSide - 1) >> clusterShift, high: (b.m.H + clusterSide - 1) >> clusterShift}
	cg.cells = make([]*cluster, cg.wide*cg.high)
	bare := NewGround(b)
	for c := range cg.cells {
		r, _ := bare.rows(w, c%cg.wide, c/cg.wide)
		x := cg.makeCluster(c, &r, &b.local)
		x.row = x.id
		cg.cells[c] = x
	}
	b.graphs[w] = cg
	cg.setDistricts(&bare, w)
	b.setLandmarks(w, cg)
	return cg
}

// ownGraph holds the parts of a graph that differ between a team's ground and the map. nil:
// as on the map; staleCluster, staleDistrict: to be made again.
type ownGraph struct {
	cells     []*cluster
	districts []*district
}

var (
	staleCluster  = &cluster{}
	staleDistrict = &district{}
)

// graph returns a walker's graph as the team knows the ground: the map's graph, and the
// differences.
func (g *Ground) graph(w walker) (*clusterGraph, *ownGraph) {
	cg := g.base.graph(w)
	if g.graphs[w] == nil {
		g.graphs[w] = &ownGraph{make([]*cluster, len(cg.cells)), make([]*district, len(cg.districts))}
		for i, s := range g.solid {
			if s != 0 {
				g.graphs[w].change(cg, g.m.TileAt(i))
			}
		}
	}
	return cg, g.graphs[w]
}

// change notes that a tile was opened or closed.
func (team *ownGraph) change(cg *clusterGraph, at grid.Tile) {
	const span = 2 // a big unit's tile also depends on the tiles around it, a crossing on both of its tiles
	for cy := max(0, int(at.Y-span)>>clusterShift); cy <= min(cg.high-1, int(at.Y+span)>>clusterShift); cy++ {
		for cx := max(0, int(at.X-span)>>clusterShift); cx <= min(cg.wide-1, int(at.X+span)>>clusterShift); cx++ {
			c := cy*cg.wide + cx
			team.cells[c] = staleCluster
			team.districts[cg.districtOf(c)] = staleDistrict
		}
	}
}

// cluster returns a cluster as the team knows it.
func (g *Ground) cluster(w walker, cg *clusterGraph, team *ownGraph, c int) *cluster {
	switch x := team.cells[c]; x {
	case nil:
		return cg.cells[c]
	case staleCluster:
		return g.remake(w, cg, team, c)
	default:
		return x
	}
}

// remake makes a team's own cluster. The number of such clusters that a search needs does
// not count in its budget: after a recovery they have to be made again.
func (g *Ground) remake(w walker, cg *clusterGraph, team *ownGraph, c int) *cluster {
	r, known := g.rows(w, c%cg.wide, c/cg.wide)
	if !known {
		team.cells[c] = nil
		return cg.cells[c]
	}
	x := cg.makeCluster(c, &r, &g.base.local)
	for side := range 4 {
		for i := x.side[side]; i < x.side[side+1]; i++ {
			x.row = append(x.row, cg.cells[c].nearestRow(side, placeOn(side, x.at[i])))
		}
	}
	team.cells[c] = x
	return x
}

// nearestRow returns the row of the crossing of the map's cluster that is nearest to a
// place on one side, on the same stretch of open pairs. There is one, because a team
// knows of no tile that is open and closed on the map.
func (x *cluster) nearestRow(side, o int) int32 {
	best, near := int32(-1), clusterSide
	for i := x.side[side]; i < x.side[side+1]; i++ {
		p := placeOn(side, x.at[i])
		lo, hi := min(o, p), max(o, p)
		if stretch := uint16(1<<(hi+1) - 1<<lo); x.pairs[side]&stretch == stretch && hi-lo < near {
			best, near = x.row[i], hi-lo
		}
	}
	return best
}
