package nav

import "github.com/fogkeep/fogkeep/match/grid"

// reach answers whether there is a way between two tiles over the ground as a team knows
// it: tiles with the same label are connected. Labels are kept up as the ground changes,
// and made anew only when a change may have cut the ground in two or joined two parts. The
// labels' values do not matter, only the tiles that share a label; so labels need not be
// saved.
type reach struct {
	parts
	made  bool
	next  int32 // highest label given out
	queue []int32
}

// parts are the labels of tiles. A team uses the labels of the map until a known obstacle cuts a part in two.
type parts struct {
	label []int32 // by tile; 0: not open
	// While label is the map's: the team's contents of the tiles, and the contents that close a tile.
	over   []uint8
	closed uint8
}

// at returns the label of a tile; 0: it is not open.
func (p *parts) at(i int) int32 {
	if p.over != nil && p.over[i]&p.closed != 0 {
		return 0
	}
	return p.label[i]
}

// Base holds the connected parts of the map itself, as it begins. It is the same for all
// teams.
type Base struct {
	m      *grid.Map
	reach  [grid.MoveKinds]reach
	graphs [walkers]*clusterGraph
	local  localSearch // scratch
	inner  routeSearch // scratch
	trial  []int32     // scratch
}

// NewBase returns the base of a map.
func NewBase(m *grid.Map) *Base { return &Base{m: m, inner: routeSearch{blind: true}} }

// Map returns the map.
func (b *Base) Map() *grid.Map { return b.m }

// Share returns a base for another match on the map. Both use what b has made so far, and change none of it, so the
// matches may run on goroutines of their own.
func (b *Base) Share() *Base {
	c := NewBase(b.m)
	c.reach, c.graphs = b.reach, b.graphs
	for k := range c.reach {
		c.reach[k].queue = nil // scratch
	}
	return c
}

// Connected reports whether the map lets a unit that moves in that way come from one tile to another.
func (b *Base) Connected(k grid.MoveKind, from, to grid.Tile) bool {
	label := b.labels(k).label
	return label[b.m.Index(from)] == label[b.m.Index(to)]
}

// labels returns the labels of the map, which are made once.
func (b *Base) labels(k grid.MoveKind) *reach {
	r := &b.reach[k]
	if !r.made {
		bare := NewGround(b)
		r.label = make([]int32, b.m.W*b.m.H)
		bare.label(r, k)
	}
	return r
}

// Prepare makes the map's data for the searches for a body, before the first tick needs it.
func (g *Ground) Prepare(b Body) {
	g.labels(b.Move)
	g.base.graph(b.walker())
}

// Reachable reports whether a unit can come from one tile to another, as far as the
// team knows: to the tile itself or, where that is not open, to one not far from
// it, as beside a building or at the foot of a cliff.
func (g *Ground) Reachable(k grid.MoveKind, from, to grid.Tile) bool {
	if k == grid.Air {
		return true
	}
	r := g.labels(k)
	l := g.labelNear(r, from)
	return l != 0 && g.besideLabel(r, to, l)
}

// Joined reports whether a tile is open and connected with another, or with one
// beside that.
func (g *Ground) Joined(k grid.MoveKind, at, other grid.Tile) bool {
	r := g.labels(k)
	l := r.at(g.m.Index(at))
	return l != 0 && l == g.labelNear(r, other)
}

// labels returns the labels for a way of moving, up to date.
func (g *Ground) labels(k grid.MoveKind) *reach {
	r := &g.reach[k]
	if r.made {
		return r
	}
	if r.label == nil && g.fromMap(r, k) {
		return r
	}
	if r.over != nil || r.label == nil {
		r.parts = parts{label: make([]int32, len(g.solid))}
	}
	clear(r.label)
	g.label(r, k)
	return r
}

// label labels all open tiles. The labels have to be zero.
func (g *Ground) label(r *reach, k grid.MoveKind) {
	r.made, r.next = true, 0
	for i := range r.label {
		if r.label[i] == 0 && g.open(i, k) {
			r.next++
			g.flood(r, k, int32(i), r.next)
		}
	}
}

// fromMap takes the map's labels, and reports whether the known obstacles cut no part in two.
func (g *Ground) fromMap(r *reach, k grid.MoveKind) bool {
	label, copied := g.base.labels(k).label, false
	trial := reach{made: true}
	for i, s := range g.solid {
		if !Closes(s, k) || !g.m.Pass[i].Has(k) {
			continue
		}
		if !copied { // one obstacle after another is added to a copy
			g.base.trial = append(g.base.trial[:0], label...)
			trial.label, copied = g.base.trial, true
		}
		if trial.change(g.m, i, false); !trial.made {
			return false
		}
	}
	r.made, r.parts = true, parts{label: label, over: g.solid, closed: closing[k]}
	return true
}

// change applies a tile's change to the labels, by the tiles around it.
func (r *reach) change(m *grid.Map, i int, open bool) {
	if !r.made {
		return
	}
	at := m.TileAt(i)
	label := func(d grid.Tile) int32 {
		if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); m.In(t) {
			return r.at(m.Index(t))
		}
		return 0
	}
	var side [4]int32
	for d := range side {
		side[d] = label(around[d])
	}
	if open {
		one := int32(0)
		for _, l := range side {
			if l != 0 && one != 0 && l != one {
				r.made = false // two parts are joined here
				return
			}
			one = max(one, l)
		}
		switch {
		case r.over == nil && one == 0:
			r.next++
			r.label[i] = r.next
		case r.over == nil:
			r.label[i] = one
		case one == 0:
			r.made = false // it is a part of its own, which the map has not
		}
		return
	}
	if r.over == nil {
		r.label[i] = 0
	}
	// Going round the tile, the open sides have to be linked by open corners,
	// with at most one break; else it may have been the only way.
	sides, links := 0, 0
	for d := range side {
		if side[d] == 0 {
			continue
		}
		sides++
		if side[(d+1)%4] != 0 && label(around[4+d]) != 0 {
			links++
		}
	}
	if sides > 1 && links < sides-1 {
		r.made = false
	}
}

func (g *Ground) flood(r *reach, k grid.MoveKind, from, label int32) {
	r.queue = append(r.queue[:0], from)
	r.label[from] = label
	for len(r.queue) > 0 {
		i := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		x := int(i) % g.m.W
		if x > 0 {
			g.spread(r, k, i-1, label)
		}
		if x < g.m.W-1 {
			g.spread(r, k, i+1, label)
		}
		if int(i) >= g.m.W {
			g.spread(r, k, i-int32(g.m.W), label)
		}
		if int(i)+g.m.W < len(r.label) {
			g.spread(r, k, i+int32(g.m.W), label)
		}
	}
}

func (g *Ground) spread(r *reach, k grid.MoveKind, i, label int32) {
	if r.label[i] == 0 && g.open(int(i), k) {
		r.label[i] = label
		r.queue = append(r.queue, i)
	}
}

// labelNear returns the label of a tile or, without one (a unit that was pushed against a
// wall), of the first labelled tile beside it.
func (g *Ground) labelNear(r *reach, at grid.Tile) int32 {
	if l := r.at(g.m.Index(at)); l != 0 {
		return l
	}
	for _, d := range around {
		if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); g.m.In(t) {
			if l := r.at(g.m.Index(t)); l != 0 {
				return l
			}
		}
	}
	return 0
}

// besideReach is the distance, in tiles, within which a closed point counts as reachable
// from an open point.
const besideReach = 4

// besideLabel reports whether a tile has the label or, without one, whether a tile not far
// from it has.
func (g *Ground) besideLabel(r *reach, at grid.Tile, label int32) bool {
	if !g.m.In(at) {
		return false
	}
	if l := r.at(g.m.Index(at)); l != 0 {
		return l == label
	}
	for dy := int16(-besideReach); dy <= besideReach; dy++ {
		for dx := int16(-besideReach); dx <= besideReach; dx++ {
			if t := (grid.Tile{X: at.X + dx, Y: at.Y + dy}); g.m.In(t) && r.at(g.m.Index(t)) == label {
				return true
			}
		}
	}
	return false
}

// around are the eight neighbours, straight ones first.
var around = [8]grid.Tile{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: -1, Y: -1}, {X: 1, Y: -1}}
