package listen

import (
	"errors"
	"net"
	"sync"
	"syscall"
	"time"
)

// rest makes a connection's Write return at once: it keeps the bytes that the kernel does not take, for flush.
//
//	Write ──► nothing is kept: one write(2) ──► kernel
//	            │ it takes a part, or nothing
//	            ▼
//	          kept ──► flush, which waits ──► kernel
//
// So a goroutine that must not wait can write to a peer that may not read, and needs no second goroutine as long as the
// peer reads.
type rest struct {
	conn net.Conn
	raw  syscall.RawConn
	try  func(fd uintptr) bool // once, made when the connection is

	mu       sync.Mutex
	backlog  []byte
	err      error // of an earlier write: later writes fail with it
	flushing bool

	// Of the write under way, for try.
	piece []byte
	took  int
	fault error
}

// keptMax bounds the kept bytes, beyond the need of any caller: a message and the control frames of the time until a
// stuck connection is given up.
const keptMax = 16 << 20

var errKept = errors.New("too many bytes wait for a peer that does not read")

// KeepRest makes Write return at once from now on. It keeps the bytes that the kernel does not take until [Conn.Flush],
// which the caller has to call while [Conn.Kept] is above zero. Deadlines of writes have no effect any more. It returns
// false, without any effect, if the system cannot do that.
func (c *Conn) KeepRest() bool {
	s, ok := c.Conn.(syscall.Conn)
	if !ok || !canTry {
		return false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return false
	}
	_ = c.Conn.SetWriteDeadline(time.Time{}) // it would end the tries too
	r := &rest{conn: c.Conn, raw: raw}
	r.try = r.tryOnce
	return c.rest.CompareAndSwap(nil, r)
}

// Kept returns how many bytes wait for [Conn.Flush].
func (c *Conn) Kept() int {
	r := c.rest.Load()
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.backlog)
}

// Flush waits until the kernel has taken all that is kept, until the deadline at the
// latest. An error is the end of the connection. While another call does this, it
// returns at once.
func (c *Conn) Flush(deadline time.Time) error {
	r := c.rest.Load()
	if r == nil {
		return nil
	}
	return r.flush(deadline)
}

func (c *Conn) Write(b []byte) (int, error) {
	if r := c.rest.Load(); r != nil {
		return r.write(b)
	}
	return c.Conn.Write(b)
}

// SetWriteDeadline has no effect after [Conn.KeepRest].
func (c *Conn) SetWriteDeadline(t time.Time) error {
	if c.rest.Load() != nil {
		return nil
	}
	return c.Conn.SetWriteDeadline(t)
}

func (r *rest) write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	if len(r.backlog) == 0 && r.err == nil {
		r.piece, r.took, r.fault = b, 0, nil
		if err := r.raw.Write(r.try); err != nil {
			r.fault = err
		}
		n, r.err, r.piece = r.took, r.fault, nil
	}
	if r.err != nil {
		return n, r.err
	}
	if n < len(b) {
		if len(r.backlog)+len(b)-n > keptMax {
			r.err = errKept
			return n, r.err
		}
		r.backlog = append(r.backlog, b[n:]...)
	}
	return len(b), nil
}

// tryOnce writes the bytes of the piece that the kernel takes.
func (r *rest) tryOnce(fd uintptr) (done bool) {
	r.took, r.fault = writeOnce(fd, r.piece)
	return true // never wait
}

func (r *rest) flush(deadline time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flushing || len(r.backlog) == 0 {
		return r.err
	}
	r.flushing = true
	for len(r.backlog) > 0 && r.err == nil {
		b := r.backlog // others append behind it meanwhile
		r.mu.Unlock()
		err := r.conn.SetWriteDeadline(deadline)
		n := 0
		if err == nil {
			n, err = r.conn.Write(b)
		}
		r.mu.Lock()
		if r.backlog = r.backlog[n:]; err != nil {
			r.err = err
		}
	}
	if len(r.backlog) == 0 {
		r.backlog = nil
	}
	_ = r.conn.SetWriteDeadline(time.Time{})
	r.flushing = false
	return r.err
}
