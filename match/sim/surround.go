package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// How units that fight hand to hand share out the places around a structure.

// exchangeMin is how much of the way an exchange of places has to save.
const exchangeMin = grid.WUPerTile / 4

// spotAt returns the place from which e, which fights hand to hand, reaches a structure:
// the free place at that distance from the wall with the shortest way along the wall. Units
// of the same player take places. A unit within near of its place stops there. Without a
// free place it keeps its goal, or goes straight to the wall.
func (w *World) spotAt(e, target *Entity, off, near grid.Dist) grid.Pos {
	m := &e.mv
	goes := m.going && w.gap(m.hub, target) <= off // on its way to one
	if goes && w.tick < m.look {
		return m.hub
	}
	apart := w.rules.Types[e.typ].Radius * 3 / 2
	clash := apart - near - 1
	own := wallWay{&w.rules.Types[target.typ], target.foot, e.Pos()}
	taken, lost := w.spots[:0], !goes
	for _, o := range w.of(e.id.Slot()) {
		switch {
		case o == e || o.dying || o.arms[o.lead()].target != target.id && o.chaseTarget != target.id && (len(o.tasks) == 0 || o.tasks[0].target != target.id):
		case !o.mv.going:
			taken = append(taken, o.Pos())
			lost = lost || o.Pos().Within(m.hub, clash) // another unit was faster
		default:
			if !lost && o.typ == e.typ && w.gap(o.mv.hub, target) <= off {
				w.exchange(e, o, own)
			}
			taken = append(taken, o.mv.hub)
		}
	}
	w.spots = taken
	if !lost {
		return m.hub
	}
	best, bestWay := m.hub, int32(-1)
	if !goes {
		at := w.nearestOf(e.Pos(), target)
		best = at.Add(e.Pos().Sub(at).Scale(off))
	}
	try := func(x, y int32) {
		p := grid.Pos{X: int32(target.foot.X)<<grid.TileShift + x, Y: int32(target.foot.Y)<<grid.TileShift + y}
		way := own.to(p)
		if bestWay >= 0 && way >= bestWay || !w.m.InPos(p) || !w.teams[e.team].ground.OpenAt(p.Tile(), w.body(e)) {
			return
		}
		for _, q := range taken {
			if p.Within(q, clash) {
				return
			}
		}
		best, bestWay = p, way
	}
	wide, high := int32(own.t.FootW)<<grid.TileShift, int32(own.t.FootH)<<grid.TileShift
	for x := int32(apart) / 2; x < wide; x += int32(apart) {
		try(x, -int32(off))
		try(x, high+int32(off)-1)
	}
	for y := int32(apart) / 2; y < high; y += int32(apart) {
		try(-int32(off), y)
		try(wide+int32(off)-1, y)
	}
	return w.m.Clamp(best)
}

// exchange lets two units that are on their way to a structure exchange their places if
// that shortens the longer of their ways. So the units in front go round and leave the near
// places to the units behind, and no unit has to get past another.
func (w *World) exchange(e, o *Entity, own wallWay) {
	other := wallWay{own.t, own.foot, o.Pos()}
	a, b := e.mv.hub, o.mv.hub
	if max(own.to(b), other.to(a))+exchangeMin > max(own.to(a), other.to(b)) {
		return
	}
	for _, u := range [...]struct {
		e  *Entity
		to grid.Pos
	}{{e, b}, {o, a}} {
		brief := u.e.mv.brief
		w.goTo(u.e, u.to, u.to, u.e.mv.near, 0)
		u.e.mv.brief = brief
	}
}

// wallWay measures the ways of a unit to places around a footprint: straight to the
// wall, and along it.
type wallWay struct {
	t    *rules.Type
	foot grid.Tile
	from grid.Pos
}

// to returns the length of the way to a place at the wall.
func (a wallWay) to(p grid.Pos) int32 {
	at := rectPoint(a.t, a.foot, a.from)
	round := 2 * (int32(a.t.FootW) + int32(a.t.FootH)) << grid.TileShift
	d := a.along(at) - a.along(rectPoint(a.t, a.foot, p))
	d = max(d, -d)
	return int32(roughLen(a.from.Sub(at))) + min(d, round-d)
}

// along returns how far, clockwise along the wall from its north-western corner, a
// point of the wall lies.
func (a wallWay) along(p grid.Pos) int32 {
	wide, high := int32(a.t.FootW)<<grid.TileShift-1, int32(a.t.FootH)<<grid.TileShift-1
	x, y := p.X-int32(a.foot.X)<<grid.TileShift, p.Y-int32(a.foot.Y)<<grid.TileShift
	switch {
	case y <= 0:
		return x
	case x >= wide:
		return wide + y
	case y >= high:
		return wide + high + wide - x
	}
	return 2*(wide+high) - y
}

// passesBy reports whether e passes a structure within reach, on the way to its place
// there. It stops at its place and not before, where it would take the place of another
// unit.
func (w *World) passesBy(e, target *Entity) bool {
	m := &e.mv
	if target.class != rules.ClassStructure || !m.going || len(m.path) == 0 || m.stalled >= lookEvery {
		return false
	}
	reach := w.rangeOf(e, &w.rules.Weapons[w.WeaponOf(e, e.lead())])
	return reach < grid.WUPerTile && w.gap(m.hub, target) <= reach
}
