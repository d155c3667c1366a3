package bench

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// NewBattle returns a world of so many players, each a team of its own, with
// armies of so many units. They begin in a ring around the middle of the map,
// each on the side of its own start, so near that neighbours touch.
func NewBattle(m *grid.Map, players, units int, seed uint64) (*sim.World, error) {
	setup, err := BattleSetup(m, players, units, seed)
	if err != nil {
		return nil, err
	}
	return sim.New(setup)
}

// BattleSetup is the setup of [NewBattle]'s world.
func BattleSetup(m *grid.Map, players, units int, seed uint64) (sim.Setup, error) {
	rules, err := ArmyRules(units)
	if err != nil {
		return sim.Setup{}, err
	}
	if players > len(m.Starts) {
		return sim.Setup{}, fmt.Errorf("bench: %d players, map %q has %d starts", players, m.Name, len(m.Starts))
	}
	field := *m
	field.Starts = nil
	mid := grid.Pos{X: int32(m.W) << (grid.TileShift - 1), Y: int32(m.H) << (grid.TileShift - 1)}
	ring := grid.Tiles(int32(min(grid.Sqrt(uint64(units)), uint64(min(m.W, m.H)/3))))
	for _, home := range m.Starts[:players] {
		at := m.Clamp(mid.Add(home.Center().Sub(mid).Scale(ring))).Tile()
		if field.Starts = append(field.Starts, nearestGround(m, at)); !m.Passable(field.Starts[len(field.Starts)-1], grid.Ground) {
			return sim.Setup{}, fmt.Errorf("bench: map %q has no ground around %v", m.Name, at)
		}
	}
	setup := sim.Setup{Map: &field, Rules: rules, Seed: seed}
	for i := range players {
		setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
	}
	return setup, nil
}

// nearestGround returns the land tile nearest to at, or at if there is none.
func nearestGround(m *grid.Map, at grid.Tile) grid.Tile {
	best, found := at, false
	for y := range m.H {
		for x := range m.W {
			t := grid.Tile{X: int16(x), Y: int16(y)}
			if m.Passable(t, grid.Ground) && (!found || t.Dist2(at) < best.Dist2(at)) {
				best, found = t, true
			}
		}
	}
	return best
}

// Generals lead all players of a battle by real orders: idle units go to where
// the fighting is, and what falls is trained anew. They look at the world
// itself, which a client could not: they are here to make work.
type Generals struct {
	w     *sim.World
	units int
	close bool // the armies are among each other: idle units go to the nearest foe
	seq   []uint32
	seen  []sim.Sighting
	have  []int // of each type, of the player in turn
	tasks []sim.Task
	in    []sim.Input
}

// NewGenerals leads the world's players, who are to have so many units each.
func NewGenerals(w *sim.World, units int) *Generals {
	return &Generals{w: w, units: units, seq: make([]uint32, w.Players()), have: make([]int, len(w.Rules().Types))}
}

// orderEvery is how often a general gives orders, in ticks; the players take
// turns.
const orderEvery = 10

// Orders returns the inputs for the next step; good until the next call.
func (g *Generals) Orders() []sim.Input {
	g.in = g.in[:0]
	for s := range g.w.Players() {
		if (int(g.w.Tick())+s)%orderEvery == 0 && g.w.Player(grid.Slot(s)).Alive {
			g.lead(grid.Slot(s))
		}
	}
	return g.in
}

func (g *Generals) lead(s grid.Slot) {
	w := g.w
	know := w.Knowledge(w.Player(s).Team)
	g.seen = know.Seen(g.seen[:0])
	clear(g.have)
	var idle []grid.Handle
	var makers []grid.Handle
	army := 0
	for _, sight := range g.seen {
		e := w.Entity(sight.ID)
		if e.Slot() != s {
			continue
		}
		t := &w.Rules().Types[e.Type()]
		switch {
		case e.Class() == rules.ClassUnit:
			army++
			g.have[e.Type()]++
			if g.tasks = e.Tasks(g.tasks[:0]); len(g.tasks) == 0 && !e.Engaged(w.Tick(), grid.Ticks(w.TickRate())) {
				idle = append(idle, sight.Handle)
			}
		case e.Class() == rules.ClassStructure && len(t.Trains) > 0:
			makers = append(makers, sight.Handle)
		}
	}
	if g.close {
		g.leadClose(s, idle, know)
		idle = nil
	}
	// Left, middle and right: the army keeps a broad line.
	for part := range 3 {
		if squad := idle[part*len(idle)/3 : (part+1)*len(idle)/3]; len(squad) > 0 {
			g.order(s, orders.Order{Kind: orders.AttackMove, Units: squad, HasPoint: true, Point: g.front(s, part)})
		}
	}
	for i := 0; army < g.units && i < 4*len(makers); i++ {
		maker := makers[i%len(makers)]
		sight, _ := know.Sighted(maker)
		if typ, ok := g.lacking(w.Rules().Types[w.Entity(sight.ID).Type()].Trains); ok {
			g.order(s, orders.Order{Kind: orders.Train, Units: []grid.Handle{maker}, Type: typ})
			g.have[typ]++
			army++
		}
	}
}

// lacking returns which of the types the army lacks most, against what it
// began with.
func (g *Generals) lacking(types []uint16) (typ uint16, ok bool) {
	most := 0
	for _, e := range g.w.Rules().Start {
		if n := int(e.Count) - g.have[e.Type]; n > most && slices.Contains(types, e.Type) {
			typ, most, ok = e.Type, n, true
		}
	}
	return typ, ok
}

// front returns where a part of a player's idle units goes: against the one on
// its left, on its right, or in the middle, so that the whole line is in reach.
func (g *Generals) front(s grid.Slot, part int) grid.Pos {
	m, n := g.w.Map(), g.w.Players()
	home := func(s int) grid.Vec {
		return m.Starts[g.w.Player(grid.Slot(s)).Start].Center().Sub(grid.Pos{})
	}
	own := home(int(s))
	other := grid.Vec{X: int32(m.W) << (grid.TileShift - 1), Y: int32(m.H) << (grid.TileShift - 1)}
	switch part {
	case 0:
		other = home((int(s) + 1) % n)
	case 2:
		other = home((int(s) + n - 1) % n)
	}
	return grid.Pos{X: own.X + (other.X-own.X)*5/8, Y: own.Y + (other.Y-own.Y)*5/8}
}

func (g *Generals) order(s grid.Slot, o orders.Order) {
	g.seq[s]++
	o.Units = append([]grid.Handle(nil), o.Units...)
	g.in = append(g.in, sim.Input{Kind: sim.InputOrder, Slot: s, Seq: g.seq[s], AsOf: g.w.Tick(), Order: o})
}
