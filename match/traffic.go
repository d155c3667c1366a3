package match

import (
	"context"
	"log/slog"
	"strconv"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// minuteSeconds is how many full seconds the last minute has.
const minuteSeconds = 60

// meter counts the traffic of one client, over all its connections, or of all
// spectators. It belongs to the match.
type meter struct {
	of  *traffic  // the match's
	now spec.Sums // of the second in work

	second, minute, match spec.Sums // as of the last full second
	last                  [minuteSeconds][spec.Cells]wire.Count
	at                    int // of the oldest of last
}

// sent counts a message that took sizes.
func (t *meter) sent(bytes int, sizes *wire.Sizes) {
	t.now.AddSent(bytes)
	t.now.AddSizes(sizes)
	t.of.all.Add(sizes)
}

// received counts messages of the client.
func (t *meter) received(r *link.Received) {
	t.now.AddReceived(r.Messages)
	t.now.AddSizes(&r.Sizes)
	t.of.all.Add(&r.Sizes)
}

// Frame counts a frame.
func (t *meter) Frame(bytes int, sizes *wire.Sizes, snapshot bool) {
	t.sent(bytes, sizes)
	t.of.frames++
	if snapshot {
		t.of.snapshots++
	}
}

// Message counts a message that tells of no entities.
func (t *meter) Message(msg []byte) {
	var by wire.Meter
	var sizes wire.Sizes
	by.Measure(msg, &sizes)
	t.sent(len(msg), &sizes)
}

// roll ends a second.
func (t *meter) roll() {
	oldest := &t.last[t.at]
	t.at = (t.at + 1) % minuteSeconds
	for i := range t.now {
		n := t.now[i]
		t.minute[i].Bytes += n.Bytes - uint64(oldest[i].Bytes)
		t.minute[i].Rows += n.Rows - uint64(oldest[i].Rows)
		oldest[i] = wire.Count{Bytes: uint32(n.Bytes), Rows: uint32(n.Rows)}
	}
	t.match.Add(&t.now)
	t.second, t.now = t.now, spec.Sums{}
}

// traffic is a match's account. It belongs to the match's goroutine.
type traffic struct {
	spectators meter      // of all of them
	all        wire.Sizes // since the metrics were told

	frames, snapshots uint64 // since the last full second
	total             spec.Traffic
}

// leave takes over what a session has counted, which may be about to end.
func (t *traffic) leave(s *session) {
	s.TakeReceived(s.seat.meter.received)
	t.total.Resyncs += uint64(s.TakeResyncs())
}

// take takes over what a broadcast and its sessions have counted. Its mu is held.
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
func (t *traffic) tick(m *live, now grid.Tick) {
	if int(now)%m.rate != 0 {
		return
	}
	for _, st := range m.seats.all {
		if st.session != nil {
			t.leave(st.session)
		}
	}
	for _, g := range m.broadcasts {
		if g.mu.TryLock() { // else it is counted with the next second
			t.take(g)
			g.mu.Unlock()
		}
	}
	var second spec.Sums
	for _, x := range t.meters(m) {
		x.meter.roll()
		second.Add(&x.meter.second)
	}
	t.total.Add(&second)
	t.total.Frames += t.frames
	t.total.Snapshots += t.snapshots
	m.host.metrics.traffic(t.frames, t.snapshots, &t.all)
	if m.host.logTraffic {
		m.host.log.LogAttrs(context.Background(), slog.LevelInfo, "traffic", t.line(m, now, &second)...)
	}
	t.all.Clear()
	t.frames, t.snapshots = 0, 0
}

// metered is whose meter one is.
type metered struct {
	slot  grid.Slot // grid.NoSlot: all spectators
	meter *meter
}

// meters lists the match's meters: of the players by slot, then of the
// spectators.
func (t *traffic) meters(m *live) []metered {
	out := make([]metered, 0, len(m.seats.all)+1)
	for _, st := range m.seats.all {
		out = append(out, metered{st.slot, st.meter})
	}
	return append(out, metered{grid.NoSlot, &t.spectators})
}

// line is a second of traffic for the log: bytes, and by what they were for.
func (t *traffic) line(m *live, now grid.Tick, s *spec.Sums) []slog.Attr {
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
	for _, x := range t.meters(m) {
		name := "spectators"
		if x.slot != grid.NoSlot {
			name = strconv.Itoa(int(x.slot))
		}
		if n := x.meter.second.Sent(); n.Bytes > 0 {
			clients = append(clients, slog.Uint64(name, n.Bytes))
		}
	}
	return []slog.Attr{
		slog.String("match", m.spec.ID), slog.Uint64("tick", uint64(now)),
		slog.Uint64("bytes", s.Sent().Bytes), slog.Uint64("messages", s.Sent().Rows),
		slog.Uint64("bytesIn", s.Received().Bytes), slog.Uint64("messagesIn", s.Received().Rows),
		slog.Group("groups", groups...), slog.Group("parts", parts...), slog.Group("rows", rows...),
		slog.Group("classes", classes...), slog.Group("clients", clients...),
	}
}

// clientTraffic is the traffic of one client, over all its connections in a match, as of
// the last full second.
type clientTraffic struct {
	slot grid.Slot // grid.NoSlot: all spectators together

	second, minute, match spec.Sums
}

func (c *clientTraffic) spans() spec.Spans {
	return spec.Spans{Second: c.second.Listed(), Minute: c.minute.Listed(), Match: c.match.Listed()}
}

// Traffic returns the traffic of a live match by client: the players by slot,
// then the spectators.
func (s *Service) Traffic(ctx context.Context, id string) (*spec.LiveTraffic, error) {
	tick, clients, err := s.clientTraffic(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &spec.LiveTraffic{ID: id, Tick: tick}
	var all clientTraffic
	for i := range clients {
		c := &clients[i]
		all.second.Add(&c.second)
		all.minute.Add(&c.minute)
		all.match.Add(&c.match)
		line := spec.ClientTraffic{Slot: int(c.slot), Spans: c.spans()}
		if c.slot == grid.NoSlot {
			line.Slot, line.Spectators = -1, true
		}
		out.Clients = append(out.Clients, line)
	}
	out.All = all.spans()
	return out, nil
}

func (s *Service) clientTraffic(ctx context.Context, id string) (tick grid.Tick, clients []clientTraffic, err error) {
	m := s.find(id)
	if m == nil {
		return 0, nil, ErrNoMatch
	}
	err = m.do(ctx, func(m *live) {
		tick = m.world.Tick()
		for _, x := range m.traffic.meters(m) {
			clients = append(clients, clientTraffic{x.slot, x.meter.second, x.meter.minute, x.meter.match})
		}
	})
	return tick, clients, err
}
