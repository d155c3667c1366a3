package match

import (
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// broadcast is for spectators with the same delay: their seats, and the feed that makes
// their frames. Without a delay it shows the match's own world, on the match's
// goroutine. With one it has a goroutine of its own ([late]), and mu says which of the
// two goroutines may touch feed and sessions.
//
// The match's goroutine does not wait for mu in a tick. It waits for a frame at most to
// let a spectator in or to end a session.
type broadcast struct {
	delay grid.Ticks
	late  *late // nil: no delay

	mu    sync.Mutex
	seats []*seat // changed by the match's goroutine alone, which reads it without mu
	feed  *feed.Feed
	shown grid.Tick // by the frames; 0: nothing yet

	// Traffic of a late broadcast, until the match's account takes it over.
	counts traffic
	meter  meter
}

// broadcastsMax bounds the different delays in one match.
const broadcastsMax = 4

var unwatchable = &link.Refusal{Code: "unwatchable", Text: "the spectator broadcast failed; the match continues"}

func (m *live) newBroadcast(delay grid.Ticks) *broadcast {
	g := &broadcast{delay: delay}
	g.meter.of = &g.counts
	if delay == 0 {
		g.feed = m.output.feeds.ForSpectators()
	} else {
		m.newLate(g)
	}
	return g
}

// watch shows the broadcasts that the match has reached a tick. out is that of the tick,
// nil once the match's own world stands still.
func (m *live) watch(now grid.Tick, out *sim.Outcome) {
	for _, g := range m.broadcasts {
		if why := m.show(g, now, out); why != nil {
			m.shut(g, why)
		}
	}
	m.broadcasts = slices.DeleteFunc(m.broadcasts, func(g *broadcast) bool {
		if len(g.seats) > 0 {
			return false
		}
		m.drop(g)
		return true
	})
}

// show moves a broadcast on, and returns why it has to be shut. A panic shuts this
// broadcast, and neither another nor the match.
func (m *live) show(g *broadcast, now grid.Tick, out *sim.Outcome) (why *link.Refusal) {
	defer panics.Catch(m.host.log, "broadcast", func() { why = unwatchable })
	if why = m.attend(g); why != nil || len(g.seats) == 0 {
		return why
	}
	if last := m.world.Tick() + grid.Tick(g.delay); m.end.result != nil && now > last && (g.late == nil || g.late.finished.Load() || now > last+grid.Tick(endWaitSeconds*m.rate)) {
		return &link.Refusal{Code: codeEnded, Text: "the match is over"} // they have seen all there was
	}
	if g.late != nil {
		g.late.cue(now)
		return nil
	}
	m.output.prepare()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hear(out.Said, m.journal.log.Next(), now)
	g.look(feed.Source{World: m.world, Cache: m.output.cache, Away: m.seats.away(), Result: m.world.Result(), Synced: m.journal.log.Synced()})
	return nil
}

// endWaitSeconds is how long the end of a match waits for a late broadcast for which
// the server has no time.
const endWaitSeconds = 60

// rest is the part of watch that goes on while the match stands still.
func (m *live) rest(g *broadcast) {
	if why := m.attend(g); why != nil {
		m.shut(g, why)
	} else if g.late != nil {
		g.late.cue(grid.Tick(g.late.now.Load()))
	}
}

// attend takes in what has become of a broadcast's sessions, gives up the seats of those
// who are away for too long, and returns why the broadcast has to be shut. It does
// nothing while a frame is being sent: the next tick does.
func (m *live) attend(g *broadcast) *link.Refusal {
	if !g.mu.TryLock() {
		return nil
	}
	defer g.mu.Unlock()
	if g.late == nil {
		g.listen()
	}
	for _, st := range g.seats {
		if st.session != nil {
			m.seats.prove(st)
			if st.over {
				m.vacate(st)
			}
		}
		if st.session == nil && m.host.now().Sub(st.lost) > m.host.grace {
			st.gone = true
		}
	}
	g.seats = slices.DeleteFunc(g.seats, func(st *seat) bool { return st.gone || st.kicked })
	g.feed.Keep(func(eyes grid.Team) bool {
		return slices.ContainsFunc(g.seats, func(st *seat) bool { return st.team == eyes })
	})
	if g.late == nil {
		return nil
	}
	m.tellLate(g)
	return g.late.failed
}

// listen takes in what spectators sent: they have no part in the match, and their orders
// and chat are refused. mu is held.
func (g *broadcast) listen() {
	for _, st := range g.seats {
		for range drainMessages {
			if st.session == nil || st.over || !g.take(st) {
				break
			}
		}
	}
}

// take takes in one message of a spectator, and reports false if there is none.
func (g *broadcast) take(st *seat) bool {
	s := st.session
	select {
	case f, ok := <-s.In:
		if !ok { // the reader is done: the client is gone
			s.Drop()
			st.over = true
			return false
		}
		g.feed.Take(s.Receiver, &f)
		for _, in := range f.Inputs {
			st.backlog.Answer(0, s.Sent(), sim.Answer{Seq: in.Seq, Code: orders.NotAlive})
		}
		return true
	default:
		return false
	}
}

// hear keeps what was said to everybody for those who watch. What a team says
// among itself is for nobody else, not even for one who looks with its eyes. mu is held.
func (g *broadcast) hear(said []sim.Said, records uint64, now grid.Tick) {
	for _, l := range said {
		if l.Ping != 0 || l.To != ^grid.TeamSet(0) {
			continue
		}
		for _, st := range g.seats {
			st.backlog.Say(records, now, l)
		}
	}
}

// look shows the spectators a tick. mu is held.
func (g *broadcast) look(src feed.Source) {
	g.feed.Look(src)
	g.shown = src.World.Tick()
	for _, st := range g.seats {
		if s := st.session; s != nil && !st.over && !g.feed.Send(s.Receiver) {
			s.end("too_slow", "your connection is too slow for this match")
			st.over = true
		}
	}
}

// playOut shows those who watch late the rest of a match that has ended, as late
// as everything before, unless the service is asked to finish.
func (m *live) playOut(b *beat) {
	for m.end.result != nil && m.end.failed == "" && !m.journal.fenced && m.watching() > 0 && !m.host.isDraining() {
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
	why := m.farewell()
	for _, g := range m.broadcasts {
		m.shut(g, why)
		m.drop(g)
	}
	m.broadcasts = nil
}

// shut ends all connections of a broadcast and empties it.
func (m *live) shut(g *broadcast, why *link.Refusal) {
	for _, st := range g.seats {
		m.endSession(st, why)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seats = nil
}

// drop lets go of a broadcast that has no seats.
func (m *live) drop(g *broadcast) {
	g.mu.Lock()
	defer g.mu.Unlock()
	m.traffic.take(g)
	if g.late != nil {
		close(g.late.stop)
	}
}
