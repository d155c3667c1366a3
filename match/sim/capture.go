package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// A structure of a capturable type falls to the team that alone has capturing units
// next to it, for the rules' time. The time runs back while no such unit is there, and
// stands still while units of two teams are.

// capture is a structure on its way to another team.
type capture struct {
	id    grid.EntityID
	team  grid.Team
	ticks grid.Ticks // since team began
}

// taken is a structure that changed sides in this step. The team that had it sees
// that, though it no longer sees by it.
type taken struct {
	e    *Entity
	from grid.Team
}

// Captured returns the progress of a structure's capture; total is 0 for a type that cannot
// be captured.
func (w *World) Captured(e *Entity) (done, total grid.Ticks) {
	total = w.rt.types[e.typ].capture
	if total > 0 && !e.unbuilt {
		if i, ok := w.captureAt(e.id); ok {
			done = w.captures[i].ticks
		}
	}
	return done, total
}

func (w *World) captureAt(id grid.EntityID) (int, bool) {
	return slices.BinarySearchFunc(w.captures, id, func(c capture, id grid.EntityID) int { return cmp.Compare(c.id, id) })
}

// runCaptures moves the captures of the tick on. It runs after the removal of the dead: a
// structure that died in this tick has no owner any more.
func (w *World) runCaptures() {
	if !w.rt.captures {
		return
	}
	w.captures = slices.DeleteFunc(w.captures, func(c capture) bool { return w.find(c.id) == nil })
	for _, e := range w.all {
		total := w.rt.types[e.typ].capture
		if total == 0 || e.unbuilt || e.dying {
			continue
		}
		by, several := w.besiegers(e)
		i, runs := w.captureAt(e.id)
		switch {
		case several || by == nil && !runs:
		case by == nil || by.team == e.team: // its own team holds it
			if runs {
				if w.captures[i].ticks--; w.captures[i].ticks <= 0 {
					w.captures = slices.Delete(w.captures, i, i+1)
				}
			}
		case !runs:
			w.captures = slices.Insert(w.captures, i, capture{e.id, by.team, 1})
		case w.captures[i].team != by.team:
			w.captures[i] = capture{e.id, by.team, 1}
		default:
			w.captures[i].ticks++
		}
		if i, runs = w.captureAt(e.id); runs && w.captures[i].ticks >= total {
			w.captures = slices.Delete(w.captures, i, i+1)
			w.setOwner(e, &w.players[by.slot])
		}
	}
}

// besiegers returns the nearest capturing unit next to a structure, and whether units of
// several teams are there. Of several equally near units it returns the unit of the lowest
// slot. A hidden unit does not capture, nor does a unit that does not see the structure.
func (w *World) besiegers(e *Entity) (nearest *Entity, several bool) {
	t := &w.rules.Types[e.typ]
	reach, best := t.CaptureRange, int64(0)
	w.foes = w.near.units(w.foes[:0], e.Pos(), reach+grid.Dist(max(t.FootW, t.FootH)+1)*grid.WUPerTile)
	for _, u := range w.foes {
		if u.class != rules.ClassUnit || !w.rules.Types[u.typ].Captures || u.dying || u.cloaked || !e.viewers.Has(u.team) {
			continue
		}
		d := u.Pos().Sub(w.nearestOf(u.Pos(), e)).Len2()
		if d > int64(reach)*int64(reach) {
			continue
		}
		several = several || nearest != nil && nearest.team != u.team
		if nearest == nil || d < best || d == best && u.slot < nearest.slot {
			nearest, best = u, d
		}
	}
	return nearest, several
}

// changeSides moves an entity's eye to another team, and ends its work for the former team.
// Its unfinished products are lost, and its former owner learns which orders the capture ends.
func (w *World) changeSides(e *Entity, to grid.Team) {
	for i := range e.tasks {
		w.notice(e, &e.tasks[i], orders.NotYours)
	}
	for range e.maker.queue {
		w.out.Notices = append(w.out.Notices, Notice{e.slot, 0, orders.Train, orders.NotYours, e.id})
	}
	w.disembark(e, grid.NoSlot)
	w.sink(e)
	w.unqueueAll(e)
	e.maker = maker{queue: e.maker.queue[:0]}
	w.clearTasks(e)
	for i := range w.rules.Types[e.typ].Abilities {
		if e.acts[i].on {
			w.stop(e, i)
		}
	}
	if e.source != 0 {
		w.eyes.Remove(e.source)
	}
	if e.team != grid.NoTeam {
		w.taken = append(w.taken, taken{e, e.team})
	}
	e.team = to
	w.holdFire(e)
	e.source, e.eyeAt = w.eyes.Add(to, w.sourceOf(e)), e.Tile()
}

// holdFire ends the attacks of an entity's new team on it.
func (w *World) holdFire(e *Entity) {
	for _, u := range w.all {
		if u.team != e.team || u.dying {
			continue
		}
		for i := range u.arms {
			if a := &u.arms[i]; a.target == e.id {
				a.target, a.wind, a.firing, u.alert = 0, 0, false, true
			}
		}
		if len(u.tasks) > 0 && u.tasks[0].kind == orders.Attack && u.tasks[0].target == e.id {
			w.fail(u, orders.TargetLost)
		}
	}
}

// placeLandmarks puts the ruleset's landmarks, which have no owner, around the middle of
// the map, each as near to the middle as there is room, and about as far from all starts.
func (w *World) placeLandmarks() {
	middle := grid.Pos{X: int32(w.m.W) * grid.WUPerTile / 2, Y: int32(w.m.H) * grid.WUPerTile / 2}
	for _, typ := range w.rules.Landmarks {
		foot := footOf(&w.rules.Types[typ], middle)
		if at, ok := w.landmarkFoot(typ, foot); ok {
			w.spawn(grid.NoSlot, typ, middleOf(&w.rules.Types[typ], at), false)
		}
	}
}

// landmarkFoot returns the best footprint with room for a structure and a way around it.
func (w *World) landmarkFoot(typ uint16, foot grid.Tile) (best grid.Tile, ok bool) {
	least := int32(0)
	for ring := int16(0); ring < int16(max(w.m.W, w.m.H)) && (!ok || int32(ring)*int32(ring) <= least); ring++ {
		for at := range foot.Ring(ring) {
			if !w.m.In(at) || !w.footFree(typ, at, 1) || !w.base.Connected(grid.Ground, at, w.m.Starts[w.players[0].start]) {
				continue
			}
			unfair := w.unfair(middleOf(&w.rules.Types[typ], at))
			if cost := at.Dist2(foot) + 4*unfair*unfair; !ok || cost < least {
				best, least, ok = at, cost, true
			}
		}
	}
	return best, ok
}

// unfair returns how much nearer a place is to one player's start than to another's, in tiles.
func (w *World) unfair(at grid.Pos) int32 {
	far := func(p *player) grid.Dist { return w.m.Starts[p.start].Center().Sub(at).Len() }
	least := far(&w.players[0])
	most := least
	for i := range w.players {
		d := far(&w.players[i])
		least, most = min(least, d), max(most, d)
	}
	return int32(most-least) / grid.WUPerTile
}

func (w *World) captureState(a *archive.Archive) {
	if !w.rt.captures {
		return
	}
	archive.List(a, &w.captures, 9, func(c *capture) {
		archive.Word(a, &c.id)
		archive.Octet(a, &c.team)
		archive.Word(a, &c.ticks)
	})
}
