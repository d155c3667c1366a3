package sim

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// nearIndex finds what is around a point: units and structures sorted into
// square cells, in the order of their ids inside a cell. It is made anew as
// each tick begins, from the state alone, so it needs no upkeep and cannot
// drift; what moves during the tick is found where it stood then, give or take
// a step, and what is made in the tick is found from the next on.
type nearIndex struct {
	shift int // of world units to cells
	w, h  int
	start []int32 // cell i's items are items[start[i]:start[i+1]]
	teams []grid.TeamSet
	items []*Entity
	fill  []int32
}

// nearCellsMax bounds the cells, so that a large map does not cost more a tick
// than a small one.
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
	n.teams = make([]grid.TeamSet, n.w*n.h)
}

func (n *nearIndex) build(w *World) {
	clear(n.fill)
	clear(n.teams)
	total := int32(0)
	for _, e := range w.all {
		if x0, y0, x1, y1, ok := n.cells(w, e); ok {
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					n.fill[y*n.w+x]++
					n.teams[y*n.w+x] |= grid.TeamSet(0).With(e.team)
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
		n.items = make([]*Entity, total, total+total/2)
	}
	n.items = n.items[:total]
	for _, e := range w.all {
		if x0, y0, x1, y1, ok := n.cells(w, e); ok {
			for y := y0; y <= y1; y++ {
				for x := x0; x <= x1; x++ {
					i := y*n.w + x
					n.items[n.fill[i]] = e
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
	case ClassUnit:
		x0, y0 = int(e.x>>FineShift)>>n.shift, int(e.y>>FineShift)>>n.shift
		return x0, y0, x0, y0, true
	case ClassStructure:
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

// gather appends what lies in the cells within reach of p; a structure may
// come more than once.
func (n *nearIndex) gather(to []*Entity, p grid.Pos, reach grid.Dist) []*Entity {
	x0, y0, x1, y1 := n.box(p, reach)
	for y := y0; y <= y1; y++ {
		to = append(to, n.items[n.start[y*n.w+x0]:n.start[y*n.w+x1+1]]...)
	}
	return to
}

// gatherFoes is gather without the cells in which there is nobody but the
// team's own.
func (n *nearIndex) gatherFoes(to []*Entity, p grid.Pos, reach grid.Dist, own grid.Team) []*Entity {
	x0, y0, x1, y1 := n.box(p, reach)
	mine := grid.TeamSet(0).With(own)
	for y := y0; y <= y1; y++ {
		for x := x0; x <= x1; x++ {
			if i := y*n.w + x; n.teams[i]&^mine != 0 {
				to = append(to, n.items[n.start[i]:n.start[i+1]]...)
			}
		}
	}
	return to
}

// gap returns the distance from p to the edge of e's body, 0 inside it: a
// circle for a unit, the footprint for a structure.
func (w *World) gap(p grid.Pos, e *Entity) grid.Dist {
	if e.class == ClassUnit {
		return max(0, approxLen(p.Sub(e.Pos()))-w.rules.Types[e.typ].Radius)
	}
	return approxLen(p.Sub(w.nearestOf(p, e)))
}

// nearestOf returns the point of e's body that is nearest to p; of a unit, its
// position.
func (w *World) nearestOf(p grid.Pos, e *Entity) grid.Pos {
	if e.class == ClassUnit || e.class == ClassProjectile {
		return e.Pos()
	}
	t := &w.rules.Types[e.typ]
	x0, y0 := int32(e.foot.X)<<grid.TileShift, int32(e.foot.Y)<<grid.TileShift
	return grid.Pos{
		X: max(x0, min(p.X, x0+int32(t.FootW)<<grid.TileShift-1)),
		Y: max(y0, min(p.Y, y0+int32(t.FootH)<<grid.TileShift-1)),
	}
}

// approxLen is the length of v, rounded down. One division in place of
// Newton's several: the seed is taken from the bits, two steps end within one
// of the root for lengths on a map, and the last line mends that.
func approxLen(v grid.Vec) grid.Dist {
	n := uint64(v.Len2())
	if n == 0 {
		return 0
	}
	b := bits.Len64(n)
	x := uint64(1)<<(b/2) + n>>(b-b/2)
	x = max(1, x/2) // between 0.7 and 1.1 of the root; never 0 for n = 1
	x = (x + n/x) / 2
	x = (x + n/x) / 2
	for x*x > n {
		x--
	}
	for (x+1)*(x+1) <= n {
		x++
	}
	return grid.Dist(x)
}
