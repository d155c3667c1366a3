package bench

import (
	"context"
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
	"github.com/fogkeep/fogkeep/match/verify"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// loadClient is a player or spectator of a load. It checks its replica, gives
// orders and comes back when its connection is lost.
type loadClient struct {
	client  *socket.Client // run's own, as what follows
	load    *load
	who     *lobbyclient.Client
	lobby   string
	player  bool
	random  *rand.Rand
	match   string
	next    time.Time     // when its next order is due
	record  verify.Client // of a player: compare's once run is over
	held    []held        // of a player on a server elsewhere, in place of messages
	lacking int           // ticks at which it lacked a part

	tick     atomic.Uint32 // of its newest frame
	resyncs  atomic.Uint32
	received atomic.Int64 // bytes on the wire
	back     atomic.Bool  // it has a frame since it was cut

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
	c := &loadClient{
		load: l, who: who, lobby: lobby, player: number >= 0, random: rand.New(rand.NewPCG(l.Seed, uint64(number))),
		client: &socket.Client{State: client.New(client.Config{Map: client.OneMap(l.info.grid), DerivesFog: true})},
		record: verify.Client{DerivesFog: true}, sent: map[uint32]time.Time{},
	}
	c.client.Open, c.client.OnWelcome, c.client.OnFrame = c.open, c.welcomed, c.frame
	c.client.OnBroken = func(err error) error { return err }
	c.client.OnLost = func(error, int, time.Duration) { c.away(nil) }
	c.client.OnMessage = func(b []byte) {
		c.received.Add(int64(len(b) + frameOverhead))
		if l.keeps && c.player {
			c.record.Messages = append(c.record.Messages, slices.Clone(b))
		}
	}
	return c
}

func (c *loadClient) takeTicket(ctx context.Context) error {
	t, err := c.who.SeatTicket(ctx, c.lobby)
	if err != nil {
		return err
	}
	c.client.Route = socket.NewRoute(c.who.Socket(), t.URL)
	c.client.Ticket = func(context.Context) (string, error) { return t.Ticket, nil }
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
	c.next = time.Now().Add(c.pause())
	err := c.client.Run(ctx)
	c.away(nil)
	if err != nil && ctx.Err() == nil {
		c.mu.Lock()
		c.err = fmt.Errorf("bench load: %s: tick %d: %w", c.match, c.client.Tick(), err)
		c.mu.Unlock()
	}
}

// away notes that the client has this connection from now on, or nil.
func (c *loadClient) away(conn *socket.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if conn == nil && c.cutAt.IsZero() {
		c.cutAt = time.Now()
	}
}

func (c *loadClient) welcomed(f *wire.ServerFrame) error {
	s := c.client
	c.match, c.record.Name = f.Welcome.MatchId, fmt.Sprintf("match %s, slot %d", f.Welcome.MatchId, s.Slot())
	c.record.Slot, c.record.Team = s.Slot(), s.Team()
	return nil
}

func (c *loadClient) open(ctx context.Context) (socket.Link, error) {
	conn, err := c.client.Route.Dial(ctx, c.who.Header)
	if err != nil {
		return nil, err
	}
	c.away(conn)
	return conn, nil
}

// frame notes a frame's content, and gives orders.
func (c *loadClient) frame(f *wire.ServerFrame, out *pb.ClientFrame) {
	now := time.Now()
	c.tick.Store(uint32(c.client.Tick()))
	if c.client.MaskDiffers {
		c.resyncs.Add(1)
	}
	c.notes(f)
	c.mu.Lock()
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
	c.mu.Unlock()
	if !c.player || !now.After(c.next) {
		return
	}
	c.next = now.Add(c.pause())
	if o := c.order(); o != nil {
		out.Orders = append(out.Orders, o)
	}
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
	s := c.client
	var units []uint32
	for _, h := range s.Replica.Handles() {
		if e := s.Replica.Entities[h]; e.Owner == s.Slot() && s.Welcome.Types[e.Type].Speed > 0 {
			units = append(units, uint32(h))
		}
	}
	if len(units) == 0 {
		return nil
	}
	from := c.random.IntN(len(units))
	units = units[from:min(len(units), from+groupMax)]
	home := s.Map.Starts[s.Welcome.Players[s.Slot()].Start-1].Center()
	near := func(at, side int32) int32 {
		side <<= grid.TileShift
		return max(0, min(side-1, at+int32(c.random.Int64N(int64(side)))-side/2))
	}
	o := &pb.Order{
		Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: units, Seq: s.Number(),
		To: &pb.Point{X: near(home.X, int32(s.Map.W)), Y: near(home.Y, int32(s.Map.H))},
	}
	c.mu.Lock()
	c.sent[o.Seq] = time.Now()
	c.mu.Unlock()
	return o
}

// idler is a logged-in player who waits: one event stream.
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
