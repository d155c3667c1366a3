package match

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// script has the orders of a scenario for the seats that nobody plays, and how far the
// match has given them. A seat whose orders it has is a bot's without a client. Once a
// person takes such a seat over, the orders that are left are not given.
//
// An order is an input like those of clients: it is journalled, judged, and refused if
// the player may not give it. So a replay needs no script. A match that comes back goes
// on behind the last tick that its journal has. Orders of ticks which are only stepped
// again are given late ([live.catchUp]).
type script struct {
	orders []sim.Scripted // by tick
	slots  grid.SlotSet   // whose
	next   int            // the first one that was not given
}

func newScript(start *Start) (s script) {
	if start == nil {
		return s
	}
	s.orders = start.Script
	for i := range s.orders {
		s.slots = s.slots.With(s.orders[i].Slot)
	}
	return s
}

// begin makes the script go on behind a tick.
func (s *script) begin(now grid.Tick) {
	s.next = 0
	s.passed(now)
}

// passed leaves behind what was due up to a tick.
func (s *script) passed(now grid.Tick) {
	for s.next < len(s.orders) && s.orders[s.next].Tick <= now {
		s.next++
	}
}
