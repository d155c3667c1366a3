package match

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"

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

// away says that a client's match runs in another process.
type away struct {
	*link.Refusal
	place Place
}

func (a *away) Unwrap() error { return a.Refusal }

// awayTo returns what a client is told whose match is elsewhere. Where sockets are
// carried, clients know only the way that they came.
func (s *Service) awayTo(p Place) *away {
	if p.Waits != "" {
		return &away{waiting(p.Waits), p}
	}
	if s.cfg.Carry != nil {
		return &away{link.Moved(""), p}
	}
	return &away{link.Moved(p.URL), p}
}

// Carried serves the sockets that other processes carry here, of clients at these addresses.
// Only such processes may reach it.
func (s *Service) Carried(address func(*http.Request) netip.Addr) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.open(w, r, address(r), true) })
}

// carry passes the socket of a client on to the process that runs its match. It returns once
// the connection has ended.
func (s *Service) carry(t *link.Socket, by *caller, to Place) {
	defer t.Close()
	out := &carried{header: http.Header{}, socket: t}
	why := link.FaultOf(s.count(by, Seat{}, nil))
	if why == nil {
		s.metrics.carried.Inc()
		defer s.metrics.carried.Dec()
		s.cfg.Carry(out, by.request.WithContext(s.ctx), to.Node)
		why = link.Moved("") // the match may be somewhere else soon
	}
	if out.status == http.StatusTooManyRequests {
		why = &link.Refusal{Code: "too_many_sockets", Text: "your account or your network has too many sockets"}
	}
	if !out.taken {
		link.Dismiss(s.log, t, why)
	}
}

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
