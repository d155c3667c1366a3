package listen

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// Listener returns l with its connections counted in the ledger. A connection beyond a limit gets a refusal in plain
// HTTP, if plain is set, and is closed. Connections of trusted proxies count for the process alone, and admins'
// connections may take the reserve.
func Listener(l net.Listener, ledger *quota.Ledger, proxies Proxies, admin, plain bool) net.Listener {
	return &listener{l, ledger, proxies, admin, plain}
}

type listener struct {
	net.Listener
	ledger       *quota.Ledger
	proxies      Proxies
	admin, plain bool
}

// refuseWait is for the words of a refusal to leave. A new connection has room
// for them.
const refuseWait = 100 * time.Millisecond

// kernelBytes is how much of an answer the kernel may hold until the peer has it. It bounds the cost of a peer that
// does not read. And it makes a deadline mean something: a writer goes on when a third of it is free, so a slow link
// needs that much in the time of a piece, and not a part of megabytes.
const kernelBytes = 128 << 10

// kernelReadBytes bounds the unread bytes of a peer in the kernel: as much as the largest body of a request. Without a
// bound it takes megabytes, of each connection that is about to be closed for sending them.
const kernelReadBytes = 64 << 10

// Accept returns the next connection. Between two connections all other goroutines with work get a turn: when thousands
// come back at once, they wait in the kernel, and not in front of the ticks of matches.
func (l *listener) Accept() (net.Conn, error) {
	for {
		runtime.Gosched()
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetWriteBuffer(kernelBytes) // the default is worse, not wrong
			_ = t.SetReadBuffer(kernelReadBytes)
		}
		payer := quota.Payer{Address: addressOf(c.RemoteAddr()), Trusted: l.admin}
		if l.proxies.trust(payer.Address) {
			payer.Address = netip.Addr{}
		}
		hold, err := l.ledger.Take(quota.Connections, payer, 1)
		if err == nil {
			return &Conn{Conn: c, hold: hold}, nil
		}
		var no *quota.Refusal
		if l.plain && errors.As(err, &no) {
			text := no.Error() + "\n"
			_ = c.SetWriteDeadline(time.Now().Add(refuseWait))
			fmt.Fprintf(c, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: %d\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n\r\n%s",
				seconds(no.Wait), len(text), text)
		}
		c.Close()
	}
}

func addressOf(a net.Addr) netip.Addr {
	if t, ok := a.(*net.TCPAddr); ok {
		return t.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// Conn is a connection of a [Listener].
type Conn struct {
	net.Conn
	hold  *quota.Hold
	once  sync.Once
	reads atomic.Pointer[rate.Limiter]
	rest  atomic.Pointer[rest] // nil: Write waits
}

// NetConn returns the connection below, for socket options.
func (c *Conn) NetConn() net.Conn { return c.Conn }

// Close closes the connection and gives it back to the ledger.
func (c *Conn) Close() error {
	c.once.Do(c.hold.Release)
	return c.Conn.Close()
}

// LimitReads bounds from now on how fast the connection is read, in bytes per second and at once. Faster bytes wait in
// the peer, as TCP has it.
func (c *Conn) LimitReads(perSecond, burst int) {
	c.reads.Store(rate.NewLimiter(rate.Limit(perSecond), burst))
}

func (c *Conn) Read(b []byte) (int, error) {
	limit := c.reads.Load()
	if limit == nil {
		return c.Conn.Read(b)
	}
	b = b[:min(len(b), limit.Burst())]
	n, err := c.Conn.Read(b)
	if n > 0 {
		// The wait before the next read pays for the bytes read.
		time.Sleep(limit.ReserveN(time.Now(), n).Delay())
	}
	return n, err
}
