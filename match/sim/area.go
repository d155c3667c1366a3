package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// area lays a lasting circle of ground, which puts "effect" on the "targets" within "radius" at every "every" for
// "duration". The circle is an entity of the projectile type "look" that does not fly: other teams see it where they see the
// tile of its middle. It outlasts its caster, who lays no other meanwhile.
type area struct{ idle }

func (area) info() abilityInfo { return abilityInfo{aim: orders.AimGround} }

func (area) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	w.spawn(e.slot, uint16(def.Look), e.acts[i].point, false).shot.by = e.id
}

// AreaOf returns the ability that lays areas of a type; nil: the type is no area.
func (w *World) AreaOf(typ uint16) *rules.Ability {
	if n := w.rt.types[typ].area; n > 0 {
		return &w.rules.Abilities[n-1]
	}
	return nil
}

// workArea lets an area work for one tick. It works on units that its team does not see, too.
func (w *World) workArea(e *Entity, def *rules.Ability) {
	rate := &w.rt.abilities[w.rt.types[e.typ].area-1]
	age := w.tick - e.birth
	if age > grid.Tick(rate.duration) {
		w.kill(e)
		return
	}
	if (age-1)%grid.Tick(rate.every) != 0 {
		return
	}
	w.foes = w.near.targets(w.foes[:0], e.Pos(), def.Radius+grid.WUPerTile)
	for _, v := range w.foes {
		of := rules.TargetsEnemies
		if v.team == e.team {
			of = rules.TargetsFriends
		}
		if v.team != grid.NoTeam && def.Targets&of != 0 && w.gapWithin(e.Pos(), v, 0, def.Radius) {
			w.addEffect(v, uint8(def.Effect), e.slot, e.shot.by)
		}
	}
}
