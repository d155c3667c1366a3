package view

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// The bits of Unit.Flags, as on the wire.
const (
	FlagCloaked   = 1
	FlagDeployed  = 4
	FlagSprinting = 8
	FlagBurning   = 16
	FlagCarrying  = 32
	FlagBuilding  = 64
	FlagRaging    = 128
)

var abilityFlags = map[string]uint32{
	"deploy": FlagDeployed, "sprint": FlagSprinting, "burn": FlagBurning, "rage": FlagRaging,
}

// Speeds returns the full speed of each type, as clients are told it.
func Speeds(w *sim.World) []int32 {
	out := make([]int32, len(w.Rules().Types))
	for i := range out {
		out[i] = w.Speed(uint16(i))
	}
	return out
}

// Scene is the part of a tick's views that does not depend on who looks: each
// entity is worked out once, not once a team. It holds all there is, so only
// builders of this package read it.
type Scene struct {
	full   []int32
	flags  []uint32                   // by ability
	hold   []grid.Ticks               // by type: the slowest weapon's time between shots, and some
	actors [grid.SlotsMax + 1][]actor // by slot (the last: nobody's) and the slot's counter
	action []sim.Action
}

// actor is an entity as a builder needs it. What a team may not know of it is
// left out when the team's view is built.
type actor struct {
	unit    Unit // without what is a team's: handle, entered, burst
	team    grid.Team
	carries bool // it carries the sight of its team
	armed   bool
	busy    bool // own or production have something to tell
	makes   bool
	shots   uint16     // it ever fired
	request uint32     // its owner's own id for it, 0: none
	hold    grid.Ticks // it fires on if the next shot comes within that time

	own        OwnUnit
	production Production
}

// NewScene returns a scene for w's match.
func NewScene(w *sim.World) *Scene {
	sc := &Scene{full: Speeds(w)}
	for i := range w.Rules().Abilities {
		sc.flags = append(sc.flags, abilityFlags[w.Rules().Abilities[i].Kind])
	}
	for _, t := range w.Rules().Types {
		slowest := grid.Ticks(0)
		for _, x := range t.Weapons {
			slowest = max(slowest, w.WeaponTicks(x))
		}
		sc.hold = append(sc.hold, slowest+slowest/4+2)
	}
	return sc
}

// Prepare takes in w's tick.
func (sc *Scene) Prepare(w *sim.World) {
	types := w.Rules().Types
	for _, e := range w.Entities() {
		id := e.ID()
		row := &sc.actors[min(int(id.Slot()), grid.SlotsMax)]
		for int(id.Counter()) >= len(*row) {
			*row = append(*row, actor{})
		}
		a := &(*row)[id.Counter()]
		t := &types[e.Type()]
		hp, _ := e.Health()
		vx, vy := e.Vel()
		full := sc.full[e.Type()]
		a.unit = Unit{
			Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(), Vel: Velocity{vx, vy}, Full: full, Facing: e.Facing(),
			Exact: full == 0, Missing: max(0, t.Health-hp), Flags: sc.flagsOf(t, e), Amount: amountOf(w, e),
		}
		a.request = e.Request()
		a.team, a.carries = e.Team(), e.Class() != sim.ClassProjectile
		a.shots, a.hold, a.armed = 0, sc.hold[e.Type()], len(t.Weapons) > 0
		for i := range t.Weapons {
			n, _ := e.Shots(i)
			a.shots += n
		}
		if e.Team() != grid.NoTeam {
			sc.private(w, t, e, a)
		}
	}
}

func (sc *Scene) actor(id grid.EntityID) *actor {
	return &sc.actors[min(int(id.Slot()), grid.SlotsMax)][id.Counter()]
}

func (sc *Scene) flagsOf(t *sim.UnitType, e *sim.Entity) uint32 {
	f := uint32(0)
	if e.Cloaked() {
		f |= FlagCloaked
	}
	if !e.Built() {
		f |= FlagBuilding
	}
	if t.Carry > 0 {
		if _, n := e.Carrying(); n > 0 {
			f |= FlagCarrying
		}
	}
	if len(t.Abilities) > 0 {
		sc.action = e.Actions(sc.action[:0], t)
		for i := range sc.action {
			if a := &sc.action[i]; a.On {
				f |= sc.flags[a.Ability]
			}
		}
	}
	return f
}

// buildSteps is in how many steps the progress of a building is told.
const buildSteps = 16

func amountOf(w *sim.World, e *sim.Entity) uint32 {
	switch {
	case e.Class() == sim.ClassResource:
		return uint32(max(0, e.Stock()))
	case !e.Built():
		done, total := w.Raised(e)
		step := uint32(done) * buildSteps / uint32(max(1, total))
		return min(255, step*256/buildSteps)
	}
	return 0
}

// private works out what only the owner may know.
func (sc *Scene) private(w *sim.World, t *sim.UnitType, e *sim.Entity, a *actor) {
	a.busy, a.makes = false, false
	if p, ok := w.Production(e); ok {
		a.busy, a.makes = true, true
		a.production = Production{Types: p.Queue, HasRally: p.HasRally, Rally: p.Rally}
		if p.Total > 0 {
			a.production.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
		}
		return
	}
	if e.Class() != sim.ClassUnit {
		return
	}
	a.own = OwnUnit{Energy: uint32(max(0, e.Energy())) / 1000, ReadyAt: a.own.ReadyAt[:0]}
	if r, ok := e.Running(); ok {
		a.own.Doing = uint8(r.Kind)
		if r.Target == 0 && r.Kind != orders.Stop && r.Kind != orders.Hold {
			a.own.HasTo, a.own.To = true, r.Point
		}
	}
	if len(t.Abilities) > 0 {
		for i := range sc.action { // of this entity: flagsOf was the last to ask
			ready := sc.action[i].Ready
			if ready <= w.Tick() {
				ready = 0
			}
			a.own.ReadyAt = append(a.own.ReadyAt, ready)
		}
	}
	a.busy = a.own.Doing != 0 || a.own.Energy != 0 || len(a.own.ReadyAt) > 0
}
