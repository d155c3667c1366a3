package past

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// State is the part of a match's inputs outside of the world: the players' seats, and settings. A saved state has
// it, so that a reader that goes on from the state need not read the earlier records.
type State struct {
	Seats   []Seat      `json:"seats"`
	Budgets []sim.Input `json:"budgets,omitempty"` // as they were set
	Speeds  []sim.Input `json:"speeds,omitempty"`  // changes, in their order
	Lines   []sim.Input `json:"lines,omitempty"`   // said in a pause, and not yet in a tick
}

// Seat is the last state of a seat's player that the world was told.
type Seat struct {
	Seen   bool      `json:"seen,omitempty"`
	Here   bool      `json:"here,omitempty"`
	Gone   bool      `json:"gone,omitempty"`
	Left   grid.Tick `json:"left,omitempty"` // when it was gone, while it is
	Kicked bool      `json:"kicked,omitempty"`
	Floor  uint32    `json:"floor,omitempty"` // the oldest resume token that is good
	Taken  string    `json:"taken,omitempty"` // who has taken it over, see [sim.TakenText]; "": nobody
	Turn   uint32    `json:"turn,omitempty"`  // see the ticket
	Since  grid.Tick `json:"since,omitempty"` // the tick of that
}

// NewState returns the state of a match that begins, of so many seats.
func NewState(seats int) State { return State{Seats: make([]Seat, seats)} }

// Clone returns a copy.
func (h State) Clone() State {
	return State{slices.Clone(h.Seats), slices.Clone(h.Budgets), slices.Clone(h.Speeds), slices.Clone(h.Lines)}
}

// Add takes in the inputs of a tick, as the journal has them.
func (h *State) Add(tick grid.Tick, inputs []sim.Input) {
	for i := range inputs {
		h.take(tick, &inputs[i])
	}
}

// Say keeps a line of chat that was said in a pause.
func (h *State) Say(line *sim.Input) {
	if int(line.Slot) < len(h.Seats) {
		h.Lines = append(h.Lines, *line)
	}
}

func (h *State) take(tick grid.Tick, in *sim.Input) {
	switch in.Kind {
	case sim.InputBudget:
		h.Budgets = append(h.Budgets, *in)
		return
	case sim.InputSpeed:
		if h.Speeds = append(h.Speeds, *in); !in.All {
			h.Lines = nil // the tick that ends a pause takes them in
		}
		return
	}
	if int(in.Slot) >= len(h.Seats) {
		return
	}
	st := &h.Seats[in.Slot]
	switch in.Kind {
	case sim.InputJoined:
		st.Seen, st.Here, st.Gone, st.Left = true, true, false, 0
	case sim.InputTaken:
		st.Taken, st.Turn, st.Since = in.Text, in.Seq, tick
		st.Seen, st.Here, st.Gone, st.Left = true, true, false, 0
	case sim.InputToken:
		st.Floor = in.Seq
	case sim.InputAway:
		st.Here = false
	case sim.InputGone:
		st.leave(tick)
	case sim.InputLeft:
		st.leave(tick)
		st.Kicked = true
	}
}

func (st *Seat) leave(tick grid.Tick) {
	if !st.Gone {
		st.Left = tick
	}
	st.Here, st.Gone = false, true
}

// ExcuseMinutes is how long a player may leave without a penalty after a team-mate left.
const ExcuseMinutes = 5

// Leavers returns the players of a result who were gone at the end and had not been defeated
// before. A player is excused whose team-mate had left a short time before. rate is the
// match's ticks per second.
func (h *State) Leavers(r *sim.Result, rate int) (left, excused grid.SlotSet) {
	for i := range r.Players {
		if p := &r.Players[i]; i < len(h.Seats) && h.Seats[i].Gone && (p.Out == 0 || h.Seats[i].Left <= p.Out) {
			left = left.With(p.Slot)
		}
	}
	for i := range r.Players {
		for j := range r.Players {
			p, q := &r.Players[i], &r.Players[j]
			if !left.Has(p.Slot) || !left.Has(q.Slot) || p.Team != q.Team {
				continue
			}
			if after := int(h.Seats[i].Left) - int(h.Seats[j].Left); after > 0 && after <= ExcuseMinutes*60*rate {
				excused = excused.With(p.Slot)
			}
		}
	}
	return left, excused
}

// Encode returns the state as [journal.State] keeps it, nil if it is too long for
// that: the whole journal is read then.
func (h *State) Encode() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic("past: a State is plain data: " + err.Error())
	}
	if len(b) > journal.StateExtraMax {
		return nil
	}
	return b
}

// parseState reads what Encode returned, for a match with so many seats.
func parseState(b []byte, seats int) (State, error) {
	var h State
	if err := json.Unmarshal(b, &h); err != nil {
		return State{}, fmt.Errorf("its service state: %w", err)
	}
	if len(h.Seats) != seats {
		return State{}, fmt.Errorf("its service state has %d seats, the match %d", len(h.Seats), seats)
	}
	return h, nil
}
