package nav

// landmarkCount is how many landmarks each connected part of a map has.
const landmarkCount = 16

// landmarkRow is the cost of a crossing from each landmark of its part of the map: the
// landmarks give a lower bound for the distance of two crossings (Goldberg, Harrelson
// 2005). A team's ground has more closed tiles than the map, never fewer, so the bounds of
// the map's own graph hold for all teams, and never have to be made again.
type landmarkRow [landmarkCount]int32

// setLandmarks chooses the landmarks of a map's graph, and fills their rows. In each
// connected part, the first landmark is far out, and each further landmark is farthest from
// its predecessors.
func (b *Base) setLandmarks(w walker, cg *clusterGraph) {
	rows := make([]landmarkRow, len(cg.cells)*2*crossingsMax)
	bare := NewGround(b)
	s := &b.inner
	near := make([]int32, len(rows)) // cost from the nearest landmark, and 1; 0: not met
	for c, x := range cg.cells {
		for side := range 2 {
			for k := range int(x.side[side+1] - x.side[side]) {
				if id := cg.crossing(c, side, k); near[id] == 0 {
					s.spread(&bare, w, id)
					b.setPart(w, rows, &bare, s, near)
				}
			}
		}
	}
	cg.rows = rows
}

// setPart chooses the landmarks of the part that a search has just met.
func (b *Base) setPart(w walker, rows []landmarkRow, bare *Ground, s *routeSearch, near []int32) {
	part := append([]int32(nil), s.met...)
	next := part[len(part)-1] // the last that was met is among the farthest
	for l := range landmarkCount {
		s.spread(bare, w, next)
		for _, id := range part {
			cost := s.nodes[id].cost
			rows[id][l] = cost
			if l == 0 || cost+1 < near[id] {
				near[id] = cost + 1
			}
		}
		for _, id := range part {
			if near[id] > near[next] {
				next = id
			}
		}
	}
}
