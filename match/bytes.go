package match

import (
	"context"
	"fmt"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Budget limits the bytes per second that the server sends to connections of a match. It
// does not change the match's world. The journal has it, so it holds after a restart.
type Budget struct {
	BytesPerS int // 0: as it is configured
	// Operator: it replaces the configured limit and the host's. Else it is the host's,
	// for the whole match, and can only lower the configured limit.
	Operator bool
	OneSlot  bool // Slot's player alone; only an operator may
	Slot     grid.Slot
}

// BytesPerSMax is the highest limit.
const BytesPerSMax = 1 << 30

// Check returns why the budget is invalid, or nil.
func (b *Budget) Check() error {
	switch {
	case b.BytesPerS != 0 && (b.BytesPerS < feed.BytesPerSMin || b.BytesPerS > BytesPerSMax):
		return fmt.Errorf("%d bytes per second: want 0 or %d to %d", b.BytesPerS, feed.BytesPerSMin, BytesPerSMax)
	case b.OneSlot && !b.Operator:
		return fmt.Errorf("a host sets the budget of the whole match")
	}
	return nil
}

// SetBudget changes a budget of a live match. Each client gets it with its next frame.
// The match must run here, and have the slot.
func (s *Service) SetBudget(ctx context.Context, id string, b Budget) error {
	if err := b.Check(); err != nil {
		return err
	}
	m := s.find(id)
	if m == nil {
		return ErrNoMatch
	}
	if b.OneSlot && int(b.Slot) >= len(m.spec.Seats) {
		return ErrNoSeat
	}
	return m.do(ctx, func(m *live) {
		in := b.input()
		m.inputs.add(in)
		m.output.takeBudget(&in)
	})
}

// input is the budget as the journal has it.
func (b *Budget) input() sim.Input {
	in := sim.Input{Kind: sim.InputBudget, Slot: grid.NoSlot, Seq: uint32(b.BytesPerS), All: b.Operator}
	if b.OneSlot {
		in.Slot = b.Slot
	}
	return in
}
