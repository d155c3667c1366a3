package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// scan shows a circle of the map to the team for a while, as seen from above:
// "sight" across, with detection if "detect". It ends by itself.
type scan struct{}

var _ = register("scan", scan{})

func (scan) info() abilityInfo { return abilityInfo{aim: orders.AimGround} }

func (scan) start(w *World, e *Entity, i int) {
	def, rate := w.def(e, i)
	src := visibility.Source{
		Tile: e.acts[i].point.Tile(), Radius: visibility.Radius(def.Sight), Flyer: true,
		Until: w.tick + grid.Tick(max(1, rate.duration)),
	}
	if def.Detect {
		src.Detect = src.Radius
	}
	w.eyes.Add(e.team, src)
}

func (scan) tick(*World, *Entity, int) {}

func (scan) stop(*World, *Entity, int) {}
