package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// abilities has the code of each kind in the ruleset's list of kinds.
var abilities = map[string]ability{
	"apply": apply{}, "area": area{}, "burn": burn{}, "cloak": cloak{}, "deploy": deploy{}, "rage": rage{}, "scan": scan{}, "script": scripted{}, "sprint": sprint{},
}

// idle is the part of an ability that does nothing.
type idle struct{}

func (idle) tick(*World, *Entity, int) {}

func (idle) stop(*World, *Entity, int) {}

// apply puts "effect" on a unit that the team sees within "range": one of the
// "targets" that the ruleset names.
type apply struct{ idle }

func (apply) info() abilityInfo { return abilityInfo{aim: orders.AimUnit} }

func (apply) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	w.addEffect(w.find(e.acts[i].target), uint8(def.Effect), e.slot, e.id)
}

// burn sets a circle of ground on fire. It deals "damage" at every "every" to all
// that stands within "radius". The caster is free to move. If it dies the fire goes
// out.
type burn struct{ idle }

func (burn) info() abilityInfo {
	return abilityInfo{aim: orders.AimGround, lasting: true}
}

func (burn) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	ev := eventOf(EventArea, e)
	ev.What, ev.At, ev.Radius, ev.Until = w.rules.Types[e.typ].Abilities[i], e.acts[i].point, def.Radius, e.acts[i].end
	ev.On, ev.Source = true, 0
	w.tell(ev)
}

func (burn) tick(w *World, e *Entity, i int) {
	s := &e.acts[i]
	if w.tick < s.next {
		return
	}
	def, rate := w.def(e, i)
	s.next = w.tick + grid.Tick(rate.every)
	w.hurtArea(s.point, def.Radius, harm{by: e.id, slot: e.slot, team: e.team, amount: def.Damage, weapon: NoWeapon}, 100, true)
}

// cloak hides a unit from all but detectors while its energy lasts. Firing
// ends it.
type cloak struct{}

func (cloak) info() abilityInfo { return abilityInfo{lasting: true} }

func (cloak) start(_ *World, e *Entity, _ int) { e.cloaked = true }

func (cloak) tick(w *World, e *Entity, i int) {
	if e.lastShot != 0 && e.lastShot+1 >= w.tick {
		w.stop(e, i)
	}
}

func (cloak) stop(_ *World, e *Entity, _ int) { e.cloaked = false }

// deploy roots a unit and swaps its first weapon for "weapon" until it packs
// up again.
type deploy struct{ idle }

func (deploy) info() abilityInfo { return abilityInfo{lasting: true, rooted: true} }

func (deploy) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.weaponSwap = def.Weapon
	e.mv.halt()
	e.arms[0].wind = 0
}

func (deploy) stop(_ *World, e *Entity, _ int) {
	e.weaponSwap = -1
	e.arms[0].wind = 0
}

// rage answers damage: a unit whose health falls under "threshold" percent
// does "percent" of its damage for a while. No order starts it.
type rage struct{ idle }

func (rage) info() abilityInfo { return abilityInfo{passive: true} }

func (rage) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.damagePct = def.Percent
}

func (rage) stop(_ *World, e *Entity, _ int) { e.damagePct = 100 }

func (rage) hurt(w *World, e *Entity, i int, _ int32) {
	def, _ := w.def(e, i)
	if most, _, _ := w.Most(e); int64(e.hp)*100 < int64(most)*int64(def.Threshold) {
		w.start(e, i, 0, e.Pos(), nil) // refused while it is on or cooling down
	}
}

// scan shows a circle of the map to the team for a while, as seen from above:
// "sight" across, with detection if "detect". It ends by itself.
type scan struct{ idle }

func (scan) info() abilityInfo { return abilityInfo{aim: orders.AimGround} }

func (scan) start(w *World, e *Entity, i int) {
	def, rate := w.def(e, i)
	src := visibility.Source{
		Tile: e.acts[i].point.Tile(), Radius: visibility.Radius(def.Sight), Flyer: true,
		Until: w.tick + grid.Tick(max(1, rate.duration)),
	}
	if def.Detect {
		src.Detect = src.Radius
	}
	w.eyes.Add(e.team, src)
}

// sprint makes a unit faster for a while: "percent" of its speed.
type sprint struct{ idle }

func (sprint) info() abilityInfo { return abilityInfo{lasting: true} }

func (sprint) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.speedPct = def.Percent
}

func (sprint) stop(_ *World, e *Entity, _ int) { e.speedPct = 100 }
