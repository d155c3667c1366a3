package match

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
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

// leave takes over the counts of a connection, which may be about to end.
func (t *traffic) leave(s *connection) {
	s.TakeReceived(s.seat.meter.received)
	t.total.Resyncs += uint64(s.TakeResyncs())
}

// take takes over the counts of a broadcast and its connections. Its mu is held.
func (t *traffic) take(g *broadcast) {
	for _, st := range g.seats {
		if st.conn != nil {
			t.leave(st.conn)
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
		if st.conn != nil {
			t.leave(st.conn)
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
