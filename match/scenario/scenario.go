package scenario

import (
	"errors"
	"fmt"

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

	MapID   string // "": it is drawn in Ground
	Ground  *grid.Map
	Ruleset string // its id
	Seed    uint64
	Rate    int // ticks a second; 0: the default
	Ticks   grid.Tick
	Options sim.Options

	Seats     []Seat
	Units     []Unit
	Resources []Resource
	Orders    []Order
}

// Seat is a player of a scenario.
type Seat struct {
	Name  string
	Team  grid.Team
	Start int // index into the map's starts
	Bot   bool
	Stock map[string]int32 // by the names of resources; nil: what the ruleset says
	path  string
}

// Unit is a unit or a structure.
type Unit struct {
	Name    string // for orders; "": none
	Slot    grid.Slot
	Type    string
	At      grid.Pos
	Unbuilt bool

	Health, Shield, Energy *int32
	path                   string
}

// Resource is a resource place.
type Resource struct {
	Name   string
	Type   string
	At     grid.Pos
	Amount *int32
	path   string
}

// Order is an order of a seat's player in the step into a tick.
type Order struct {
	Tick     grid.Tick
	Slot     grid.Slot
	Do       orders.Kind
	Units    []string
	Target   string
	HasPoint bool
	Point    grid.Pos
	Queued   bool
	Together bool
	Type     string
	Ability  string
	Item     uint8
	path     string
}

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
	m, err := root.object("$schema", "name", "about", "map", "ruleset", "seed", "ticksPerSecond", "ticks", "options", "seats", "units", "resources", "orders")
	if err != nil {
		return nil, err
	}
	for _, need := range []string{"name", "map", "seats"} {
		if _, ok := m[need]; !ok {
			return nil, root.fail("%s is missing", need)
		}
	}
	s := &Scenario{Ruleset: "skirmish", Ticks: 200}
	p := &parser{s: s, names: map[string]bool{}}
	for _, step := range []struct {
		name string
		read func(node) error
	}{
		{"name", func(n node) (err error) { s.Name, err = n.text(nameMax); return err }},
		{"about", func(n node) (err error) { s.About, err = n.text(aboutMax); return err }},
		{"ruleset", func(n node) (err error) { s.Ruleset, err = n.text(nameMax); return err }},
		{"seed", func(n node) error { v, err := n.number(0, 1<<53); s.Seed = uint64(v); return err }},
		{"ticksPerSecond", func(n node) error {
			v, err := n.number(grid.TickRateMin, grid.TickRateMax)
			s.Rate = int(v)
			return err
		}},
		{"ticks", func(n node) error { v, err := n.number(1, TicksMax); s.Ticks = grid.Tick(v); return err }},
		{"options", p.options},
		{"map", p.ground},
		{"seats", p.seats},
		{"resources", p.resources},
		{"units", p.units},
		{"orders", p.orders},
	} {
		if n, ok := m[step.name]; ok {
			if err := step.read(n); err != nil {
				return nil, err
			}
		}
	}
	if s.Name == "" {
		return nil, m["name"].fail("it is empty")
	}
	return s, nil
}

type parser struct {
	s     *Scenario
	names map[string]bool // of units and resource places
}

func (p *parser) options(n node) error {
	m, err := n.object("mode", "timeLimitSeconds", "scoreLimit", "revealOnFire")
	if err != nil {
		return err
	}
	o := &p.s.Options
	if x, ok := m["mode"]; ok {
		if o.Mode, err = x.text(nameMax); err != nil {
			return err
		}
	}
	if x, ok := m["timeLimitSeconds"]; ok {
		v, err := x.number(0, 10*60*60)
		if err != nil {
			return err
		}
		o.TimeLimitMs = int32(v) * 1000
	}
	if x, ok := m["scoreLimit"]; ok {
		v, err := x.number(0, 1_000_000)
		if err != nil {
			return err
		}
		o.ScoreLimit = int32(v)
	}
	if x, ok := m["revealOnFire"]; ok {
		v, err := x.flag()
		if err != nil {
			return err
		}
		o.NoReveal = !v
	}
	return nil
}

// ground reads the id of a map, or a map that is drawn in rows of characters.
func (p *parser) ground(n node) (err error) {
	if n.Kind == 's' {
		if p.s.MapID, err = n.text(nameMax); err == nil && p.s.MapID == "" {
			err = n.fail("it is empty")
		}
		return err
	}
	m, err := n.object("rows", "levels")
	if err != nil {
		return err
	}
	rows, ok := m["rows"]
	if !ok {
		return n.fail("rows is missing")
	}
	ground, w, h, err := chars(rows, 0, 0)
	if err != nil {
		return err
	}
	g := grid.NewMap(p.s.Name, w, h)
	for i, c := range ground {
		t, ok := Ground[c]
		if !ok {
			return node{rows.Kids[i/w]}.fail("%q in column %d stands for no ground", c, i%w)
		}
		g.Terrain[i], g.Pass[i] = t, grid.PassOf(t)
	}
	if x, ok := m["levels"]; ok {
		levels, _, _, err := chars(x, w, h)
		if err != nil {
			return err
		}
		for i, c := range levels {
			if c < '0' || c > '9' || grid.Level(c-'0') >= grid.LevelsMax {
				return node{x.Kids[i/w]}.fail("%q in column %d is no level from 0 to %d", c, i%w, grid.LevelsMax-1)
			}
			g.Levels[i] = grid.Level(c - '0')
		}
	}
	p.s.Ground = g
	return nil
}

// chars reads rows of the same length, of w x h characters if those are not 0.
func chars(n node, w, h int) (all []byte, width, height int, err error) {
	rows, err := n.list(SideMax)
	if err != nil {
		return nil, 0, 0, err
	}
	if len(rows) < grid.MapSideMin || h > 0 && len(rows) != h {
		return nil, 0, 0, n.fail("%d rows, want %d to %d, and as many as rows has", len(rows), grid.MapSideMin, SideMax)
	}
	for _, r := range rows {
		line, err := r.text(SideMax)
		if err != nil {
			return nil, 0, 0, err
		}
		if w == 0 {
			w = len(line)
		}
		if len(line) != w || w < grid.MapSideMin {
			return nil, 0, 0, r.fail("%d characters, want %d to %d, and as many as the first row has", len(line), grid.MapSideMin, SideMax)
		}
		all = append(all, line...)
	}
	return all, w, len(rows), nil
}

func (p *parser) seats(n node) error {
	list, err := n.list(grid.SlotsMax)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return n.fail("there are none")
	}
	for i, x := range list {
		m, err := x.object("name", "team", "start", "bot", "stock")
		if err != nil {
			return err
		}
		seat := Seat{Name: fmt.Sprintf("Seat %d", i+1), Team: grid.Team(i % grid.TeamsMax), Start: i, path: x.Pointer()}
		if v, ok := m["name"]; ok {
			if seat.Name, err = v.text(24); err != nil {
				return err
			}
		}
		if v, ok := m["team"]; ok {
			team, err := v.number(0, grid.TeamsMax-1)
			if err != nil {
				return err
			}
			seat.Team = grid.Team(team)
		}
		if v, ok := m["bot"]; ok {
			if seat.Bot, err = v.flag(); err != nil {
				return err
			}
		}
		if err := p.start(&seat, i, x, m); err != nil {
			return err
		}
		if v, ok := m["stock"]; ok {
			if seat.Stock, err = stock(v); err != nil {
				return err
			}
		}
		p.s.Seats = append(p.s.Seats, seat)
	}
	return nil
}

// start reads where a seat begins: an index into the starts of a named map, a place on a drawn one.
func (p *parser) start(seat *Seat, i int, x node, m map[string]node) error {
	v, ok := m["start"]
	if p.s.Ground == nil {
		if !ok {
			return nil
		}
		at, err := v.number(0, grid.SlotsMax-1)
		seat.Start = int(at)
		return err
	}
	if !ok {
		return x.fail("start is missing: on a map that is drawn it is [x, y]")
	}
	at, err := v.place()
	if err != nil {
		return err
	}
	if t := at.Tile(); !p.s.Ground.In(t) || !p.s.Ground.Passable(t, grid.Ground) {
		return v.fail("off the map, or not passable by ground")
	}
	seat.Start = i
	p.s.Ground.Starts = append(p.s.Ground.Starts, at.Tile())
	return nil
}

func stock(n node) (map[string]int32, error) {
	if n.Kind != '{' {
		return nil, n.fail("want an object")
	}
	if len(n.Kids) > rules.ResourceKindsMax {
		return nil, n.fail("%d resources, at most %d", len(n.Kids), rules.ResourceKindsMax)
	}
	out := map[string]int32{}
	for _, kid := range n.Kids {
		amount, err := node{kid}.number(0, sim.ModeStockMax)
		if err != nil {
			return nil, err
		}
		out[kid.Name] = int32(amount)
	}
	return out, nil
}

// called notes the name of a unit or resource place.
func (p *parser) called(m map[string]node) (string, error) {
	n, ok := m["name"]
	if !ok {
		return "", nil
	}
	name, err := n.text(nameMax)
	if err != nil {
		return "", err
	}
	if name == "" || p.names[name] {
		return "", n.fail("%q is empty, or the name of another one", cut(name))
	}
	p.names[name] = true
	return name, nil
}

// typeAndPlace reads what every thing has.
func typeAndPlace(x node, m map[string]node) (typ string, at grid.Pos, err error) {
	for _, need := range []string{"type", "at"} {
		if _, ok := m[need]; !ok {
			return "", at, x.fail("%s is missing", need)
		}
	}
	if typ, err = m["type"].text(nameMax); err == nil {
		at, err = m["at"].place()
	}
	return typ, at, err
}

// value reads a number that may be absent.
func value(m map[string]node, name string) (*int32, error) {
	n, ok := m[name]
	if !ok {
		return nil, nil
	}
	v, err := n.number(0, 1<<30)
	out := int32(v)
	return &out, err
}

func (p *parser) seat(x node, m map[string]node) (grid.Slot, error) {
	n, ok := m["seat"]
	if !ok {
		return 0, x.fail("seat is missing")
	}
	v, err := n.number(0, int64(len(p.s.Seats)-1))
	return grid.Slot(v), err
}

func (p *parser) resources(n node) error {
	list, err := n.list(grid.ResourcesMax)
	if err != nil {
		return err
	}
	for _, x := range list {
		m, err := x.object("name", "type", "at", "amount")
		if err != nil {
			return err
		}
		r := Resource{path: x.Pointer()}
		if r.Name, err = p.called(m); err != nil {
			return err
		}
		if r.Type, r.At, err = typeAndPlace(x, m); err != nil {
			return err
		}
		if r.Amount, err = value(m, "amount"); err != nil {
			return err
		}
		if g := p.s.Ground; g != nil { // a drawn map has its places from here
			if !g.In(r.At.Tile()) {
				return m["at"].fail("off the map")
			}
			g.Resources = append(g.Resources, r.At.Tile())
		}
		p.s.Resources = append(p.s.Resources, r)
	}
	return nil
}

func (p *parser) units(n node) error {
	list, err := n.list(UnitsMax)
	if err != nil {
		return err
	}
	for _, x := range list {
		m, err := x.object("name", "seat", "type", "at", "unbuilt", "health", "shield", "energy")
		if err != nil {
			return err
		}
		u := Unit{Slot: grid.NoSlot, path: x.Pointer()}
		if u.Name, err = p.called(m); err != nil {
			return err
		}
		if u.Type, u.At, err = typeAndPlace(x, m); err != nil {
			return err
		}
		if _, ok := m["seat"]; ok {
			if u.Slot, err = p.seat(x, m); err != nil {
				return err
			}
		}
		if v, ok := m["unbuilt"]; ok {
			if u.Unbuilt, err = v.flag(); err != nil {
				return err
			}
		}
		for _, v := range []struct {
			name string
			to   **int32
		}{{"health", &u.Health}, {"shield", &u.Shield}, {"energy", &u.Energy}} {
			if *v.to, err = value(m, v.name); err != nil {
				return err
			}
		}
		p.s.Units = append(p.s.Units, u)
	}
	return nil
}

func (p *parser) orders(n node) error {
	list, err := n.list(OrdersMax)
	if err != nil {
		return err
	}
	named := 0
	for _, x := range list {
		o, err := p.order(x)
		if err != nil {
			return err
		}
		if last := len(p.s.Orders) - 1; last >= 0 && p.s.Orders[last].Tick > o.Tick {
			return x.fail("tick %d follows tick %d: orders are in the order of their ticks", o.Tick, p.s.Orders[last].Tick)
		}
		if named += len(o.Units); named > ScriptMax {
			return x.fail("all orders together name more than %d units", ScriptMax)
		}
		p.s.Orders = append(p.s.Orders, o)
	}
	return nil
}

func (p *parser) order(x node) (o Order, err error) {
	m, err := x.object("tick", "seat", "do", "units", "target", "at", "queued", "together", "type", "ability", "item")
	if err != nil {
		return o, err
	}
	o.path = x.Pointer()
	for _, need := range []string{"tick", "do"} {
		if _, ok := m[need]; !ok {
			return o, x.fail("%s is missing", need)
		}
	}
	tick, err := m["tick"].number(1, TicksMax)
	if err != nil {
		return o, err
	}
	o.Tick = grid.Tick(tick)
	if o.Slot, err = p.seat(x, m); err != nil {
		return o, err
	}
	do, err := m["do"].text(nameMax)
	if err != nil {
		return o, err
	}
	kind, ok := orders.ParseKind(do)
	if !ok {
		return o, m["do"].fail("there is no order %q", cut(do))
	}
	o.Do = kind
	if v, ok := m["units"]; ok {
		list, err := v.list(NamedMax)
		if err != nil {
			return o, err
		}
		for _, u := range list {
			name, err := p.known(u)
			if err != nil {
				return o, err
			}
			o.Units = append(o.Units, name)
		}
	}
	if v, ok := m["target"]; ok {
		if o.Target, err = p.known(v); err != nil {
			return o, err
		}
	}
	if v, ok := m["at"]; ok {
		o.HasPoint = true
		if o.Point, err = v.place(); err != nil {
			return o, err
		}
	}
	for _, v := range []struct {
		name string
		to   *bool
	}{{"queued", &o.Queued}, {"together", &o.Together}} {
		if n, ok := m[v.name]; ok {
			if *v.to, err = n.flag(); err != nil {
				return o, err
			}
		}
	}
	for _, v := range []struct {
		name string
		to   *string
	}{{"type", &o.Type}, {"ability", &o.Ability}} {
		if n, ok := m[v.name]; ok {
			if *v.to, err = n.text(nameMax); err != nil {
				return o, err
			}
		}
	}
	if v, ok := m["item"]; ok {
		item, err := v.number(0, 255)
		if err != nil {
			return o, err
		}
		o.Item = uint8(item)
	}
	return o, nil
}

// known reads the name of a unit or a resource place.
func (p *parser) known(n node) (string, error) {
	name, err := n.text(nameMax)
	if err == nil && !p.names[name] {
		err = n.fail("nothing is called %q", cut(name))
	}
	return name, err
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
	m := s.Ground
	if m == nil {
		var ok bool
		if m, ok = lib.Map(s.MapID); !ok {
			return nil, &Error{"/map", fmt.Sprintf("there is no map %q", cut(s.MapID))}
		}
	}
	rs, ok := lib.Ruleset(s.Ruleset)
	if !ok {
		return nil, &Error{"/ruleset", fmt.Sprintf("there is no ruleset %q", cut(s.Ruleset))}
	}
	setup := sim.Setup{Map: m, Rules: rs, Seed: s.Seed, TickRate: s.Rate, Options: s.Options}
	if setup.TickRate == 0 {
		setup.TickRate = grid.TickRateDefault
	}
	var stocks []*rules.Cost
	for _, seat := range s.Seats {
		setup.Players = append(setup.Players, sim.Player{Team: seat.Team, Start: seat.Start, Bot: seat.Bot})
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
	things, paths, ids := []sim.Staged{}, []string{}, map[string]int{}
	add := func(name, path, typ string, x sim.Staged) error {
		if x.Type, ok = rs.TypeByName(typ); !ok {
			return &Error{path + "/type", fmt.Sprintf("the ruleset has no %q", cut(typ))}
		}
		if name != "" {
			ids[name] = len(things)
		}
		things, paths = append(things, x), append(paths, path)
		return nil
	}
	for _, r := range s.Resources {
		if err := add(r.Name, r.path, r.Type, sim.Staged{Slot: grid.NoSlot, At: r.At, Amount: r.Amount}); err != nil {
			return nil, err
		}
	}
	for _, u := range s.Units {
		if err := add(u.Name, u.path, u.Type, sim.Staged{Slot: u.Slot, At: u.At, Unbuilt: u.Unbuilt, Health: u.Health, Shield: u.Shield, Energy: u.Energy}); err != nil {
			return nil, err
		}
	}
	staged, entities, err := sim.Stage(setup, things, stocks)
	if bad := (*sim.StageError)(nil); errors.As(err, &bad) {
		return nil, &Error{paths[bad.Index], bad.Why}
	}
	if err != nil {
		return nil, &Error{"", err.Error()}
	}
	l := &Lab{Scenario: s, Setup: staged}
	for i := range s.Orders {
		if err := l.add(&s.Orders[i], func(name string) grid.EntityID { return entities[ids[name]] }); err != nil {
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
func (l *Lab) add(o *Order, id func(name string) grid.EntityID) error {
	rs := l.Setup.Rules
	x := sim.Scripted{Tick: o.Tick, Slot: o.Slot, Order: orders.Order{Kind: o.Do, Queued: o.Queued, Together: o.Together, HasPoint: o.HasPoint, Point: o.Point, Item: o.Item}}
	var ok bool
	if o.Type != "" {
		if x.Order.Type, ok = rs.TypeByName(o.Type); !ok {
			return &Error{o.path + "/type", fmt.Sprintf("the ruleset has no %q", cut(o.Type))}
		}
	}
	if o.Ability != "" {
		if x.Order.Ability, ok = rs.AbilityByName(o.Ability); !ok {
			return &Error{o.path + "/ability", fmt.Sprintf("the ruleset has no ability %q", cut(o.Ability))}
		}
	}
	for _, name := range o.Units {
		x.Units = append(x.Units, id(name))
	}
	if o.Target != "" {
		x.Target = id(o.Target)
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
		sortBySlot(in)
		out := w.Step(in)
		if each != nil {
			if err := each(w, in, &out); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}

// sortBySlot puts a tick's inputs into the order of their slots; inputs of one slot stay as they are.
func sortBySlot(in []sim.Input) {
	for i := range in {
		for j := i; j > 0 && in[j].Slot < in[j-1].Slot; j-- {
			in[j], in[j-1] = in[j-1], in[j]
		}
	}
}
