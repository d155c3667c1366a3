package match

import (
	"net/http"
	"net/netip"
	"sync"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// caller is who is at the other end of a connection, and what it has taken from
// the ledger: an early socket, and once it has a seat a socket.
type caller struct {
	from    netip.Addr
	counted bool // the server's own bots are not
	// request is the one for its socket, until it has a seat here; nil: the socket is not to be
	// carried.
	request *http.Request

	mu   sync.Mutex
	hold *budget.Hold // in place of it another one may be taken
	gone bool         // the connection has ended: nothing is held any more
}

// holds gives back what the caller held, and keeps h instead.
func (c *caller) holds(h *budget.Hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	if c.hold = h; c.gone {
		h.Release()
	}
}

// end gives back what the caller holds, and all that it is given later.
func (c *caller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	c.gone = true
}

// disown leaves what the caller holds to its address alone.
func (c *caller) disown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Disown()
}
