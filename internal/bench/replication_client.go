package bench

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/visibility"
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

// headless is a client without a screen. It knows nothing but the bytes of its
// socket and the public map.
type headless struct {
	slot    int
	conn    *websocket.Conn
	dec     wire.Decoder
	replica *client.Replica
	fog     *client.Fog
	general *fieldGeneral // nil: it gives no orders

	frames  []sentFrame
	reports map[uint32][]Sight // what it held, at the ticks that are compared
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
func dial(address string, slot int, fights bool) (*headless, error) {
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
	conn, _, err := websocket.DefaultDialer.Dial("ws://"+address+"/ws", nil)
	if err != nil {
		return nil, fmt.Errorf("client %d: %w", slot, err)
	}
	c := &headless{slot: slot, conn: conn, reports: map[uint32][]Sight{}, over: make(chan struct{})}
	hello := &pb.Hello{Protocol: wire.Protocol, Ticket: fmt.Sprint(slot), DerivesFog: true}
	if err := c.send(&pb.ClientFrame{Hello: hello}); err != nil {
		return nil, err
	}
	return c, c.welcome(m, fights)
}

func (c *headless) send(f *pb.ClientFrame) error {
	b, err := proto.Marshal(f)
	if err == nil {
		err = c.conn.WriteMessage(websocket.BinaryMessage, b)
	}
	if err != nil {
		return fmt.Errorf("client %d: %w", c.slot, err)
	}
	return nil
}

func (c *headless) welcome(m *grid.Map, fights bool) error {
	_, b, err := c.conn.ReadMessage()
	if err != nil {
		return fmt.Errorf("client %d: welcome: %w", c.slot, err)
	}
	c.join = len(b)
	f, err := c.dec.Decode(b)
	if err != nil {
		return fmt.Errorf("client %d: %w", c.slot, err)
	}
	w := f.Welcome
	if w == nil {
		return fmt.Errorf("client %d: no welcome but %v", c.slot, f.Closing)
	}
	full, eyes := make([]int32, len(w.Types)), make([]client.Eye, len(w.Types))
	for i, t := range w.Types {
		full[i] = int32(t.Speed)
		eyes[i] = client.Eye{
			Radius: visibility.Radius(t.Sight), Flyer: t.FlyerSight, LevelBonus: grid.Level(t.LevelBonus),
			Blind: t.Class == pb.TypeClass_TYPE_CLASS_PROJECTILE || t.Class == pb.TypeClass_TYPE_CLASS_RESOURCE,
		}
	}
	own := grid.SlotSet(0)
	for i, p := range w.Players {
		if p.Team == w.Team {
			own = own.With(grid.Slot(i))
		}
	}
	c.replica = client.NewReplica(m.W, m.H, full)
	if c.fog, err = client.NewFog(m, eyes, own, grid.Ticks(w.DyingSightTicks)); err != nil {
		return fmt.Errorf("client %d: %w", c.slot, err)
	}
	if fights {
		c.general = newFieldGeneral(w, m)
	}
	return nil
}

// ackEvery is how often, in ticks, the client tells what it has applied.
const ackEvery = 10

// play takes frames in until the connection ends.
func (c *headless) play() error {
	for {
		_, b, err := c.conn.ReadMessage()
		if err != nil {
			return nil // the runner closes it
		}
		f, err := c.dec.Decode(b)
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

func (c *headless) take(f *wire.ServerFrame, bytes int) error {
	before := c.replica.Tick
	c.fog.Before(c.replica, &f.Diff)
	if before != 0 && !f.Diff.Snapshot {
		// What it held at the ticks before this frame's stands now: no frame
		// of theirs can come any more.
		for t := before + 1; t < before+grid.Tick(f.Diff.Span); t++ {
			c.report(t)
		}
	}
	if err := c.replica.Apply(&f.Diff); err != nil {
		return err
	}
	now := c.replica.Tick
	if before == 0 {
		c.join += bytes
	}
	out := &pb.ClientFrame{}
	if !c.fog.After(c.replica, &f.Diff) {
		c.resyncs++
		out.Resync = true
	}
	c.report(now)
	c.applied.Store(uint32(now))
	c.frames = append(c.frames, sentFrame{now, bytes, len(c.replica.Entities)})
	if c.general != nil {
		out.Orders = c.general.orders(c.replica, f)
		c.orders += len(out.Orders)
	}
	if out.Resync || len(out.Orders) > 0 || now-c.acked >= ackEvery {
		c.acked = now
		out.Applied = uint32(now)
		return c.send(out)
	}
	return nil
}

// report notes what the client holds, at the ticks that may be compared.
func (c *headless) report(t grid.Tick) {
	if t%reportEvery > 1 {
		return
	}
	rows := make([]Sight, 0, len(c.replica.Entities))
	for h, e := range c.replica.Entities {
		rows = append(rows, Sight{h, e.Type, e.Owner, c.replica.Pos(e, t), int32(e.Values[view.ValueHealth])})
	}
	slices.SortFunc(rows, func(a, b Sight) int { return int(a.Handle) - int(b.Handle) })
	c.reports[uint32(t)] = rows
}

// fieldGeneral leads a battle as a person could: it knows what its client was
// told.
type fieldGeneral struct {
	slot    grid.Slot
	classes []pb.TypeClass
	trains  [][]uint32
	home    grid.Pos
	others  []grid.Pos
	mid     grid.Pos
	own     *client.OwnerState
	start   map[uint16]int // of each type at first
	seq     uint32
	next    grid.Tick
}

func newFieldGeneral(w *pb.Welcome, m *grid.Map) *fieldGeneral {
	g := &fieldGeneral{
		slot: grid.Slot(w.Slot), mid: grid.Pos{X: int32(m.W) << 9, Y: int32(m.H) << 9}, own: client.NewOwnerState(m.W),
	}
	for _, t := range w.Types {
		g.classes = append(g.classes, t.Class)
		g.trains = append(g.trains, t.Trains)
	}
	n := len(w.Players)
	start := func(i int) grid.Pos { return m.Starts[w.Players[(i+n)%n].Start-1].Center() }
	g.home = start(int(w.Slot))
	g.others = []grid.Pos{start(int(w.Slot) + 1), g.mid, start(int(w.Slot) - 1)}
	return g
}

// orders returns what to order now: idle units to where the fighting is, and
// what fell to be trained anew.
func (g *fieldGeneral) orders(r *client.Replica, f *wire.ServerFrame) []*pb.Order {
	g.own.Apply(&f.Diff, f.Own, r.Tick)
	if r.Tick < g.next {
		return nil
	}
	g.next = r.Tick + orderEvery
	var idle, makers []uint32
	have := map[uint16]int{}
	for _, h := range r.Handles() {
		e := r.Entities[h]
		if e.Owner != g.slot {
			continue
		}
		switch g.classes[e.Type] {
		case pb.TypeClass_TYPE_CLASS_UNIT:
			have[e.Type]++
			if g.own.Tasks[h].Doing == 0 {
				idle = append(idle, uint32(h))
			}
		case pb.TypeClass_TYPE_CLASS_STRUCTURE:
			if len(g.trains[e.Type]) > 0 {
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
		for _, typ := range g.trains[r.Entities[grid.Handle(h)].Type] {
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
	g.seq++
	o.Seq = g.seq
	return o
}
