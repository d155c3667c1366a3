package replay

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Branch returns the setup of a match that plays this one on from the replay's tick, with the same players, and the
// slots that are out by then. See [sim.Branch].
func (r *Replay) Branch() (s sim.Setup, out grid.SlotSet, err error) {
	if s, err = sim.Branch(r.Setup, r.world.Save(nil), r.Setup.Players); err != nil {
		return s, 0, err
	}
	for i := range s.Players {
		if slot := grid.Slot(i); !r.world.Player(slot).Alive || r.world.HasLeft(slot) {
			out = out.With(slot)
		}
	}
	return s, out, nil
}
