package match

import (
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// drainMessages is how many messages of a client are taken in at a tick.
const drainMessages = wire.MessagesATick

// session is a connection that has a seat, or is about to. It belongs to the
// match.
type session struct {
	*feed.Receiver
	by     *caller
	seat   *seat
	serial uint32 // of the resume token that its welcome has
}

func newSession(t link.Transport, hello wire.ClientFrame, by *caller) *session {
	return &session{Receiver: feed.NewReceiver(link.NewSession(t, hello)), by: by}
}

// end tells the client why, and lets the session go. Only the match calls it,
// once.
func (s *session) end(code, text string) { s.dismiss(&link.Refusal{Code: code, Text: text}) }

// dismiss is end with all that a refusal says.
func (s *session) dismiss(why *link.Refusal) {
	s.End(why.Code, s.Counted(link.ClosingMessage(why)))
}
