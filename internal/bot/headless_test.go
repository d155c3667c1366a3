package bot

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// table plays a match without a socket: a world, and for each mind at it the
// frames that its client would be sent, as bytes, each tick.
type table struct {
	t     *testing.T
	world *sim.World
	seats []*seat
	in    []sim.Input
}

type seat struct {
	slot    grid.Slot
	builder *view.Builder
	tracker *view.Tracker
	view    view.View
	diff    view.Diff
	own     view.OwnerDiff
	client  *client.State
	mind    *Mind
	answers []sim.Answer
	last    grid.Tick
	// sent holds every handle that a frame brought, as an independent reading
	// of the bytes says; orders is what the mind ordered.
	sent   map[uint32]bool
	orders int
}

// newTable seats a mind in each of the slots given; the others do nothing. A
// low tick rate plays the same minutes in less time.
func newTable(t *testing.T, m *grid.Map, rate int, players []sim.Player, minds ...grid.Slot) *table {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	world, err := sim.New(sim.Setup{Map: m, Rules: rules, Seed: 7, TickRate: rate, Players: players})
	if err != nil {
		t.Fatal(err)
	}
	tb := &table{t: t, world: world}
	for _, slot := range minds {
		team := players[slot].Team
		s := &seat{
			slot: slot, builder: view.NewBuilder(view.EyesOf(team)), sent: map[uint32]bool{},
			tracker: view.NewTracker(view.Rules{W: m.W, H: m.H, TickRate: 20, Keep: 100}),
			client:  client.New(client.Config{Map: client.OneMap(m)}),
		}
		w := welcomeOf(world, players, slot)
		b, err := proto.Marshal(&pb.ServerFrame{Welcome: w})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.client.Receive(b); err != nil {
			t.Fatal(err)
		}
		if s.mind, err = NewMind(s.client); err != nil {
			t.Fatal(err)
		}
		tb.seats = append(tb.seats, s)
	}
	return tb
}

// welcomeOf tells what a server tells: the public map's name and the rules.
func welcomeOf(w *sim.World, players []sim.Player, slot grid.Slot) *pb.Welcome {
	rs := w.Rules()
	ticks := func(ms int32) uint32 { return uint32(int(ms) * w.TickRate() / 1000) }
	cost := func(c rules.Cost) (out []uint32) {
		for _, n := range c {
			out = append(out, uint32(n))
		}
		return out[:len(rs.Resources)]
	}
	out := &pb.Welcome{
		Protocol: wire.Protocol, MatchId: "table", MapHash: w.Map().Hash().String(), TickRate: uint32(w.TickRate()),
		Slot: uint32(slot), Team: uint32(players[slot].Team), Resources: rs.Resources,
	}
	for _, p := range players {
		out.Players = append(out.Players, &pb.Player{Team: uint32(p.Team)})
	}
	wide := func(ns []uint16) (out []uint32) {
		for _, n := range ns {
			out = append(out, uint32(n))
		}
		return out
	}
	for i, t := range rs.Types {
		info := &pb.TypeInfo{
			Name: t.Name, Class: wire.ClassOf(t.Class), Health: uint32(t.Health), Sight: uint32(t.Sight), Speed: uint32(w.Speed(uint16(i))),
			Size: uint32(t.Radius), MoveKind: uint32(t.Move), Cost: cost(t.Cost), Trains: wide(t.Trains), Builds: wide(t.Builds), Worker: t.Carry > 0,
		}
		if t.Class != rules.ClassUnit {
			info.Size = uint32(max(t.FootW, t.FootH))
		}
		for _, n := range t.Weapons {
			info.Weapons = append(info.Weapons, uint32(n))
		}
		out.Types = append(out.Types, info)
	}
	for _, weapon := range rs.Weapons {
		out.Weapons = append(out.Weapons, &pb.WeaponInfo{Name: weapon.Name, Range: uint32(weapon.Range), CooldownTicks: ticks(weapon.CooldownMs), Damage: uint32(weapon.Damage)})
	}
	return out
}

// step plays one tick.
func (tb *table) step() *sim.Result {
	out := tb.world.Step(tb.in)
	tb.in = tb.in[:0]
	for _, s := range tb.seats {
		s.answers = s.answers[:0]
		for _, a := range out.Answers {
			if a.Slot == s.slot {
				s.answers = append(s.answers, a)
			}
		}
		s.frame(tb)
	}
	return tb.world.Result()
}

// frame sends a seat its frame, as bytes, and takes its orders, as bytes.
func (s *seat) frame(tb *table) {
	s.builder.Build(tb.world, &s.view)
	s.tracker.Update(&s.view)
	s.tracker.Diff(&s.diff, s.last, view.MaskOptions{MaskRows: true})
	s.tracker.DiffOwner(&s.own, s.slot, s.last)
	kinds := wire.Kinds{Players: tb.world.Players(), Types: len(tb.world.Rules().Types)}
	b := wire.AppendClock(nil, s.diff.Tick, s.diff.Span, s.diff.Snapshot)
	b = wire.AppendTeam(b, &s.diff, kinds)
	for i := range s.answers {
		b = wire.AppendAnswer(b, &s.answers[i])
	}
	b = wire.AppendOwn(b, &s.own)
	if r := tb.world.Result(); r != nil {
		b = append(b, endOf(tb.t, r)...)
	}
	s.last = tb.world.Tick()
	s.note(tb.t, b, kinds)

	f, err := s.client.Receive(b)
	if err != nil {
		tb.t.Fatal(err)
	}
	if s.client.MaskDiffers {
		tb.t.Fatalf("tick %d, slot %d: the mask is another", s.client.Tick(), s.slot)
	}
	s.mind.Take(f)
	orders := s.mind.Think()
	if len(orders) == 0 {
		return
	}
	s.check(tb, orders)
	if b, err = proto.Marshal(&pb.ClientFrame{Applied: uint32(s.mind.Tick()), Orders: orders}); err != nil {
		tb.t.Fatal(err)
	}
	in, err := wire.DecodeClient(b)
	if err != nil {
		tb.t.Fatal(err)
	}
	for _, i := range in.Inputs {
		i.Slot = s.slot
		tb.in = append(tb.in, i)
	}
}

// endOf is the part of the last frame that tells how the match ended.
func endOf(t *testing.T, r *sim.Result) []byte {
	end := &pb.Ended{Reason: r.Reason}
	if r.Winner != grid.NoTeam {
		end.Winners = []uint32{uint32(r.Winner)}
	}
	b, err := proto.Marshal(&pb.ServerFrame{Ended: end})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// note writes down which handles the bytes bring.
func (s *seat) note(t *testing.T, b []byte, kinds wire.Kinds) {
	var m pb.ServerFrame
	if err := proto.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	h := uint32(0)
	for i := 0; i+2 < len(m.Enter); i += 3 {
		h += m.Enter[i] / kinds.Count()
		s.sent[h] = true
	}
	if m.Ghosts != nil {
		h = 0
		for _, gap := range m.Ghosts.Handle {
			h += gap
			s.sent[h] = true
		}
	}
}

// check says that the orders name only handles that were sent.
func (s *seat) check(tb *table, orders []*pb.Order) {
	for _, o := range orders {
		s.orders++
		for _, h := range append([]uint32{o.Target}, o.Units...) {
			if h != 0 && !s.sent[h] {
				tb.t.Fatalf("tick %d: %v names handle %d, which was never sent", tb.world.Tick(), o, h)
			}
		}
	}
}

// far returns the two starts of a map that are furthest apart.
func far(m *grid.Map) (a, b int) {
	best := int32(-1)
	for i, s := range m.Starts {
		for j, t := range m.Starts[:i] {
			if d := s.Dist2(t); d > best {
				a, b, best = j, i, d
			}
		}
	}
	return a, b
}

// On each shipped map the bot finds a player who does nothing at the far end,
// and beats it, by orders that name nothing it was not told of.
func TestBotBeatsWhoDoesNothing(t *testing.T) {
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range library.List() {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			mine, theirs := far(e.Map)
			tb := newTable(t, e.Map, 10, []sim.Player{{Team: 0, Start: theirs}, {Team: 1, Start: mine}}, 1)
			const minutes = 30
			for range minutes * 60 * tb.world.TickRate() {
				if r := tb.step(); r != nil {
					s := tb.seats[0]
					if !s.mind.Won() {
						t.Fatalf("after %d ticks the match ended with %+v", tb.world.Tick(), r)
					}
					t.Logf("won after %d ticks, %d orders", tb.world.Tick(), s.orders)
					return
				}
			}
			t.Fatalf("no end after %d minutes", minutes)
		})
	}
}

// Two bots fight it out: they find each other, one wins, and neither names
// what it was not told of.
func TestBotAgainstBot(t *testing.T) {
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := library.ByID("twin-fords")
	tb := newTable(t, e.Map, 5, []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}, 0, 1)
	for range 60 * 60 * tb.world.TickRate() {
		if r := tb.step(); r != nil {
			if a, b := tb.seats[0].mind.Won(), tb.seats[1].mind.Won(); a == b {
				t.Errorf("the winners are %v and %v: %+v", a, b, r)
			}
			t.Logf("team %d won after %d ticks, %d and %d orders", r.Winner, r.Tick, tb.seats[0].orders, tb.seats[1].orders)
			return
		}
	}
	t.Fatal("no end after an hour")
}

// The same frames make the same orders.
func TestMindIsDeterministic(t *testing.T) {
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	e, _ := library.ByID("twin-fords")
	var hashes [2]uint64
	for i := range hashes {
		tb := newTable(t, e.Map, 10, []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}, 0, 1)
		for range 1200 {
			tb.step()
		}
		hashes[i] = tb.world.Hash()
	}
	if hashes[0] != hashes[1] {
		t.Error("two runs of one match differ")
	}
}
