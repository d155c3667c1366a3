package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// burn sets a circle of ground on fire. It deals "damage" at every "every" to all
// that stands within "radius". The caster is free to move. If it dies the fire goes
// out.
type burn struct{}

var _ = register("burn", burn{})

func (burn) info() abilityInfo {
	return abilityInfo{aim: orders.AimGround, lasting: true}
}

func (burn) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	ev := eventOf(EventArea, e)
	ev.What, ev.At, ev.Radius, ev.Until = w.rules.Types[e.typ].Abilities[i], e.acts[i].point, def.Radius, e.acts[i].until
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

func (burn) stop(*World, *Entity, int) {}
