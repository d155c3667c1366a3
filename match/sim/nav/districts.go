package nav

const (
	districtShift = 2
	districtSide  = 1 << districtShift // clusters

	districtLinksMax = 4 * districtSide * crossingsMax
)

// district is a square of clusters.
type district struct {
	links
	// Where the crossings of each cluster along each side begin in links. The sides are
	// as in around; the clusters of a side go from west to east, or from north to
	// south.
	side [4][districtSide]uint16
}

// districtOf returns the district of a cluster.
func (cg *clusterGraph) districtOf(c int) int {
	return c/cg.wide>>districtShift*cg.broad + c%cg.wide>>districtShift
}

// indexOf returns which of the district's links a crossing of its cluster c is.
func (d *district) indexOf(cg *clusterGraph, c int, id int32) int {
	side, k := sideOf(c, id)
	along := c / cg.wide
	if side&1 == 1 {
		along = c % cg.wide
	}
	return int(d.side[side][along%districtSide]) + k
}

// setDistricts makes the districts of a map's graph.
func (cg *clusterGraph) setDistricts(bare *Ground, w walker) {
	cg.broad = (cg.wide + districtSide - 1) >> districtShift
	high := (cg.high + districtSide - 1) >> districtShift
	cg.districts = make([]*district, cg.broad*high)
	_, team := bare.graph(w)
	for d := range cg.districts {
		cg.districts[d] = bare.makeDistrict(w, cg, team, d)
	}
}

// eachOf calls do for the clusters of a district.
func (cg *clusterGraph) eachOf(d int, do func(c int)) {
	x0, y0 := d%cg.broad<<districtShift, d/cg.broad<<districtShift
	for y := y0; y < min(y0+districtSide, cg.high); y++ {
		for x := x0; x < min(x0+districtSide, cg.wide); x++ {
			do(y*cg.wide + x)
		}
	}
}

// makeDistrict makes a district of its clusters.
func (g *Ground) makeDistrict(w walker, cg *clusterGraph, team *ownGraph, d int) *district {
	x := &district{}
	x0, y0 := d%cg.broad<<districtShift, d/cg.broad<<districtShift
	for side := range 4 {
		for along := range districtSide {
			x.side[side][along] = uint16(len(x.id))
			cx, cy := x0+along, y0+along
			switch side {
			case 0:
				cx = x0 + districtSide - 1
			case 1:
				cy = y0 + districtSide - 1
			case 2:
				cx = x0
			case 3:
				cy = y0
			}
			if cx >= cg.wide || cy >= cg.high {
				continue // the map ends before
			}
			c := g.cluster(w, cg, team, cy*cg.wide+cx)
			from, to := c.side[side], c.side[side+1]
			x.id = append(x.id, c.id[from:to]...)
			x.row = append(x.row, c.row[from:to]...)
			x.in = append(x.in, c.in[from:to]...)
			x.outer = append(x.outer, c.outer[from:to]...)
		}
	}
	s := &g.base.inner
	var costs [districtLinksMax]uint16
	x.setEdges(func(i int) []uint16 {
		s.spreadIn(g, w, cg, team, d, x.id[i], int(x.in[i]))
		for j, id := range x.id {
			costs[j] = noWay
			if to := &s.nodes[id]; i != j && to.round == s.round {
				costs[j] = uint16(to.cost - costStraight)
			}
		}
		return costs[:len(x.id)]
	})
	return x
}

// district returns a district as the team knows it.
func (g *Ground) district(w walker, cg *clusterGraph, team *ownGraph, d int) *district {
	switch x := team.districts[d]; x {
	case nil:
		return cg.districts[d]
	case staleDistrict:
		known := false
		cg.eachOf(d, func(c int) { known = g.cluster(w, cg, team, c) != cg.cells[c] || known })
		if !known {
			team.districts[d] = nil
			return cg.districts[d]
		}
		team.districts[d] = g.makeDistrict(w, cg, team, d)
		return team.districts[d]
	default:
		return x
	}
}
