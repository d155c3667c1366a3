package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Viewer watches a match again, over any node: a replay, or as a late spectator. One node
// gives its ticket, the next one shows the match. Whenever it loses its connection it
// goes on to other nodes.
type Viewer struct {
	Name  string
	URLs  []string            // of the nodes
	Guest *lobbyclient.Client // whose tickets; the nodes share its session
	Match string
	Map   *grid.Map

	state *client.State // of the connection at hand
	conn  *socket.Conn
	at    string // the node's address
	asked uint32 // number of the newest control

	mu      sync.Mutex
	shown   map[string]int // frames, by the node that showed them
	tick    grid.Tick      // the newest that was shown
	cameras map[uint32]int // by slot, how often they moved
	opened  int
	closed  string // the code by which it was sent away for good
	wrong   []error
}

// NewViewer returns a viewer who may watch a match and has not begun to.
func NewViewer(ctx context.Context, name string, urls []string, guest *lobbyclient.Client, match string) (*Viewer, error) {
	var facts api.ReplayFacts
	if err := guest.Call(ctx, http.MethodGet, "/api/replays/"+match, nil, &facts); err != nil {
		return nil, err
	}
	ground, err := guest.Map(ctx, facts.Map.Hash)
	if err != nil {
		return nil, err
	}
	return &Viewer{Name: name, URLs: urls, Guest: guest, Match: match, Map: ground, shown: map[string]int{}, cameras: map[uint32]int{}}, nil
}

// Run watches until ctx ends, or until a server sends it away for good.
func (v *Viewer) Run(ctx context.Context) {
	for try := 0; ctx.Err() == nil && v.Closed() == ""; try++ {
		if err := v.Open(ctx, v.URLs[try%len(v.URLs)], v.URLs[(try+1)%len(v.URLs)]); err == nil {
			for err == nil {
				_, err = v.Next()
			}
			v.conn.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// Open gets a ticket at one node and opens the replay at another.
func (v *Viewer) Open(ctx context.Context, ticketAt, watchAt string) error {
	at := *v.Guest
	at.URL = ticketAt
	asking, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var ticket api.Ticket
	if err := at.Call(asking, http.MethodPost, "/api/replays/"+v.Match+"/tickets", api.ReplayTicketRequest{Protocol: wire.Protocol}, &ticket); err != nil {
		return err
	}
	at.URL = watchAt
	conn, err := socket.Dial(ctx, at.Socket()+"/replay", at.Headers())
	if err != nil {
		return err
	}
	v.conn, v.at, v.state = conn, watchAt, client.New(client.Config{Map: client.OneMap(v.Map), DerivesFog: true})
	v.mu.Lock()
	v.opened++
	v.mu.Unlock()
	err = conn.Send(v.state.Hello(ticket.Ticket))
	for err == nil && v.state.Welcome == nil {
		_, err = v.Next()
	}
	if err != nil {
		conn.Close()
	}
	return err
}

// errClosed: the server has ended the connection, and said why.
var errClosed = errors.New("closed")

// goesOn are codes of a closing after which a viewer asks for a ticket again.
var goesOn = []string{"moved", "stopping", "unavailable", "internal", "too_slow", "bad_token"}

// Next takes in one message.
func (v *Viewer) Next() (*wire.ServerFrame, error) {
	b, err := v.conn.Read()
	if err != nil {
		return nil, err
	}
	f, err := v.state.Receive(b)
	v.mu.Lock()
	defer v.mu.Unlock()
	if err != nil {
		v.wrong = append(v.wrong, fmt.Errorf("%s: tick %d: %w", v.Name, v.state.Tick(), err))
		return nil, err
	}
	if f.Replay != nil {
		for _, c := range f.Replay.Cameras {
			v.cameras[c.Slot]++
		}
	}
	if f.Closing != nil {
		if !slices.Contains(goesOn, f.Closing.Code) {
			v.closed = f.Closing.Code
		}
		return f, fmt.Errorf("%w: %s", errClosed, f.Closing.Code)
	}
	if f.IsFrame() {
		v.tick = max(v.tick, v.state.Tick())
		v.shown[v.at]++
		if v.state.MaskDiffers {
			v.wrong = append(v.wrong, fmt.Errorf("%s: tick %d: it derives another mask", v.Name, v.state.Tick()))
		}
		return f, v.conn.Send(v.state.Ack())
	}
	return f, nil
}

// Control asks for something, and returns once it is done and shown.
func (v *Viewer) Control(c *pb.ReplayControl) error {
	v.asked++
	c.Number = v.asked
	if err := v.conn.Send(&pb.ClientFrame{Replay: c}); err != nil {
		return err
	}
	for done := false; !done; {
		f, err := v.Next()
		if err != nil {
			return err
		}
		done = f.Replay != nil && f.Replay.Done >= c.Number
	}
	for v.state.Replica == nil || v.state.Tick() != grid.Tick(v.state.Watching.Tick) {
		if _, err := v.Next(); err != nil {
			return err
		}
	}
	return nil
}

// State is its state: to be looked at between two calls.
func (v *Viewer) State() *client.State { return v.state }

// Close leaves: the server keeps no place for the viewer.
func (v *Viewer) Close() {
	if v.conn != nil {
		v.conn.Bye()
		v.conn.Close()
	}
}

// Closed returns the code with which it was sent away for good, "" if it was not.
func (v *Viewer) Closed() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}

// Tick returns the newest tick that it was shown.
func (v *Viewer) Tick() grid.Tick {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.tick
}

// Shown returns how many frames it had, by the sender's address, how often each slot's camera moved, how often it
// opened the replay, and its errors.
func (v *Viewer) Shown() (frames map[string]int, cameras map[uint32]int, opened int, wrong error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shown, v.cameras, v.opened, errors.Join(v.wrong...)
}
