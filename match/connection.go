package match

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// drainMessages is how many messages of a client are taken in at a tick.
const drainMessages = wire.MessagesATick

// connection is a [link.Conn] that has a seat, or is about to. It belongs to the
// match.
type connection struct {
	*feed.Receiver
	by     *caller
	seat   *seat
	serial uint32 // of the resume token that its welcome has
}

func newConnection(t link.Transport, hello wire.ClientFrame, by *caller) *connection {
	return &connection{Receiver: feed.NewReceiver(link.NewConn(t, hello)), by: by}
}

// end tells the client why, and lets the connection go. Only the match calls it,
// once.
func (s *connection) end(code, text string) { s.dismiss(&link.Refusal{Code: code, Text: text}) }

// dismiss is end with all that a refusal says.
func (s *connection) dismiss(why *link.Refusal) {
	s.End(why.Code, s.Counted(link.ClosingMessage(why)))
}

// seat is one player's place in the match, or one spectator's.
type seat struct {
	slot        grid.Slot
	team        grid.Team
	account     string
	right       Seat        // of the last connection; its resume token contains it
	serial      uint32      // of the last resume token given out
	floor       uint32      // of the oldest that is good
	conn        *connection // nil: no client is connected
	leaveTime   time.Time   // when the last connection ended
	absent      bool        // away longer than the grace period: the world knows
	kicked      bool
	standIn     bool         // a bot plays on for the absent player: the connection is its own
	requestTime time.Time    // when the match asked for such a bot
	waiting     feed.Backlog // the player's, meanwhile
	turn        uint32       // of the last takeover; 0: no takeover
	takeover    grid.Tick    // in which tick that was
	visited     bool         // a client has been connected
	online      bool         // the world learned last that the player's client is connected

	journalBudget journalBudget

	reportTick grid.Tick // of the last account of its client; 0: none

	bytesPerS int // of its client at most, as an operator has set; 0: the match's

	meter *meter // of its client's traffic; spectators share one

	backlog feed.Backlog

	screen *screen // of a spectator; nil: a player
	over   bool    // a spectator's connection has ended, and the match has not taken that in
}

// hold keeps the goroutine of a spectator's broadcast from the seat and its connection,
// until release is called.
func (st *seat) hold() (release func()) {
	if st.screen == nil {
		return func() {}
	}
	st.screen.mu.Lock()
	return st.screen.mu.Unlock
}

// away reports whether the seat's player had come, and is gone for longer than the
// grace period. The lobby lets others take over no other player's seat.
func (st *seat) away() bool { return st.visited && st.absent && !st.kicked }

// attended reports whether the seat's own player is connected.
func (st *seat) attended() bool { return st.conn != nil && !st.standIn }

// kept reports whether the seat's player is connected or may come back.
func (st *seat) kept() bool { return st.conn != nil || st.visited && !st.absent }

// screen is the state that the seats of one broadcast share. Its mu guards their
// connections, see [broadcast].
type screen struct {
	delay grid.Ticks
	mu    sync.Mutex
	feed  *feed.Feed
	shown grid.Tick     // by the frames; 0: no frame yet
	now   atomic.Uint32 // the match's tick, if there is a delay
}
