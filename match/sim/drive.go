package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
)

// Driven holds the values that a [Driver] sets for a unit: place and velocity in 1/64 world
// units, and health.
type Driven struct {
	X, Y, VX, VY int32
	HP           int32
}

// Driver moves units in place of their orders.
type Driver struct {
	// The world calls Begin once per tick, before Unit. It may be nil.
	Begin func(tick grid.Tick)
	// Unit returns the values of a unit at that tick. The world calls it once per tick for
	// each unit, for several units side by side and in any order.
	Unit func(id grid.EntityID, p Driven) Driven
}

// SetDriver lets d move the units; nil: they move by their orders. Orders, paths,
// movement and fighting are left out; sight and knowledge are computed as always.
// Benchmarks use it to measure the stages after the simulation on motion that is known
// exactly. The driver is no part of the state: a driven match cannot be replayed.
func (w *World) SetDriver(d *Driver) { w.driver = d }

// drive is a step's run in a driven world.
func (w *World) drive() {
	if w.driver.Begin != nil {
		w.driver.Begin(w.tick)
	}
	w.bands.find(w, bandDriven, w.bands.run)
	w.did(PhaseMove)
	w.seeMoved()
	w.did(PhaseSight)
}

// driveUnit moves one unit.
func (w *World) driveUnit(e *Entity) {
	p := w.driver.Unit(e.id, Driven{e.x, e.y, e.vx, e.vy, e.hp})
	e.x, e.y, e.vx, e.vy = p.X, p.Y, p.VX, p.VY
	if p.HP != e.hp {
		e.hp = p.HP
		e.hpMoves++
	}
}
