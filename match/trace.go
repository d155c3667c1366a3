package match

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A trace is the packet log of one player, or of all who watch: a line a message
// that the server hands to their writers. While no trace runs there is nothing
// between a client and its meter.
//
//	feed ─► meterOf(seat) ─► meter            no trace
//	                  └────► tap ─► meter     a trace runs
//	                          └─► lines (bounded) ─► [Service.Trace], on its caller's goroutine

// traceLinesMax is how many lines wait for their reader. Beyond it they are lost.
const traceLinesMax = 1024

// trace is one that runs. The goroutines of the match and of its late broadcasts fill it.
type trace struct {
	slot  grid.Slot // grid.NoSlot: all who watch
	lines chan spec.TraceLine
	lost  atomic.Int64
}

// Trace calls each with every message that the player of a slot is sent from now
// on, or with [grid.NoSlot] everybody who watches, until ctx ends, the match ends
// or each fails; only the last is an error. It runs on the caller's goroutine. A
// reader that is slow loses lines and holds nobody up. How many traces run at
// once is bounded, see [budget.Traces].
func (s *Service) Trace(ctx context.Context, id string, slot grid.Slot, each func(spec.TraceLine) error) error {
	m := s.find(id)
	if m == nil {
		return ErrNoMatch
	}
	if slot != grid.NoSlot && int(slot) >= len(m.spec.Seats) {
		return ErrNoSeat
	}
	hold, err := s.cfg.Budget.Take(budget.Traces, budget.Who{Trusted: true}, 1)
	if err != nil {
		return err
	}
	defer hold.Release()
	t := &trace{slot: slot, lines: make(chan spec.TraceLine, traceLinesMax)}
	if err := m.do(ctx, func(m *live) { m.setTraces(append(m.traces, t)) }); err != nil {
		return err
	}
	defer m.do(context.Background(), func(m *live) {
		m.setTraces(slices.DeleteFunc(m.traces, func(o *trace) bool { return o == t }))
	})
	for {
		select {
		case l := <-t.lines:
			if err := each(l); err != nil {
				return err
			}
			continue
		case <-ctx.Done():
			return nil
		case <-m.done:
		}
		for { // what it said at its end
			select {
			case l := <-t.lines:
				if err := each(l); err != nil {
					return err
				}
			default:
				return nil
			}
		}
	}
}

// setTraces replaces the traces that run, and tells the clients that are there.
func (m *live) setTraces(to []*trace) {
	for _, g := range m.broadcasts {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	m.traces = to
	for _, st := range m.everySeat() {
		if st.session != nil {
			st.session.Meter = m.meterOf(st)
		}
	}
}

// meterOf returns what counts the messages to a seat's client.
func (m *live) meterOf(st *seat) feed.Meter {
	if slices.ContainsFunc(m.traces, func(t *trace) bool { return t.slot == st.slot }) {
		return &tap{st.meter, m, st}
	}
	return st.meter
}

// tap is a meter whose messages are traced.
type tap struct {
	*meter
	match *live
	seat  *seat
}

// Frame counts a frame.
func (t *tap) Frame(bytes int, sizes *wire.Sizes, snapshot bool) {
	t.meter.Frame(bytes, sizes, snapshot)
	t.tell(spec.TraceLine{Bytes: bytes, Frame: true, Snapshot: snapshot}, sizes)
}

// Message counts a message that tells of no entities.
func (t *tap) Message(msg []byte) {
	t.meter.Message(msg)
	var by wire.Meter
	var sizes wire.Sizes
	by.Measure(msg, &sizes)
	t.tell(spec.TraceLine{Bytes: len(msg)}, &sizes)
}

// tell hands a line to the seat's traces.
func (t *tap) tell(l spec.TraceLine, sizes *wire.Sizes) {
	l.Account = t.seat.account
	switch g := t.seat.broadcast; {
	case g != nil && g.shown != 0:
		l.Tick = g.shown
	case g != nil && g.late != nil:
		l.Tick = grid.Tick(g.late.now.Load())
	default:
		l.Tick = t.match.world.Tick()
	}
	l.Parts = []spec.Part{}
	var parts [wire.Parts]spec.Count
	sizes.Each(func(p wire.Part, _ pb.TypeClass, n wire.Count) {
		parts[p].Bytes += uint64(n.Bytes)
		parts[p].Rows += uint64(n.Rows)
	})
	for p, n := range parts {
		if n.Bytes > 0 {
			l.Parts = append(l.Parts, spec.PartOf(wire.Part(p), n))
		}
	}
	for _, r := range t.match.traces {
		if r.slot != t.seat.slot {
			continue
		}
		lost := r.lost.Swap(0)
		l.Lost = int(lost)
		select {
		case r.lines <- l:
		default:
			r.lost.Add(lost + 1)
		}
	}
}
