package match

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// drainMessages is how many messages of a client are taken in at a tick.
const drainMessages = wire.MessagesATick

// session is a connection that has a seat. All of it but the link belongs to
// the match.
type session struct {
	*link.Session
	by *caller

	seat    *seat
	serial  uint32    // of the resume token that its welcome has
	meter   *meter    // what it is sent and sends is counted there
	base    grid.Tick // what the client holds, or will once it read its outbox; 0: nothing
	sent    grid.Tick // of the last frame sent
	acked   grid.Tick // last applied that it told
	mute    grid.Tick // since when frames were skipped, 0: none were
	mask    view.MaskOptions
	camera  wire.Camera
	pace    wire.Pace
	toldEnd bool
	waited  grid.Tick        // when a spectator was last told to wait
	delta   *view.DeltaState // nil: the client is at one with its team
	credit  int              // bytes it may be sent
	filled  grid.Tick        // when credit was last added
	narrow  bool             // its link allows less than its budget does
	own     []byte           // scratch
	resyncs int
}

func newSession(t link.Transport, hello wire.ClientFrame, by *caller) *session {
	return &session{Session: link.NewSession(t, hello), by: by, mask: view.MaskOptions{MaskRows: !hello.Hello.DerivesFog}}
}

// end tells the client why, and lets the session go. Only the match calls it,
// once.
func (s *session) end(code, text string) {
	s.End(code, s.counted(link.ClosingMessage(code, text)))
}

// counted counts a message that is no frame.
func (s *session) counted(msg []byte) []byte {
	if s.meter != nil {
		s.meter.plain(msg)
	}
	return msg
}
