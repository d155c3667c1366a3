package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Driven is what a [Driver] sets of a unit: place and velocity in 1/64 world
// units, and health.
type Driven struct {
	X, Y, VX, VY int32
	HP           int32
}

// Driver moves units in place of their orders. It is called for each unit in
// the order of ids, and returns what the unit is to be at that tick.
type Driver func(tick grid.Tick, id grid.EntityID, p Driven) Driven

// SetDriver lets d move the units. Orders, paths, movement and fighting are left
// out; sight and knowledge are computed as always. Benchmarks use it to measure
// the stages after the simulation on motion that is known exactly. The driver is
// no part of the state: a driven match cannot be replayed.
func (w *World) SetDriver(d Driver) { w.driver = d }

// drive is a step's run in a driven world.
func (w *World) drive() {
	for _, e := range w.all {
		if e.class != rules.ClassUnit {
			continue
		}
		p := w.driver(w.tick, e.id, Driven{e.x, e.y, e.vx, e.vy, e.hp})
		e.x, e.y, e.vx, e.vy = p.X, p.Y, p.VX, p.VY
		if p.HP != e.hp {
			e.hp = p.HP
			e.hpMoves++
		}
	}
	w.see()
	w.did(PhaseSight)
}
