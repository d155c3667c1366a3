package headless

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Match is a match to be played.
type Match struct {
	Map      *grid.Map
	Rules    *rules.Ruleset
	Seed     uint64
	TickRate int // ticks a second; 0 is the default
	Options  sim.Options
	Seats    []Seat
	Start    []byte // the state that the match begins with: see [sim.Setup]
	// FrameTicks is how many ticks there are from one frame to the next; 0 is 5.
	// Bots decide twice a second.
	FrameTicks int
	// LimitSeconds ends a match without a winner; 0 is an hour.
	LimitSeconds int
	// Ordered, if not nil, is told of the orders that a seat sends.
	Ordered func(slot grid.Slot, c *client.State, orders []*pb.Order)
	// Recorded, if not nil, is given the match's journal, record by record: see package
	// journal. It may keep the records. Its error ends the match.
	Recorded func(record []byte) error
	// Framed, if not nil, is told of each message to a seat, as bytes.
	Framed func(slot grid.Slot, b []byte)
	// Stepped, if not nil, gets the world after each tick. Its error ends the match, and Play returns it.
	Stepped func(w *sim.World, out *sim.Outcome) error
}

// Seat is one player of a match.
type Seat struct {
	New   func(*client.State) (bot.Player, error) // nil: an idle player
	Team  grid.Team
	Start int // index into the map's starts
	// Faction is one of the ruleset's, counted from 1; 0: no faction.
	Faction uint8
	Income  int32 // see [sim.Player]
}

// Result is how a match ended.
type Result struct {
	Winner grid.Team // grid.NoTeam: a draw, or the limit
	Reason string    // as in the protocol; "limit": LimitSeconds
	Ticks  grid.Tick
	Hash   uint64 // of the world at the end
	Seats  []SeatResult
}

// SeatResult is a player's result.
type SeatResult struct {
	Orders int
	Use    []Use // by type number
}

// Use is a player's use of one type.
type Use struct {
	Made   int   // trained or built, without what it began with
	Lost   int   // those that it began with, too
	Killed int   // enemies that it destroyed
	Damage int64 // that it dealt to enemies
	Acts   int   // abilities that it started
}

// table is a match that is played.
type table struct {
	Match
	world   *sim.World
	seats   []*seat
	in      []sim.Input
	result  Result
	ofArm   [][]int // by slot: type that has a weapon, or swaps it in; of several the first that the player makes. -1: no type has it
	ofMagic []int   // by slot: type whose abilities deal damage
}

// seat is one bot at the table.
type seat struct {
	slot    grid.Slot
	builder *view.Builder
	tracker *view.Tracker
	view    view.View
	diff    view.Diff
	owner   view.OwnerDiff
	client  *client.State
	player  bot.Player
	answers []sim.Answer
	last    grid.Tick
}

// Play plays the match to its end.
func (m Match) Play() (Result, error) {
	if m.TickRate == 0 {
		m.TickRate = grid.TickRateDefault
	}
	if m.FrameTicks == 0 {
		m.FrameTicks = 5
	}
	if m.LimitSeconds == 0 {
		m.LimitSeconds = 3600
	}
	t := &table{Match: m}
	setup := sim.Setup{Map: m.Map, Rules: m.Rules, Seed: m.Seed, TickRate: m.TickRate, Options: m.Options, Start: m.Start}
	for _, s := range m.Seats {
		setup.Players = append(setup.Players, sim.Player{Team: s.Team, Start: s.Start, Bot: true, Faction: s.Faction, Income: s.Income})
	}
	var err error
	if t.world, err = sim.New(setup); err != nil {
		return Result{}, fmt.Errorf("headless: %w", err)
	}
	if err := t.recordSetup(setup); err != nil {
		return Result{}, fmt.Errorf("headless: journal: %w", err)
	}
	t.count()
	for slot := range m.Seats {
		if err := t.sit(grid.Slot(slot)); err != nil {
			return Result{}, fmt.Errorf("headless: slot %d: %w", slot, err)
		}
	}
	for end := grid.Tick(m.LimitSeconds * m.TickRate); t.world.Result() == nil && t.world.Tick() < end; {
		if err := t.step(); err != nil {
			return Result{}, fmt.Errorf("headless: tick %d: %w", t.world.Tick(), err)
		}
	}
	t.result.Ticks, t.result.Winner, t.result.Reason, t.result.Hash = t.world.Tick(), grid.NoTeam, "limit", t.world.Hash()
	if r := t.world.Result(); r != nil {
		t.result.Winner, t.result.Reason = r.Winner, r.Reason
	}
	return t.result, nil
}

func (t *table) id() string { return fmt.Sprintf("headless-%d", t.Seed) }

// spec describes the match for its journal and its welcome.
func (t *table) spec() spec.Match {
	out := spec.Match{ID: t.id(), Map: t.Map}
	for i, s := range t.Seats {
		out.Seats = append(out.Seats, spec.Seat{Name: fmt.Sprintf("Bot %d", i+1), Team: s.Team, Start: s.Start, Bot: true, Faction: s.Faction})
	}
	return out
}

// recordSetup gives away the first records of the journal.
func (t *table) recordSetup(setup sim.Setup) error {
	if t.Recorded == nil {
		return nil
	}
	played := t.spec()
	for i := range played.Seats {
		played.Seats[i].Color = uint8(i)
	}
	records, err := journal.SetupRecords(journal.Header{Match: t.id(), Build: "headless", Extra: played.Extra()}, setup)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := t.Recorded(r); err != nil {
			return err
		}
	}
	return nil
}

// record gives away the records of a tick.
func (t *table) record(out *sim.Outcome) error {
	if t.Recorded == nil {
		return nil
	}
	rec := journal.Tick{Tick: out.Tick, Inputs: t.in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
	if !rec.Empty() {
		if err := t.Recorded(journal.AppendTick(nil, &rec)); err != nil {
			return err
		}
	}
	if out.Ended == nil {
		return nil
	}
	return t.Recorded(journal.EndedRecord(*out.Ended))
}

// sit gives a seat its client and its player.
func (t *table) sit(slot grid.Slot) error {
	if t.Seats[slot].New == nil {
		return nil
	}
	played := t.spec()
	w := played.Welcome(t.world)
	w.Slot, w.Team = uint32(slot), uint32(t.Seats[slot].Team)
	spec.Narrow(w, t.Rules, t.Seats[slot].Faction)
	s := &seat{
		slot: slot, builder: view.NewBuilder(t.Seats[slot].Team), client: client.New(client.Config{Map: client.OneMap(t.Map)}),
		tracker: view.NewTracker(view.Rules{
			W: t.Map.W, H: t.Map.H, TickRate: view.TickRateOf(t.Rules, t.TickRate), Keep: grid.Ticks(view.KeepSeconds * t.TickRate), Values: t.Rules.Values,
		}),
	}
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: w})
	if err != nil {
		return err
	}
	if t.Framed != nil {
		t.Framed(slot, b)
	}
	if _, err := s.client.Receive(b); err != nil {
		return err
	}
	s.player, err = t.Seats[slot].New(s.client)
	t.seats = append(t.seats, s)
	return err
}

// step plays one tick.
func (t *table) step() error {
	out := t.world.Step(t.in)
	if err := t.record(&out); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if t.Stepped != nil {
		if err := t.Stepped(t.world, &out); err != nil {
			return err
		}
	}
	t.in = t.in[:0]
	t.note()
	frame := int(t.world.Tick())%t.FrameTicks == 0 || t.world.Result() != nil
	for _, s := range t.seats {
		for _, a := range out.Answers {
			if a.Slot == s.slot {
				s.answers = append(s.answers, a)
			}
		}
		s.builder.Build(t.world, &s.view)
		s.tracker.Update(&s.view) // at each tick: it is told what has changed since the last
		if !frame {
			continue
		}
		if err := t.frame(s); err != nil {
			return fmt.Errorf("slot %d: %w", s.slot, err)
		}
	}
	return nil
}

// frame sends a seat its frame, and takes its orders.
func (t *table) frame(s *seat) error {
	s.tracker.Diff(&s.diff, s.last, view.MaskOptions{MaskRows: true})
	s.tracker.DiffOwner(&s.owner, s.slot, s.last)
	b := wire.AppendClock(nil, s.diff.Tick, s.diff.Span, s.diff.Snapshot)
	b = wire.AppendTeam(b, &s.diff, wire.Kinds{Players: t.world.Players(), Types: len(t.Rules.Types)})
	for i := range s.answers {
		b = wire.AppendAnswer(b, &s.answers[i])
	}
	b = wire.AppendOwn(b, &s.owner)
	s.last, s.answers = t.world.Tick(), s.answers[:0]
	if r := t.world.Result(); r != nil {
		end := &pb.Ended{Reason: r.Reason}
		if r.Winner != grid.NoTeam {
			end.Winners = []uint32{uint32(r.Winner)}
		}
		last, err := proto.Marshal(&pb.ServerFrame{Ended: end})
		if err != nil {
			return err
		}
		b = append(b, last...)
	}
	if t.Framed != nil {
		t.Framed(s.slot, b)
	}
	f, err := s.client.Receive(b)
	if err != nil {
		return err
	}
	if s.client.MaskDiffers {
		return fmt.Errorf("the client's mask is another")
	}
	s.player.Take(f)
	orders := s.player.Think()
	if len(orders) == 0 {
		return nil
	}
	if t.Ordered != nil {
		t.Ordered(s.slot, s.client, orders)
	}
	t.result.Seats[s.slot].Orders += len(orders)
	if b, err = proto.Marshal(&pb.ClientFrame{Applied: uint32(s.client.Tick()), Orders: orders}); err != nil {
		return err
	}
	in, err := wire.DecodeClient(b)
	if err != nil {
		return fmt.Errorf("its orders: %w", err)
	}
	for _, i := range in.Inputs {
		i.Slot = s.slot
		t.in = append(t.in, i)
	}
	return nil
}

// count begins to count the players' types.
func (t *table) count() {
	types := t.Rules.Types
	t.result.Seats = make([]SeatResult, len(t.Seats))
	for i := range t.result.Seats {
		t.result.Seats[i].Use = make([]Use, len(types))
	}
	t.ofArm, t.ofMagic = make([][]int, len(t.Seats)), make([]int, len(t.Seats))
	for i, s := range t.Seats {
		arms, magic := slices.Repeat([]int{-1}, len(t.Rules.Weapons)), -1
		better := func(n, than int) int {
			if than < 0 || t.Rules.Makes(s.Faction, uint16(n)) && !t.Rules.Makes(s.Faction, uint16(than)) {
				return n
			}
			return than
		}
		for n, typ := range types {
			for _, w := range typ.Weapons {
				arms[w] = better(n, arms[w])
				if t.Rules.Weapons[w].Effect >= 0 {
					magic = better(n, magic)
				}
			}
			for _, a := range typ.Abilities {
				if w := t.Rules.Abilities[a].Weapon; w >= 0 {
					arms[w] = better(n, arms[w])
				}
			}
		}
		t.ofArm[i], t.ofMagic[i] = arms, magic
	}
	t.world.OnHarm(func(h sim.Harm) {
		if int(h.By) >= len(t.Seats) {
			return
		}
		from := t.ofMagic[h.By]
		if h.Weapon != sim.NoWeapon {
			from = t.ofArm[h.By][h.Weapon]
		}
		if from < 0 || t.Seats[h.By].Team == h.Victim.Team() {
			return
		}
		use := &t.result.Seats[h.By].Use[from]
		use.Damage += int64(h.Amount)
		if h.Killed {
			use.Killed++
		}
	})
}

// note counts the tick's events.
func (t *table) note() {
	for _, e := range t.world.Events() {
		if int(e.Slot) >= len(t.Seats) {
			continue
		}
		use := &t.result.Seats[e.Slot].Use[e.Type]
		switch {
		case e.Kind == sim.EventBuilt || e.Kind == sim.EventMade:
			use.Made++
		case e.Kind == sim.EventDied:
			use.Lost++
		case e.Kind == sim.EventAction && e.On:
			use.Acts++
		}
	}
}
