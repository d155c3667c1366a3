package replay

import (
	"slices"
	"sort"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// change is a change of who sits at a slot, or of whether a client is there.
type change struct {
	tick          grid.Tick
	slot          grid.Slot
	kind          sim.InputKind
	account, name string // of an InputTaken
}

// appendChanges appends the changes of seats in a tick's record.
func appendChanges(list []change, t *journal.Tick) []change {
	for i := range t.Inputs {
		in := &t.Inputs[i]
		switch in.Kind {
		case sim.InputAway, sim.InputJoined, sim.InputGone, sim.InputLeft, sim.InputStandIn, sim.InputTaken:
			c := change{tick: t.Tick, slot: in.Slot, kind: in.Kind}
			if in.Kind == sim.InputTaken {
				c.account, c.name = in.Taken()
			}
			list = append(list, c)
		}
	}
	return list
}

// Seating is who sits where at a tick.
type Seating struct {
	Seats []spec.Seat  // by slot
	Taken grid.SlotSet // seats that a person took over in the match
	Away  grid.SlotSet // players whose client is not there
	// StandIn are the absent players for whom a bot plays on.
	StandIn grid.SlotSet
	// Version counts the changes up to the tick: seatings of one match with the same
	// version are equal.
	Version int
}

// Seating returns who sits where at a tick. If was has that already, it is returned.
func (r *Recording) Seating(t grid.Tick, was Seating) Seating {
	r.mu.Lock()
	changes := r.changes
	r.mu.Unlock()
	n := sort.Search(len(changes), func(i int) bool { return changes[i].tick > t })
	if was.Seats != nil && was.Version == n {
		return was
	}
	s := Seating{Seats: slices.Clone(r.Seats), Version: n}
	for _, c := range changes[:n] {
		if int(c.slot) >= len(s.Seats) {
			continue
		}
		if c.kind != sim.InputStandIn && c.kind != sim.InputLeft && c.kind != sim.InputGone {
			s.StandIn &^= grid.SlotSet(0).With(c.slot)
		}
		switch c.kind {
		case sim.InputStandIn:
			s.StandIn = s.StandIn.With(c.slot)
		case sim.InputAway, sim.InputGone, sim.InputLeft:
			s.Away = s.Away.With(c.slot)
		case sim.InputTaken:
			seat := &s.Seats[c.slot]
			seat.Account, seat.Name, seat.Bot = c.account, c.name, false
			s.Taken = s.Taken.With(c.slot)
			s.Away &^= grid.SlotSet(0).With(c.slot)
		default:
			s.Away &^= grid.SlotSet(0).With(c.slot)
		}
	}
	return s
}
