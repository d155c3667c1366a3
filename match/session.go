package match

import (
	"log/slog"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of a session's queues, in messages.
const (
	inboxMessages  = 32 // a reader waits, and with it the peer's TCP
	outboxMessages = 8  // beyond them frames are skipped
	drainMessages  = wire.MessagesATick
)

// session is one socket that has a seat. The reader writes in and gone, the
// match writes out and over; what is below "owned" belongs to the match.
type session struct {
	transport Transport
	hello     wire.Hello
	applied   grid.Tick // of the hello: where a resumed client stands
	by        *caller

	in   chan wire.ClientFrame // reader to match; closed when the reader is done
	out  chan []byte           // match to writer; the match closes it
	free chan []byte           // writer to match: buffers to use again
	over chan struct{}         // closed by the match: it listens no more
	bye  int                   // websocket's status of the end; set before out is closed

	flow inflow // what the reader read, until it is counted

	// Owned by the match.
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
	rates   rateControl
	trips   trips
	narrow  bool   // its link allows less than its budget does
	own     []byte // scratch
	resyncs int
}

func newSession(t Transport, hello wire.ClientFrame, by *caller) *session {
	return &session{
		transport: t, hello: *hello.Hello, applied: hello.Applied, by: by,
		in: make(chan wire.ClientFrame, inboxMessages),
		// One place more than frames ever take, for the reason at the end.
		out:  make(chan []byte, outboxMessages+1),
		free: make(chan []byte, outboxMessages+1),
		over: make(chan struct{}),
		mask: view.MaskOptions{MaskRows: !hello.Hello.DerivesFog},
	}
}

// errInternal is what a client is told of a panic: the log has the rest.
var errInternal = &Refusal{"internal", "something went wrong in the server"}

// read is the reader: it decodes until the transport or the client's manners
// give out. A panic ends this connection.
func (s *session) read(log *slog.Logger) (err error) {
	defer panics.Catch(log, "reader", func() { err = errInternal })
	for {
		b, err := s.transport.Read()
		if err != nil {
			return err
		}
		s.flow.add(b)
		f, err := wire.DecodeClient(b)
		if err != nil {
			return err
		}
		if f.Hello != nil {
			return &Refusal{"bad_message", "a second hello on one connection"}
		}
		select {
		case s.in <- f:
		case <-s.over:
			return nil
		}
	}
}

// write is the writer: it sends what the match hands out until there is no
// more, and then ends the transport. After a failure, or a panic, it only takes
// messages out, so that the match never waits.
func (s *session) write(log *slog.Logger) {
	broken := false
	fail := func() {
		broken = true
		s.transport.Close()
	}
	send := func(msg []byte) {
		defer panics.Catch(log, "writer", fail)
		if err := s.transport.Write(msg); err != nil {
			fail()
		}
	}
	for msg := range s.out {
		if !broken {
			send(msg)
		}
		select {
		case s.free <- msg:
		default:
		}
	}
	if broken || s.bye == 0 {
		s.transport.Close()
		return
	}
	closeWith(s.transport, s.bye)
}

// buffer returns an empty buffer to encode a message into.
func (s *session) buffer() []byte {
	select {
	case b := <-s.free:
		return b[:0]
	default:
		return make([]byte, 0, 1<<10)
	}
}

// room reports whether a frame can be handed to the writer.
func (s *session) room() bool { return len(s.out) < outboxMessages }

// end tells the client why, and lets the session go. Only the match calls it,
// once.
func (s *session) end(code, text string) {
	row, _ := ClosingOf(code)
	s.bye = row.Status
	s.out <- s.counted(closing(code, text)) // the place kept free for it
	close(s.out)
	close(s.over)
}

// counted counts a message that is no frame.
func (s *session) counted(msg []byte) []byte {
	if s.meter != nil {
		s.meter.plain(msg)
	}
	return msg
}

// drop lets go of a session whose client is gone already.
func (s *session) drop() {
	close(s.out)
	close(s.over)
}
