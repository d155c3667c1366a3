package match

import (
	"net/http"
	"net/netip"
	"sync"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// caller is the client at the other end of a connection, and its hold in the ledger: an
// early socket, and once it has a seat a socket.
type caller struct {
	from    netip.Addr
	counted bool // the server's own bots are not
	// request is the one for its socket, until it has a seat here; nil: the socket is not to be
	// carried.
	request *http.Request

	mu   sync.Mutex
	hold *budget.Hold // another hold may replace it
	gone bool         // the connection has ended: it may hold no budget
}

// holds releases the caller's hold, and keeps h instead.
func (c *caller) holds(h *budget.Hold) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	if c.hold = h; c.gone {
		h.Release()
	}
}

// end releases the caller's hold, and each hold that it gets later.
func (c *caller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Release()
	c.gone = true
}

// disown counts the caller's hold for its address alone.
func (c *caller) disown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hold.Disown()
}
