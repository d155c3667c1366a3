package match

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/link"
)

// caller is the client at the other end of a connection, and its hold in the ledger: an
// early socket, and once it has a seat a socket.
type caller struct {
	from    netip.Addr
	counted bool   // the server's own bots are not
	id      string // of the request for its socket; "": a driver brought it
	account string // of the seat
	// request is the one for its socket, until it has a seat here; nil: the socket is not to be
	// carried.
	request *http.Request

	mu    sync.Mutex
	hold  *quota.Hold // another hold may replace it
	ended bool        // the connection has ended: it may hold no quota
}

// holds releases the caller's hold, and keeps h instead.
func (c *caller) holds(h *quota.Hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	if c.hold = h; c.ended {
		h.Release()
	}
}

// end releases the caller's hold, and each hold that it gets later.
func (c *caller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	c.ended = true
}

// disown counts the caller's hold for its address alone.
func (c *caller) disown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Disown()
}

// A socket can be carried: its client has connected to one process, and its match
// runs in another.
//
//	client ◄──socket──► process it came to ◄──Config.Carry──► process of the match
//	                    reads the first message,              admits, counts and bans
//	                    then copies bytes                     by the client's address
//
// Only the first message says which match it is. So the process it came to has answered the
// request for the socket by then: it passes the request on all the same, with the bytes
// that it has read since. A carried socket is not carried again.

// carried is the answer of the process of the match to the request for a socket, which the
// client has had from this one.
type carried struct {
	header http.Header
	socket *link.Socket
	status int
	taken  bool // the socket's bytes are copied
}

func (c *carried) Header() http.Header         { return c.header }
func (c *carried) Write(b []byte) (int, error) { return len(b), nil }
func (c *carried) WriteHeader(status int)      { c.status = status }

// Hijack is for the proxy.
func (c *carried) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, err := c.socket.Detach()
	if err != nil {
		return nil, nil, err
	}
	c.taken = true
	return conn, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(io.Discard)), nil
}
