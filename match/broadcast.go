package match

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// broadcast is where spectators sit who are equally late. It has a world of its
// own, which plays the match's journal a second time, that much later:
//
//	match    inputs ─► Step t ─► views ─► players
//	            │
//	          replay buffer       (saves, and what went into each tick)
//	            │
//	broadcast     └────► Step t-delay ─► views ─► spectators
//
// So nothing of the delay can be in what a spectator is sent, in no form: the
// world that it is made of has not come to it. Everything else about a
// spectator, from acknowledgements to resume tokens, is as it is for a player
// of a match that is delay ticks younger. Without a delay the world is the
// match's own.
//
// A broadcast in which nobody sits has no world. It belongs to the match's
// goroutine, like the match.
type broadcast struct {
	delay    grid.Ticks
	watchers []*seat
	eyes     []*team // a tracker each for those who look with the same eyes

	world *sim.World // nil: nobody needs it, or nothing kept is old enough
	cache *view.Cache
	away  grid.SlotSet // as of the world's tick
}

// Bounds of broadcasts.
const (
	broadcastsMax = 4  // different delays in one match
	catchUpTicks  = 16 // played in one tick until the world is where it has to be
	// spectatorDelayMax is the longest delay; a replay buffer is kept for so long.
	spectatorDelayMax = 10 * time.Minute
)

// errDiverged: a broadcast's world is not what the match was.
var errDiverged = errors.New("played once more, the match is another")

// remember keeps of the tick just made what broadcasts need to play it later.
func (m *live) remember(out *sim.Outcome) {
	if m.replay.note(m.world, m.short, out, step{records: m.log.Next(), away: m.away()}) {
		m.service.log.Warn("spectators have to wait: players sent more than the replay buffer holds", "match", m.spec.ID, "tick", out.Tick)
	}
}

// watch shows the broadcasts what is due at a tick. out is that of the tick, nil
// once the match's own world stands still.
func (m *live) watch(now grid.Tick, out *sim.Outcome) {
	for _, g := range m.broadcasts {
		if err := m.show(g, now, out); err != nil {
			m.service.log.Error("spectator broadcast closed", "match", m.spec.ID, "tick", now, "error", err)
			m.shut(g, "unwatchable", "the spectator broadcast failed; the match continues")
		}
	}
	m.broadcasts = slices.DeleteFunc(m.broadcasts, func(g *broadcast) bool { return len(g.watchers) == 0 })
}

// show moves a broadcast on by one tick and hands its spectators their frames. A
// panic closes this broadcast, and neither another nor the match.
func (m *live) show(g *broadcast, now grid.Tick, out *sim.Outcome) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v\n%s", r, debug.Stack())
		}
	}()
	m.attend(g)
	if len(g.watchers) == 0 {
		return nil
	}
	if g.over(m, now) {
		m.shut(g, codeEnded, "the match is over")
		return nil
	}
	there, err := g.follow(m, now, out)
	if err != nil {
		return err
	}
	if !there {
		m.tellWaiting(g, now)
		return nil
	}
	for _, t := range g.eyes {
		t.look(g.cache, g.world, g.away)
	}
	for _, st := range g.watchers {
		if st.session != nil {
			m.sendWatcher(g, st)
		}
	}
	return nil
}

// over reports whether a broadcast has seen all there was: the match's world
// stands still, and it is later than the last tick by more than the delay.
func (g *broadcast) over(m *live, now grid.Tick) bool {
	return m.ended != nil && now > m.world.Tick()+grid.Tick(g.delay)
}

// follow brings the broadcast's world to where it has to be at a tick of the
// match, and reports whether it is there.
func (g *broadcast) follow(m *live, now grid.Tick, out *sim.Outcome) (there bool, err error) {
	if g.delay == 0 {
		g.world, g.cache, g.away = m.world, m.cache, m.away()
		m.prepare()
		g.hear(out.Said, step{records: m.log.Next()}, now)
		return true, nil
	}
	target := due(now, g.delay)
	if g.world == nil {
		s := m.replay.before(target)
		if s == nil || target == 0 {
			return false, nil
		}
		if g.world, err = sim.Restore(m.spec.setup(), s.state); err != nil {
			return false, err
		}
		g.cache = view.NewCache(g.world)
	}
	for range catchUpTicks {
		if g.world.Tick() == target {
			break
		}
		s := m.replay.of(g.world.Tick() + 1)
		if s == nil { // the replay buffer was cut
			g.rewind(m)
			return false, nil
		}
		if err := g.step(m, s, target); err != nil {
			return false, err
		}
	}
	if g.world.Tick() != target {
		return false, nil
	}
	g.cache.Prepare(g.world)
	return true, nil
}

// due returns the tick that is shown at tick now with a delay; 0: none yet.
func due(now grid.Tick, delay grid.Ticks) grid.Tick {
	delay -= leakDelay()
	if now <= grid.Tick(delay) {
		return 0
	}
	return now - grid.Tick(delay)
}

// step plays one tick of the match once more.
func (g *broadcast) step(m *live, s *step, target grid.Tick) error {
	var t journal.Tick
	if s.record != nil {
		r, err := journal.Decode(s.record)
		if err != nil {
			return err
		}
		t = *r.Tick
	}
	out := g.world.Step(t.Inputs)
	if t.Hashed && (!out.Hashed || out.Hash != t.Hash) {
		return fmt.Errorf("tick %d: %w", out.Tick, errDiverged)
	}
	g.away = leakAway(m, s.away)
	if out.Tick == target {
		g.hear(out.Said, *s, target)
	}
	return nil
}

// hear keeps what was said to everybody for those who watch. What a team says
// among itself is for nobody else, not even for one who looks with its eyes.
func (g *broadcast) hear(lines []sim.Said, s step, at grid.Tick) {
	for _, l := range lines {
		if (l.Ping != 0 || l.To != ^grid.TeamSet(0)) && !leakOverhears() {
			continue
		}
		for _, st := range g.watchers {
			st.said.add(queuedRow[sim.Said]{records: s.records, at: at, what: l}, saidMax)
		}
	}
}

// rewind makes the broadcast begin anew, with a save that is still to grow old.
func (g *broadcast) rewind(m *live) {
	g.world, g.cache = nil, nil
	for _, t := range g.eyes {
		t.builder = nil
		t.wake(m) // its clients are told a snapshot
	}
}

// with returns what is kept for those who look with the eyes of a team, or of
// all.
func (g *broadcast) with(m *live, eyes grid.Team) *team {
	i := slices.IndexFunc(g.eyes, func(t *team) bool { return t.team == eyes })
	if i < 0 {
		i = len(g.eyes)
		g.eyes = append(g.eyes, &team{team: eyes})
		g.eyes[i].wake(m)
	}
	return g.eyes[i]
}

// tellWaiting tells those whose stream has not begun how long that will take,
// once a second.
func (m *live) tellWaiting(g *broadcast, now grid.Tick) {
	ticks := uint32(1) // nearly there: it is catching up
	if first := m.replay.first(now) + grid.Tick(g.delay); first > now {
		ticks = uint32(first - now)
	}
	for _, st := range g.watchers {
		s := st.session
		if s == nil || !s.Room() || s.waited != 0 && now-s.waited < grid.Tick(m.rate) {
			continue
		}
		s.waited = now
		b, err := proto.Marshal(&pb.ServerFrame{Waiting: &pb.Waiting{Ticks: ticks}})
		if err != nil {
			panic("match: a number is plain data: " + err.Error())
		}
		s.Out <- s.counted(b)
	}
}

// sendWatcher hands one spectator what it lacks, if it can take it. Nothing is
// cut from a spectator's frame, since all that it sees may be a source of its
// fog: one that is short of bytes gets fewer frames.
func (m *live) sendWatcher(g *broadcast, st *seat) {
	s, t, now := st.session, g.with(m, st.team), g.world.Tick()
	if s.base != 0 && !t.tracker.Covers(s.base) {
		s.base = 0 // it was away from the tick for too long
	}
	if s.refill(m, now) <= 0 || m.holdBack(s, now) {
		m.skip(st, now)
		return
	}
	s.mute = 0
	s.own = m.appendWatcher(s.own[:0], g, st)
	m.sendShared(s, t, t.encode(m, s.base, s.mask), s.own, now)
}

// appendWatcher appends what a spectator is told besides what its eyes see.
func (m *live) appendWatcher(b []byte, g *broadcast, st *seat) []byte {
	s, synced, now := st.session, m.log.Synced(), g.world.Tick()
	st.forgetApplied(s.acked)
	for len(b) < ownBytesMax {
		row := st.answers.next(synced, now)
		if row == nil {
			break
		}
		b = wire.AppendAnswer(b, &row.what)
	}
	for row := st.said.next(synced, now); row != nil; row = st.said.next(synced, now) {
		b = wire.AppendSaid(b, row.what.Slot, true, row.what.Text)
	}
	if r := leakResult(m, g.world.Result()); r != nil && !s.toldEnd {
		s.toldEnd = true
		b = appendEnded(b, r)
	}
	return b
}

// playOut shows those who watch late the rest of a match that has ended, as late
// as everything before, unless the service is asked to finish.
func (m *live) playOut(b *beat) {
	for m.ended != nil && m.failed == "" && m.watching() > 0 && !m.service.isDraining() {
		if _, ok := b.wait(m); !ok {
			return
		}
		m.serve()
		m.beyond++
		now := m.world.Tick() + grid.Tick(m.beyond)
		m.watch(now, nil)
		m.traffic.tick(m, now)
		if int(now)%max(1, m.rate/4) == 0 {
			m.publish()
		}
	}
}

// closeBroadcasts ends the connections of all who watch.
func (m *live) closeBroadcasts() {
	code, text := m.farewell()
	for _, g := range m.broadcasts {
		m.shut(g, code, text)
	}
}
