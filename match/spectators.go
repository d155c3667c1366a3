package match

import (
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// SpectatorInfo is one who watches, as the list of matches shows it.
type SpectatorInfo struct {
	Account   string
	Epoch     int64     // of the account, as the right that its socket came with says
	Eyes      grid.Team // [grid.NoTeam]: all teams'
	Delay     grid.Ticks
	Connected bool
	Address   netip.Addr // of the connection
}

// checkSpectators is the spectators' part of [Spec.Check].
func (s *Spec) checkSpectators() error {
	switch {
	case s.Spectators < 0 || s.Spectators > SpectatorsMax:
		return fmt.Errorf("spectators: %d seats are outside 0 to %d", s.Spectators, SpectatorsMax)
	case s.SpectatorDelay < 0 || s.SpectatorDelay > spectatorDelayMax:
		return fmt.Errorf("spectators' delay: %v is outside 0 to %v", s.SpectatorDelay, spectatorDelayMax)
	case s.Spectators > 0 && s.Drive != nil:
		return fmt.Errorf("spectators: a match that is driven from outside cannot be played once more for them")
	}
	return nil
}

// SpectatorsMax bounds the spectators of one match.
const SpectatorsMax = 64

// delayTicks returns a delay in ticks, rounded up.
func (m *live) delayTicks(d time.Duration) grid.Ticks {
	return grid.Ticks((int64(d)*int64(m.rate) + int64(time.Second) - 1) / int64(time.Second))
}

// admitWatcher gives a session a seat in a broadcast. One account has one such
// seat; who comes with a right to look otherwise changes seats.
func (m *live) admitWatcher(s *session, who Seat) error {
	delay := m.delayTicks(who.Delay)
	switch {
	case m.spec.Spectators == 0:
		return &link.Refusal{Code: "no_seat", Text: "this match takes no spectators"}
	case who.Eyes != grid.NoTeam && int(who.Eyes) >= m.world.Teams():
		return &link.Refusal{Code: "no_seat", Text: fmt.Sprintf("the match has no team %d", who.Eyes+1)}
	case who.Delay < 0 || who.Delay > spectatorDelayMax:
		return &link.Refusal{Code: "no_seat", Text: fmt.Sprintf("a delay of %v is outside 0 to %v", who.Delay, spectatorDelayMax)}
	case m.barred[who.Account].Code != "":
		why := m.barred[who.Account]
		return &why
	case m.plays(who.Account):
		return &link.Refusal{Code: "no_seat", Text: "you play in this match"}
	case m.failed != "" || m.ended != nil && m.beyond >= delay:
		return &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	if !m.service.enroll(m, who.Account, who.Epoch) {
		return errLoggedOut
	}
	g, st := m.watcher(who.Account)
	if st != nil && s.Hello.Resume != "" && who.Serial < st.floor {
		return errOldToken
	}
	var old *session
	if st != nil {
		old = st.session
	}
	if err := m.service.count(s.by, who, old); err != nil {
		return err
	}
	if st != nil && (g.delay != delay || st.team != who.Eyes) {
		m.unseat(g, st, "replaced", "you now watch from a newer connection of yours")
		st = nil
	}
	if st == nil {
		if g = m.broadcastOf(delay); g == nil {
			return &link.Refusal{Code: "no_seat", Text: "all seats for spectators are taken"}
		}
		st = &seat{slot: grid.NoSlot, team: who.Eyes, account: who.Account}
		g.watchers = append(g.watchers, st)
	}
	if old := st.session; old != nil {
		old.end("replaced", "this seat was taken over by a newer connection of yours")
		m.vacate(st)
	}
	m.newRight(s, st, who)
	s.seat, st.session, st.seen = st, s, true
	st.recall(s)
	m.traffic.attach(s, &m.traffic.spectators)
	s.Out <- s.counted(m.welcomeTo(st, delay))
	if t := g.with(m, st.team); s.Hello.Resume != "" && t.covers(s.Applied) {
		// The client goes on from the frame it applied last.
		s.base, s.sent, s.acked = s.Applied, s.Applied, s.Applied
	}
	m.service.metrics.sessions.Inc()
	m.service.metrics.spectators.Inc()
	m.publish()
	return nil
}

// plays reports whether an account has a part in the match: it shall not see
// with others' eyes, however late.
func (m *live) plays(account string) bool {
	return account != "" && slices.ContainsFunc(m.seats, func(st *seat) bool {
		return st.account == account && m.world.Player(st.slot).Alive && !m.world.HasLeft(st.slot)
	})
}

// watcher finds the seat of an account that watches.
func (m *live) watcher(account string) (*broadcast, *seat) {
	for _, g := range m.broadcasts {
		for _, st := range g.watchers {
			if st.account == account && !st.kicked {
				return g, st
			}
		}
	}
	return nil, nil
}

// broadcastOf returns the broadcast with a delay if there is a seat left for one
// more: a free one, or one that nobody has sat in for longest.
func (m *live) broadcastOf(delay grid.Ticks) *broadcast {
	i := slices.IndexFunc(m.broadcasts, func(g *broadcast) bool { return g.delay == delay })
	if i < 0 && len(m.broadcasts) == broadcastsMax {
		return nil
	}
	var taken int
	var left *seat
	var leftIn *broadcast
	for _, g := range m.broadcasts {
		taken += len(g.watchers)
		for _, st := range g.watchers {
			if st.session == nil && (left == nil || st.lost.Before(left.lost)) {
				left, leftIn = st, g
			}
		}
	}
	if taken >= m.spec.Spectators {
		if left == nil {
			return nil
		}
		leftIn.watchers = slices.DeleteFunc(leftIn.watchers, func(st *seat) bool { return st == left })
	}
	if i < 0 {
		i = len(m.broadcasts)
		m.broadcasts = append(m.broadcasts, &broadcast{delay: delay})
		m.replay.depth = max(m.replay.depth, delay)
	}
	return m.broadcasts[i]
}

// attend takes in what the broadcast's spectators sent, and gives up the seats of
// those who are away for too long.
func (m *live) attend(g *broadcast) {
	for _, st := range g.watchers {
		if st.session != nil {
			m.drainWatcher(g, st)
		}
		if st.session == nil && m.service.cfg.Clock.Now().Sub(st.lost) > m.service.cfg.Grace {
			st.gone = true
		}
	}
	g.watchers = slices.DeleteFunc(g.watchers, func(st *seat) bool { return st.gone || st.kicked })
	g.eyes = slices.DeleteFunc(g.eyes, func(t *team) bool {
		return !slices.ContainsFunc(g.watchers, func(st *seat) bool { return st.team == t.team })
	})
}

// now returns the broadcast's tick as s knows it.
func (g *broadcast) now(s *session) grid.Tick {
	if g.world == nil {
		return s.sent
	}
	return g.world.Tick()
}

// drainWatcher takes in what a spectator sent. It has no part in the match:
// whatever it orders or says is answered here, and goes nowhere.
func (m *live) drainWatcher(g *broadcast, st *seat) {
	s := st.session
	for range drainMessages {
		select {
		case f, ok := <-s.In:
			if !ok {
				m.leave(st)
				return
			}
			s.take(f, g.now(s), m.rate)
			m.prove(st)
			for _, in := range f.Inputs {
				st.answers.add(queuedRow[sim.Answer]{at: s.sent, what: sim.Answer{Seq: in.Seq, Code: orders.NotAlive}}, answersMax)
			}
		default:
			return
		}
	}
}

// unseat ends a spectator's connection and takes its seat.
func (m *live) unseat(g *broadcast, st *seat, code, text string) {
	if st.session != nil {
		st.session.end(code, text)
		m.vacate(st)
	}
	g.watchers = slices.DeleteFunc(g.watchers, func(o *seat) bool { return o == st })
}

// shut ends all connections of a broadcast and empties it.
func (m *live) shut(g *broadcast, code, text string) {
	for _, st := range g.watchers {
		if st.session != nil {
			st.session.end(code, text)
			m.vacate(st)
		}
	}
	*g = broadcast{delay: g.delay}
}

// watching counts the connections and seats of those who watch, there or not.
func (m *live) watching() (n int) {
	for _, g := range m.broadcasts {
		n += len(g.watchers)
	}
	return n
}

// spectators lists those who watch.
func (m *live) spectators() (out []SpectatorInfo) {
	for _, g := range m.broadcasts {
		for _, st := range g.watchers {
			in := SpectatorInfo{Account: st.account, Eyes: st.team, Delay: g.delay}
			if st.session != nil {
				in.Connected, in.Address, in.Epoch = true, st.session.by.from, st.right.Epoch
			}
			out = append(out, in)
		}
	}
	return out
}
