package match

import (
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/orders"
)

// seats are the players' places: their owners, absences and valid resume tokens.
type seats struct {
	*core
	all    []*seat
	barred map[string]link.Refusal // accounts whose seats ended for good, and why
	script script
	record []byte // scratch
}

// playerSeat finds a player's seat, or takes it over.
func (s *seats) playerSeat(who Seat, resumes, watches bool) (*seat, error) {
	if int(who.Slot) >= len(s.all) {
		return nil, &link.Refusal{Code: "no_seat", Text: fmt.Sprintf("the match has no seat %d", who.Slot)}
	}
	st := s.all[who.Slot]
	why, barred := s.barred[who.Account]
	switch {
	case barred:
		return nil, &why
	case st.kicked && !s.othersSeat(st, who):
		return nil, &link.Refusal{Code: "kicked", Text: "you were removed from this match"}
	case s.end.closed():
		return nil, &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	switch {
	case s.othersSeat(st, who):
		return st, s.mayTakeOver(st, who, resumes, watches)
	case st.account == "" || st.account == who.Account:
		return st, nil
	case resumes:
		return nil, errOthersToken
	}
	return nil, errOthersSeat
}

// othersSeat reports whether a person comes for the seat of a bot or another player.
func (s *seats) othersSeat(st *seat, who Seat) bool {
	return !who.Spectator && who.Account != "" && who.Account != st.account && (st.account != "" || s.spec.Seats[st.slot].Bot)
}

// errOthersSeat refuses a client that never had the seat, or has lost it.
var errOthersSeat = &link.Refusal{Code: "no_seat", Text: "another player has taken this seat"}

// errOthersToken refuses the resume token of a player whose seat was taken over.
var errOthersToken = &link.Refusal{Code: "bad_token", Text: "this seat was taken over"}

// out reports whether the seat will have no player any more.
func (s *seats) out(st *seat) bool {
	return st.kicked || !s.world.Player(st.slot).Alive || s.world.HasLeft(st.slot)
}

// mayTakeOver says why a person may not take over a seat. The lobby has given the person
// a ticket, but its knowledge of the match may be a moment old: a player who came back in
// that moment keeps the seat. Tickets may arrive in another order than the lobby's: an
// earlier ticket does not take the seat from a later one.
func (s *seats) mayTakeOver(st *seat, who Seat, resumes, watches bool) error {
	refuse := func(text string) error { return &link.Refusal{Code: "no_seat", Text: text} }
	switch {
	case resumes:
		return errOthersToken
	case !s.spec.Seats[st.slot].Bot && who.Turn <= st.turn:
		return errOthersSeat
	case s.out(st):
		return refuse("this seat was defeated")
	case !s.spec.Seats[st.slot].Bot && !st.away():
		return refuse("the player of this seat is back")
	case s.plays(who.Account):
		return refuse("you play in this match already")
	case watches:
		return refuse("you watch this match: its viewers cannot play in it")
	case len(who.Name) == 0 || len(who.Name) > spec.NameBytesMax:
		return refuse("a player needs a name")
	}
	return nil
}

// takeOver gives a seat to a person, who gets the team's knowledge, and no earlier chat.
func (s *seats) takeOver(st *seat, who Seat) {
	in := sim.Input{Kind: sim.InputTaken, Slot: st.slot, Seq: who.Turn, Text: sim.TakenText(who.Account, who.Name)}
	s.inputs.add(in)
	s.spec.Take(st.slot, &in)
	st.backlog, st.online, st.turn, st.takeover = feed.Backlog{}, true, who.Turn, s.world.Tick()+1
	st.account = who.Account
	s.seatChanged(st, true)
}

// newRight gives a seat's next client a resume token of its own. A token that the client
// has shown makes all earlier tokens void: so a copy of an old token is useless, and a
// client that never got its welcome comes back with its last token.
func (s *seats) newRight(to *connection, st *seat, who Seat) {
	if who.StandIn { // its token makes none of the player's void
		st.right = who
		return
	}
	if to.Hello.Resume != "" {
		s.voidBefore(st, who.Serial)
	}
	st.serial = max(st.serial, who.Serial) + 1
	st.right, to.serial = who, st.serial
	st.right.Serial = st.serial
}

// prove makes a seat's older resume tokens void once its client has applied a
// frame of this connection, and so has the welcome that came before it.
func (s *seats) prove(st *seat) {
	if by := st.conn; by.serial > st.floor && by.Acked() > by.Applied {
		s.voidBefore(st, by.serial)
	}
}

// voidBefore is journalled, so that it holds after a restart.
func (s *seats) voidBefore(st *seat, serial uint32) {
	if serial <= st.floor {
		return
	}
	st.floor = serial
	if st.slot != grid.NoSlot {
		s.inputs.add(sim.Input{Kind: sim.InputToken, Slot: st.slot, Seq: serial})
	}
}

// tokensUnproved exceeds the resume tokens that a seat gets between two that its client
// proves.
const tokensUnproved = 1 << 16

// errOldToken refuses a resume token that a newer one replaced.
var errOldToken = &link.Refusal{Code: "bad_token", Text: "this resume token was replaced by a newer one"}

// tellAway tells the world, if it does not know, that a player's client is away.
func (s *seats) tellAway(st *seat) {
	if st.online {
		st.online = false
		s.seatChanged(st, false)
		s.inputs.add(sim.Input{Kind: sim.InputAway, Slot: st.slot})
	}
}

// seatChanged calls [Config.SeatChanged], except for bots.
func (s *seats) seatChanged(st *seat, online bool) {
	if tell := s.host.cfg.SeatChanged; tell != nil && st.account != "" {
		tell(s.spec.ID, st.account, online, st.takeover)
	}
}

// person reports whether a human player has the seat and is not out.
func (s *seats) person(st *seat) bool {
	return !s.spec.Seats[st.slot].Bot && !s.out(st)
}

// persons returns the slots of human players who are not out, and are of some kind.
func (s *seats) persons(are func(*seat) bool) (out grid.SlotSet) {
	for _, st := range s.all {
		if s.person(st) && are(st) {
			out = out.With(st.slot)
		}
	}
	return out
}

// alone reports whether one person plays: with bots, or against them.
func (s *seats) alone() bool {
	all := s.persons(func(*seat) bool { return true })
	return all&(all-1) == 0
}

// deserted reports whether no human player has been connected for as long as a seat is
// kept, or may come back. The match goes on then, so that it can end, at normal speed:
// more would cost without use.
func (s *seats) deserted(now time.Time) bool {
	for _, st := range s.all {
		if s.person(st) && (st.attended() || now.Sub(st.leaveTime) <= s.host.cfg.Grace) {
			return false
		}
	}
	return true
}

// plays reports whether an account has a part in the match: it shall not see
// with others' eyes, however late.
func (s *seats) plays(account string) bool {
	return account != "" && slices.ContainsFunc(s.all, func(st *seat) bool {
		return st.account == account && !s.out(st)
	})
}

// away returns the slots of players who have no connection.
func (s *seats) away() (out grid.SlotSet) {
	for _, st := range s.all {
		if !st.attended() && !s.scripted(st.slot) {
			out = out.With(st.slot)
		}
	}
	return out
}

// standIns returns the slots of absent players for whom a bot plays on.
func (s *seats) standIns() (out grid.SlotSet) {
	for _, st := range s.all {
		if st.standIn {
			out = out.With(st.slot)
		}
	}
	return out
}

// attended reports whether a player of the team is connected or may come back.
func (s *seats) attended(t grid.Team) bool {
	for _, st := range s.all {
		if st.team == t && st.kept() {
			return true
		}
	}
	return false
}

// checkGrace tells the world, once, that a player is unlikely to come back.
func (s *seats) checkGrace(st *seat) {
	if st.conn == nil && !st.absent && !s.scripted(st.slot) && s.host.now().Sub(st.leaveTime) > s.host.cfg.Grace {
		st.absent = true
		s.inputs.accepted = append(s.inputs.accepted, sim.Input{Kind: sim.InputGone, Slot: st.slot})
	}
}

// stoodStill gives absent players the time back in which the match stood still: they
// could not come back then.
func (s *seats) stoodStill(d time.Duration) {
	for _, st := range s.all {
		if st.conn == nil {
			st.leaveTime = st.leaveTime.Add(d)
		}
	}
}

// scripted reports whether the scenario's orders play a seat.
func (s *seats) scripted(slot grid.Slot) bool {
	return s.script.slots.Has(slot) && int(slot) < len(s.spec.Seats) && s.spec.Seats[slot].Bot
}

// giveScript gives the orders of a seat that are due in the next step. Each has its place
// in the script, from 1, as its number.
func (s *seats) giveScript(st *seat) {
	if !s.scripted(st.slot) {
		return
	}
	now := s.world.Tick() + 1
	for i := s.script.next; i < len(s.script.orders) && s.script.orders[i].Tick <= now; i++ {
		if o := &s.script.orders[i]; o.Slot == st.slot {
			s.inputs.accepted = append(s.inputs.accepted, s.world.Input(o, uint32(i+1)))
		}
	}
}

// charge notes the bytes that the tick's inputs and their answers have added to the
// journal.
func (s *seats) charge(answers []sim.Answer) {
	for i := range s.inputs.compact {
		in := &s.inputs.compact[i]
		if int(in.Slot) >= len(s.all) || s.scripted(in.Slot) {
			continue
		}
		s.record = journal.AppendInput(s.record[:0], in)
		s.all[in.Slot].journalBudget.owed += int64(len(s.record))
	}
	for i := range answers {
		if s.scripted(answers[i].Slot) {
			continue
		}
		s.record = journal.AppendAnswer(s.record[:0], &answers[i])
		s.all[answers[i].Slot].journalBudget.owed += int64(len(s.record))
	}
}

// takeInputs lets the inputs of a message in that the seat's budget has room for,
// and answers the others.
func (s *seats) takeInputs(st *seat, inputs []sim.Input) {
	if len(inputs) == 0 {
		return
	}
	payer := st.account
	if st.standIn {
		payer = ""
	}
	room, now := st.journalBudget.pays(s.host.cfg.Ledger, payer), s.world.Tick()
	for _, in := range inputs {
		row := &st.journalBudget.shed[in.Seq%shedKept]
		if room && !(row.used && row.seq == in.Seq) {
			in.Slot = st.slot
			s.inputs.accepted = append(s.inputs.accepted, in)
			continue
		}
		*row = shedInput{in.Seq, true}
		s.host.metrics.shed.Inc()
		st.backlog.Answer(0, now, sim.Answer{Slot: st.slot, Seq: in.Seq, Code: orders.RateLimited})
	}
}

// script has the orders of a scenario for free seats, and how far the match has given
// them. Such a seat is a bot's without a client. Once a person takes it over, the match
// gives no more of the orders.
//
// An order is an input like those of clients: it is journalled, judged, and refused if
// the player may not give it. So a replay needs no script. A match that comes back goes
// on behind its journal's last tick. It gives orders of ticks that it only steps again
// late ([live.catchUp]).
type script struct {
	orders []sim.Scripted // by tick
	slots  grid.SlotSet   // whose
	next   int            // the first order not yet given
}

func newScript(start *Start) (s script) {
	if start == nil {
		return s
	}
	s.orders = start.Script
	for i := range s.orders {
		s.slots = s.slots.With(s.orders[i].Slot)
	}
	return s
}

// begin makes the script go on behind a tick.
func (s *script) begin(now grid.Tick) {
	s.next = 0
	s.passed(now)
}

// passed skips the orders due up to a tick.
func (s *script) passed(now grid.Tick) {
	for s.next < len(s.orders) && s.orders[s.next].Tick <= now {
		s.next++
	}
}

// gathering is the pause of a recovered match in which its players return.
type gathering struct {
	*core
	seats    *seats
	deadline time.Time // zero: it is over
}

// gatherWait is how long a recovered match is paused for its players to return.
// Clients try again after five seconds at most.
const gatherWait = 10 * time.Second

// begin pauses the match until all players who were connected are back, or for
// gatherWait.
func (g *gathering) begin() {
	g.deadline = g.host.now().Add(gatherWait)
	g.tell.publish()
}

// lasts reports whether the match is paused for its players to return.
func (g *gathering) lasts() bool {
	if g.deadline.IsZero() {
		return false
	}
	if !g.end.closed() && g.host.now().Before(g.deadline) {
		for _, st := range g.seats.all {
			if st.conn == nil && st.online && st.kept() {
				return true
			}
		}
	}
	g.seats.stoodStill(g.host.now().Sub(g.deadline.Add(-gatherWait)))
	g.deadline = time.Time{}
	for _, st := range g.seats.all {
		if st.conn == nil {
			g.seats.tellAway(st) // it was there when the process ended, and is not back
		}
	}
	g.tell.publish()
	return false
}
