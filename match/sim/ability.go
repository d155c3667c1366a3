package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// ability is the code behind a kind of ability. A new one is one file with a
// type that has these methods and one call of register, and an entry in a
// ruleset that names the kind.
//
// i is the ability's place among its unit's, and e.acts[i] its state. The
// methods may change e, make sources and deal damage through [World.hurt];
// they are called in the work phase, in the order of entities.
type ability interface {
	info() abilityInfo
	// start runs when the ability begins: its cost is paid, its state is on.
	start(w *World, e *Entity, i int)
	// tick runs each tick while it is on.
	tick(w *World, e *Entity, i int)
	// stop runs when it ends, by itself, by order or by death.
	stop(w *World, e *Entity, i int)
}

// abilityInfo is what orders and the interface need to know of a kind.
type abilityInfo struct {
	aim     orders.TargetMode
	lasting bool // it stays on and can be stopped by order
	passive bool // no order starts it
	rooted  bool // its unit cannot walk while it is on
}

// reacting is an ability that hears of damage to its unit.
type reacting interface {
	hurt(w *World, e *Entity, i int, amount int32)
}

// abilities has the code of each kind in the ruleset's list of kinds. Each
// ability's file adds its own.
var abilities = map[string]ability{}

// register adds the code of a kind of ability. It returns a value so that a file
// can call it where it declares the kind.
func register(kind string, code ability) bool {
	abilities[kind] = code
	return true
}

// abilityAt returns where among e's abilities the ruleset's ability a is, or
// -1.
func (w *World) abilityAt(e *Entity, a uint8) int {
	for i, x := range w.rules.Types[e.typ].Abilities {
		if x == a {
			return i
		}
	}
	return -1
}

// def returns the ruleset's entry of e's i-th ability, and its times.
func (w *World) def(e *Entity, i int) (*rules.Ability, *abilityRate) {
	a := w.rules.Types[e.typ].Abilities[i]
	return &w.rules.Abilities[a], &w.rt.abilities[a]
}

// granted reports whether e may use its i-th ability now. Only the rules decide
// that: an ability is granted while its player has what it needs.
func (w *World) granted(e *Entity, i int) bool {
	def, _ := w.def(e, i)
	return int(e.slot) >= len(w.players) || w.players[e.slot].hasAll(def.Needs)
}

// start begins e's i-th ability, if it is still allowed: the world may have changed
// since the order was accepted.
func (w *World) start(e *Entity, i int, request uint32, point grid.Pos) orders.Reject {
	def, rate := w.def(e, i)
	s := &e.acts[i]
	switch {
	case !w.granted(e, i):
		return orders.NotGranted
	case s.on || w.tick < s.ready:
		return orders.CoolingDown
	case e.energy < def.Energy:
		return orders.Unaffordable
	}
	if def.Energy > 0 {
		e.energy, e.energySpent = e.energy-def.Energy, e.energySpent+1
	}
	s.on, s.request, s.since, s.starts = true, request, w.tick, s.starts+1
	s.point, s.next = point, w.tick
	s.until = 0
	if rate.duration > 0 {
		s.until = w.tick + grid.Tick(rate.duration)
	}
	w.tellAction(e, i, true)
	rate.kind.start(w, e, i)
	if rate.duration == 0 && !rate.kind.info().lasting {
		w.stop(e, i)
	}
	return orders.OK
}

// stop ends e's i-th ability; its cooldown begins.
func (w *World) stop(e *Entity, i int) {
	s := &e.acts[i]
	if !s.on {
		return
	}
	_, rate := w.def(e, i)
	s.on, s.since, s.until = false, w.tick, 0
	s.ready = w.tick + grid.Tick(rate.cooldown)
	rate.kind.stop(w, e, i)
	w.tellAction(e, i, false)
}

func (w *World) tellAction(e *Entity, i int, on bool) {
	ev := eventOf(EventAction, e)
	ev.What, ev.On, ev.Req = w.rules.Types[e.typ].Abilities[i], on, e.acts[i].request
	w.tell(ev)
}

// runAbilities lets e's abilities work for one tick.
func (w *World) runAbilities(e *Entity) {
	t := &w.rules.Types[e.typ]
	if t.EnergyMax > 0 && !e.unbuilt {
		e.energy = min(t.EnergyMax, e.energy+w.rt.types[e.typ].regen)
	}
	for i := range t.Abilities {
		s := &e.acts[i]
		if !s.on {
			continue
		}
		_, rate := w.def(e, i)
		if s.until != 0 && w.tick >= s.until || e.energy < rate.drain || !w.granted(e, i) {
			w.stop(e, i)
			continue
		}
		e.energy -= rate.drain
		rate.kind.tick(w, e, i)
	}
}

// rooted reports whether an ability that is on keeps e where it is.
func (w *World) rooted(e *Entity) bool {
	for i := range w.rules.Types[e.typ].Abilities {
		if _, rate := w.def(e, i); e.acts[i].on && rate.kind.info().rooted {
			return true
		}
	}
	return false
}

// startCloaked turns the cloak of a new unit on without cost.
func (w *World) startCloaked(e *Entity) {
	for i := range w.rules.Types[e.typ].Abilities {
		if def, _ := w.def(e, i); def.Kind == "cloak" {
			e.acts[i].on, e.acts[i].since, e.cloaked = true, w.tick, true
		}
	}
}
