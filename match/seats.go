package match

import (
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// seat is one player's place in the match, or one spectator's.
type seat struct {
	slot    grid.Slot
	team    grid.Team
	account string
	token   string
	session *session  // nil: nobody is there
	lost    time.Time // when the last session ended
	gone    bool      // away longer than the grace period: the world was told
	kicked  bool
	seen    bool // somebody was there once
	here    bool // the world was told last that the player's client is there

	thrift thrift

	meter *meter // of its client's traffic; spectators share one

	shortUntil grid.Tick // the last tick at which its client lacked something

	answers   box[sim.Answer]
	cancelled box[view.Cancelled]
	said      box[sim.Said]
}

// join gives a session its seat. The session that had it before is replaced.
func (m *live) join(s *session, who Seat) error {
	if who.Spectator {
		return m.admitWatcher(s, who)
	}
	if int(who.Slot) >= len(m.seats) {
		return &Refusal{"no_seat", fmt.Sprintf("the match has no seat %d", who.Slot)}
	}
	st := m.seats[who.Slot]
	if st.kicked || m.barred[who.Account] {
		return &Refusal{"kicked", "you were removed from this match"}
	}
	if m.ended != nil || m.failed != "" {
		return &Refusal{codeEnded, "the match is over"}
	}
	if err := m.service.count(s.by, who, st.session); err != nil {
		return err
	}
	if old := st.session; old != nil {
		st.session = nil
		old.end("replaced", "this seat was taken over by another connection of yours")
		m.traffic.leave(old)
		m.service.metrics.sessions.Dec()
	}
	if st.token == "" {
		st.token = m.service.newToken(who)
	}
	s.seat, st.session, st.account = st, s, who.Account
	m.traffic.attach(s, st.meter)
	if who.Account == "" {
		st.account = m.seats[who.Slot].account
	}
	st.recall(s)
	if !st.here {
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputJoined, Slot: st.slot})
	}
	st.gone, st.seen, st.here = false, true, true
	s.out <- s.counted(m.welcomeTo(st, 0))
	m.teams[st.team].wake(m)
	if s.hello.Resume != "" && m.teams[st.team].covers(s.applied) && s.applied > st.shortUntil {
		// The client goes on from the frame it applied last.
		s.base, s.sent, s.acked = s.applied, s.applied, s.applied
	}
	m.service.metrics.sessions.Inc()
	m.publish()
	return nil
}

// leave notes that a seat's client is gone; its seat is kept.
func (m *live) leave(st *seat) {
	st.session.drop()
	m.vacate(st)
}

// vacate empties a seat.
func (m *live) vacate(st *seat) {
	m.traffic.leave(st.session)
	st.session = nil
	st.lost = m.service.cfg.Clock.Now()
	m.service.metrics.sessions.Dec()
	if st.slot == grid.NoSlot {
		m.service.metrics.spectators.Dec()
	} else {
		m.tellAway(st)
	}
	m.publish()
}

// tellAway tells the world that a player's client is not there, if it does not
// know.
func (m *live) tellAway(st *seat) {
	if st.here {
		st.here = false
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputAway, Slot: st.slot})
	}
}

// refuse ends a session that broke the protocol.
func (m *live) refuse(s *session, why *Refusal) {
	if s.seat.session != s {
		return // replaced meanwhile
	}
	if why != errInternal {
		m.service.metrics.refused.Inc()
	}
	s.end(why.Code, why.Text)
	m.vacate(s.seat)
}

// kick throws an account out for good, also one that stands between its ticket
// and its seat.
func (m *live) kick(account, reason string) {
	if account == "" {
		return
	}
	m.barred[account] = true
	for _, st := range m.seats {
		if st.account != account || st.kicked {
			continue
		}
		st.kicked, st.gone = true, true
		if st.session != nil {
			st.session.end("kicked", reason)
			m.vacate(st)
		}
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputLeft, Slot: st.slot})
	}
	if g, st := m.watcher(account); st != nil {
		m.unseat(g, st, "kicked", reason)
	}
}

// disconnect closes the account's socket. Its seat waits for it, as it does
// after a lost connection.
func (m *live) disconnect(account string, why Refusal) {
	for _, st := range m.seats {
		if account != "" && st.account == account && st.session != nil {
			st.session.end(why.Code, why.Text)
			m.vacate(st)
		}
	}
	if _, st := m.watcher(account); account != "" && st != nil && st.session != nil {
		st.session.end(why.Code, why.Text)
		m.vacate(st)
	}
}
