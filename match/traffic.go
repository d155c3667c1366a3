package match

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// traffic is a match's account. It belongs to the match's goroutine.
type traffic struct {
	*core
	seats *seats
	counts
	spectators meter // of all spectators
	total      spec.Traffic
}

// leave takes over the counts of a session, which may be about to end.
func (t *traffic) leave(s *session) {
	s.TakeReceived(s.seat.meter.received)
	t.total.Resyncs += uint64(s.TakeResyncs())
}

// take takes over the counts of a broadcast and its sessions. Its mu is held.
func (t *traffic) take(g *broadcast) {
	for _, st := range g.seats {
		if st.session != nil {
			t.leave(st.session)
		}
	}
	c := &g.counts
	t.spectators.now.Add(&g.meter.now)
	t.all.Add(&c.all)
	t.frames, t.snapshots = t.frames+c.frames, t.snapshots+c.snapshots
	g.meter.now, c.frames, c.snapshots = spec.Sums{}, 0, 0
	c.all.Clear()
}

// tick ends a second, where now is the first tick of the next: it tells the
// metrics and the log.
func (t *traffic) tick(now grid.Tick, broadcasts []*broadcast) {
	if int(now)%t.rate != 0 {
		return
	}
	for _, st := range t.seats.all {
		if st.session != nil {
			t.leave(st.session)
		}
	}
	for _, g := range broadcasts {
		if g.mu.TryLock() { // else it is counted with the next second
			t.take(g)
			g.mu.Unlock()
		}
	}
	var second spec.Sums
	for _, x := range t.meters() {
		x.meter.roll()
		second.Add(&x.meter.second)
	}
	t.total.Add(&second)
	t.total.Frames += t.frames
	t.total.Snapshots += t.snapshots
	t.host.metrics.traffic(t.frames, t.snapshots, &t.all)
	if t.host.log.Enabled(context.Background(), slog.LevelDebug) {
		t.host.log.LogAttrs(context.Background(), slog.LevelDebug, "traffic", t.line(now, &second)...)
	}
	t.all.Clear()
	t.frames, t.snapshots = 0, 0
}

// metered is a meter's owner.
type metered struct {
	slot  grid.Slot // grid.NoSlot: all spectators
	meter *meter
}

// meters lists the match's meters: of the players by slot, then of the
// spectators.
func (t *traffic) meters() []metered {
	out := make([]metered, 0, len(t.seats.all)+1)
	for _, st := range t.seats.all {
		out = append(out, metered{st.slot, st.meter})
	}
	return append(out, metered{grid.NoSlot, &t.spectators})
}

// line is a second of traffic for the log: bytes, by purpose.
func (t *traffic) line(now grid.Tick, s *spec.Sums) []slog.Attr {
	var parts, groups, classes, clients, rows []any
	for p := range wire.Parts {
		if n := s.Part(p); n.Bytes > 0 {
			parts = append(parts, slog.Uint64(p.String(), n.Bytes))
			rows = append(rows, slog.Uint64(p.String(), n.Rows))
		}
	}
	for _, name := range wire.GroupNames {
		if n := s.Group(name); n.Bytes > 0 {
			groups = append(groups, slog.Uint64(name, n.Bytes))
		}
	}
	for c := range wire.Classes {
		if n := s.Class(c); n.Bytes > 0 {
			classes = append(classes, slog.Uint64(wire.ClassName(c), n.Bytes))
		}
	}
	for _, x := range t.meters() {
		name := "spectators"
		if x.slot != grid.NoSlot {
			name = strconv.Itoa(int(x.slot))
		}
		if n := x.meter.second.Sent(); n.Bytes > 0 {
			clients = append(clients, slog.Uint64(name, n.Bytes))
		}
	}
	return []slog.Attr{
		slog.String("match", t.spec.ID), slog.Uint64("tick", uint64(now)),
		slog.Uint64("bytes", s.Sent().Bytes), slog.Uint64("messages", s.Sent().Rows),
		slog.Uint64("bytesIn", s.Received().Bytes), slog.Uint64("messagesIn", s.Received().Rows),
		slog.Group("groups", groups...), slog.Group("parts", parts...), slog.Group("rows", rows...),
		slog.Group("classes", classes...), slog.Group("clients", clients...),
	}
}

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
	l.Time, l.Account = time.Now().UTC(), t.seat.account
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
