package match

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// serviceState is what a match's inputs say that is not in the world: who is where, and
// what was set. A saved state has it, so that who goes on from the state need not read
// what was before.
type serviceState struct {
	Seats   []seatPast  `json:"seats"`
	Budgets []sim.Input `json:"budgets,omitempty"` // as they were set
	Speeds  []sim.Input `json:"speeds,omitempty"`  // changes, in their order
}

// seatPast is the last state of a seat's player that the world was told.
type seatPast struct {
	Seen   bool      `json:"seen,omitempty"`
	Here   bool      `json:"here,omitempty"`
	Gone   bool      `json:"gone,omitempty"`
	Kicked bool      `json:"kicked,omitempty"`
	Floor  uint32    `json:"floor,omitempty"` // the oldest resume token that is good
	Taken  string    `json:"taken,omitempty"` // who has taken it over, see [sim.TakenText]; "": nobody
	Turn   uint32    `json:"turn,omitempty"`  // see [Seat]
	Since  grid.Tick `json:"since,omitempty"` // the tick of that
}

func (h serviceState) clone() serviceState {
	return serviceState{slices.Clone(h.Seats), slices.Clone(h.Budgets), slices.Clone(h.Speeds)}
}

// add takes in the inputs of a tick, as the journal has them.
func (h *serviceState) add(tick grid.Tick, inputs []sim.Input) {
	for i := range inputs {
		h.take(tick, &inputs[i])
	}
}

func (h *serviceState) take(tick grid.Tick, in *sim.Input) {
	switch in.Kind {
	case sim.InputBudget:
		h.Budgets = append(h.Budgets, *in)
		return
	case sim.InputSpeed:
		h.Speeds = append(h.Speeds, *in)
		return
	}
	if int(in.Slot) >= len(h.Seats) {
		return
	}
	st := &h.Seats[in.Slot]
	switch in.Kind {
	case sim.InputJoined:
		st.Seen, st.Here, st.Gone = true, true, false
	case sim.InputTaken:
		st.Taken, st.Turn, st.Since = in.Text, in.Seq, tick
		st.Seen, st.Here, st.Gone = true, true, false
	case sim.InputToken:
		st.Floor = in.Seq
	case sim.InputAway:
		st.Here = false
	case sim.InputGone:
		st.Here, st.Gone = false, true
	case sim.InputLeft:
		st.Here, st.Gone, st.Kicked = false, true, true
	}
}

// encode returns the state as [journal.State] keeps it, nil if it is too long for
// that: the whole journal is read then.
func (h *serviceState) encode() []byte {
	b, err := json.Marshal(h)
	if err != nil {
		panic("match: a serviceState is plain data: " + err.Error())
	}
	if len(b) > journal.StateExtraMax {
		return nil
	}
	return b
}

// parseServiceState reads what encode returned, for a match with so many seats.
func parseServiceState(b []byte, seats int) (serviceState, error) {
	var h serviceState
	if err := json.Unmarshal(b, &h); err != nil {
		return serviceState{}, fmt.Errorf("its service state: %w", err)
	}
	if len(h.Seats) != seats {
		return serviceState{}, fmt.Errorf("its service state has %d seats, the match %d", len(h.Seats), seats)
	}
	return h, nil
}

// errSetupRead ends the reading of a journal after its setup.
var errSetupRead = errors.New("match: the setup is read")

// readTail is readPast for one who has a saved state: it reads the setup, and then from
// the state's record on.
func readTail(id string, log journal.Log, state *journal.State) (*past, error) {
	p := &past{tail: state}
	found := false
	err := p.walk(id, func(each func(uint64, []byte) error) error {
		err := log.Read(0, func(n uint64, rec []byte) error {
			if n > 0 && n == p.setupRecords {
				return errSetupRead
			}
			return each(n, rec)
		})
		if err != nil && !errors.Is(err, errSetupRead) {
			return err
		}
		if p.serviceState, err = parseServiceState(state.Extra, len(p.spec.Seats)); err != nil {
			return err
		}
		return log.Read(max(p.setupRecords, state.Record), each)
	}, func(r *journal.Record) error {
		var hash uint64
		switch {
		case r.Stop != nil && r.Stop.Tick == state.Tick:
			found, hash = true, r.Stop.Hash
		case r.Tick != nil && r.Tick.Tick == state.Tick && r.Tick.Hashed:
			found, hash = true, r.Tick.Hash
		case r.Tick != nil && r.Tick.Tick > state.Tick:
			if !found {
				return errors.New("the journal has no hash of the saved state's tick")
			}
			p.serviceState.add(r.Tick.Tick, r.Tick.Inputs)
			return nil
		default:
			return nil
		}
		if hash != state.Hash {
			return fmt.Errorf("the saved state's hash is %016x, the journal has %016x", state.Hash, hash)
		}
		return nil
	})
	if err == nil && !found {
		err = errors.New("the journal ends before the saved state")
	}
	return p, err
}
