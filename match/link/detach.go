package link

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Detachable returns a writer for an upgrade whose socket can be detached, see
// [Socket.Detach]. It costs the bytes of the first message, until the socket has a seat.
func Detachable(w http.ResponseWriter) http.ResponseWriter { return recorded{w} }

type recorded struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (w recorded) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements http.Hijacker.
func (w recorded) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	return &recorder{Conn: c}, rw, nil
}

// recorder is a connection that keeps the bytes read from it. The reader calls its methods.
type recorder struct {
	net.Conn
	read []byte
	off  bool
}

// recordedMax bounds the kept bytes: more than the first message takes.
const recordedMax = 32 << 10

// NetConn returns the connection below, for socket options.
func (c *recorder) NetConn() net.Conn { return c.Conn }

func (c *recorder) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if c.off = c.off || len(c.read)+n > recordedMax; c.off {
		c.read = nil
	} else {
		c.read = append(c.read, b[:n]...)
	}
	return n, err
}

// detachedBytes are copied at a time, each way: frames that wait here cannot be made up for
// by newer ones.
const detachedBytes = 4 << 10

// Detach ends the socket's own work, and returns its connection from the first byte after the upgrade on. All readers
// of the socket must have stopped.
func (s *Socket) Detach() (net.Conn, error) {
	c, ok := s.c.NetConn().(*recorder)
	if !ok || c.off {
		return nil, errors.New("link: the socket was not made to be detached")
	}
	s.stopPings()
	first := c.read
	c.off, c.read = true, nil
	_ = s.c.SetReadDeadline(time.Time{})
	return &detached{Conn: c.Conn, socket: s, first: first}, nil
}

// detached is the connection of a socket without its messages.
type detached struct {
	net.Conn
	socket *Socket
	first  []byte // was read already
}

func (c *detached) Read(b []byte) (int, error) {
	if n := copy(b, c.first); n > 0 {
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(b) // the other end finds out if the peer is silent
}

func (c *detached) Write(b []byte) (int, error) {
	if c.socket.rest == nil {
		_ = c.SetWriteDeadline(time.Now().Add(c.socket.timeouts.Write))
	}
	n, err := c.Conn.Write(b)
	return n, errors.Join(err, c.socket.Flush())
}

// ReadFrom implements io.ReaderFrom, and WriteTo io.WriterTo: copies are made with little memory.
func (c *detached) ReadFrom(r io.Reader) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{r}, make([]byte, detachedBytes))
}

func (c *detached) WriteTo(w io.Writer) (int64, error) {
	return io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{c}, make([]byte, detachedBytes))
}

// CloseWrite ends our direction, and lets the peer read the rest.
func (c *detached) CloseWrite() error {
	c.socket.sendOff()
	return io.EOF // both directions have ended
}

// Close closes the socket.
func (c *detached) Close() error { return c.socket.Close() }
