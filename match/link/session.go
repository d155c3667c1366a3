package link

import (
	"log/slog"
	"sync"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of a session's queues, in messages.
const (
	InboxMessages  = 32 // a reader waits, and with it the peer's TCP
	OutboxMessages = 8  // beyond them frames are skipped
)

// Session is one connection that has been admitted. [Session.Read] fills In,
// its owner empties In and fills Out, [Session.Write] empties Out. The owner is
// one goroutine: the match's.
type Session struct {
	Transport Transport
	Hello     wire.Hello
	Applied   grid.Tick // of the hello: where a resumed client stands

	In   chan wire.ClientFrame // reader to owner; [Session.HangUp] closes it
	Out  chan []byte           // owner to writer; End and Drop close it
	Free chan []byte           // writer to owner: buffers to use again

	over   chan struct{} // closed by the owner: it listens no more
	status int           // websocket's status of the end; set before Out is closed

	received received

	// The owner's.
	rates rateControl
	trips trips
}

// NewSession returns a session that begins with the client's first message.
func NewSession(t Transport, first wire.ClientFrame) *Session {
	return &Session{
		Transport: t, Hello: *first.Hello, Applied: first.Applied,
		In: make(chan wire.ClientFrame, InboxMessages),
		// One place more than frames ever take, for the reason at the end.
		Out:  make(chan []byte, OutboxMessages+1),
		Free: make(chan []byte, OutboxMessages+1),
		over: make(chan struct{}),
	}
}

// Read is the reader: it decodes messages until the transport ends, or the
// client breaks the protocol. A panic ends this connection.
func (s *Session) Read(log *slog.Logger) (err error) {
	defer panics.Catch(log, "reader", func() { err = ErrInternal })
	for {
		b, err := s.Transport.Read()
		if err != nil {
			return err
		}
		s.CountReceived(b)
		f, err := wire.DecodeClient(b)
		if err != nil {
			return err
		}
		if f.Hello != nil {
			return &Refusal{"bad_message", "a second hello on one connection"}
		}
		select {
		case s.In <- f:
		case <-s.over:
			return nil
		}
	}
}

// HangUp tells the owner that the reader is done: the client is gone.
func (s *Session) HangUp() { close(s.In) }

// Write is the writer: it sends what the owner hands out until there is no
// more, and then ends the transport. After a failure, or a panic, it only takes
// messages out, so that the owner never waits.
func (s *Session) Write(log *slog.Logger) {
	broken := false
	fail := func() {
		broken = true
		s.Transport.Close()
	}
	send := func(msg []byte) {
		defer panics.Catch(log, "writer", fail)
		if err := s.Transport.Write(msg); err != nil {
			fail()
		}
	}
	for msg := range s.Out {
		if !broken {
			send(msg)
		}
		select {
		case s.Free <- msg:
		default:
		}
	}
	if broken || s.status == 0 {
		s.Transport.Close()
		return
	}
	closeWith(s.Transport, s.status)
}

// Buffer returns an empty buffer to encode a message into.
func (s *Session) Buffer() []byte {
	select {
	case b := <-s.Free:
		return b[:0]
	default:
		return make([]byte, 0, 1<<10)
	}
}

// Room reports whether a message can be handed to the writer.
func (s *Session) Room() bool { return len(s.Out) < OutboxMessages }

// Send hands a message to the writer. The session keeps it. The caller has
// asked for [Session.Room].
func (s *Session) Send(msg []byte) { s.Out <- msg }

// SendFrame is Send for the frame of a tick, which rate control follows until
// the client has applied it.
func (s *Session) SendFrame(msg []byte, now grid.Tick) {
	s.rates.sent(now, len(msg))
	s.Out <- msg
}

// NoteApplied takes in that the client has applied the frame of tick t. A second
// has perS ticks.
func (s *Session) NoteApplied(t, now grid.Tick, perS int) {
	s.rates.applied(t, now, perS)
	s.trips.add(int(now-t), now, perS)
}

// Late returns for how many ticks the oldest frame in flight has been on its
// way, less the shortest round trip.
func (s *Session) Late(now grid.Tick, perS int) int { return s.rates.late(now, perS) }

// Limit returns how many bytes a second rate control allows; 0: no limit.
func (s *Session) Limit() int { return s.rates.limit }

// InFlight returns how many frames are in flight, as far as they are told apart.
func (s *Session) InFlight() int { return len(s.rates.inFlight) }

// End sends the last message, see [ClosingMessage], and ends the session with
// the code's websocket status. Only the owner calls it, once.
func (s *Session) End(code string, last []byte) {
	row, _ := ClosingOf(code)
	s.status = row.Status
	s.Out <- last // the place kept free for it
	s.Drop()
}

// Drop ends a session whose client is gone already.
func (s *Session) Drop() {
	close(s.Out)
	close(s.over)
}

// Received is what a client sent.
type Received struct {
	Messages wire.Count
	Sizes    wire.Sizes
}

// received is what the reader counts until the owner takes it over.
type received struct {
	mu sync.Mutex
	Received
}

// CountReceived counts a message that came in.
func (s *Session) CountReceived(msg []byte) {
	r := &s.received
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Messages.Bytes += uint32(len(msg))
	r.Messages.Rows++
	wire.MeasureClient(msg, &r.Sizes)
}

// TakeReceived hands over what came in since the last call.
func (s *Session) TakeReceived(to func(*Received)) {
	r := &s.received
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Messages.Rows > 0 {
		to(&r.Received)
		r.Messages = wire.Count{}
		r.Sizes.Clear()
	}
}
