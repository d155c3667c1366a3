package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// ability is the code behind a kind of ability. A new one is a type with these methods and
// a row in abilities, and an entry in a ruleset that names the kind.
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

// abilityInfo holds the facts about a kind that orders and the interface need.
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

// abilityAt returns where among e's abilities the ruleset's ability a is, or
// -1.
func (w *World) abilityAt(e *Entity, a uint8) int {
	return slices.Index(w.rules.Types[e.typ].Abilities, a)
}

// def returns the ruleset's entry of e's i-th ability, and its times.
func (w *World) def(e *Entity, i int) (*rules.Ability, *abilityRate) {
	a := w.rules.Types[e.typ].Abilities[i]
	return &w.rules.Abilities[a], &w.rt.abilities[a]
}

// Grant says whether a unit may use one of its abilities, and why. The values equal
// those on the wire.
type Grant uint8

// The grants.
const (
	GrantedByType     Grant = iota // its type has the ability, without needs
	GrantedByNeeds                 // its player has finished what the ability needs
	GrantedToUnit                  // to this unit alone, regardless of the ability's needs
	LacksNeeds                     // not: its player lacks what the ability needs
	DeniedToUnit                   // not: it was denied to this unit alone
	UnderConstruction              // not: the structure is not finished
)

// Allows reports whether the unit may use the ability.
func (g Grant) Allows() bool { return g < LacksNeeds }

// single holds the grants of one unit apart from its type.
type single uint8

const (
	byRules single = iota
	granted
	denied
)

// grantSingly grants an ability to one unit, denies it, or leaves it to the rules again. An
// ability that is denied while it runs stops in the next work phase. It reports false if
// the unit's type does not have the ability. The ruleset's start and game modes use it.
func (w *World) grantSingly(e *Entity, ability uint8, how single) bool {
	i := w.abilityAt(e, ability)
	if i < 0 {
		return false
	}
	e.acts[i].single = how
	return true
}

// grantOf returns whether e may use its i-th ability now, and why.
func (w *World) grantOf(e *Entity, i int) Grant {
	def, _ := w.def(e, i)
	switch {
	case e.unbuilt:
		return UnderConstruction
	case e.acts[i].single == granted:
		return GrantedToUnit
	case e.acts[i].single == denied:
		return DeniedToUnit
	case len(def.Needs) == 0 || int(e.slot) >= len(w.players):
		return GrantedByType
	case w.players[e.slot].hasAll(def.Needs):
		return GrantedByNeeds
	}
	return LacksNeeds
}

// start begins e's i-th ability, if it is still allowed: the world may have changed since
// the order was accepted. An ability for a unit target aims at target, which the team sees:
// stillMay and loseTargets ensure this.
func (w *World) start(e *Entity, i int, request uint32, point grid.Pos, target *Entity) orders.Reject {
	def, rate := w.def(e, i)
	s := &e.acts[i]
	switch {
	case !w.grantOf(e, i).Allows():
		return orders.NotGranted
	case s.on || w.tick < s.ready:
		return orders.CoolingDown
	case !w.canSpend(e, def):
		return orders.Unaffordable
	}
	s.target = 0
	if rate.kind.info().aim == orders.AimUnit {
		if target == nil {
			return orders.BadTarget
		}
		s.target = target.id
	}
	w.spend(e, def)
	s.on, s.request, s.start = true, request, w.tick
	s.point, s.next = point, w.tick
	s.end = 0
	if rate.duration > 0 {
		s.end = w.tick + grid.Tick(rate.duration)
	}
	w.tellAction(e, i, true)
	rate.kind.start(w, e, i)
	if rate.duration == 0 && !rate.kind.info().lasting {
		w.stop(e, i)
	}
	return orders.OK
}

// canTarget reports whether an ability may be aimed at something of a type that
// stands so to its user. It works on units.
func (w *World) canTarget(def *rules.Ability, typ uint16, r orders.Relation) bool {
	of := rules.Targets(0)
	switch r {
	case orders.Own, orders.Ally:
		of = rules.TargetsFriends
	case orders.Enemy:
		of = rules.TargetsEnemies
	}
	return def.Targets&of != 0 && int(typ) < len(w.rules.Types) && w.rules.Types[typ].Class == rules.ClassUnit
}

// stop ends e's i-th ability; its cooldown begins.
func (w *World) stop(e *Entity, i int) {
	s := &e.acts[i]
	if !s.on {
		return
	}
	_, rate := w.def(e, i)
	s.on, s.start, s.end = false, w.tick, 0
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
	for i := range w.rules.Types[e.typ].Abilities {
		s := &e.acts[i]
		if !s.on {
			continue
		}
		_, rate := w.def(e, i)
		if s.end != 0 && w.tick >= s.end || e.energy < rate.drain || !w.grantOf(e, i).Allows() {
			w.stop(e, i)
			continue
		}
		e.energy -= rate.drain
		rate.kind.tick(w, e, i)
	}
}

// rooted reports whether an ability that is on keeps e where it is.
func (w *World) rooted(e *Entity) bool {
	if !w.rt.types[e.typ].roots {
		return false
	}
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
			e.acts[i].on, e.acts[i].start, e.cloaked = true, w.tick, true
		}
	}
}
