package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Bounds of a scenario.
const (
	BytesMax  = 1 << 20 // of the file
	UnitsMax  = 2048    // units and structures
	OrdersMax = 2048
	NamedMax  = 256      // units that one order names
	ScriptMax = 16 << 10 // units that all orders name
	SideMax   = 256      // of a map that is drawn in the file
	TicksMax  = 10 * 60 * 60 * 20
	nameMax   = 64
	aboutMax  = 2000
)

// Scenario is a file as it was read. Its names of maps and rulesets are not resolved yet, see [Scenario.Make].
type Scenario struct {
	Name  string
	About string

	MapID   string // "": it is drawn in the file
	Ruleset string // its id
	Seed    uint64
	Rate    int // ticks a second; 0: the default
	Ticks   grid.Tick
	Options sim.Options
	Seats   []Seat

	ground *grid.Map
	things []thing
	orders []order
}

// Seat is a player of a scenario.
type Seat struct {
	sim.Player
	Name  string
	Stock map[string]int32 // by the names of resources; nil: what the ruleset says
	path  string
}

// thing is a resource place, a unit or a structure.
type thing struct {
	sim.Staged
	typ  string
	path string
}

// order is an order of a seat's player.
type order struct {
	sim.Scripted
	units        []int // indices of things
	target       int   // -1: no target
	typ, ability string
	path         string
}

// Things returns how many resource places, units and structures there are.
func (s *Scenario) Things() int { return len(s.things) }

// Ground is the meaning of a character of a drawn map.
var Ground = map[byte]grid.Terrain{
	'.': grid.Grass, ',': grid.Dirt, ':': grid.Sand, '^': grid.Rock, '=': grid.Road, '%': grid.Rubble, '*': grid.Ice, '~': grid.Water, '#': grid.Cliff,
}

// Parse reads a scenario. A fault is an [Error].
func Parse(b []byte) (*Scenario, error) {
	root, err := read(b)
	if err != nil {
		return nil, err
	}
	s := &Scenario{Ruleset: "skirmish", Ticks: 200}
	p := &parser{s: s, names: map[string]int{}}
	o := root.object("$schema", "name", "about", "map", "ruleset", "seed", "ticksPerSecond", "ticks", "options", "seats", "units", "resources", "orders")
	o.need("name", "map", "seats")
	o.text("name", nameMax, &s.Name)
	o.text("about", aboutMax, &s.About)
	o.text("ruleset", nameMax, &s.Ruleset)
	number(o, "seed", 0, 1<<53, &s.Seed)
	number(o, "ticksPerSecond", grid.TickRateMin, grid.TickRateMax, &s.Rate)
	number(o, "ticks", 1, TicksMax, &s.Ticks)
	o.read("options", p.options)
	o.read("map", p.ground)
	o.read("seats", p.seats)
	o.read("resources", p.resources)
	o.read("units", p.units)
	o.read("orders", p.orders)
	if s.Name == "" {
		o.read("name", func(n node) { n.fail("it is empty") })
	}
	if root.file.err != nil {
		return nil, root.file.err
	}
	return s, nil
}

type parser struct {
	s     *Scenario
	names map[string]int // of things: their indices
}

func (p *parser) options(n node) {
	o, to := n.object("mode", "timeLimitSeconds", "scoreLimit", "revealOnFire"), &p.s.Options
	seconds, reveal := int32(0), true
	o.text("mode", nameMax, &to.Mode)
	number(o, "timeLimitSeconds", 0, 10*60*60, &seconds)
	number(o, "scoreLimit", 0, 1_000_000, &to.ScoreLimit)
	o.flag("revealOnFire", &reveal)
	to.TimeLimitMs, to.NoReveal = seconds*1000, !reveal
}

// ground reads the id of a map, or a map that is drawn in rows of characters.
func (p *parser) ground(n node) {
	if n.Kind == 's' {
		if p.s.MapID = n.text(nameMax); p.s.MapID == "" {
			n.fail("it is empty")
		}
		return
	}
	o := n.object("rows", "levels")
	o.need("rows")
	if n.file.err != nil {
		return
	}
	rows := o.members["rows"]
	ground, w, h := chars(rows, 0, 0)
	g := grid.NewMap(p.s.Name, w, h)
	for i, c := range ground {
		t, ok := Ground[c]
		if !ok {
			node{rows.Kids[i/w], n.file}.fail("%q in column %d stands for no ground", c, i%w)
		}
		g.Terrain[i], g.Pass[i] = t, grid.PassOf(t)
	}
	o.read("levels", func(x node) {
		levels, _, _ := chars(x, w, h)
		for i, c := range levels {
			if c < '0' || c > '9' || grid.Level(c-'0') >= grid.LevelsMax {
				node{x.Kids[i/w], n.file}.fail("%q in column %d is no level from 0 to %d", c, i%w, grid.LevelsMax-1)
			}
			g.Levels[i] = grid.Level(c - '0')
		}
	})
	p.s.ground = g
}

// chars reads rows of the same length, of w x h characters if those are not 0. After a fault there are none.
func chars(n node, w, h int) (all []byte, width, height int) {
	rows := n.list(SideMax)
	if len(rows) < grid.MapSideMin || h > 0 && len(rows) != h {
		n.fail("%d rows, want %d to %d, and as many as rows has", len(rows), grid.MapSideMin, SideMax)
	}
	for _, r := range rows {
		line := r.text(SideMax)
		if w == 0 {
			w = len(line)
		}
		if len(line) != w || w < grid.MapSideMin {
			r.fail("%d characters, want %d to %d, and as many as the first row has", len(line), grid.MapSideMin, SideMax)
		}
		all = append(all, line...)
	}
	if n.file.err != nil {
		return nil, 0, 0
	}
	return all, w, len(rows)
}

func (p *parser) seats(n node) {
	list := n.list(grid.SlotsMax)
	if len(list) == 0 {
		n.fail("there are none")
	}
	for i, x := range list {
		o := x.object("name", "team", "start", "bot", "stock")
		seat := Seat{Name: fmt.Sprintf("Seat %d", i+1), Player: sim.Player{Team: grid.Team(i % grid.TeamsMax), Start: i}, path: x.Pointer()}
		o.text("name", 24, &seat.Name)
		number(o, "team", 0, grid.TeamsMax-1, &seat.Team)
		o.flag("bot", &seat.Bot)
		p.start(&seat, o)
		o.read("stock", func(n node) { seat.Stock = stock(n) })
		p.s.Seats = append(p.s.Seats, seat)
	}
}

// start reads where a seat begins: an index into the starts of a named map, a place on a drawn one.
func (p *parser) start(seat *Seat, o object) {
	g := p.s.ground
	if g == nil {
		number(o, "start", 0, grid.SlotsMax-1, &seat.Start)
		return
	}
	if _, ok := o.members["start"]; !ok {
		o.fail("start is missing: on a map that is drawn it is [x, y]")
	}
	o.read("start", func(n node) {
		at := n.place().Tile()
		if !g.Passable(at, grid.Ground) {
			n.fail("off the map, or not passable by ground")
		}
		g.Starts = append(g.Starts, at)
	})
}

func stock(n node) map[string]int32 {
	switch {
	case n.Kind != '{':
		n.fail("want an object")
	case len(n.Kids) > rules.ResourceKindsMax:
		n.fail("%d resources, at most %d", len(n.Kids), rules.ResourceKindsMax)
	}
	out := map[string]int32{}
	for _, kid := range n.Kids {
		out[kid.Name] = int32(node{kid, n.file}.number(0, sim.ModeStockMax))
	}
	return out
}

// named notes the name of the next thing.
func (p *parser) named(o object) {
	o.read("name", func(n node) {
		name := n.text(nameMax)
		if _, taken := p.names[name]; name == "" || taken {
			n.fail("%q is empty, or the name of another one", cut(name))
		}
		p.names[name] = len(p.s.things)
	})
}

// put reads the type and place of a thing, which each has.
func (t *thing) put(o object) {
	t.path = o.Pointer()
	o.need("type", "at")
	o.text("type", nameMax, &t.typ)
	o.read("at", func(n node) { t.At = n.place() })
}

func (p *parser) seat(o object, to *grid.Slot) {
	number(o, "seat", 0, int64(len(p.s.Seats)-1), to)
}

func (p *parser) resources(n node) {
	for _, x := range n.list(grid.ResourcesMax) {
		o := x.object("name", "type", "at", "amount")
		r := thing{Staged: sim.Staged{Slot: grid.NoSlot}}
		p.named(o)
		r.put(o)
		o.value("amount", &r.Amount)
		if g := p.s.ground; g != nil { // a drawn map has its places from here
			if !g.In(r.At.Tile()) {
				o.read("at", func(n node) { n.fail("off the map") })
			}
			g.Resources = append(g.Resources, r.At.Tile())
		}
		p.s.things = append(p.s.things, r)
	}
}

func (p *parser) units(n node) {
	for _, x := range n.list(UnitsMax) {
		o := x.object("name", "seat", "type", "at", "unbuilt", "health", "shield", "energy")
		u := thing{Staged: sim.Staged{Slot: grid.NoSlot}}
		p.named(o)
		u.put(o)
		p.seat(o, &u.Slot)
		o.flag("unbuilt", &u.Unbuilt)
		o.value("health", &u.Health)
		o.value("shield", &u.Shield)
		o.value("energy", &u.Energy)
		p.s.things = append(p.s.things, u)
	}
}

func (p *parser) orders(n node) {
	named, last := 0, grid.Tick(0)
	for _, x := range n.list(OrdersMax) {
		o := p.order(x)
		if o.Tick < last {
			x.fail("tick %d follows tick %d: orders are in the order of their ticks", o.Tick, last)
		}
		if named += len(o.units); named > ScriptMax {
			x.fail("all orders together name more than %d units", ScriptMax)
		}
		last = o.Tick
		p.s.orders = append(p.s.orders, o)
	}
}

func (p *parser) order(x node) order {
	m := x.object("tick", "seat", "do", "units", "target", "at", "queued", "together", "type", "ability", "item")
	o := order{target: -1, path: x.Pointer()}
	m.need("tick", "do")
	number(m, "tick", 1, TicksMax, &o.Tick)
	m.need("seat")
	p.seat(m, &o.Slot)
	m.read("do", func(n node) {
		do := n.text(nameMax)
		kind, ok := orders.ParseKind(do)
		if o.Order.Kind = kind; !ok {
			n.fail("unknown order %q", cut(do))
		}
	})
	m.read("units", func(n node) {
		for _, u := range n.list(NamedMax) {
			o.units = append(o.units, p.known(u))
		}
	})
	m.read("target", func(n node) { o.target = p.known(n) })
	m.read("at", func(n node) { o.Order.HasPoint, o.Order.Point = true, n.place() })
	m.flag("queued", &o.Order.Queued)
	m.flag("together", &o.Order.Together)
	m.text("type", nameMax, &o.typ)
	m.text("ability", nameMax, &o.ability)
	number(m, "item", 0, 255, &o.Order.Item)
	return o
}

// known reads the name of a thing.
func (p *parser) known(n node) int {
	name := n.text(nameMax)
	i, ok := p.names[name]
	if !ok {
		n.fail("no entity is called %q", cut(name))
	}
	return i
}

// Library has the maps and rulesets that scenarios name.
type Library struct {
	Map     func(id string) (*grid.Map, bool)
	Ruleset func(id string) (*rules.Ruleset, bool)
}

// Lab is a scenario that can be played.
type Lab struct {
	Scenario *Scenario
	Setup    sim.Setup // with its start
	Script   []sim.Scripted
}

// Make puts the scenario on its map. A part that does not fit the map or the ruleset is an [Error].
func (s *Scenario) Make(lib Library) (*Lab, error) {
	m := s.ground
	if m == nil {
		var ok bool
		if m, ok = lib.Map(s.MapID); !ok {
			return nil, &Error{"/map", fmt.Sprintf("unknown map %q", cut(s.MapID))}
		}
	}
	rs, ok := lib.Ruleset(s.Ruleset)
	if !ok {
		return nil, &Error{"/ruleset", fmt.Sprintf("unknown ruleset %q", cut(s.Ruleset))}
	}
	setup := sim.Setup{Map: m, Rules: rs, Seed: s.Seed, TickRate: cmp.Or(s.Rate, grid.TickRateDefault), Options: s.Options}
	var stocks []*rules.Cost
	for _, seat := range s.Seats {
		setup.Players = append(setup.Players, seat.Player)
		c, err := seat.cost(rs)
		if err != nil {
			return nil, err
		}
		stocks = append(stocks, c)
	}
	if err := setup.Check(); err != nil {
		path := "/seats"
		if bad := (*sim.OptionError)(nil); errors.As(err, &bad) {
			path = "/options"
		}
		return nil, &Error{path, err.Error()}
	}
	things := make([]sim.Staged, len(s.things))
	for i, t := range s.things {
		things[i] = t.Staged
		if things[i].Type, ok = rs.TypeByName(t.typ); !ok {
			return nil, &Error{t.path + "/type", fmt.Sprintf("the ruleset has no %q", cut(t.typ))}
		}
	}
	staged, entities, err := sim.Stage(setup, things, stocks)
	if bad := (*sim.StageError)(nil); errors.As(err, &bad) {
		return nil, &Error{s.things[bad.Index].path, bad.Why}
	}
	if err != nil {
		return nil, &Error{"", err.Error()}
	}
	l := &Lab{Scenario: s, Setup: staged}
	for i := range s.orders {
		if err := l.add(&s.orders[i], entities); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// cost returns a seat's stock at the beginning, nil: the ruleset's.
func (s *Seat) cost(rs *rules.Ruleset) (*rules.Cost, error) {
	if s.Stock == nil {
		return nil, nil
	}
	out := rs.Settings.StartStock
	left := len(s.Stock)
	for i, name := range rs.Resources {
		if v, ok := s.Stock[name]; ok {
			out[i] = v
			left--
		}
	}
	if left > 0 {
		return nil, &Error{s.path + "/stock", fmt.Sprintf("the ruleset has only the resources %v", rs.Resources)}
	}
	return &out, nil
}

// add adds an order to the script.
func (l *Lab) add(o *order, entities []grid.EntityID) error {
	x, rs, ok := o.Scripted, l.Setup.Rules, false
	if o.typ != "" {
		if x.Order.Type, ok = rs.TypeByName(o.typ); !ok {
			return &Error{o.path + "/type", fmt.Sprintf("the ruleset has no %q", cut(o.typ))}
		}
	}
	if o.ability != "" {
		if x.Order.Ability, ok = rs.AbilityByName(o.ability); !ok {
			return &Error{o.path + "/ability", fmt.Sprintf("the ruleset has no ability %q", cut(o.ability))}
		}
	}
	for _, i := range o.units {
		x.Units = append(x.Units, entities[i])
	}
	if o.target >= 0 {
		x.Target = entities[o.target]
	}
	l.Script = append(l.Script, x)
	return nil
}

// Play plays a scenario up to a tick, or to its end. each is called after every tick
// with the inputs that it got and what it said; its error ends the play.
func (l *Lab) Play(to grid.Tick, each func(w *sim.World, in []sim.Input, out *sim.Outcome) error) (*sim.World, error) {
	w, err := sim.New(l.Setup)
	if err != nil {
		return nil, err
	}
	next := 0
	var in []sim.Input
	for w.Tick() < to && w.Result() == nil {
		in = in[:0]
		for ; next < len(l.Script) && l.Script[next].Tick <= w.Tick()+1; next++ {
			in = append(in, w.Input(&l.Script[next], uint32(next+1)))
		}
		slices.SortStableFunc(in, func(a, b sim.Input) int { return cmp.Compare(a.Slot, b.Slot) })
		out := w.Step(in)
		if each != nil {
			if err := each(w, in, &out); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}
