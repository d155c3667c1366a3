package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// Phases of a build task.
const (
	buildWalk = iota
	buildRaise
)

// build is the task of building a structure: walk there, place it, and work on it until it
// is finished. The builder checks the real ground only on arrival. A failed placement is
// the first sign to the team of an obstacle that it could not know.
func (w *World) build(e *Entity, t *task) {
	w.disarm(e)
	if t.target != 0 {
		w.raise(e, t)
		return
	}
	typ := &w.rules.Types[t.typ]
	foot := footOf(typ, t.point)
	site := rectPoint(typ, foot, e.Pos())
	reach := w.rules.Settings.BuildRange + w.rules.Types[e.typ].Radius
	if !e.Pos().Within(site, reach) {
		w.walkTo(e, t, site, reach)
		return
	}
	if typ.Feature.Mine == nil && w.inside(e, typ, foot) { // a unit does not build on itself: step out first
		out := w.sideways(e, typ, foot)
		if t.phase != buildWalk || !e.mv.going {
			w.goTo(e, out, out, arriveDist, 0)
		}
		return
	}
	if code := w.placeNow(e, t, typ, foot); code == orders.Stuck && w.tick-t.start < 4*grid.Tick(w.rt.giveUp) {
		return // it waits for them to leave
	} else if code != orders.OK {
		w.fail(e, code)
	}
}

// placeNow places the structure if the real ground allows it. If own units are in the way,
// it asks them to leave and returns Stuck.
func (w *World) placeNow(e *Entity, t *task, typ *rules.Type, foot grid.Tile) orders.Reject {
	p := &w.players[e.slot]
	if code := w.canMake(p, t.typ); code != orders.OK {
		return code
	}
	blocked := false
	for dy := range int16(typ.FootH) {
		for dx := range int16(typ.FootW) {
			at := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			if !w.m.Passable(at, grid.Ground) {
				return orders.Blocked
			}
			if i := w.m.Index(at); w.solid[i] != 0 {
				blocked = true
				w.teams[e.team].touch(w, i)
			}
		}
	}
	if blocked {
		return orders.Blocked
	}
	if in := w.unitsOn(typ, foot, e); in != orders.OK && typ.Feature.Mine == nil {
		return in
	}
	p.pay(typ.Cost, 1)
	w.clearWrecks(typ, foot)
	s := w.spawn(e.slot, t.typ, middleOf(typ, foot), true)
	t.target, t.phase = s.id, buildRaise
	e.mv.halt()
	return orders.OK
}

// unitsOn asks own units on a site to leave. It returns OK if no unit is there,
// Stuck if own units are, and Blocked if others are.
func (w *World) unitsOn(typ *rules.Type, foot grid.Tile, builder *Entity) orders.Reject {
	code := orders.OK
	mid := middleOf(typ, foot)
	span := grid.Dist(max(typ.FootW, typ.FootH)) * grid.WUPerTile
	w.foes = w.near.units(w.foes[:0], mid, span)
	for _, o := range w.foes {
		if o == builder || o.dying || o.class != rules.ClassUnit || w.rules.Types[o.typ].Move == grid.Air || !w.inside(o, typ, foot) {
			continue
		}
		if o.team != builder.team {
			return orders.Blocked
		}
		code = orders.Stuck
		if !o.mv.going {
			if away := o.Pos().Sub(mid); away != (grid.Vec{}) {
				o.shove = away
			} else {
				o.shove = grid.Vec{X: 1}
			}
		}
	}
	return code
}

// raise works on a structure that stands unfinished.
func (w *World) raise(e *Entity, t *task) {
	s := w.find(t.target)
	if s == nil || s.dying {
		w.fail(e, orders.Interrupted)
		return
	}
	if !s.unbuilt {
		w.next(e)
		return
	}
	reach := w.rules.Settings.BuildRange + w.rules.Types[e.typ].Radius
	if site := w.nearestOf(e.Pos(), s); !e.Pos().Within(site, reach) {
		w.walkTo(e, t, site, reach)
		return
	}
	e.mv.halt()
	e.face = e.face.Turn(grid.FacingOf(s.Pos().Sub(e.Pos())), w.rt.types[e.typ].turn)
	typ := &w.rules.Types[s.typ]
	total := int32(w.rt.types[s.typ].build)
	before := raisedHealth(typ.Health, s.raised, total)
	s.raised++
	w.setHealth(s, s.hp+raisedHealth(typ.Health, s.raised, total)-before)
	if s.raised < total {
		return
	}
	s.unbuilt = false
	w.count(s, 1)
	w.players[s.slot].products++
	w.refocused = append(w.refocused, s)
	w.tell(eventOf(EventBuilt, s))
	w.next(e)
}

// raisedHealth is the health for the work done so far: a tenth at the start, full health at
// the end.
func raisedHealth(health, raised, total int32) int32 {
	first := max(1, health/10)
	return first + int32(int64(health-first)*int64(min(raised, total))/int64(max(total, 1)))
}

// walkTo goes to a place for a task; it fails the task if it cannot.
func (w *World) walkTo(e *Entity, t *task, at grid.Pos, near grid.Dist) {
	if e.mv.going {
		return
	}
	if t.phase >= walkTries {
		w.fail(e, orders.Unreachable)
		return
	}
	t.phase++
	w.goTo(e, at, at, max(near-arriveDist, arriveDist), 0)
}

// walkTries is how often a task may set out anew before it is given up.
const walkTries = 4

// inside reports whether a unit's body touches a footprint.
func (w *World) inside(e *Entity, t *rules.Type, foot grid.Tile) bool {
	r := int32(w.rules.Types[e.typ].Radius) / 2
	p := e.Pos()
	x0, y0 := int32(foot.X)<<grid.TileShift-r, int32(foot.Y)<<grid.TileShift-r
	return p.X >= x0 && p.Y >= y0 && p.X < x0+2*r+int32(t.FootW)<<grid.TileShift && p.Y < y0+2*r+int32(t.FootH)<<grid.TileShift
}

// rectPoint returns the point of a footprint nearest to p.
func rectPoint(t *rules.Type, foot grid.Tile, p grid.Pos) grid.Pos {
	x0, y0 := int32(foot.X)<<grid.TileShift, int32(foot.Y)<<grid.TileShift
	return grid.Pos{
		X: max(x0, min(p.X, x0+int32(t.FootW)<<grid.TileShift-1)),
		Y: max(y0, min(p.Y, y0+int32(t.FootH)<<grid.TileShift-1)),
	}
}

// sideways returns ground beside a footprint, nearest to e, that is open as
// far as e's team knows.
func (w *World) sideways(e *Entity, t *rules.Type, foot grid.Tile) grid.Pos {
	best, found := e.Pos(), false
	for dy := int16(-1); dy <= int16(t.FootH); dy++ {
		for dx := int16(-1); dx <= int16(t.FootW); dx++ {
			if dx >= 0 && dy >= 0 && dx < int16(t.FootW) && dy < int16(t.FootH) {
				continue
			}
			at := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			if w.teams[e.team].ground.OpenAt(at, w.body(e)) &&
				(!found || at.Center().Sub(e.Pos()).Len2() < best.Sub(e.Pos()).Len2()) {
				best, found = at.Center(), true
			}
		}
	}
	return best
}

// siteKnownFree reports whether, as far as the team knows, a structure of the
// type can stand there: on land, with no structure it knows of and no resource
// place on it.
func (w *World) siteKnownFree(k *Knowledge, typ uint16, foot grid.Tile) bool {
	t := &w.rules.Types[typ]
	for dy := range int16(t.FootH) {
		for dx := range int16(t.FootW) {
			at := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			if !w.m.Passable(at, grid.Ground) || k.ground.Blocked(w.m.Index(at)) || w.places[w.m.Index(at)] {
				return false
			}
		}
	}
	return w.atShore(t, foot)
}

// atShore reports whether a structure may stand there as far as water goes: some stand beside water only.
func (w *World) atShore(t *rules.Type, foot grid.Tile) bool {
	for dy := int16(-1); t.Shore && dy <= int16(t.FootH); dy++ {
		for dx := int16(-1); dx <= int16(t.FootW); dx++ {
			if at := (grid.Tile{X: foot.X + dx, Y: foot.Y + dy}); w.m.In(at) && w.m.Passable(at, grid.Naval) {
				return true
			}
		}
	}
	return !t.Shore
}
