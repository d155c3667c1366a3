package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// formGap is the space between two units of a formation.
const formGap = grid.WUPerTile / 8

// form sends a group to a point. Each unit gets a place in a block around it. The
// rows lie across the direction of travel. So units arrive in formation, and no two
// paths cross.
func (w *World) form(group []*Entity, numbers []uint32, d *dueOrder) {
	if len(group) == 1 {
		w.push(group[0], d, numbers[0], d.point, grid.WUPerTile)
		return
	}
	pace := int32(0)
	if d.abreast {
		pace = w.slowestOf(group)
	}
	n := int64(len(group))
	var sx, sy int64
	var bodies grid.Dist
	for _, e := range group {
		p := e.Pos()
		sx, sy = sx+int64(p.X), sy+int64(p.Y)
		bodies += w.rules.Types[e.typ].Radius
	}
	mid := grid.Pos{X: int32(sx / n), Y: int32(sy / n)}
	ahead := d.point.Sub(mid)
	if ahead == (grid.Vec{}) {
		ahead = grid.Vec{X: 1}
	}
	ahead = ahead.Scale(grid.WUPerTile)
	cols := int(grid.Sqrt(uint64(n)))
	if cols*cols < len(group) {
		cols++
	}
	rows := (len(group) + cols - 1) / cols
	// The foremost units go into the first row. Within a row each keeps its side.
	// Ties are broken by the place in the group. The owner chose that, and no other
	// player learns it.
	rank := w.ranks[:0]
	for i, e := range group {
		v := e.Pos().Sub(mid)
		rank = append(rank, place{
			i: i, along: int64(v.X)*int64(ahead.X) + int64(v.Y)*int64(ahead.Y),
			across: int64(v.Y)*int64(ahead.X) - int64(v.X)*int64(ahead.Y),
		})
	}
	w.ranks = rank
	slices.SortFunc(rank, func(a, b place) int { return cmp.Or(cmp.Compare(b.along, a.along), cmp.Compare(a.i, b.i)) })
	// Spaced by the middle body, not by the widest: else a few wide ones would
	// spread all over more ground than they need.
	step := int32(2*bodies/grid.Dist(n) + formGap)
	width := grid.Dist(step) * grid.Dist(cols) / 2
	for row := range rows {
		line := rank[row*cols : min(len(rank), (row+1)*cols)]
		slices.SortFunc(line, func(a, b place) int { return cmp.Or(cmp.Compare(a.across, b.across), cmp.Compare(a.i, b.i)) })
		for col, pl := range line {
			off := grid.Vec{X: int32(rows-1)*step/2 - int32(row)*step, Y: int32(col)*step - int32(len(line)-1)*step/2}
			e := group[pl.i]
			w.push(e, d, numbers[pl.i], w.stand(e, d.point, grid.Vec{
				X: (off.X*ahead.X - off.Y*ahead.Y) / grid.WUPerTile,
				Y: (off.X*ahead.Y + off.Y*ahead.X) / grid.WUPerTile,
			}), width).pace = pace
		}
	}
}

// slowestOf returns the speed of a group's slowest unit, without the changes by abilities
// and effects.
func (w *World) slowestOf(group []*Entity) int32 {
	slowest := w.rt.types[group[0].typ].speed
	for _, e := range group {
		slowest = min(slowest, w.rt.types[e.typ].speed)
	}
	return slowest
}

// place is a unit's place in its group: how far ahead and how far to the right
// of the middle it stands.
type place struct {
	i             int
	along, across int64
}

// stand returns a unit's place in a formation around p, or p where the ground,
// as the team knows it, does not allow it there.
func (w *World) stand(e *Entity, p grid.Pos, off grid.Vec) grid.Pos {
	at := p.Add(off)
	if !w.m.InPos(at) {
		return p
	}
	if w.rules.Types[e.typ].Move == grid.Air {
		return at
	}
	if !w.teams[e.team].ground.ClearLine(w.body(e), p, at) {
		return p
	}
	return at
}
