package match

import (
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How far behind a client may be, in seconds.
const (
	keepSeconds    = 10 // bases are kept so long; who is further behind gets a snapshot
	backlogSeconds = 2  // sent but not yet told to be applied: next to nothing is sent meanwhile
	burstSeconds   = 2  // of its budget that a client can save up
)

// bytesPerSMin is the least budget that a client can ask for: with less, even
// what is never cut would lag without end.
const bytesPerSMin = 512

// ownBytesMax bounds the answers of one frame, give or take one: more of them
// follow in the next.
const ownBytesMax = 32 << 10

// team is what a match keeps to tell one team's clients, or spectators with the
// same eyes, what they may know.
type team struct {
	team    grid.Team // [grid.NoTeam]: the eyes of all, for spectators
	builder builder   // nil while nobody of the team is there
	tracker *view.Tracker
	meter   *wire.Meter // for what its clients are sent
	view    view.View
	diff    view.Diff
	own     view.OwnerDiff // of the player in turn
	shared  []encoded      // this tick's, by base
	single  encoded        // of a client that is short of bytes
}

// builder makes a world's tick, for which the cache was prepared, into a view:
// what the eyes that it is made for may be told.
type builder interface {
	BuildFrom(*view.Cache, *sim.World, *view.View)
}

// encoded is the team's part of a frame, the same for all who come from base.
type encoded struct {
	base     grid.Tick
	mask     view.MaskOptions
	snapshot bool
	bytes    []byte
	sizes    wire.Sizes
}

// wake makes the team's tracker, if it sleeps. Its clients begin with a
// snapshot.
func (t *team) wake(m *live) {
	if t.builder != nil {
		return
	}
	t.meter = wire.NewMeter(m.kinds, m.classes)
	if t.builder = view.NewBuilder(t.team); t.team == grid.NoTeam {
		t.builder = view.NewAllEyes()
	}
	t.tracker = view.NewTracker(view.Rules{
		W: m.spec.Map.W, H: m.spec.Map.H, Tolerance: view.ToleranceDefault,
		Values: view.ValuesEvery(m.spec.Rules, m.rate),
		Keep:   grid.Ticks(keepSeconds * m.rate),
	})
}

// covers reports whether a client that holds the team's tick base can be told
// what changed since.
func (t *team) covers(base grid.Tick) bool {
	return t.tracker != nil && t.tracker.Covers(base)
}

// send builds the views of this tick and hands each client its frame.
func (m *live) send() {
	away := m.away()
	for _, t := range m.teams {
		if t.builder == nil {
			continue
		}
		if !m.attended(t.team) {
			t.builder, t.tracker, t.shared = nil, nil, nil
			continue
		}
		m.prepare()
		t.look(m.cache, m.world, away)
	}
	for _, st := range m.seats {
		if st.session != nil {
			m.sendTo(st)
		}
	}
}

// prepare prepares the cache for this tick.
func (m *live) prepare() {
	if now := m.world.Tick(); m.cachedAt != now {
		m.cache.Prepare(m.world)
		m.cachedAt = now
	}
}

// away returns the slots of players who have no connection.
func (m *live) away() (out grid.SlotSet) {
	for _, st := range m.seats {
		if st.session == nil {
			out = out.With(st.slot)
		}
	}
	return out
}

// look takes in a world's tick, for which the cache was prepared.
func (t *team) look(sc *view.Cache, w *sim.World, away grid.SlotSet) {
	t.builder.BuildFrom(sc, w, &t.view)
	for i := range t.view.Players {
		if p := &t.view.Players[i]; p.State == view.Playing && away.Has(grid.Slot(i)) {
			p.State = view.Away
		}
	}
	t.tracker.Update(&t.view)
	for i := range t.shared {
		t.shared[i].bytes = t.shared[i].bytes[:0]
	}
	t.shared = t.shared[:0]
}

// attended reports whether somebody of the team is there, or may come back.
func (m *live) attended(t grid.Team) bool {
	for _, st := range m.seats {
		if st.team == t && st.kept() {
			return true
		}
	}
	return false
}

// sendTo hands one client what it lacks, if it can take it.
func (m *live) sendTo(st *seat) {
	s, t, now := st.session, m.teams[st.team], m.world.Tick()
	if s.base != 0 && !t.tracker.Covers(s.base) {
		s.base = 0 // it was away from the tick for too long
	}
	if s.base == 0 {
		s.delta = nil
	}
	if m.holdBack(s, now) || leakHold(m, st) {
		m.skip(st, now)
		return
	}
	s.mute = 0
	own := m.appendOwn(s.own[:0], st)
	s.own = own
	limit := s.refill(m, now)
	if m.behind(s, now) {
		limit = 0 // what is never cut, so that its clock and its own units live
	}
	if s.delta == nil {
		e := t.encode(m, s.base, s.mask)
		if len(e.bytes)+len(own) <= limit {
			m.sendShared(s, t, e, own, now)
			return
		}
		s.delta = t.tracker.NewDeltaState(s.base)
	}
	m.sendShort(st, own, grid.Ticks(now-s.sent), limit-len(own))
}

// skip notes that a client is sent no frame of tick now. One that takes none for
// long is let go.
func (m *live) skip(st *seat, now grid.Tick) {
	s := st.session
	if s.mute == 0 {
		s.mute = now
	}
	m.service.metrics.skipped.Inc()
	if now-s.mute > grid.Tick(link.MuteSeconds*m.rate) {
		s.end("too_slow", "your connection is too slow for this match")
		m.vacate(st)
	}
}

// sendShared sends a client what its whole team is told, and its own part.
func (m *live) sendShared(s *session, t *team, e *encoded, own []byte, now grid.Tick) {
	span := grid.Ticks(now - s.sent)
	if len(e.bytes)+len(own) == 0 && !e.snapshot && !m.spec.EveryTick && span < grid.Ticks(m.rate) {
		s.base = now // nothing to tell: it holds this tick already
		return
	}
	buf := wire.AppendClock(s.Buffer(), now, span, e.snapshot)
	head := len(buf)
	buf = append(append(buf, e.bytes...), own...)
	m.traffic.frame(s, t.meter, buf[:head], own, e)
	m.hand(s, buf, now)
}

// sendShort sends a client that is short of bytes a frame of its own: what
// matters most of what it lacks, in about room bytes.
func (m *live) sendShort(st *seat, own []byte, span grid.Ticks, room int) {
	s, t := st.session, m.teams[st.team]
	want := view.Interest{Priority: m.priority, Camera: s.camera.At, Radius: s.camera.Radius}
	t.tracker.DiffWithin(&t.diff, s.delta, s.base, s.mask, want, max(0, room))
	e := &t.single
	*e = encoded{snapshot: t.diff.Snapshot, bytes: wire.AppendTeam(e.bytes[:0], &t.diff, m.kinds)}
	t.meter.Measure(e.bytes, &e.sizes)
	buf := wire.AppendClock(s.Buffer(), m.world.Tick(), span, e.snapshot)
	head := len(buf)
	buf = append(append(buf, e.bytes...), own...)
	m.traffic.frame(s, t.meter, buf[:head], own, e)
	m.service.metrics.shortages.Inc()
	if st.shortUntil = m.world.Tick(); s.delta.Pending() == 0 {
		s.delta = nil // at one with its team again
	}
	m.hand(s, buf, m.world.Tick())
}

// hand gives the frame of a tick to the writer. There is room: only this goroutine sends.
func (m *live) hand(s *session, buf []byte, now grid.Tick) {
	s.base, s.sent = now, now
	s.credit -= len(buf)
	s.SendFrame(leakSize(m, s, buf), now)
}

// narrowDebtSeconds is for how long, at most, a spectator on a narrow link waits
// for its next frame because the last was large.
const narrowDebtSeconds = 8

// unlimited is more than any frame has.
const unlimited = 1 << 30

// refill adds what the ticks since the last call allow and returns how many
// bytes may be sent now. A client that was quiet may be sent a burst. One that
// was sent more than it may, as what carries its team's sight is never cut, has
// to make up for a second of that and no more; a spectator, from whose frames
// nothing is cut, for all of it.
func (s *session) refill(m *live, now grid.Tick) int {
	rate := m.service.cfg.BytesPerS
	if asked := int(min(s.pace.BytesPerS, unlimited)); asked > 0 && (rate == 0 || asked < rate) {
		rate = max(asked, bytesPerSMin)
	}
	burst := rate * burstSeconds
	if s.narrow = s.Limit() > 0 && (rate == 0 || s.Limit() < rate); s.narrow {
		rate, burst = s.Limit(), s.Limit()/2
	}
	if rate == 0 {
		return unlimited
	}
	ticks := int(min(now-s.filled, grid.Tick(burstSeconds*m.rate)))
	s.filled = now
	debt := rate
	switch {
	case s.seat.slot != grid.NoSlot:
	case s.narrow:
		debt = narrowDebtSeconds * rate // what was measured may be too little by far
	default:
		debt = unlimited
	}
	s.credit = min(max(s.credit, -debt)+rate*ticks/m.rate, burst)
	return s.credit
}

// behind reports whether a client has not applied what it was sent for so long
// that it is sent next to nothing.
func (m *live) behind(s *session, now grid.Tick) bool {
	return s.Late(now, m.rate) > backlogSeconds*m.rate
}

// holdBack reports whether a client is not to be sent a frame now: its outbox
// is full, it has not applied what it was sent, its link is narrow and a frame
// worth its header has to be saved up for, or it asked for fewer. One that is
// behind is still sent a frame a second.
func (m *live) holdBack(s *session, now grid.Tick) bool {
	switch {
	case !s.Room():
		return true
	case m.behind(s, now):
		return now-s.sent < grid.Tick(m.rate)
	case s.refill(m, now) < s.Limit()/8 && s.narrow:
		return true
	case s.pace.FramesPerS > 0 && s.base != 0 && uint32(now-s.sent)*s.pace.FramesPerS < uint32(m.rate):
		return true
	}
	return false
}

// encode returns the team's part of the frame for clients that come from base.
// All who come from the same one share it.
func (t *team) encode(m *live, base grid.Tick, wants view.MaskOptions) *encoded {
	for i := range t.shared {
		if e := &t.shared[i]; e.base == base && e.mask == wants {
			return e
		}
	}
	n := len(t.shared)
	if n < cap(t.shared) {
		t.shared = t.shared[:n+1]
	} else {
		t.shared = append(t.shared, encoded{})
	}
	e := &t.shared[n]
	*e = encoded{base: base, mask: wants, bytes: e.bytes[:0]}
	t.tracker.Diff(&t.diff, base, wants)
	e.snapshot = t.diff.Snapshot
	e.bytes = wire.AppendTeam(e.bytes, &t.diff, m.kinds)
	t.meter.Measure(e.bytes, &e.sizes)
	return e
}

// appendOwn appends what is for the seat's player alone.
func (m *live) appendOwn(b []byte, st *seat) []byte {
	s, t := st.session, m.teams[st.team]
	st.forgetApplied(s.acked)
	synced, now := leakSynced(m, m.log.Synced()), m.world.Tick()
	var answers wire.Answers
	for len(b) < ownBytesMax {
		row := st.answers.next(synced, now)
		if row == nil {
			break
		}
		b = answers.Append(b, &row.what)
	}
	b = answers.Flush(b)
	d := &t.own
	d.Cancelled = d.Cancelled[:0]
	t.tracker.DiffOwner(d, st.slot, s.base)
	for row := st.cancelled.next(synced, now); row != nil; row = st.cancelled.next(synced, now) {
		// The number may name another unit by the time that it can be told.
		if e, ok := m.world.Knowledge(st.team).Sighted(row.what.Unit); ok && e.Entered <= row.at {
			d.Cancelled = append(d.Cancelled, row.what)
		}
	}
	b = wire.AppendOwn(b, d)
	for row := st.said.next(synced, now); row != nil; row = st.said.next(synced, now) {
		if l := &row.what; l.Ping != 0 {
			b = wire.AppendPinged(b, l.Slot, l.Ping, l.Point)
		} else {
			b = wire.AppendSaid(b, l.Slot, l.To == ^grid.TeamSet(0), l.Text)
		}
	}

	if r := m.world.Result(); r != nil && !s.toldEnd {
		s.toldEnd = true
		b = appendEnded(b, r)
	}
	return b
}

func appendEnded(b []byte, r *sim.Result) []byte {
	e := &pb.Ended{Reason: r.Reason}
	if r.Winner != grid.NoTeam {
		e.Winners = []uint32{uint32(r.Winner)}
	}
	for _, p := range r.Players {
		e.Scores = append(e.Scores, &pb.Score{Kills: uint32(p.Killed), Losses: uint32(p.Lost), Made: uint32(p.Made)})
	}
	out, err := proto.MarshalOptions{}.MarshalAppend(b, &pb.ServerFrame{Ended: e})
	if err != nil {
		panic("match: a result is plain data: " + err.Error())
	}
	return out
}
