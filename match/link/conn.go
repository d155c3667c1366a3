package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of a connection's queues, in messages.
const (
	InboxMessages  = 32 // a reader waits, and with it the peer's TCP
	OutboxMessages = 8  // beyond them frames are skipped
)

// Conn is one connection that has been admitted. [Conn.Read] fills In,
// its owner empties In and fills Out, [Conn.Write] empties Out. The owner is
// one goroutine: the match's.
type Conn struct {
	Transport Transport
	Hello     wire.Hello
	Applied   grid.Tick // of the hello: where a resumed client stands

	In   chan wire.ClientFrame // reader to owner; [Conn.HangUp] closes it
	Out  chan []byte           // owner to writer; End and Drop close it
	Free chan []byte           // writer to owner: buffers to use again

	// Owned, if not nil, is asked before each frame leaves: whether the match is still
	// this process's to tell of. It waits while that is not certain, until ctx ends.
	// After an error no frame leaves any more. It is set before Write is called.
	Owned func(ctx context.Context) error

	// direct is the transport, if the owner may write to it without waiting; else nil. unsent counts the messages that
	// the writer still has. Only while it is 0 the owner writes.
	direct directWriter
	unsent atomic.Int32

	over   chan struct{} // closed by the owner: it listens no more
	status int           // websocket's status of the end; set before Out is closed

	received received
	log      atomic.Pointer[func(msg []byte, received bool)]

	// The owner's.
	rates  rateControl
	trips  trips
	spare  []byte // a buffer to use again; may be nil
	failed bool   // a write of its own failed: the writer is to find the same

	// Which of the last messages are frames: the owner writes a place before it sends
	// the message, the writer reads it after it has taken the message out.
	frames     [2 * (OutboxMessages + 1)]bool
	sent, read int
}

// NewConn returns a connection that begins with the client's first message.
func NewConn(t Transport, first wire.ClientFrame) *Conn {
	s := &Conn{
		Transport: t, Hello: *first.Hello, Applied: first.Applied,
		In: make(chan wire.ClientFrame, InboxMessages),
		// One place more than frames ever take, for the reason at the end.
		Out:  make(chan []byte, OutboxMessages+1),
		Free: make(chan []byte, OutboxMessages+1),
		over: make(chan struct{}),
	}
	if d, ok := t.(directWriter); ok && d.NeverWaits() {
		s.direct = d
	}
	return s
}

// directWriter is a Transport to which one may write without waiting.
type directWriter interface {
	// NeverWaits reports whether WriteNow works on this connection.
	NeverWaits() bool
	// WriteNow is a Write that does not wait: rest reports that bytes are left for Flush. It keeps no reference to the
	// message.
	WriteNow(msg []byte) (rest bool, err error)
	// Flush waits until everything has left.
	Flush() error
}

// ReadHello reads the first message of a connection. It returns that message as it came
// too, which is the caller's until the next one is read. An error that is a [Refusal] is
// for the client.
func ReadHello(t Transport) (first wire.ClientFrame, raw []byte, err error) {
	raw, err = t.Read()
	if TimedOut(err) {
		err = &Refusal{Code: "no_hello", Text: fmt.Sprintf("no hello within %d seconds", wire.HelloSeconds)}
	}
	if err == nil {
		first, err = wire.DecodeClient(raw)
	}
	switch {
	case err != nil:
	case first.Hello == nil:
		err = &Refusal{Code: "no_hello", Text: "the first message has to be a hello"}
	case first.Hello.Protocol != wire.Protocol:
		err = &Refusal{Code: "version", Text: fmt.Sprintf("this server speaks protocol %d, not %d: load the page again", wire.Protocol, first.Hello.Protocol)}
	case first.Hello.Ticket == "" && first.Hello.Resume == "":
		err = &Refusal{Code: "no_ticket", Text: "the hello has neither a ticket nor a resume token"}
	}
	return first, raw, err
}

// Read is the reader: it decodes messages until the transport ends, or the
// client breaks the protocol. A panic ends this connection.
func (s *Conn) Read(log *slog.Logger) (err error) {
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
			return &Refusal{Code: "bad_message", Text: "a second hello on one connection"}
		}
		select {
		case s.In <- f:
		case <-s.over:
			return nil
		}
	}
}

// HangUp tells the owner that the reader is done: the client is gone.
func (s *Conn) HangUp() { close(s.In) }

// Serve serves a connection whose owner has taken it in: it starts the writer, and is the reader. It calls gone with the
// error that ended the reader, see [FaultOf]: the client may get the reason. Then it tells the owner that the client is
// gone. Once stop is over the owner has StopWait to end the connection with a reason. Serve returns when the transport is
// closed and the writer has ended.
func (s *Conn) Serve(stop context.Context, log *slog.Logger, gone func(error)) {
	if c, ok := s.Transport.(*Socket); ok {
		c.Seated()
	}
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(stop, func() { CloseAfter(s.Transport, StopWait, ended) })()
	var writer sync.WaitGroup
	writer.Go(func() {
		defer panics.Catch(log, "writer", func() { s.Transport.Close() })
		s.Write(log)
	})
	err := s.Read(log)
	gone(err)
	s.HangUp()
	if err != ErrInternal {
		ReadOut(s.Transport)
	}
	writer.Wait()
}

// Write is the writer: it sends the owner's messages until the queue is closed, and then ends the transport. After a
// failure, or a panic, it only takes messages out, so that the owner never waits. Messages that the owner writes itself
// bypass it.
func (s *Conn) Write(log *slog.Logger) {
	broken := false
	fail := func() {
		broken = true
		s.Transport.Close()
	}
	fenced := false
	send := func(msg []byte) {
		defer panics.Catch(log, "writer", fail)
		var err error
		if msg == nil {
			err = s.direct.Flush()
		} else {
			err = s.Transport.Write(msg)
		}
		if err != nil {
			fail()
		}
	}
	for msg := range s.Out {
		frame := s.frames[s.read%len(s.frames)]
		s.read++
		if frame && s.Owned != nil && !fenced && !broken {
			fenced = s.owned(log) != nil
		}
		if !broken && !(frame && fenced) {
			send(msg)
		}
		s.unsent.Add(-1)
		if msg == nil {
			continue
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
	CloseWith(s.Transport, s.status)
}

// Over is a context that is over: with it [journal.Log.Confirm] answers at once.
var Over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// owned asks Owned, and waits for its answer until the connection is over.
func (s *Conn) owned(log *slog.Logger) error {
	err := s.Owned(Over) // the usual answer needs no context of its own
	if !errors.Is(err, context.Canceled) {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		defer panics.Catch(log, "lease", cancel)
		defer cancel()
		select {
		case <-s.over:
		case <-ctx.Done():
		}
	}()
	return s.Owned(ctx)
}

// Buffer returns an empty buffer to encode a message into.
func (s *Conn) Buffer() []byte {
	if b := s.spare; b != nil {
		s.spare = nil
		return b[:0]
	}
	select {
	case b := <-s.Free:
		return b[:0]
	default:
		return make([]byte, 0, 1<<10)
	}
}

// Room reports whether a message can be handed to the writer.
func (s *Conn) Room() bool { return len(s.Out) < OutboxMessages }

// Send sends a message, or hands it to the writer. The connection keeps it. The caller has
// asked for [Conn.Room].
func (s *Conn) Send(msg []byte) { s.hand(msg, false) }

// hand writes a message if the writer is idle and the connection takes it: waking a goroutine costs more than the
// write. Otherwise the writer gets it.
func (s *Conn) hand(msg []byte, frame bool) {
	s.logs(msg, false)
	switch rest, ok := s.writeNow(msg, frame); {
	case !ok:
		s.give(msg, frame)
	case rest:
		s.give(nil, false) // the writer waits until it has left
		fallthrough
	default:
		s.spare = msg
	}
}

// give hands a message to the writer; nil: there is something to flush.
func (s *Conn) give(msg []byte, frame bool) {
	s.frames[s.sent%len(s.frames)] = frame
	s.sent++
	s.unsent.Add(1)
	s.Out <- msg
}

// writeNow writes a message, if the owner may. After an error, or a panic, the writer is
// given the message. It finds the same, and ends the connection.
func (s *Conn) writeNow(msg []byte, frame bool) (rest, ok bool) {
	if s.direct == nil || s.failed || s.unsent.Load() != 0 {
		return false, false
	}
	if frame && s.Owned != nil && s.Owned(Over) != nil {
		return false, false // not known at once, or not ours any more
	}
	defer func() {
		if recover() != nil {
			rest, ok = false, false
		}
		s.failed = !ok
	}()
	rest, err := s.direct.WriteNow(msg)
	return rest, err == nil
}

// SendFrame is Send for the frame of a tick, which rate control follows until
// the client has applied it.
func (s *Conn) SendFrame(msg []byte, now grid.Tick) {
	s.rates.sent(now, len(msg))
	s.hand(msg, true)
}

// NoteApplied takes in that the client has applied the frame of tick t. A second
// has perS ticks.
func (s *Conn) NoteApplied(t, now grid.Tick, perS int) {
	s.rates.applied(t, now, perS)
	s.trips.add(int(now-t), now, perS)
}

// Late returns for how many ticks the oldest frame in flight has been on its
// way, less the shortest round trip.
func (s *Conn) Late(now grid.Tick, perS int) int { return s.rates.late(now, perS) }

// Limit returns how many bytes a second rate control allows; 0: no limit.
func (s *Conn) Limit() int { return s.rates.limit }

// InFlight returns how many frames are in flight, as far as they are told apart.
func (s *Conn) InFlight() int { return len(s.rates.inFlight) }

// End sends the last message, see [ClosingMessage], and ends the connection with
// the code's websocket status. Only the owner calls it, once.
func (s *Conn) End(code string, last []byte) {
	row, _ := ClosingOf(code)
	s.status = row.Status
	s.hand(last, false) // the place kept free for it
	s.Drop()
}

// Drop ends a connection whose client is gone already.
func (s *Conn) Drop() {
	close(s.Out)
	close(s.over)
}

// Received counts a client's messages.
type Received struct {
	Messages wire.Count
	Sizes    wire.Sizes
}

// received has the reader's counts until the owner takes them over.
type received struct {
	mu sync.Mutex
	Received
}

// CountReceived counts a message that came in.
func (s *Conn) CountReceived(msg []byte) {
	s.logs(msg, true)
	r := &s.received
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Messages.Bytes += uint32(len(msg))
	r.Messages.Rows++
	wire.MeasureClient(msg, &r.Sizes)
}

// Log makes the connection call to with each message from now on, nil: with no message. The owner's messages come on its
// goroutine, the client's on the reader's, before the owner has them. The message is the connection's: to keeps a copy.
func (s *Conn) Log(to func(msg []byte, received bool)) {
	if to == nil {
		s.log.Store(nil)
		return
	}
	s.log.Store(&to)
}

func (s *Conn) logs(msg []byte, received bool) {
	if to := s.log.Load(); to != nil {
		(*to)(msg, received)
	}
}

// TakeReceived hands over the counts since the last call.
func (s *Conn) TakeReceived(to func(*Received)) {
	r := &s.received
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Messages.Rows > 0 {
		to(&r.Received)
		r.Messages = wire.Count{}
		r.Sizes.Clear()
	}
}
