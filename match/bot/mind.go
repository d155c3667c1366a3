package bot

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of a mind's memory and messages.
const (
	ordersAThoughtMax = 12
	unitsAnOrderMax   = 200
	pendingMax        = 256 // orders without an answer
)

// mind is the player of all levels. It knows its client's state, and decides by its plan.
type mind struct {
	*client.State            // its client's state; the mind does not change it
	rate          grid.Ticks // ticks a second
	plan          plan

	queues map[grid.Handle]int // lengths of production queues, including its latest orders
	stock  []uint32            // resources, less its latest spending

	pending map[uint32]pendingOrder // by order's number
	out     []*pb.Order
	next    grid.Tick // of the next thought

	now census
	economy
	war
	estate
	commander
	terrain

	busy     map[grid.Handle]bool      // units that had their order in this thought
	ferries  map[grid.Handle]grid.Tick // since when each transport waits for passengers
	split    bool                      // no way on the ground leads to the enemy
	over     seaway
	seas     []int32 // the number of each tile's sea
	seaCount int32
}

// pendingOrder is an order whose answer matters.
type pendingOrder struct {
	kind pb.OrderKind
	site grid.Tile
	by   grid.Handle // the structure that trains
}

func newMind(c *client.State, how plan, without []string) (Player, error) {
	w := c.Welcome
	switch {
	case w.TickRate < grid.TickRateMin || w.TickRate > grid.TickRateMax:
		return nil, fmt.Errorf("tick rate %d", w.TickRate)
	case int(w.Slot) >= len(w.Players):
		return nil, fmt.Errorf("slot %d of %d players", w.Slot, len(w.Players))
	}
	b := &mind{State: c, plan: how, rate: grid.Ticks(w.TickRate), queues: map[grid.Handle]int{}, pending: map[uint32]pendingOrder{},
		busy: map[grid.Handle]bool{}, ferries: map[grid.Handle]grid.Tick{}}
	b.economy.init(b)
	b.war.init(b)
	if b.plan.commands {
		b.commander.init(b)
	}
	for _, name := range without {
		i := slices.IndexFunc(w.Types, func(t *pb.TypeInfo) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no type %q", name)
		}
		b.without = append(b.without, uint32(i))
	}
	return b, nil
}

// Take implements [Player].
func (b *mind) Take(f *wire.ServerFrame) {
	if f.Welcome != nil {
		clear(b.pending)
		b.forgetOrders()
		return
	}
	if f.Diff.Snapshot {
		clear(b.queues)
	}
	for _, h := range f.Diff.Destroyed {
		b.fell(h)
	}
	for _, list := range [2][]grid.Handle{f.Diff.Leave, f.Diff.Destroyed} {
		for _, h := range list {
			delete(b.queues, h)
			b.dropUnit(h)
		}
	}
	if owner := f.Own; owner != nil {
		if owner.Resources != nil {
			b.stock = owner.Resources
		}
		for _, q := range owner.Queues {
			b.queues[q.Handle] = len(q.Types)
		}
	}
	for _, a := range f.Answers {
		if q, ok := b.pending[a.Seq]; ok {
			delete(b.pending, a.Seq)
			if a.Code != 0 {
				b.refused(q)
			}
		}
	}
}

// doing returns the current order of an own unit.
func (b *mind) doing(h grid.Handle) pb.OrderKind {
	return wire.WireKind(orders.Kind(b.Own.Tasks[h].Doing))
}

// Think implements [Player].
func (b *mind) Think() []*pb.Order {
	b.out = nil
	if b.Ended != nil || b.Tick() < b.next || b.Tick() == 0 || b.Welcome.Spectator {
		return nil
	}
	b.next = b.Tick() + grid.Tick(max(1, b.rate*grid.Ticks(b.plan.thinkMs)/1000))
	clear(b.busy)
	b.look()
	if b.plan.commands {
		b.command()
		return b.out
	}
	b.manage()
	b.wage()
	return b.out
}

// order adds one order for the units; it remembers the answer's meaning if q says so. It reports false if there is no
// room in this thought.
func (b *mind) order(o *pb.Order, units []grid.Handle, q pendingOrder) bool {
	if len(b.out) >= ordersAThoughtMax || len(units) == 0 {
		return false
	}
	if len(units) > unitsAnOrderMax {
		units = units[:unitsAnOrderMax]
	}
	o.Seq = b.Number()
	for _, h := range units {
		o.Units = append(o.Units, uint32(h))
	}
	if len(b.pending) < pendingMax {
		q.kind = o.Kind
		b.pending[o.Seq] = q
	}
	b.out = append(b.out, o)
	return true
}

func point(p grid.Pos) *pb.Point { return &pb.Point{X: p.X, Y: p.Y} }

// seconds is a span in ticks.
func (b *mind) seconds(n int) grid.Tick { return grid.Tick(grid.Ticks(n) * b.rate) }
