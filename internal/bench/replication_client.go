package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Sight is one entity that a client holds, or ought to: handle, type, owner,
// place, health missing.
type Sight struct {
	Handle  grid.Handle
	Type    uint16
	Owner   grid.Slot
	Pos     grid.Pos
	Missing int32
}

// workloadClient is a client without a screen. It knows only the bytes of its socket and the public map.
type workloadClient struct {
	*client.State
	slot    int
	conn    *socket.Conn
	general *fieldGeneral // nil: it gives no orders

	frames  []sentFrame
	reports map[uint32][]Sight // what it held, at the ticks that are compared; in no order
	begin   atomic.Uint32      // the tick before the workload's first, from the runner; 0: not known yet
	resyncs int
	orders  int
	acked   grid.Tick
	applied atomic.Uint32 // the tick that it stands at, for the runner
	over    chan struct{} // closed when it has read its last frame
	join    int           // bytes before the first frame is applied, the frame included
}

// sentFrame is what one message cost.
type sentFrame struct {
	tick    grid.Tick
	bytes   int
	visible int
}

// dial connects, says hello and takes the welcome.
func dial(address string, slot int, fights bool) (*workloadClient, error) {
	res, err := http.Get("http://" + address + "/map")
	if err != nil {
		return nil, fmt.Errorf("client %d: map: %w", slot, err)
	}
	public, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	res.Body.Close()
	if err != nil {
		return nil, fmt.Errorf("client %d: map: %w", slot, err)
	}
	m, err := grid.UnmarshalMap(public)
	if err != nil {
		return nil, fmt.Errorf("client %d: map: %w", slot, err)
	}
	conn, err := socket.Dial(context.Background(), "ws://"+address+"/ws", nil)
	if err != nil {
		return nil, fmt.Errorf("client %d: %w", slot, err)
	}
	c := &workloadClient{
		State: client.New(client.Config{Map: client.OneMap(m), DerivesFog: true}),
		slot:  slot, conn: conn, reports: map[uint32][]Sight{}, over: make(chan struct{}),
	}
	if err := conn.Send(c.Hello(fmt.Sprint(slot))); err != nil {
		return nil, fmt.Errorf("client %d: %w", slot, err)
	}
	b, err := conn.Read()
	if err != nil {
		return nil, fmt.Errorf("client %d: welcome: %w", slot, err)
	}
	c.join = len(b)
	f, err := c.Receive(b)
	if err != nil {
		return nil, fmt.Errorf("client %d: %w", slot, err)
	}
	if f.Welcome == nil {
		return nil, fmt.Errorf("client %d: no welcome but %v", slot, f.Closing)
	}
	if fights {
		c.general = newFieldGeneral(c.State)
	}
	return c, nil
}

// ackEvery is how often, in ticks, the client acknowledges frames.
const ackEvery = 10

// play takes frames in until the connection ends.
func (c *workloadClient) play() error {
	for {
		b, err := c.conn.Read()
		if err != nil {
			return nil // the runner closes it
		}
		f, err := c.Decode(b)
		if err != nil {
			return fmt.Errorf("client %d: %w", c.slot, err)
		}
		if f.Closing != nil {
			return fmt.Errorf("client %d: closed: %s: %s", c.slot, f.Closing.Code, f.Closing.Text)
		}
		if err := c.take(f, len(b)); errors.Is(err, net.ErrClosed) {
			return nil
		} else if err != nil {
			return fmt.Errorf("client %d: %w", c.slot, err)
		}
	}
}

func (c *workloadClient) take(f *wire.ServerFrame, bytes int) error {
	before := c.Tick()
	if before != 0 && !f.Diff.Snapshot {
		// Its state at the ticks before this frame's is final now: no frame
		// of theirs can come any more.
		for t := before + 1; t < before+grid.Tick(f.Diff.Span); t++ {
			c.report(t)
		}
	}
	if err := c.Apply(f); err != nil {
		return err
	}
	now := c.Tick()
	if before == 0 {
		c.join += bytes
	}
	if c.MaskDiffers {
		c.resyncs++
	}
	c.report(now)
	c.applied.Store(uint32(now))
	c.frames = append(c.frames, sentFrame{now, bytes, len(c.Replica.Entities)})
	out := c.Ack()
	if c.general != nil {
		out.Orders = c.general.decide()
		c.orders += len(out.Orders)
	}
	if out.Resync || len(out.Orders) > 0 || now-c.acked >= ackEvery {
		c.acked = now
		return c.conn.Send(out)
	}
	return nil
}

// report notes the client's state, at the ticks that may be compared. All clients do so at once, beside the
// measured ticks: as much as possible is done later.
func (c *workloadClient) report(t grid.Tick) {
	begin := c.begin.Load()
	if n := t % reportEvery; n > 1 || n == 1 && begin != 0 && uint32(t) != begin+1 {
		return
	}
	rows := make([]Sight, 0, len(c.Replica.Entities))
	for h, e := range c.Replica.Entities {
		rows = append(rows, Sight{h, e.Type, e.Owner, c.Replica.Pos(e, t), int32(e.Values[view.ValueHealth])})
	}
	c.reports[uint32(t)] = rows
}

// fieldGeneral leads a battle as a person could: it knows only its client's state.
type fieldGeneral struct {
	*client.State
	home   grid.Pos
	others []grid.Pos
	start  map[uint16]int // of each type at first
	next   grid.Tick
}

func newFieldGeneral(c *client.State) *fieldGeneral {
	w, m := c.Welcome, c.Map
	n := len(w.Players)
	start := func(i int) grid.Pos { return m.Starts[w.Players[(i+n)%n].Start-1].Center() }
	middle := grid.Pos{X: int32(m.W) << 9, Y: int32(m.H) << 9}
	return &fieldGeneral{
		State: c, home: start(int(w.Slot)), others: []grid.Pos{start(int(w.Slot) + 1), middle, start(int(w.Slot) - 1)},
	}
}

// decide returns what to order now: idle units to where the fighting is, and
// what fell to be trained anew.
func (g *fieldGeneral) decide() []*pb.Order {
	if g.Tick() < g.next {
		return nil
	}
	g.next = g.Tick() + orderEvery
	var idle, makers []uint32
	have := map[uint16]int{}
	for _, h := range g.Replica.Handles() {
		e := g.Replica.Entities[h]
		if e.Owner != g.Slot() {
			continue
		}
		switch info := g.Welcome.Types[e.Type]; info.Class {
		case pb.TypeClass_TYPE_CLASS_UNIT:
			have[e.Type]++
			if g.Own.Tasks[h].Doing == 0 {
				idle = append(idle, uint32(h))
			}
		case pb.TypeClass_TYPE_CLASS_STRUCTURE:
			if len(info.Trains) > 0 {
				makers = append(makers, uint32(h))
			}
		}
	}
	if g.start == nil {
		g.start = have
	}
	var out []*pb.Order
	for part := range 3 {
		squad := idle[part*len(idle)/3 : (part+1)*len(idle)/3]
		if len(squad) == 0 {
			continue
		}
		to := g.home.Add(grid.Vec{X: (g.others[part].X - g.home.X) * 5 / 8, Y: (g.others[part].Y - g.home.Y) * 5 / 8})
		out = append(out, g.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE, Units: squad, To: &pb.Point{X: to.X, Y: to.Y}}))
	}
	for _, h := range makers {
		for _, typ := range g.Welcome.Types[g.Replica.Entities[grid.Handle(h)].Type].Trains {
			if have[uint16(typ)] < g.start[uint16(typ)] {
				have[uint16(typ)]++
				out = append(out, g.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_TRAIN, Units: []uint32{h}, What: typ}))
				break
			}
		}
	}
	return out
}

func (g *fieldGeneral) order(o *pb.Order) *pb.Order {
	o.Seq = g.Number()
	return o
}
