package match

import (
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A player is gone. By the rule [sim.LeaversBot] a bot plays on in the seat:
//
//	gone ──► Config.StandIn (ticket) ──► join ──► InputStandIn      the bot numbers its own inputs
//	player is back ──► join ──► the bot's connection ends (replaced) ──► InputJoined
//
// The bot is a client like all others: it gets the frames of its team. The player's resume
// tokens, numbers and queue wait for the player.

// standInWait is how long the match waits for a bot before it asks again.
const standInWait = 10 * time.Second

// errGaveUp ends the connection of a player who gave up while the team plays on.
var errGaveUp = &link.Refusal{Code: "not_seated", Text: "you gave up; your team plays on"}

// leave ends a seat for good.
func (s *seats) leave(st *seat) {
	st.kicked, st.absent, st.online = true, true, false
	s.inputs.add(sim.Input{Kind: sim.InputLeft, Slot: st.slot})
}

// wantsBot reports whether a bot is to play on in a seat.
func (s *seats) wantsBot(st *seat) bool {
	return s.spec.Options.Leavers == sim.LeaversBot && st.absent && !st.attended() && !s.spec.Seats[st.slot].Bot && s.world.Player(st.slot).Alive && !s.end.closed()
}

// standInSeat finds the seat of an absent player for a bot.
func (s *seats) standInSeat(who Seat) (*seat, error) {
	if int(who.Slot) < len(s.all) && s.wantsBot(s.all[who.Slot]) {
		return s.all[who.Slot], nil
	}
	return nil, &link.Refusal{Code: "no_seat", Text: "the player of this seat is back"}
}

// changeHands prepares a seat for a client: a bot in place of the player, or the player again.
// The player's queue waits meanwhile.
func (s *seats) changeHands(st *seat, bot bool) {
	if bot {
		s.inputs.add(sim.Input{Kind: sim.InputStandIn, Slot: st.slot})
	}
	if bot != st.standIn {
		st.standIn = bot
		st.backlog, st.waiting = st.waiting, st.backlog
		if !bot {
			st.waiting = feed.Backlog{}
		}
	}
}
