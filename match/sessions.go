package match

import "github.com/fogkeep/fogkeep/match/link"

// sessions are the connections of a match's seats, of players and of spectators.
type sessions struct {
	*core
	seats   *seats
	journal *matchJournal
	traffic traffic
	traces  traces
}

// link gives a session to a seat.
func (c *sessions) link(s *session, st *seat) {
	s.seat, st.session, s.Owned = st, s, c.journal.log.Confirm
	s.Slot, s.Team, s.Backlog, s.Meter = st.slot, st.team, &st.backlog, st.meter
	s.BytesPerS = st.bytesPerS
	c.host.metrics.sessions.Inc()
	if st.screen != nil {
		c.host.metrics.spectators.Inc()
	}
}

// unlink takes a seat's session away.
func (c *sessions) unlink(st *seat) {
	c.traffic.leave(st.session)
	st.session, st.over = nil, false
	c.host.metrics.sessions.Dec()
	if st.screen != nil {
		c.host.metrics.spectators.Dec()
	}
}

// leave notes that a seat's client is gone; its seat is kept.
func (c *sessions) leave(st *seat) {
	st.session.Drop()
	c.vacate(st)
}

// vacate empties a seat.
func (c *sessions) vacate(st *seat) {
	c.unlink(st)
	st.leaveTime = c.host.now()
	if st.screen == nil {
		c.seats.tellAway(st)
	}
	c.tell.publish()
}

// remove ends a seat for good, and its player's connection once the journal says so.
func (c *sessions) remove(st *seat, why *link.Refusal) {
	c.seats.leave(st)
	was := st.session
	dismiss := func() {
		if st.session == was && !st.standIn {
			c.dismiss(st, why)
		}
	}
	if c.end.closed() {
		dismiss()
	} else {
		c.inputs.then(dismiss)
	}
}

// dismiss ends a seat's connection, if it has one.
func (c *sessions) dismiss(st *seat, why *link.Refusal) {
	defer st.hold()()
	if st.session == nil {
		return
	}
	if !st.over {
		st.session.dismiss(why)
	}
	c.vacate(st)
}
