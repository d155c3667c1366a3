package sim

// sprint makes a unit faster for a while: "percent" of its speed.
type sprint struct{}

var _ = register("sprint", sprint{})

func (sprint) info() abilityInfo { return abilityInfo{lasting: true} }

func (sprint) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.speedPct = def.Percent
}

func (sprint) tick(*World, *Entity, int) {}

func (sprint) stop(_ *World, e *Entity, _ int) { e.speedPct = 100 }
