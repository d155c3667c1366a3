package match

import (
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// seat is one player's place in the match, or one spectator's.
type seat struct {
	slot    grid.Slot
	team    grid.Team
	account string
	right   Seat      // of the last session; its resume token is made of it
	serial  uint32    // of the last resume token given out
	floor   uint32    // of the oldest that is good
	session *session  // nil: nobody is there
	lost    time.Time // when the last session ended
	gone    bool      // away longer than the grace period: the world was told
	kicked  bool
	turn    uint32    // of who has taken it over last; 0: nobody has
	since   grid.Tick // in which tick that was
	seen    bool      // somebody was there once
	here    bool      // the world was told last that the player's client is there

	journalBudget journalBudget

	bytesPerS int // of its client at most, as an operator has set; 0: the match's

	meter *meter // of its client's traffic; spectators share one

	backlog feed.Backlog

	broadcast *broadcast // of a spectator; nil: a player
}

// feedOf returns what makes the frames of the seat's client.
func (m *live) feedOf(st *seat) *feed.Feed {
	if st.broadcast != nil {
		return st.broadcast.feed
	}
	return m.players
}

// join gives a session its seat. The session that had it before is replaced.
func (m *live) join(s *session, who Seat) error {
	if m.cut {
		return m.host.movedTo(m.spec.ID)
	}
	var st *seat
	var err error
	if who.Spectator {
		st, err = m.spectatorSeat(who)
	} else {
		st, err = m.playerSeat(who, s.Hello.Resume != "")
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
		if st, err = m.takeSpectatorSeat(st, who); err != nil {
			return err
		}
	}
	if st.session != nil {
		st.session.end("replaced", "this seat was taken over by a newer connection of yours")
		m.unlink(st)
	}
	anew := st.seen && s.Hello.Resume == "" // another client of the player, which has a new ticket
	if m.othersSeat(st, who) {
		m.takeOver(st, who)
		anew = false
	}
	m.newRight(s, st, who)
	m.link(s, st)
	if !who.Spectator {
		if st.account = who.Account; !st.here || anew {
			m.arrived = append(m.arrived, sim.Input{Kind: sim.InputJoined, Slot: st.slot, All: anew})
			m.journal.arrival = m.journal.arrival || m.arrivalShows(st, anew)
		}
		if !st.here {
			m.seatChanged(st, true)
		}
		st.here = true
	}
	st.gone, st.seen = false, true
	s.Send(s.Counted(m.welcomeTo(st)))
	m.feedOf(st).Begin(s.Receiver)
	m.publish()
	return nil
}

// playerSeat finds the seat of one who plays.
func (m *live) playerSeat(who Seat, resumes bool) (*seat, error) {
	if int(who.Slot) >= len(m.seats) {
		return nil, &link.Refusal{Code: "no_seat", Text: fmt.Sprintf("the match has no seat %d", who.Slot)}
	}
	st := m.seats[who.Slot]
	why, barred := m.barred[who.Account]
	switch {
	case barred:
		return nil, &why
	case st.kicked && !m.othersSeat(st, who):
		return nil, &link.Refusal{Code: "kicked", Text: "you were removed from this match"}
	case m.ended != nil || m.failed != "":
		return nil, &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	switch {
	case m.othersSeat(st, who):
		return st, m.mayTakeOver(st, who, resumes)
	case st.account == "" || st.account == who.Account:
		return st, nil
	case resumes:
		return nil, errOthersToken
	}
	return nil, errOthersSeat
}

// othersSeat reports whether a person comes for a seat that is a bot's or another
// player's.
func (m *live) othersSeat(st *seat, who Seat) bool {
	return !who.Spectator && who.Account != "" && who.Account != st.account && (st.account != "" || m.spec.Seats[st.slot].Bot)
}

// errOthersSeat refuses who comes for a seat that it never had, or has no more.
var errOthersSeat = &link.Refusal{Code: "no_seat", Text: "this seat is somebody else's by now"}

// errOthersToken refuses the resume token of one whose seat another took over.
var errOthersToken = &link.Refusal{Code: "bad_token", Text: "this seat was taken over"}

// away reports whether the seat's player had come, and is gone for longer than the
// grace period. The lobby lets others take over no other player's seat.
func (st *seat) away() bool { return st.seen && st.gone && !st.kicked }

// out reports whether nobody will play the seat any more.
func (m *live) out(st *seat) bool {
	return st.kicked || !m.world.Player(st.slot).Alive || m.world.HasLeft(st.slot)
}

// mayTakeOver says why a person may not take over a seat. The lobby has given the person a
// ticket, but its knowledge of the match may be a moment old: a player who came back in
// that moment keeps the seat. Tickets may come in another order than the lobby gave the
// seat away in: an earlier one takes nothing from a later one.
func (m *live) mayTakeOver(st *seat, who Seat, resumes bool) error {
	refuse := func(text string) error { return &link.Refusal{Code: "no_seat", Text: text} }
	switch {
	case resumes:
		return errOthersToken
	case !m.spec.Seats[st.slot].Bot && who.Turn <= st.turn:
		return errOthersSeat
	case m.out(st):
		return refuse("this seat was defeated")
	case !m.spec.Seats[st.slot].Bot && !st.away():
		return refuse("the player of this seat is back")
	case m.plays(who.Account):
		return refuse("you play in this match already")
	case m.watches(who.Account) != nil:
		return refuse("you watch this match: who has seen it cannot play in it")
	case len(who.Name) == 0 || len(who.Name) > spec.NameBytesMax:
		return refuse("a player needs a name")
	}
	return nil
}

// takeOver gives a seat to a person, who gets what the seat's team knows, and
// nothing that was said before. Everybody is told the new name.
func (m *live) takeOver(st *seat, who Seat) {
	in := sim.Input{Kind: sim.InputTaken, Slot: st.slot, Seq: who.Turn, Text: sim.TakenText(who.Account, who.Name)}
	m.arrived = append(m.arrived, in)
	m.spec.Take(st.slot, &in)
	m.rename(st.slot)
	st.backlog, st.here, st.turn, st.since = feed.Backlog{}, true, who.Turn, m.world.Tick()+1
	st.account = who.Account
	m.seatChanged(st, true)
}

// rename tells everybody who plays a seat that was taken over: who comes from now
// on with the welcome, the others with their next frame.
func (m *live) rename(slot grid.Slot) {
	p := &m.spec.Seats[slot]
	m.welcome.Players[slot].Name, m.welcome.Players[slot].Bot = p.Name, p.Bot
	m.feeds.Renamed(slot, p.Name)
}

// link makes a session that of a seat.
func (m *live) link(s *session, st *seat) {
	s.seat, st.session, s.Owned = st, s, m.journal.log.Confirm
	s.Slot, s.Team, s.Backlog, s.Meter = st.slot, st.team, &st.backlog, m.meterOf(st)
	s.BytesPerS = st.bytesPerS
	m.host.metrics.sessions.Inc()
	if st.broadcast != nil {
		m.host.metrics.spectators.Inc()
	}
}

// unlink takes a seat's session away.
func (m *live) unlink(st *seat) {
	m.traffic.leave(st.session)
	st.session = nil
	m.host.metrics.sessions.Dec()
	if st.broadcast != nil {
		m.host.metrics.spectators.Dec()
	}
}

// newRight gives a seat's next client a resume token of its own. The one that it
// has shown, if it has, makes all before it void: so a copy of an old token opens
// nothing, and a client that never got its welcome comes back with the token
// that it has.
func (m *live) newRight(s *session, st *seat, who Seat) {
	if s.Hello.Resume != "" {
		m.voidBefore(st, who.Serial)
	}
	st.serial = max(st.serial, who.Serial) + 1
	st.right, s.serial = who, st.serial
	st.right.Serial = st.serial
}

// prove makes a seat's older resume tokens void once its client has applied a
// frame of this connection, and so has the welcome that came before it.
func (m *live) prove(st *seat) {
	if s := st.session; s.serial > st.floor && s.Acked() > s.Applied {
		m.voidBefore(st, s.serial)
	}
}

// voidBefore is journalled, so that it holds after a restart.
func (m *live) voidBefore(st *seat, serial uint32) {
	if serial <= st.floor {
		return
	}
	st.floor = serial
	if st.slot != grid.NoSlot {
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputToken, Slot: st.slot, Seq: serial})
	}
}

// tokensUnproved is more than the resume tokens that one seat is given between
// two that its client proves.
const tokensUnproved = 1 << 16

// errOldToken refuses a resume token in whose place another came.
var errOldToken = &link.Refusal{Code: "bad_token", Text: "this resume token was replaced by a newer one"}

// leave notes that a seat's client is gone; its seat is kept.
func (m *live) leave(st *seat) {
	st.session.Drop()
	m.vacate(st)
}

// vacate empties a seat.
func (m *live) vacate(st *seat) {
	m.unlink(st)
	st.lost = m.host.now()
	if st.broadcast == nil {
		m.tellAway(st)
	}
	m.publish()
}

// tellAway tells the world that a player's client is not there, if it does not
// know.
func (m *live) tellAway(st *seat) {
	if st.here {
		st.here = false
		m.seatChanged(st, false)
		m.arrived = append(m.arrived, sim.Input{Kind: sim.InputAway, Slot: st.slot})
	}
}

// seatChanged tells whoever wants to know; bots are nobody's business.
func (m *live) seatChanged(st *seat, here bool) {
	if tell := m.host.seatChanged; tell != nil && st.account != "" {
		tell(m.spec.ID, st.account, here, st.since)
	}
}

// refuse ends a session that broke the protocol.
func (m *live) refuse(s *session, why *link.Refusal) {
	if s.seat.session != s {
		return // replaced meanwhile
	}
	if why != link.ErrInternal {
		m.host.metrics.refused.Inc()
	}
	s.dismiss(why)
	m.vacate(s.seat)
}
