package bench

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// TestCrowdsAreCalm counts, in a battle, how often somebody who reckons with
// the last place and velocity would have to be told anew: at start and stop,
// and when off by more than an eighth of a tile. That is the cost of motion on the wire; units that make way for each
// other cause most of the changes.
func TestCrowdsAreCalm(t *testing.T) {
	const tolerance = grid.WUPerTile / 8
	w, err := NewBattle(ringGround(96), 4, 80, 1)
	if err != nil {
		t.Fatal(err)
	}
	generals := NewGenerals(w, 80)
	type course struct {
		x, y, vx, vy int32
		at           grid.Tick
	}
	told := map[grid.EntityID]course{}
	news, unitTicks := 0, 0
	for range 400 {
		w.Step(generals.Orders())
		for _, e := range w.Entities() {
			if e.Class() != rules.ClassUnit {
				continue
			}
			x, y := e.Fine()
			vx, vy := e.Vel()
			c, known := told[e.ID()]
			dt := int32(w.Tick() - c.at)
			off := grid.Vec{X: (x - c.x - c.vx*dt) >> sim.FineShift, Y: (y - c.y - c.vy*dt) >> sim.FineShift}
			stands, stood := vx == 0 && vy == 0, c.vx == 0 && c.vy == 0
			unitTicks++
			if !known || stands != stood || off.Len() > tolerance {
				told[e.ID()] = course{x, y, vx, vy, w.Tick()}
				if known {
					news++
				}
			}
		}
	}
	perSecond := float64(news) / float64(unitTicks) * 20
	t.Logf("%.2f courses a second and unit", perSecond)
	if perSecond > 0.8 {
		t.Errorf("%.2f courses a second and unit: crowds tremble", perSecond)
	}
}
