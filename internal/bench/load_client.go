package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// loadClient is a player, or one who watches, of a load. It checks its replica, gives
// orders and comes back when its connection is lost.
type loadClient struct {
	*client.State
	load    *load
	who     *lobbyclient.Client
	lobby   string
	player  bool
	random  *rand.Rand
	ticket  string
	route   *socket.Route
	reports map[grid.Tick][]Sight // run's own, and compare's once it is over
	match   string

	tick    atomic.Uint32 // of its newest frame
	resyncs atomic.Uint32
	back    atomic.Bool // it has a frame since it was cut

	mu       sync.Mutex
	conn     *socket.Conn
	err      error
	cutAt    time.Time // zero: it is there
	measured bool
	sent     map[uint32]time.Time // orders, by number
	trips    []time.Duration
	returns  []time.Duration // from the cut to the first frame
}

func newLoadClient(l *load, who *lobbyclient.Client, lobby string, number int) *loadClient {
	return &loadClient{
		State: client.New(client.Config{Map: client.OneMap(l.info.grid), DerivesFog: true}),
		load:  l, who: who, lobby: lobby, player: number >= 0, random: rand.New(rand.NewPCG(l.Seed, uint64(number))),
		reports: map[grid.Tick][]Sight{}, sent: map[uint32]time.Time{},
	}
}

func (c *loadClient) takeTicket(ctx context.Context) error {
	t, err := c.who.SeatTicket(ctx, c.lobby)
	if err != nil {
		return err
	}
	c.ticket, c.route = t.Ticket, socket.NewRoute(c.who.Socket(), t.URL)
	return nil
}

func (c *loadClient) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// measure starts, or ends, a time in which orders and returns are counted.
func (c *loadClient) measure(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.measured = on; on {
		c.trips, c.returns = nil, nil
	}
}

// cut breaks the connection as a lost line does.
func (c *loadClient) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil || !c.cutAt.IsZero() {
		return // it is away already
	}
	c.cutAt = time.Now()
	c.back.Store(false)
	c.conn.Close()
}

// run plays until ctx ends.
func (c *loadClient) run(ctx context.Context) {
	for ctx.Err() == nil && c.failed() == nil {
		err := c.connection(ctx)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, errLoad) {
			c.mu.Lock()
			c.err = err
			c.mu.Unlock()
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(c.route.Lost()):
		}
	}
}

// errLoad is what a client may never meet.
var errLoad = errors.New("bench load")

func (c *loadClient) connection(ctx context.Context) error {
	conn, err := c.route.Dial(ctx, c.who.Header)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	c.mu.Lock()
	c.conn = conn
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.conn = nil
		if c.cutAt.IsZero() {
			c.cutAt = time.Now()
		}
		c.mu.Unlock()
	}()
	if err := conn.Send(c.Hello(c.ticket)); err != nil {
		return err
	}
	next, acked := time.Now().Add(c.pause()), grid.Tick(0)
	for {
		b, err := conn.Read()
		if err != nil {
			return err
		}
		before := c.Tick()
		f, err := c.Receive(b)
		if err != nil {
			return fmt.Errorf("%w: %s: tick %d: %w", errLoad, c.match, before, err)
		}
		switch {
		case f.Closing != nil && !f.Closing.Retry:
			return fmt.Errorf("%w: closed: %s: %s", errLoad, f.Closing.Code, f.Closing.Text)
		case f.Closing != nil:
			return errors.New(f.Closing.Code)
		case f.Welcome != nil:
			c.match = f.Welcome.MatchId
			c.route.Welcomed(f.Welcome.Servers)
			continue
		case !f.IsFrame():
			continue
		}
		c.take(f, before)
		out := c.Ack()
		if c.MaskDiffers {
			c.resyncs.Add(1)
		}
		if now := time.Now(); c.player && now.After(next) {
			next = now.Add(c.pause())
			if o := c.order(); o != nil {
				out.Orders = append(out.Orders, o)
			}
		}
		if out.Resync || len(out.Orders) > 0 || c.Tick()-acked >= ackEvery {
			acked = c.Tick()
			if err := conn.Send(out); err != nil {
				return err
			}
		}
	}
}

// take notes what a frame says and what the client holds since.
func (c *loadClient) take(f *wire.ServerFrame, before grid.Tick) {
	now, t := time.Now(), c.Tick()
	if c.player {
		from := t
		if before != 0 && !f.Diff.Snapshot {
			from = before + 1
		}
		for k := from; k <= t; k++ {
			if k%reportEvery == 0 && (k == t || k < t-grid.Tick(f.Diff.Skipped)) {
				c.reports[k] = c.holds(k)
			}
		}
	}
	c.tick.Store(uint32(t))
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range f.Answers {
		if at, ok := c.sent[a.Seq]; ok {
			delete(c.sent, a.Seq)
			if c.measured && c.cutAt.IsZero() {
				c.trips = append(c.trips, now.Sub(at))
			}
		}
	}
	if !c.cutAt.IsZero() {
		if c.measured {
			c.returns = append(c.returns, now.Sub(c.cutAt))
		}
		c.cutAt = time.Time{}
		clear(c.sent) // orders that were under way: their time is the line's
		c.back.Store(true)
	}
}

// holds returns what the client holds at a tick, sorted by handle.
func (c *loadClient) holds(t grid.Tick) []Sight {
	rows := make([]Sight, 0, len(c.Replica.Entities))
	for h, e := range c.Replica.Entities {
		rows = append(rows, Sight{h, e.Type, e.Owner, c.Replica.Pos(e, t), int32(e.Values[view.ValueHealth])})
	}
	slices.SortFunc(rows, func(a, b Sight) int { return int(a.Handle) - int(b.Handle) })
	return rows
}

// pause is the time until the next order.
func (c *loadClient) pause() time.Duration {
	return time.Duration((0.5 + c.random.Float64()) / c.load.OrdersPerS * float64(time.Second))
}

// groupMax is how many units one order is for.
const groupMax = 12

// order sends a group of the player's units to a place on its own side of the map, or
// a little beyond the middle: armies see each other, and few die.
func (c *loadClient) order() *pb.Order {
	var units []uint32
	for _, h := range c.Replica.Handles() {
		if e := c.Replica.Entities[h]; e.Owner == c.Slot() && c.Welcome.Types[e.Type].Speed > 0 {
			units = append(units, uint32(h))
		}
	}
	if len(units) == 0 {
		return nil
	}
	from := c.random.IntN(len(units))
	units = units[from:min(len(units), from+groupMax)]
	home := c.Map.Starts[c.Welcome.Players[c.Slot()].Start-1].Center()
	near := func(at, side int32) int32 {
		side <<= grid.TileShift
		return max(0, min(side-1, at+int32(c.random.Int64N(int64(side)))-side/2))
	}
	o := &pb.Order{
		Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units, Seq: c.Number(),
		To: &pb.Point{X: near(home.X, int32(c.Map.W)), Y: near(home.Y, int32(c.Map.H))},
	}
	c.mu.Lock()
	c.sent[o.Seq] = time.Now()
	c.mu.Unlock()
	return o
}

// idler is somebody who is logged in and waits: one event stream.
type idler struct {
	load *load
	who  *lobbyclient.Client

	mu     sync.Mutex
	stream io.ReadCloser
	cancel context.CancelFunc
	closed bool
}

// enter logs in and opens the stream. During within only; the stream lives as long as
// ctx.
func (x *idler) enter(within, ctx context.Context) error {
	if err := patiently(within, func() error {
		_, err := x.who.Guest(within, "")
		return err
	}); err != nil {
		return err
	}
	return patiently(within, func() error { return x.listen(within, ctx) })
}

// listen opens the stream and waits for its first event.
func (x *idler) listen(within, ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(within, cancel)
	defer stop()
	x.who.HTTP = idleHTTP
	stream, err := x.who.Stream(ctx, "/api/queue/events")
	if err != nil {
		cancel()
		return err
	}
	var first [16]byte
	if _, err := io.ReadFull(stream, first[:]); err != nil {
		cancel()
		stream.Close()
		return err
	}
	x.mu.Lock()
	x.stream, x.cancel, x.closed = stream, cancel, false
	x.mu.Unlock()
	go func() {
		_, _ = io.Copy(io.Discard, stream) // until it is cut, by either side
		x.mu.Lock()
		if x.stream == stream {
			x.closed = true
		}
		x.mu.Unlock()
	}()
	return nil
}

// idleHTTP keeps no connection: each stream has its own.
var idleHTTP = &http.Client{Transport: &http.Transport{MaxIdleConns: 1, WriteBufferSize: 512, ReadBufferSize: 512}}

func (x *idler) open() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.stream != nil && !x.closed
}

func (x *idler) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.stream != nil {
		x.cancel()
		x.stream.Close()
	}
}
