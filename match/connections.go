package match

import "github.com/fogkeep/fogkeep/match/link"

// connections are the connections of a match's seats, of players and of spectators.
type connections struct {
	*core
	seats   *seats
	journal *matchJournal
	traffic traffic
	traces  traces
}

// link gives a connection to a seat.
func (c *connections) link(s *connection, st *seat) {
	s.seat, st.conn, s.Owned = st, s, c.journal.log.Confirm
	s.Slot, s.Team, s.Backlog, s.Meter = st.slot, st.team, &st.backlog, st.meter
	s.BytesPerS = st.bytesPerS
	c.host.metrics.clients.Inc()
	if st.screen != nil {
		c.host.metrics.spectators.Inc()
	}
}

// unlink takes a seat's connection away.
func (c *connections) unlink(st *seat) {
	c.traffic.leave(st.conn)
	st.conn, st.over = nil, false
	c.host.metrics.clients.Dec()
	if st.screen != nil {
		c.host.metrics.spectators.Dec()
	}
}

// leave notes that a seat's client is gone; its seat is kept.
func (c *connections) leave(st *seat) {
	st.conn.Drop()
	c.vacate(st)
}

// vacate empties a seat.
func (c *connections) vacate(st *seat) {
	c.unlink(st)
	st.leaveTime = c.host.now()
	if st.screen == nil {
		c.seats.tellAway(st)
	}
	c.tell.publish()
}

// remove ends a seat for good, and its player's connection once the journal says so.
func (c *connections) remove(st *seat, why *link.Refusal) {
	c.seats.leave(st)
	was := st.conn
	dismiss := func() {
		if st.conn == was && !st.standIn {
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
func (c *connections) dismiss(st *seat, why *link.Refusal) {
	defer st.hold()()
	if st.conn == nil {
		return
	}
	if !st.over {
		st.conn.dismiss(why)
	}
	c.vacate(st)
}
