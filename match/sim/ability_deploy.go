package sim

// deploy roots a unit and swaps its first weapon for "weapon" until it packs
// up again.
type deploy struct{}

var _ = register("deploy", deploy{})

func (deploy) info() abilityInfo { return abilityInfo{lasting: true, rooted: true} }

func (deploy) start(w *World, e *Entity, i int) {
	def, _ := w.def(e, i)
	e.weaponSwap = def.Weapon
	e.mv.halt()
	e.arms[0].wind = 0
}

func (deploy) tick(*World, *Entity, int) {}

func (deploy) stop(_ *World, e *Entity, _ int) {
	e.weaponSwap = -1
	e.arms[0].wind = 0
}
