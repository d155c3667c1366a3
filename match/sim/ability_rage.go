package sim

// rage answers damage: a unit whose health falls under "threshold" percent
// does "percent" of its damage for a while. No order starts it.
type rage struct{}

var _ = register("rage", rage{})

func (rage) info() abilityInfo { return abilityInfo{passive: true} }

func (rage) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.damagePct = def.Percent
}

func (rage) tick(*World, *Entity, int) {}

func (rage) stop(_ *World, e *Entity, _ int) { e.damagePct = 100 }

func (rage) hurt(w *World, e *Entity, i int, _ int32) {
	def, _ := w.def(e, i)
	if int64(e.hp)*100 < int64(w.rules.Types[e.typ].Health)*int64(def.Threshold) {
		w.start(e, i, 0, e.Pos(), nil) // refused while it is on or cooling down
	}
}
