package sim

import "github.com/fogkeep/fogkeep/orders"

// apply puts "effect" on a unit that the team sees within "range": one of the
// "targets" that the ruleset names.
type apply struct{}

var _ = register("apply", apply{})

func (apply) info() abilityInfo { return abilityInfo{aim: orders.AimUnit} }

func (apply) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	w.addEffect(w.find(e.acts[i].target), uint8(def.Effect), e.slot, e.id)
}

func (apply) tick(*World, *Entity, int) {}

func (apply) stop(*World, *Entity, int) {}
