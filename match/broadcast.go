package match

import (
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spectate"
)

// broadcast is for spectators with the same delay: the world that is so late, and
// the feed that shows it to them. Without a delay the world is the match's own.
// In all else a spectator is like a player of a match that is delay ticks younger.
//
// It belongs to the match's goroutine.
type broadcast struct {
	spectate.Delayed
	feed  *feed.Feed
	seats []*seat
}

// Bounds of broadcasts.
const (
	broadcastsMax = 4 // different delays in one match
)

func (m *live) newBroadcast(delay grid.Ticks) *broadcast {
	return &broadcast{Delayed: spectate.Delayed{Delay: delay}, feed: m.output.feeds.ForSpectators()}
}

// remember keeps of the tick just made what broadcasts need to play it later.
func (m *live) remember(out *sim.Outcome) {
	if m.replay.Note(m.world, m.inputs.short, out, spectate.Step{Synced: m.journal.log.Next(), Away: m.seats.away()}) {
		m.host.log.Warn("spectators have to wait: players sent more than the replay buffer holds", "match", m.spec.ID, "tick", out.Tick)
	}
}

// watch shows the broadcasts what is due at a tick. out is that of the tick, nil
// once the match's own world stands still.
func (m *live) watch(now grid.Tick, out *sim.Outcome) {
	for _, g := range m.broadcasts {
		if err := m.show(g, now, out); err != nil {
			m.host.log.Error("spectator broadcast closed", "match", m.spec.ID, "tick", now, "error", err)
			m.shut(g, &link.Refusal{Code: "unwatchable", Text: "the spectator broadcast failed; the match continues"})
		}
	}
	m.broadcasts = slices.DeleteFunc(m.broadcasts, func(g *broadcast) bool { return len(g.seats) == 0 })
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
	if len(g.seats) == 0 {
		return nil
	}
	if m.end.result != nil && now > m.world.Tick()+grid.Tick(g.Delay) {
		m.shut(g, &link.Refusal{Code: codeEnded, Text: "the match is over"}) // they have seen all there was
		return nil
	}
	src, there, err := m.sourceOf(g, now, out)
	if err != nil {
		return err
	}
	if !there {
		m.tellWaiting(g, now)
		return nil
	}
	g.hear()
	g.feed.Look(src)
	m.sendTo(g.seats)
	return nil
}

// sourceOf brings a broadcast's world to where it has to be at a tick of the
// match, and reports whether it is there.
func (m *live) sourceOf(g *broadcast, now grid.Tick, out *sim.Outcome) (src feed.Source, there bool, err error) {
	if g.Delay == 0 {
		m.output.prepare()
		g.World, g.Cache, g.Away, g.Said, g.Synced = m.world, m.output.cache, m.seats.away(), out.Said, m.journal.log.Next()
	} else {
		there, restarted, err := g.Follow(m.replay, now, m.spec.Setup)
		if restarted {
			g.feed.Restart()
		}
		if !there || err != nil {
			return src, false, err
		}
	}
	return feed.Source{World: g.World, Cache: g.Cache, Away: g.Away, Result: g.World.Result(), Synced: m.journal.log.Synced()}, true, nil
}

// hear keeps what was said to everybody for those who watch. What a team says
// among itself is for nobody else, not even for one who looks with its eyes.
func (g *broadcast) hear() {
	for _, l := range g.Said {
		if l.Ping != 0 || l.To != ^grid.TeamSet(0) {
			continue
		}
		for _, st := range g.seats {
			st.backlog.Say(g.Synced, g.World.Tick(), l)
		}
	}
}

// tellWaiting tells those whose frames have not begun how long that will take,
// once a second.
func (m *live) tellWaiting(g *broadcast, now grid.Tick) {
	ticks := uint32(1) // nearly there: it is catching up
	if first := m.replay.First(now) + grid.Tick(g.Delay); first > now {
		ticks = uint32(first - now)
	}
	for _, st := range g.seats {
		if st.session != nil {
			st.session.Wait(now, ticks, m.rate)
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
	}
}
