package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// nearIndex finds the entities around a point. Units and structures are sorted into square
// cells, and by id inside a cell. The index is rebuilt from the state alone at the start of
// each tick. So it needs no updates and cannot disagree with the state. During the tick, an
// entity that moves is found in the cell where the tick began: at most a step away. An
// entity made in the tick is found from the next tick on.
type nearIndex struct {
	shift int // of world units to cells
	w, h  int
	start []int32 // cell i's items are items[start[i]:start[i+1]]
	items []nearItem
	// Which teams are in a block of blockSide x blockSide cells. A search for foes
	// skips most of the map block by block.
	teams  []grid.TeamSet
	blocks int // in a row
	fill   []int32
	steps  []int32 // by type: farther than it walks in a tick, WU
	radii  []int32 // by type
	fast   int32   // the longest step
	wide   int32   // the widest radius and step, WU
	body   int32   // the widest radius, WU
}

// blockShift of cells to blocks, and a block's side in cells.
const (
	blockShift = 1
	blockSide  = 1 << blockShift
)

// nearItem is an entity in a cell, with the fields that most callers check first.
// Most items are skipped. To read the entity for that would cost more than the rest
// of the search.
type nearItem struct {
	e       *Entity
	x, y    int32 // WU, as the tick began
	r       int32 // radius of a unit, 0 for a structure
	step    int32 // farther than it walks in a tick
	viewers grid.TeamSet
	team    grid.Team
	kind    nearKind
}

// nearKind is the kind of an item.
type nearKind uint8

const (
	nearGround nearKind = iota // a unit on the ground
	nearAir                    // a unit in the air
	nearBuilt                  // a structure
)

// nearCellsMax bounds the number of cells. So a large map costs no more in a tick
// than a medium one.
const nearCellsMax = 1 << 14

func (n *nearIndex) init(w *World) {
	n.shift = grid.TileShift + 1
	for {
		n.w, n.h = w.m.W<<grid.TileShift>>n.shift+1, w.m.H<<grid.TileShift>>n.shift+1
		if n.w*n.h <= nearCellsMax {
			break
		}
		n.shift++
	}
	n.start = make([]int32, n.w*n.h+1)
	n.fill = make([]int32, n.w*n.h)
	n.blocks = (n.w + blockSide - 1) >> blockShift
	n.teams = make([]grid.TeamSet, n.blocks*((n.h+blockSide-1)>>blockShift))
	haste, more := int32(100), int32(0) // of all effects on the speed of a unit
	for i := range w.rt.effects {
		times := int32(len(w.players))
		if def := &w.rules.Effects[i]; def.Script != nil {
			times *= int32(def.Stacks)
		}
		for _, c := range w.rt.effects[i].changes {
			if c.Attribute == rules.AttributeSpeed {
				haste = min(c.Attribute.PercentMax(), haste+max(0, c.Percent)*times)
				more += max(0, c.Add) * times
			}
		}
	}
	for i := range w.rules.Types {
		t, fastest := &w.rules.Types[i], int32(100)
		for _, a := range t.Abilities {
			fastest = max(fastest, w.rules.Abilities[a].Percent)
		}
		step := percent(percent(w.rt.types[i].speed, fastest)+more, haste)>>FineShift + 1
		n.steps = append(n.steps, step)
		n.radii = append(n.radii, int32(t.Radius))
		n.fast = max(n.fast, step)
		n.body, n.wide = max(n.body, int32(t.Radius)), max(n.wide, int32(t.Radius)+step)
	}
}

func (n *nearIndex) build(w *World) {
	clear(n.fill)
	clear(n.teams)
	total := int32(0)
	for _, e := range w.all {
		if x0, y0, x1, y1, ok := n.cells(w, e); ok {
			own := grid.TeamSet(0).With(e.team)
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					n.fill[y*n.w+x]++
					n.teams[y>>blockShift*n.blocks+x>>blockShift] |= own
					total++
				}
			}
		}
	}
	at := int32(0)
	for i, c := range n.fill {
		n.start[i], n.fill[i] = at, at
		at += c
	}
	n.start[len(n.fill)] = at
	if cap(n.items) < int(total) {
		n.items = make([]nearItem, total, total+total/2)
	}
	n.items = n.items[:total]
	for _, e := range w.all {
		if x0, y0, x1, y1, ok := n.cells(w, e); ok {
			t := &w.rules.Types[e.typ]
			it := nearItem{e: e, x: e.x >> FineShift, y: e.y >> FineShift, r: int32(t.Radius), step: n.steps[e.typ], viewers: e.viewers, team: e.team}
			switch {
			case e.class == rules.ClassStructure:
				it.kind = nearBuilt
			case t.Move == grid.Air:
				it.kind = nearAir
			}
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					i := y*n.w + x
					n.items[n.fill[i]] = it
					n.fill[i]++
				}
			}
		}
	}
}

// cells returns the cells that e lies in: one for a unit, all under its
// footprint for a structure.
func (n *nearIndex) cells(w *World, e *Entity) (x0, y0, x1, y1 int, ok bool) {
	switch e.class {
	case rules.ClassUnit:
		x0, y0 = int(e.x>>FineShift)>>n.shift, int(e.y>>FineShift)>>n.shift
		return x0, y0, x0, y0, true
	case rules.ClassStructure:
		t := &w.rules.Types[e.typ]
		s := n.shift - grid.TileShift
		return int(e.foot.X) >> s, int(e.foot.Y) >> s,
			int(e.foot.X+int16(t.FootW)-1) >> s, int(e.foot.Y+int16(t.FootH)-1) >> s, true
	}
	return 0, 0, 0, 0, false
}

// box returns the cells within reach of p, clipped to the map.
func (n *nearIndex) box(p grid.Pos, reach grid.Dist) (x0, y0, x1, y1 int) {
	r := int32(reach)
	return max(0, int(p.X-r)>>n.shift), max(0, int(p.Y-r)>>n.shift),
		min(n.w-1, int(p.X+r)>>n.shift), min(n.h-1, int(p.Y+r)>>n.shift)
}

// row returns the items of the cells x0 to x1 of a row, which lie side by
// side.
func (n *nearIndex) row(x0, x1, y int) []nearItem {
	return n.items[n.start[y*n.w+x0]:n.start[y*n.w+x1+1]]
}

// bodies appends the units of one layer that e, which stands at p, can bump
// into in this tick.
func (n *nearIndex) bodies(to []*Entity, e *Entity, p grid.Pos, radius grid.Dist, kind nearKind) []*Entity {
	own := int32(radius) + n.steps[e.typ]
	x0, y0, x1, y1 := n.box(p, grid.Dist(own+n.wide))
	for y := y0; y <= y1; y++ {
		row := n.row(x0, x1, y)
		for i := range row {
			o := &row[i]
			r := own + o.r + o.step
			if o.kind == kind && o.e != e && p.X-o.x < r && o.x-p.X < r && p.Y-o.y < r && o.y-p.Y < r {
				to = append(to, o.e)
			}
		}
	}
	return to
}

// crowds reports whether a body could come to overlap e's, which stands at p, in this tick,
// in any order of moves. friends says whether friends that stand like e count in full, as
// in [World.overlap].
func (n *nearIndex) crowds(e *Entity, p grid.Pos, kind nearKind, friends bool) bool {
	radius := n.radii[e.typ]
	x0, y0, x1, y1 := n.box(p, grid.Dist(radius+n.steps[e.typ]+n.wide))
	for y := y0; y <= y1; y++ {
		row := n.row(x0, x1, y)
		for i := range row {
			o := &row[i]
			r := radius + o.r
			if o.team == e.team && !friends {
				r /= 2
			}
			// It may come nearer by a step; the rest allows for rounding.
			reach := int64(max(0, r-apartMin+o.step+2))
			if o.kind == kind && o.e != e && p.Sub(grid.Pos{X: o.x, Y: o.y}).Len2() < reach*reach {
				return true
			}
		}
	}
	return false
}

// units appends the units, of both layers, in the cells within reach of p.
func (n *nearIndex) units(to []*Entity, p grid.Pos, reach grid.Dist) []*Entity {
	x0, y0, x1, y1 := n.box(p, reach)
	for y := y0; y <= y1; y++ {
		for _, o := range n.row(x0, x1, y) {
			if o.kind != nearBuilt {
				to = append(to, o.e)
			}
		}
	}
	return to
}

// targets appends the entities in the cells within reach of p, each once.
func (n *nearIndex) targets(to []*Entity, p grid.Pos, reach grid.Dist) []*Entity {
	first := len(to)
	x0, y0, x1, y1 := n.box(p, reach)
	for y := y0; y <= y1; y++ {
		for _, o := range n.row(x0, x1, y) {
			if o.kind != nearBuilt || !slices.Contains(to[first:], o.e) {
				to = append(to, o.e)
			}
		}
	}
	return to
}

// foes appends the other teams' entities that the team sees within about reach of p. A
// structure may come more than once.
func (n *nearIndex) foes(to []*Entity, p grid.Pos, reach grid.Dist, own grid.Team) []*Entity {
	x0, y0, x1, y1 := n.box(p, reach+grid.Dist(n.body))
	mine := grid.TeamSet(0).With(own)
	for by := y0 >> blockShift; by <= y1>>blockShift; by++ {
		for bx := x0 >> blockShift; bx <= x1>>blockShift; bx++ {
			if n.teams[by*n.blocks+bx]&^mine == 0 {
				continue
			}
			left, right := max(x0, bx<<blockShift), min(x1, bx<<blockShift+blockSide-1)
			for y := max(y0, by<<blockShift); y <= min(y1, by<<blockShift+blockSide-1); y++ {
				row := n.row(left, right, y)
				for i := range row {
					o := &row[i]
					if o.team == own || o.team == grid.NoTeam || !o.viewers.Has(own) {
						continue
					}
					if o.kind != nearBuilt {
						r := int64(reach) + int64(o.r)
						dx, dy := int64(p.X-o.x), int64(p.Y-o.y)
						if dx*dx+dy*dy > r*r {
							continue
						}
					}
					to = append(to, o.e)
				}
			}
		}
	}
	return to
}

// gap returns the distance from p to the edge of e's body, 0 inside it: a
// circle for a unit, the footprint for a structure.
func (w *World) gap(p grid.Pos, e *Entity) grid.Dist {
	if e.class == rules.ClassUnit {
		return max(0, p.Sub(e.Pos()).Len()-w.rules.Types[e.typ].Radius)
	}
	return p.Sub(w.nearestOf(p, e)).Len()
}

// gapWithin reports whether the distance from p to the edge of e's body is lo
// to hi, without the root that gap takes.
func (w *World) gapWithin(p grid.Pos, e *Entity, lo, hi grid.Dist) bool {
	r := int64(0)
	if e.class == rules.ClassUnit {
		r = int64(w.rules.Types[e.typ].Radius)
	}
	d2 := p.Sub(w.nearestOf(p, e)).Len2()
	return d2 < (int64(hi)+r+1)*(int64(hi)+r+1) && (lo == 0 || d2 >= (int64(lo)+r)*(int64(lo)+r))
}

// nearestOf returns the point of e's body that is nearest to p; of a unit, its
// position.
func (w *World) nearestOf(p grid.Pos, e *Entity) grid.Pos {
	if e.class == rules.ClassUnit || e.class == rules.ClassProjectile {
		return e.Pos()
	}
	return rectPoint(&w.rules.Types[e.typ], e.foot, p)
}

// roughLen is the length of v give or take a fifteenth, for comparing lengths
// of one direction.
func roughLen(v grid.Vec) grid.Dist {
	x, y := max(v.X, -v.X), max(v.Y, -v.Y)
	return grid.Dist(max(x, y) + min(x, y)*3/8)
}
