package timeline

import (
	"cmp"
	"fmt"
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Builder makes the timeline of a match from its ticks, each noted once and in order.
type Builder struct {
	t          Timeline
	rules      *rules.Ruleset
	cost       []int32                 // of each type, all resources
	starts     []grid.Tile             // by slot
	met        []grid.TeamSet          // by team: whom it has seen
	unmet      int                     // ordered pairs of teams without contact
	owners     map[grid.EntityID]owned // of the structures
	away       []bool
	departures []departure
	lastValues []int32  // the mode's values, as noted last
	fights     []fights // in the order of the timeline's lists
}

// owned is a structure as it was in the tick before.
type owned struct {
	slot    grid.Slot
	viewers grid.TeamSet
}

// departure marks the departures of a player that are already noted.
type departure struct{ surrendered, left, out bool }

// New begins with a world at the match's first tick.
func New(w *sim.World) *Builder {
	n, teams, rate := w.Players(), w.Teams(), w.TickRate()
	b := &Builder{
		t: Timeline{
			Assists: w.Rules().Settings.AssistMs > 0,
			First:   w.Tick(), Last: w.Tick(), Rate: rate, Teams: make([]grid.Team, n),
			Step: grid.Ticks(rate), Points: make([][]Values, n), Now: make([]Values, n), lists: make([]list, teams+2),
		},
		rules: w.Rules(), starts: make([]grid.Tile, n), met: make([]grid.TeamSet, teams),
		owners: map[grid.EntityID]owned{}, away: make([]bool, n), departures: make([]departure, n), fights: make([]fights, teams+2),
	}
	for i := range b.rules.Types {
		b.cost = append(b.cost, sum(b.rules.Types[i].Cost))
	}
	var playing grid.TeamSet
	for s := range n {
		p := w.Player(grid.Slot(s))
		b.t.Teams[s], b.starts[s] = p.Team, w.Map().Starts[p.Start]
		b.departures[s] = departure{left: w.HasLeft(grid.Slot(s)), out: !p.Alive}
		playing = playing.With(p.Team)
	}
	n = bits.OnesCount16(uint16(playing))
	b.unmet = n * (n - 1)
	b.look(w)
	b.t.settle()
	b.values(w)
	b.t.point()
	return b
}

// Timeline returns the timeline so far. It grows with each note.
func (b *Builder) Timeline() *Timeline { return &b.t }

// Note takes in the tick that a world has just reached: its inputs, and the outcome of the step. A tick that was noted
// before is passed over. A tick that does not follow the last is an error, and Note changes no state.
func (b *Builder) Note(w *sim.World, inputs []sim.Input, out *sim.Outcome) error {
	now := w.Tick()
	switch {
	case now <= b.t.Last:
		return nil
	case now != b.t.Last+1:
		return fmt.Errorf("timeline: tick %d follows tick %d", now, b.t.Last)
	}
	b.t.Last = now
	b.closeFights(now)
	b.inputs(inputs, out)
	b.happened(w)
	b.look(w)
	for s := range b.departures {
		if g := &b.departures[s]; !g.out && !w.Player(grid.Slot(s)).Alive {
			g.out = true
			b.player(Out, grid.Slot(s))
		}
	}
	if out.Ended != nil {
		b.endFights()
		b.t.add(Event{Kind: Ended, Tick: now, Slot: grid.NoSlot, By: grid.NoSlot, Team: out.Ended.Winner, Other: grid.NoTeam, Reason: out.Ended.Reason}, everybody)
	}
	b.modeValues(w)
	b.t.settle()
	if (now-b.t.First)%grid.Tick(b.t.Rate) == 0 || out.Ended != nil {
		b.values(w)
	}
	if (now-b.t.First)%grid.Tick(b.t.Rate) == 0 {
		b.t.point()
	}
	return nil
}

// Finish says that no tick follows. The world is at the last noted tick.
func (b *Builder) Finish(w *sim.World) {
	if w.Tick() != b.t.Last {
		return
	}
	b.endFights()
	b.t.settle()
	b.values(w)
}

// everybody are all teams.
const everybody = ^grid.TeamSet(0)

// player adds an event that everybody is told of.
func (b *Builder) player(k Kind, s grid.Slot) {
	b.t.add(Event{Kind: k, Tick: b.t.Last, Slot: s, By: grid.NoSlot, Team: b.t.Teams[s], Other: grid.NoTeam}, everybody)
}

// inputs counts the orders of a tick, and notes arrivals and departures.
func (b *Builder) inputs(inputs []sim.Input, out *sim.Outcome) {
	next := 0
	for i := range inputs {
		in := &inputs[i]
		if int(in.Slot) >= len(b.departures) {
			continue // without an owner: it was not answered
		}
		g := &b.departures[in.Slot]
		switch in.Kind {
		case sim.InputAway:
			if !b.away[in.Slot] && !g.left {
				b.away[in.Slot] = true
				b.player(Away, in.Slot)
			}
		case sim.InputJoined:
			if b.away[in.Slot] && !g.left {
				b.away[in.Slot] = false
				b.player(Back, in.Slot)
			}
		case sim.InputTaken:
			if g.left {
				break
			}
			b.away[in.Slot] = false
			b.player(TakenOver, in.Slot)
		case sim.InputLeft:
			if !g.left {
				g.left = true
				b.player(Left, in.Slot)
			}
		}
		if !in.Kind.Answered() || next == len(out.Answers) {
			continue
		}
		a := &out.Answers[next]
		next++
		if a.Again || in.Kind != sim.InputOrder && in.Kind != sim.InputOrderRefused {
			continue
		}
		if a.Code != orders.OK {
			b.t.Now[in.Slot].Refused++
			continue
		}
		b.t.Now[in.Slot].Orders++
		if in.Order.Kind == orders.Surrender && !g.surrendered && !g.out {
			g.surrendered = true
			b.t.add(Event{Kind: Surrendered, Tick: b.t.Last, Slot: in.Slot, By: grid.NoSlot, Team: b.t.Teams[in.Slot], Other: grid.NoTeam}, 0)
		}
	}
}

// happened notes the tick's losses and expansions.
func (b *Builder) happened(w *sim.World) {
	for _, e := range w.Events() {
		if e.Kind == sim.EventDied {
			delete(b.owners, e.Source)
		}
		if int(e.Slot) >= len(b.departures) {
			continue
		}
		t, value := &b.rules.Types[e.Type], b.cost[e.Type]
		switch {
		case e.Kind == sim.EventDied:
			b.lost(&e, value, t.Class == rules.ClassStructure, w.Player(e.Slot).Alive)
		case e.Kind == sim.EventBuilt && (t.Centre || t.DropOff):
			of := w.Entity(e.Source)
			if of == nil || e.At.Tile().Dist2(b.starts[e.Slot]) <= ExpansionTiles*ExpansionTiles {
				continue
			}
			b.t.add(Event{
				Kind: Expansion, Tick: b.t.Last, Slot: e.Slot, By: grid.NoSlot, Team: b.t.Teams[e.Slot], Other: grid.NoTeam,
				Placed: true, At: e.At, Type: e.Type, Value: value,
			}, of.SeenBy())
		}
	}
}

// lost notes a loss. The lists of seen losses follow the frames of a live match: frames tell that an entity was
// destroyed, but not whether by damage, or by whose. So these lists have every loss in sight, except for the losses
// through a defeat. The list of everything has the losses by a player's damage.
func (b *Builder) lost(e *sim.Event, value int32, structure, alive bool) {
	building := Event{
		Kind: BuildingLost, Tick: b.t.Last, Slot: e.Slot, By: e.By, Team: b.t.Teams[e.Slot], Other: grid.NoTeam,
		Placed: true, At: e.At, Type: e.Type, Value: value,
	}
	if e.By != grid.NoSlot {
		of := &b.t.Now[e.Slot]
		of.Lost, of.LostValue = of.Lost+1, of.LostValue+value
		if int(e.By) < len(b.t.Teams) && b.t.Teams[e.By] != b.t.Teams[e.Slot] {
			by := &b.t.Now[e.By]
			by.Killed, by.KilledValue = by.Killed+1, by.KilledValue+value
		}
		for s := range b.t.Now {
			if e.Assists>>s&1 != 0 {
				b.t.Now[s].Assisted++
			}
		}
		if structure {
			b.t.keep(building)
		}
		killed := building
		killed.Kind, killed.Assists = Killed, e.Assists
		b.t.log.add(killed)
	}
	if structure && alive {
		building.By = grid.NoSlot
		b.t.show(building, e.Seen)
	}
	gap := FightSeconds * grid.Tick(b.t.Rate)
	for i := range b.fights {
		if b.t.shows(i, e.Seen) && alive || i == b.t.all() && e.By != grid.NoSlot {
			b.fights[i].lost(b.t.Last, gap, e.At, e.Slot, value)
		}
	}
}

// look notes first contacts, and structures that have another owner.
func (b *Builder) look(w *sim.World) {
	var found []Event
	for _, e := range w.Entities() {
		class := e.Class()
		if class > rules.ClassStructure {
			continue
		}
		if class == rules.ClassStructure {
			b.owned(e)
		}
		team := e.Team()
		if b.unmet == 0 || team == grid.NoTeam || b.rules.Types[e.Type()].Relevance == rules.RelevantAlways {
			continue
		}
		for seen := e.SeenBy() &^ grid.TeamSet(0).With(team); seen != 0; seen &= seen - 1 {
			by := lowest(seen)
			if !b.met[by].Has(team) {
				found = addContact(found, Event{
					Kind: Contact, Tick: b.t.Last, Slot: e.Slot(), By: grid.NoSlot, Team: by, Other: team, Placed: true, At: e.Pos(), Type: e.Type(),
				})
			}
		}
	}
	for _, e := range found {
		b.met[e.Team] = b.met[e.Team].With(e.Other)
		b.unmet--
		b.t.add(e, grid.TeamSet(0).With(e.Team))
	}
}

// addContact keeps one contact for each pair of teams, the northernmost: which of
// several was made first is not to be told.
func addContact(found []Event, c Event) []Event {
	for i := range found {
		if f := &found[i]; f.Team == c.Team && f.Other == c.Other {
			if cmp.Or(cmp.Compare(c.At.Y, f.At.Y), cmp.Compare(c.At.X, f.At.X), cmp.Compare(c.Slot, f.Slot), cmp.Compare(c.Type, f.Type)) < 0 {
				*f = c
			}
			return found
		}
	}
	return append(found, c)
}

// owned notes whose a structure is, and that it was captured if it was another team's.
func (b *Builder) owned(e *sim.Entity) {
	now := owned{e.Slot(), e.SeenBy()}
	was, known := b.owners[e.ID()]
	if known && was == now {
		return
	}
	b.owners[e.ID()] = now
	if !known || was.slot == now.slot || int(now.slot) >= len(b.t.Teams) || int(was.slot) < len(b.t.Teams) && b.t.Teams[was.slot] == b.t.Teams[now.slot] {
		return
	}
	b.t.add(Event{
		Kind: Captured, Tick: b.t.Last, Slot: now.slot, By: was.slot, Team: b.t.Teams[now.slot], Other: grid.NoTeam,
		Placed: true, At: e.Pos(), Type: e.Type(), Value: b.cost[e.Type()],
	}, was.viewers&now.viewers)
}

// modeValues notes the changed values of the mode.
func (b *Builder) modeValues(w *sim.World) {
	for i, v := range w.ModeValues() {
		for t := range w.Teams() {
			at := i*w.Teams() + t
			if at == len(b.lastValues) {
				b.lastValues = append(b.lastValues, 0)
			}
			if now := w.ModeValue(i, grid.Team(t)); now != b.lastValues[at] {
				b.lastValues[at] = now
				b.t.log.add(Event{Kind: ModeValue, Tick: b.t.Last, Slot: grid.NoSlot, By: grid.NoSlot, Team: grid.Team(t), Other: grid.NoTeam, Value: now, Reason: v.Name})
			}
		}
	}
}

// values reads the players' values.
func (b *Builder) values(w *sim.World) {
	for s := range b.t.Now {
		v, p := &b.t.Now[s], w.Player(grid.Slot(s))
		v.Held, v.Gathered = p.Stock, w.Tally(grid.Slot(s)).Gathered
		v.Pop, v.PopCap = p.Pop, p.PopCap
		v.Army, v.Making, v.Workers = 0, 0, 0
	}
	for _, e := range w.Entities() {
		if int(e.Slot()) >= len(b.t.Now) {
			continue
		}
		v, t := &b.t.Now[e.Slot()], &b.rules.Types[e.Type()]
		switch {
		case t.Class == rules.ClassUnit && t.Carry > 0:
			v.Workers++
		case t.Class == rules.ClassUnit && len(t.Weapons) > 0:
			v.Army += b.cost[e.Type()]
		case t.Class == rules.ClassStructure && !e.Built():
			v.Making += b.cost[e.Type()]
		}
		if p, ok := w.Production(e); ok && len(p.Queue) > 0 {
			v.Making += b.cost[p.Queue[0]]
		}
	}
}

func sum(c rules.Cost) int32 {
	n := int32(0)
	for _, x := range c {
		n += x
	}
	return n
}
