package match

import (
	"slices"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A trace is the packet log of one player, or of all spectators: a line per message that
// the server hands to their writers. Without a trace a client is joined to its meter
// directly.
//
//	feed ─► meterOf(seat) ─► meter            no trace
//	                  └────► tap ─► meter     a trace runs
//	                          └─► lines (bounded) ─► [Service.Trace], on its caller's goroutine

// traceLinesMax is how many lines wait for their reader. Beyond it they are lost.
const traceLinesMax = 1024

// trace is a running trace. The goroutines of the match and of its late broadcasts fill
// it.
type trace struct {
	slot  grid.Slot // grid.NoSlot: all spectators
	lines chan spec.TraceLine
	lost  atomic.Int64
}

// tap is a meter whose messages are traced.
type tap struct {
	*meter
	traces *traces
	seat   *seat
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
	switch g := t.seat.screen; {
	case g != nil && g.shown != 0:
		l.Tick = g.shown
	case g != nil && g.delay != 0:
		l.Tick = grid.Tick(g.now.Load())
	default:
		l.Tick = t.traces.world.Tick()
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
	for _, r := range t.traces.all {
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

// traces has the running traces.
type traces struct {
	*core
	all []*trace
}

// meterOf returns the meter of the messages to a seat's client.
func (x *traces) meterOf(st *seat) feed.Meter {
	if slices.ContainsFunc(x.all, func(t *trace) bool { return t.slot == st.slot }) {
		return &tap{st.meter, x, st}
	}
	return st.meter
}
