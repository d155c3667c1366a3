package sim

// cloak hides a unit from all but detectors while its energy lasts. Firing
// ends it.
type cloak struct{}

var _ = register("cloak", cloak{})

func (cloak) info() abilityInfo { return abilityInfo{lasting: true} }

func (cloak) start(_ *World, e *Entity, _ int) { e.cloaked = true }

func (cloak) tick(w *World, e *Entity, i int) {
	if e.lastShot != 0 && e.lastShot+1 >= w.tick {
		w.stop(e, i)
	}
}

func (cloak) stop(_ *World, e *Entity, _ int) { e.cloaked = false }
