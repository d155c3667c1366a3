package match

import (
	"bufio"
	"io"
	"net"
	"net/http"

	"github.com/fogkeep/fogkeep/match/link"
)

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
