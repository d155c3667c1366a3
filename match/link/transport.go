package link

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Transport carries whole messages both ways. One goroutine reads, one writes;
// Close may be called from any, and ends both.
type Transport interface {
	// Read returns the next message; it is the caller's until the next Read.
	Read() ([]byte, error)
	// Write sends a message. It keeps no reference to the message.
	Write(msg []byte) error
	// Close ends the connection. A websocket has CloseWith too, which says why.
	Close() error
}

// Limits of a websocket.
const (
	HelloWait  = wire.HelloSeconds * time.Second // for the first message
	pingPeriod = 2 * time.Second
	pingWait   = 10 * time.Second // for a ping to leave
	StopWait   = 3 * time.Second  // for the last messages to leave when the server stops
	closeWait  = time.Second      // for the peer to close in its turn
)

// Timeouts are the limits of a websocket that tests shorten.
type Timeouts struct {
	Hello time.Duration // for the first message
	Read  time.Duration // for anything, pongs included
	// Write limits the sending of one message. A match ends a connection that takes no message for MuteSeconds; the reason
	// may still leave then.
	Write time.Duration
}

// DefaultTimeouts are a server's usual timeouts.
var DefaultTimeouts = Timeouts{Hello: HelloWait, Read: wire.SilenceSeconds * time.Second, Write: (MuteSeconds + 10) * time.Second}

// MuteSeconds is how long a connection may take no frame before it is ended.
const MuteSeconds = 30

// kernelBytes bounds the written bytes that the kernel may hold until the peer has them. Frames that wait there can
// neither be cut nor be replaced by newer ones: the buffer has room for a few seconds of a narrow link, and for more
// than a wide link needs. Linux doubles the number, and counts its own headers.
const kernelBytes = 16 << 10

func boundKernel(c net.Conn) {
	if k, ok := beneath[interface{ SetWriteBuffer(int) error }](c); ok {
		_ = k.SetWriteBuffer(kernelBytes) // the default is worse, not wrong
	}
}

// beneath finds a T: the connection itself, or one below it, as TLS has.
func beneath[T any](c net.Conn) (found T, ok bool) {
	for {
		if found, ok = c.(T); ok {
			return found, true
		}
		inner, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return found, false
		}
		c = inner.NetConn()
	}
}

// CloseAfter closes t unless it has ended until then.
func CloseAfter(t Transport, wait time.Duration, ended <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		t.Close()
	}
}

// Socket is a websocket as a Transport. Until it has a seat its first deadline stands.
type Socket struct {
	c        *websocket.Conn
	timeouts Timeouts
	buf      []byte
	stop     chan struct{}
	once     sync.Once
	stops    sync.Once
	done     sync.WaitGroup

	seat         atomic.Bool   // it has one
	control      controls      // the reader's own
	leaving      atomic.Bool   // CloseWith was called: no deadline is put off any more
	broken       chan struct{} // closed at the end of the input
	breaks       sync.Once
	farewell     chan struct{} // closed once a close frame is out, or will never be
	farewellOnce sync.Once
	trips        pings
	rest         restKeeper // nil: a write waits until the kernel has it
}

// restKeeper is a connection whose writes return at once: it keeps the bytes that the kernel does not take, until a
// flush.
type restKeeper interface {
	KeepRest() bool
	Kept() int
	Flush(deadline time.Time) error
}

// Limits of a peer's messages.
const (
	ReadBytesPerS = 64 << 10 // read of a socket, in the long run
	ReadBurst     = 256 << 10
	ControlsMax   = 40 // pings and pongs of a peer in controlsSpan; ours bring one pong each
	controlsSpan  = 30 * time.Second
)

// controls counts the control frames of a span of time.
type controls struct {
	begun time.Time
	n     int
}

var errControls = errors.New("too many pings and pongs")

func (c *controls) count(now time.Time) error {
	if now.Sub(c.begun) > controlsSpan {
		*c = controls{begun: now}
	}
	if c.n++; c.n > ControlsMax {
		return errControls
	}
	return nil
}

// upgrader has no write pool: it would allocate at each write, and a player's socket writes twenty times per second. It
// agrees to no compression: frames are compact already, the read limit would count compressed bytes, and message sizes
// would reveal their content.
var upgrader = websocket.Upgrader{
	CheckOrigin:      func(*http.Request) bool { return true }, // the caller has
	HandshakeTimeout: HelloWait, ReadBufferSize: 1 << 10, WriteBufferSize: 1 << 10,
}

// Upgrade turns a request into a socket, and starts its pings. After an error it has answered the request.
func Upgrade(w http.ResponseWriter, r *http.Request, log *slog.Logger, t Timeouts) (*Socket, error) {
	c, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil, err
	}
	s := &Socket{c: c, timeouts: t, stop: make(chan struct{}), broken: make(chan struct{}), farewell: make(chan struct{})}
	boundKernel(c.NetConn())
	// Read bounds messages itself: beyond a limit of its own the library ends
	// the connection before a reason can be given.
	c.SetReadLimit(0)
	c.SetReadDeadline(time.Now().Add(t.Hello))
	c.SetPongHandler(func(data string) error {
		now := time.Now()
		if err := s.control.count(now); err != nil {
			return err
		}
		s.trips.answered(data, now)
		return s.alive()
	})
	answer := c.PingHandler()
	c.SetPingHandler(func(data string) error {
		if err := s.control.count(time.Now()); err != nil {
			return err
		}
		return answer(data)
	})
	// A listener that knows how bounds how fast the server reads: a peer cannot buy work with empty frames.
	if l, ok := beneath[interface{ LimitReads(perSecond, burst int) }](c.NetConn()); ok {
		l.LimitReads(ReadBytesPerS, ReadBurst)
	}
	if k, ok := beneath[restKeeper](c.NetConn()); ok && k.KeepRest() {
		s.rest = k
	}
	s.done.Add(1)
	go func() {
		defer s.done.Done()
		defer panics.Catch(log, "ping", func() { c.Close() })
		s.ping()
	}()
	return s, nil
}

// RoundTrip returns the least time that the last pings took there and back.
func (s *Socket) RoundTrip() (time.Duration, bool) { return s.trips.low() }

// ping keeps the connection alive through proxies. The reader notices a lost peer, which sends no pong. The time of the
// pongs is the player's lag. A ping that cannot leave in time, because a message is stuck before it, is left out.
// WriteControl may be called beside the writer.
func (s *Socket) ping() {
	t := time.NewTicker(pingPeriod)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if s.rest != nil && s.rest.Kept() > 0 {
				continue
			}
			now := time.Now()
			_ = s.c.WriteControl(websocket.PingMessage, s.trips.next(now), now.Add(pingWait))
		case <-s.stop:
			return
		}
	}
}

// alive puts the deadline of the next message off, but neither before the socket has a seat nor once it is being
// closed.
func (s *Socket) alive() error {
	if !s.seat.Load() || s.leaving.Load() {
		return nil
	}
	return s.c.SetReadDeadline(time.Now().Add(s.timeouts.Read))
}

// Seated says that the socket has a seat: from now on its messages, pongs included, keep it open.
func (s *Socket) Seated() {
	s.seat.Store(true)
	_ = s.c.SetReadDeadline(time.Now().Add(s.timeouts.Read))
	if c, ok := s.c.NetConn().(*recorder); ok {
		c.off = true // it stays here
	}
}

// Read returns the next message. A [Refusal] as error is about this message alone, and the caller may read on; any
// other error is the end.
func (s *Socket) Read() ([]byte, error) {
	b, err := s.read()
	if err != nil && !errors.As(err, new(*Refusal)) {
		s.breaks.Do(func() {
			if ownFault(err) {
				s.sendOff()
			}
			close(s.broken)
		})
	}
	return b, err
}

// ownFault reports whether an error is the library's about a peer that broke the rules of websockets: the library has
// sent that peer a close frame.
func ownFault(err error) bool {
	var gone *websocket.CloseError
	var link net.Error
	return !errors.As(err, &gone) && !errors.As(err, &link) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, net.ErrClosed) && FaultOf(err) == nil
}

// sendOff ends our direction of the connection, and for a while takes the peer's further bytes: closing a connection
// with unread bytes resets it, and the close frame is lost.
func (s *Socket) sendOff() {
	s.leaving.Store(true)
	if s.rest != nil {
		_ = s.rest.Flush(time.Now().Add(closeWait))
	}
	if w, ok := beneath[interface{ CloseWrite() error }](s.c.NetConn()); ok {
		_ = w.CloseWrite()
	}
	_ = s.c.SetReadDeadline(time.Now().Add(closeWait))
	_, _ = io.CopyN(io.Discard, s.c.NetConn(), ReadBurst)
}

func (s *Socket) read() ([]byte, error) {
	kind, r, err := s.c.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.BinaryMessage {
		return nil, &Refusal{Code: "text_message", Text: "a text message: the protocol is binary"}
	}
	s.buf = s.buf[:0]
	for {
		if len(s.buf) == cap(s.buf) {
			s.buf = append(s.buf, 0)[:len(s.buf)]
		}
		n, err := r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if len(s.buf) > wire.ClientBytesMax {
			return nil, &Refusal{Code: "too_big", Text: fmt.Sprintf("a message of more than %d bytes", wire.ClientBytesMax)}
		}
		if err == io.EOF {
			return s.buf, s.alive()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (s *Socket) Write(msg []byte) error {
	if err := s.Flush(); err != nil {
		return err
	}
	if err := s.c.SetWriteDeadline(time.Now().Add(s.timeouts.Write)); err != nil {
		return err
	}
	if err := s.c.WriteMessage(websocket.BinaryMessage, msg); err != nil {
		return err
	}
	return s.Flush()
}

// NeverWaits reports whether WriteNow may be called: the connection keeps the bytes that the kernel does not take.
func (s *Socket) NeverWaits() bool { return s.rest != nil }

// WriteNow is Write that does not wait. rest reports that a part is kept until
// [Socket.Flush].
func (s *Socket) WriteNow(msg []byte) (rest bool, err error) {
	if err := s.c.WriteMessage(websocket.BinaryMessage, msg); err != nil {
		return false, err
	}
	return s.rest.Kept() > 0, nil
}

// Flush waits until the kernel has all that was written.
func (s *Socket) Flush() error {
	if s.rest == nil {
		return nil
	}
	return s.rest.Flush(time.Now().Add(s.timeouts.Write))
}

// CloseWith ends the connection as RFC 6455 has it: it gives the reason and lets the peer close in its turn, so that
// the peer reads all earlier messages. A goroutine has to read on meanwhile.
func (s *Socket) CloseWith(status int) error {
	s.leaving.Store(true)
	err := s.c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(status, ""), time.Now().Add(closeWait))
	if err == nil && s.rest != nil {
		err = s.rest.Flush(time.Now().Add(closeWait))
	}
	s.farewellOnce.Do(func() { close(s.farewell) })
	if err == nil {
		timer := time.NewTimer(closeWait)
		defer timer.Stop()
		select {
		case <-s.broken:
			s.sendOff()
		case <-timer.C:
		}
	}
	return s.Close()
}

func (s *Socket) Close() error {
	var err error
	s.once.Do(func() {
		s.stops.Do(func() { close(s.stop) })
		err = s.c.Close()
		s.farewellOnce.Do(func() { close(s.farewell) })
	})
	s.done.Wait()
	return err
}

// stopPings waits until no ping is under way.
func (s *Socket) stopPings() {
	s.stops.Do(func() { close(s.stop) })
	s.done.Wait()
}

// PipeEnd is one end of a connection inside the process. [Process] gives them to bots.
type PipeEnd struct {
	In, Out chan []byte   // messages for this end, and messages from it
	Closed  chan struct{} // shared by both ends
	once    *sync.Once
}

// pipeMessages is how many messages a pipe holds each way before a writer
// waits, as a socket's buffers do.
const pipeMessages = 16

// Pipe returns two ends of a connection inside the process. A message written
// to one is read from the other.
func Pipe() (a, b *PipeEnd) {
	x, y := make(chan []byte, pipeMessages), make(chan []byte, pipeMessages)
	closed, once := make(chan struct{}), &sync.Once{}
	return &PipeEnd{x, y, closed, once}, &PipeEnd{y, x, closed, once}
}

func (p *PipeEnd) Read() ([]byte, error) {
	select {
	case m := <-p.In:
		return m, nil
	case <-p.Closed:
		select { // messages from before the end are still readable
		case m := <-p.In:
			return m, nil
		default:
			return nil, io.EOF
		}
	}
}

func (p *PipeEnd) Write(msg []byte) error {
	message := append([]byte(nil), msg...)
	select {
	case <-p.Closed:
		return io.ErrClosedPipe
	default:
	}
	select {
	case p.Out <- message:
		return nil
	case <-p.Closed:
		return io.ErrClosedPipe
	}
}

func (p *PipeEnd) Close() error {
	p.once.Do(func() { close(p.Closed) })
	return nil
}
