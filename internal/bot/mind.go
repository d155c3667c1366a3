package bot

import (
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Bounds of what a mind keeps and says.
const (
	ordersAThoughtMax = 12
	unitsAnOrderMax   = 200
	waitingMax        = 256 // orders without an answer
)

// thoughtsASecond is how often a mind decides.
const thoughtsASecond = 2

// Mind is a player that decides. It is not safe for use by several goroutines.
type Mind struct {
	m       *grid.Map
	welcome *pb.Welcome
	slot    grid.Slot
	team    grid.Team
	rate    grid.Ticks // ticks a second

	replica *client.Replica
	doing   map[grid.Handle]pb.OrderKind // of own units
	queues  map[grid.Handle]int          // lengths of production queues
	stock   []uint32
	pop     uint32
	popMax  uint32
	ended   *view.Ended

	seq     uint32
	waiting map[uint32]question // by order's number
	out     []*pb.Order
	next    grid.Tick // of the next thought

	now census
	economy
	war
}

// question is an order whose answer matters.
type question struct {
	kind pb.OrderKind
	site grid.Tile
}

// NewMind returns a player that was just welcomed to a match on map m.
func NewMind(w *pb.Welcome, m *grid.Map) (*Mind, error) {
	switch {
	case w.MapHash != m.Hash().String():
		return nil, fmt.Errorf("bot: the match is on map %s, this is %v", w.MapHash, m.Hash())
	case w.TickRate < grid.TickRateMin || w.TickRate > grid.TickRateMax:
		return nil, fmt.Errorf("bot: tick rate %d", w.TickRate)
	case int(w.Slot) >= len(w.Players) || len(w.Players) > grid.SlotsMax:
		return nil, fmt.Errorf("bot: slot %d of %d players", w.Slot, len(w.Players))
	}
	full := make([]int32, len(w.Types))
	for i, t := range w.Types {
		full[i] = int32(t.Speed)
	}
	b := &Mind{
		m: m, welcome: w, slot: grid.Slot(w.Slot), team: grid.Team(w.Team), rate: grid.Ticks(w.TickRate),
		replica: client.NewReplica(m.W, m.H, full),
		doing:   map[grid.Handle]pb.OrderKind{}, queues: map[grid.Handle]int{}, waiting: map[uint32]question{},
	}
	b.economy.init(b)
	b.war.init(b)
	return b, nil
}

// Welcomed takes the welcome of a later socket to the same seat: what was
// waiting for an answer will not get one.
func (b *Mind) Welcomed(w *pb.Welcome) error {
	if w.MatchId != b.welcome.MatchId || w.Slot != b.welcome.Slot {
		return fmt.Errorf("bot: came back to match %s, slot %d, was in %s, slot %d", w.MatchId, w.Slot, b.welcome.MatchId, b.welcome.Slot)
	}
	b.welcome = w
	clear(b.waiting)
	b.forgetPlans()
	return nil
}

// ErrStream says that a frame does not follow from the frames before: a fresh
// snapshot has to be asked for.
var ErrStream = errors.New("bot: the stream is broken")

// Take takes in the next frame.
func (b *Mind) Take(f *wire.ServerFrame) error {
	if err := b.replica.Apply(&f.Diff); err != nil {
		return fmt.Errorf("%w: %w", ErrStream, err)
	}
	if f.Diff.Snapshot {
		clear(b.doing)
		clear(b.queues)
	}
	for _, list := range [2][]grid.Handle{f.Diff.Leave, f.Diff.Destroyed} {
		for _, h := range list {
			delete(b.doing, h)
			delete(b.queues, h)
			b.dropUnit(h)
		}
	}
	if own := f.Own; own != nil {
		if own.Resources != nil {
			b.stock = own.Resources
		}
		if own.HasPopulation {
			b.pop, b.popMax = own.Population, own.PopulationMax
		}
		for _, q := range own.Queues {
			b.queues[q.Handle] = len(q.Types)
		}
		for _, t := range own.Tasks {
			if b.replica.Entities[t.Handle] != nil {
				b.doing[t.Handle] = wire.WireKind(orders.Kind(t.Doing))
			}
		}
	}
	for _, a := range f.Answers {
		if q, ok := b.waiting[a.Seq]; ok {
			delete(b.waiting, a.Seq)
			if a.Code != 0 {
				b.refused(q)
			}
		}
	}
	if f.Diff.Ended != nil {
		b.ended = f.Diff.Ended
	}
	return nil
}

// Tick returns the tick of the last frame taken.
func (b *Mind) Tick() grid.Tick { return b.replica.Tick }

// Ended returns how the match ended, nil while it runs.
func (b *Mind) Ended() *view.Ended { return b.ended }

// Won reports whether the match ended with the mind's team among the winners.
func (b *Mind) Won() bool {
	if b.ended == nil {
		return false
	}
	for _, t := range b.ended.Winners {
		if t == b.team {
			return true
		}
	}
	return false
}

// Think returns the orders to send now, which may be none.
func (b *Mind) Think() []*pb.Order {
	b.out = nil
	if b.ended != nil || b.Tick() < b.next || b.Tick() == 0 || b.welcome.Spectator {
		return nil
	}
	b.next = b.Tick() + grid.Tick(max(1, b.rate/thoughtsASecond))
	b.look()
	b.manage()
	b.wage()
	return b.out
}

// order adds one order for the units; what answers it is remembered if q says
// so. It reports false if there is no room in this thought.
func (b *Mind) order(o *pb.Order, units []grid.Handle, q question) bool {
	if len(b.out) >= ordersAThoughtMax || len(units) == 0 {
		return false
	}
	if len(units) > unitsAnOrderMax {
		units = units[:unitsAnOrderMax]
	}
	b.seq++
	o.Seq = b.seq
	for _, h := range units {
		o.Units = append(o.Units, uint32(h))
	}
	if len(b.waiting) < waitingMax {
		q.kind = o.Kind
		b.waiting[o.Seq] = q
	}
	b.out = append(b.out, o)
	return true
}

func point(p grid.Pos) *pb.Point { return &pb.Point{X: p.X, Y: p.Y} }

// seconds is a span in ticks.
func (b *Mind) seconds(n int) grid.Tick { return grid.Tick(grid.Ticks(n) * b.rate) }
