package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A mine is a cloaked structure: other teams see it only where they detect. It is not in the way of units and sites, so neither a
// path nor a refusal tells of it. The paths of a team lead around the foes' mines that the team knows. A mine that goes off
// is cloaked no more, so all teams that see its place see its end.

// isMine reports whether structures of the type are mines.
func (w *World) isMine(typ uint16) bool { return w.rules.Types[typ].Feature.Mine != nil }

// runMines arms the mines that are ready, and sets off the armed mines that foes come onto.
func (w *World) runMines() {
	for i := range w.features {
		f := &w.features[i]
		e := w.find(f.id)
		if e == nil || e.dying || e.unbuilt || !w.isMine(e.typ) {
			continue
		}
		switch {
		case f.end == 0:
			f.end = w.tick + grid.Tick(w.rt.types[e.typ].hold)
		case w.tick < f.end:
		case e.stock == 0:
			e.stock = 1
		case w.setsOff(e):
			w.detonate(e)
		}
	}
}

// setsOff reports whether a foe that the mine's team sees is on the mine, or a structure stands on it.
func (w *World) setsOff(e *Entity) bool {
	t := &w.rules.Types[e.typ]
	over := false
	w.eachFoot(e.typ, e.foot, func(i int) { over = over || w.owner[i] != 0 })
	w.foes = w.near.foes(w.foes[:0], e.Pos(), grid.Dist(max(t.FootW, t.FootH)+1)*grid.WUPerTile, e.team)
	for _, u := range w.foes {
		over = over || u.class == rules.ClassUnit && !u.dying && w.rules.Types[u.typ].Move != grid.Air && u.Pos() == w.nearestOf(u.Pos(), e)
	}
	return over
}

func (w *World) detonate(e *Entity) {
	x := w.rules.Types[e.typ].Feature.Mine.Weapon
	wp := &w.rules.Weapons[x]
	e.cloaked = false
	w.kill(e)
	ev := eventOf(EventImpact, e)
	ev.What = x
	w.tell(ev)
	h := harm{by: e.id, slot: e.slot, team: e.team, amount: percent(wp.Damage, w.damageOf(e)), weapon: x, level: w.m.Level(e.Tile())}
	w.hurtArea(e.Pos(), wp.Splash, h, wp.SplashEdge, w.rules.Settings.FriendlyFire)
}

// refuted reports whether the team of a ghost sees that the structure is gone: its place is in sight. Sight alone does not
// tell that of a mine. The team has to detect there, or to see the mine go off.
func (w *World) refuted(g *Ghost, t grid.Team) bool {
	if w.isMine(g.Type) {
		return w.eyes.Detected(t, g.At.Tile()) || w.SeenDie(g.id).Has(t)
	}
	typ := &w.rules.Types[g.Type]
	return w.eyes.TeamsSeeingAny(g.Foot, int(typ.FootW), int(typ.FootH)).Has(t)
}
