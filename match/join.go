package match

import (
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
)

// feedOf returns the maker of frames for the seat's client.
func (m *live) feedOf(st *seat) *feed.Feed {
	if st.screen != nil {
		return st.screen.feed
	}
	return m.output.players
}

// join gives a session its seat. The session that had it before is replaced.
func (m *live) join(s *session, who Seat) error {
	if m.gate.cut {
		return m.host.movedTo(m.spec.ID)
	}
	var st *seat
	var err error
	if who.Spectator {
		st, err = m.spectators.seat(who)
	} else {
		st, err = m.seats.playerSeat(who, s.Hello.Resume != "", m.spectators.of(who.Account) != nil)
	}
	if err != nil {
		return err
	}
	var old *session
	if st != nil {
		if s.Hello.Resume != "" && who.Serial < st.floor {
			return errOldToken
		}
		old = st.session
	}
	if !m.host.enroll(m.spec.ID, who.Account, who.Epoch) {
		return errLoggedOut
	}
	if err := m.host.count(s.by, who, old); err != nil {
		return err
	}
	if who.Spectator {
		if st, err = m.spectators.take(st, who); err != nil {
			return err
		}
	}
	defer st.hold()()
	if st.session != nil {
		if !st.over {
			st.session.end("replaced", "this seat was taken over by a newer connection of yours")
		}
		m.sessions.unlink(st)
	}
	anew := st.seen && s.Hello.Resume == "" // another client of the player, which has a new ticket
	if m.seats.othersSeat(st, who) {
		m.seats.takeOver(st, who)
		m.output.rename(st.slot)
		anew = false
	}
	m.seats.newRight(s, st, who)
	m.sessions.link(s, st)
	if !who.Spectator {
		if st.account = who.Account; !st.here || anew {
			m.inputs.add(sim.Input{Kind: sim.InputJoined, Slot: st.slot, All: anew})
			m.journal.arrival = m.journal.arrival || m.gate.arrivalShows(st, anew)
		}
		if !st.here {
			m.seats.seatChanged(st, true)
		}
		st.here = true
	}
	st.gone, st.seen = false, true
	s.Send(s.Counted(m.output.welcomeTo(st)))
	m.feedOf(st).Begin(s.Receiver)
	m.publish()
	return nil
}

// refuse ends a session that broke the protocol.
func (m *live) refuse(s *session, why *link.Refusal) {
	if s.seat.session != s {
		return // replaced meanwhile
	}
	if why != link.ErrInternal {
		m.host.metrics.refused.Inc()
	}
	m.sessions.dismiss(s.seat, why)
}
