package match

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// script has the orders of a scenario for free seats, and how far the match has given
// them. Such a seat is a bot's without a client. Once a person takes it over, the match
// gives no more of the orders.
//
// An order is an input like those of clients: it is journalled, judged, and refused if
// the player may not give it. So a replay needs no script. A match that comes back goes
// on behind its journal's last tick. It gives orders of ticks that it only steps again
// late ([live.catchUp]).
type script struct {
	orders []sim.Scripted // by tick
	slots  grid.SlotSet   // whose
	next   int            // the first order not yet given
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

// passed skips the orders due up to a tick.
func (s *script) passed(now grid.Tick) {
	for s.next < len(s.orders) && s.orders[s.next].Tick <= now {
		s.next++
	}
}
