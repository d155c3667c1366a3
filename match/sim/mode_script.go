package sim

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
)

// Bounds of scripts in a tick. Events beyond them have no handler called.
const (
	scriptStepsMax  = 400_000 // of all scripts of a match
	scriptFaultsMax = 8       // that an outcome reports
)

// scripts is scratch for the calls of scripts in one tick.
type scripts struct {
	thread script.Thread
	steps  uint64
	full   bool       // the steps are used up, which was reported
	orders []dueOrder // that acted in this tick, if the mode handles them
}

// scriptCalled counts the steps of a call, and reports its fault. A handler with a fault has no effects.
func (w *World) scriptCalled(steps uint64, fault *script.Fault) bool {
	w.scripts.steps += steps
	if fault != nil && len(w.out.Faults) < scriptFaultsMax {
		w.out.Faults = append(w.out.Faults, fault)
	}
	return fault == nil
}

// mayCall reports whether a script may still be called in this tick.
func (w *World) mayCall(p *script.Program, event string) bool {
	if w.scripts.steps < scriptStepsMax {
		return true
	}
	if !w.scripts.full {
		w.scripts.full = true
		w.scriptCalled(0, &script.Fault{Script: p.Name, Line: 1, Handler: event, Why: fmt.Sprintf("the scripts of a match take more than %d steps in one tick: the other events of the tick are left out", scriptStepsMax)})
	}
	return false
}

// modeScript calls the handlers of a mode's script. Its numbers are in the mode's memory, behind the numbers of triggers:
// the variables, then the ticks at which timers end.
type modeScript struct {
	w    *World
	def  *rules.Mode
	self script.Value
}

func scriptOf(w *World, def *rules.Mode) *modeScript {
	m := &modeScript{w: w, def: def}
	m.self = &script.Object{Kind: "world", Host: m}
	return m
}

// begin sets the variables to their starts and calls the handler of "begin".
func (m *modeScript) begin() {
	vars := m.def.Script.Vars
	for i := range vars {
		for k := range m.numbers(&vars[i]) {
			m.setWord(m.place(i)+4*k, uint32(vars[i].Start))
		}
	}
	m.call("begin")
}

// numbers returns how many numbers a variable is.
func (m *modeScript) numbers(v *rules.ModeVar) int {
	switch v.Per {
	case rules.PerTeam:
		return len(m.w.teams)
	case rules.PerPlayer:
		return len(m.w.players)
	}
	return 1
}

// place returns the place of variable i in the memory; of the number of variables, the place of the timers.
func (m *modeScript) place(i int) int {
	at := 2 * len(m.def.Triggers)
	for k := range i {
		at += 4 * m.numbers(&m.def.Script.Vars[k])
	}
	return at
}

func (m *modeScript) word(at int) uint32 {
	return binary.LittleEndian.Uint32(m.w.guest.memory[at:])
}

func (m *modeScript) setWord(at int, v uint32) {
	binary.LittleEndian.PutUint32(m.w.guest.memory[at:], v)
}

// variable returns the place of a variable in the memory.
func (m *modeScript) variable(name string, of int32) (at int, def *rules.ModeVar, err error) {
	vars := m.def.Script.Vars
	i := slices.IndexFunc(vars, func(v rules.ModeVar) bool { return v.Name == name })
	if i < 0 || of < 0 || int(of) >= m.numbers(&vars[i]) {
		return 0, nil, fmt.Errorf("the mode has no variable %q of %d", name, of)
	}
	return m.place(i) + 4*int(of), &vars[i], nil
}

func (m *modeScript) timer(name string) (at int, err error) {
	i := slices.Index(m.def.Script.Timers, name)
	if i < 0 {
		return 0, fmt.Errorf("the mode has no timer %q", name)
	}
	return m.place(len(m.def.Script.Vars)) + 4*i, nil
}

// tick calls the handlers of the tick's events.
func (m *modeScript) tick() {
	p, w := m.def.Script.Program, m.w
	if p.Handles("created") {
		// A tick later than it is made: so the mode's own entities count too.
		for _, e := range slices.Clone(w.all) {
			if e.birth+1 == w.tick && !e.dying && e.class != rules.ClassProjectile {
				m.call("created", m.unit(e))
			}
		}
	}
	for i := range w.scripts.orders {
		m.order(&w.scripts.orders[i])
	}
	events := len(w.events) // a handler's effects make more
	for i := range events {
		ev := w.events[i]
		e := w.find(ev.Source)
		switch {
		case e == nil:
		case ev.Kind == EventAction && ev.On:
			m.call("ability", m.unit(e), script.Text(w.rules.Abilities[ev.What].Name))
		case ev.Kind == EventBuilt:
			m.call("built", m.unit(e))
		}
	}
	if p.Handles("died") {
		for _, e := range slices.Clone(w.dead) {
			if e.class != rules.ClassProjectile {
				by, _ := w.destroyer(e)
				m.call("died", m.unit(e), slotValue(by))
			}
		}
	}
	m.borders()
	for i, name := range m.def.Script.Timers {
		at := m.place(len(m.def.Script.Vars)) + 4*i
		if ends := m.word(at); ends != 0 && grid.Tick(ends) <= w.tick {
			m.setWord(at, 0)
			m.call("timer", script.Text(name))
		}
	}
	if int64(w.tick)%max(1, int64(m.def.Script.EveryMs)*int64(w.rate)/1000) == 0 {
		m.call("tick")
	}
}

// order calls the handler of an order that acted in this tick, with the ordered units that are left.
func (m *modeScript) order(d *dueOrder) {
	var units []script.Value
	for _, id := range d.units {
		if e := m.w.find(id); e != nil && e.slot == d.slot {
			units = append(units, m.unit(e))
		}
	}
	m.call("order", script.Whole(d.slot), script.Text(d.kind.String()), script.List(units))
}

// borders calls the handlers of "entered" and "left" for units that walked over the border of an area in this tick.
func (m *modeScript) borders() {
	p := m.def.Script.Program
	if !p.Handles("entered") && !p.Handles("left") {
		return
	}
	for i := range m.def.Areas {
		a := &m.def.Areas[i]
		if a.AtStart {
			continue
		}
		middle := areaMiddle(m.w.m, a).Center()
		for _, e := range slices.Clone(m.w.all) {
			if e.class != rules.ClassUnit || e.dying || e.vx == 0 && e.vy == 0 {
				continue
			}
			before := grid.Pos{X: (e.x - e.vx) >> FineShift, Y: (e.y - e.vy) >> FineShift}
			is, was := e.Pos().Sub(middle).Len() <= a.Radius, before.Sub(middle).Len() <= a.Radius
			switch {
			case is && !was:
				m.call("entered", m.unit(e), script.Text(a.Name))
			case was && !is:
				m.call("left", m.unit(e), script.Text(a.Name))
			}
		}
	}
}

// call calls the handler of an event, and then carries out its effects, if each names a thing that exists.
func (m *modeScript) call(event string, args ...script.Value) {
	p := m.def.Script.Program
	if !p.Handles(event) || !m.w.mayCall(p, event) {
		return
	}
	effects, steps, fault := p.Call(&m.w.scripts.thread, event, slices.Insert(args, 0, m.self)...)
	for i := range effects {
		if err := m.check(effects[i]); err != nil {
			fault = p.Wrong(event, err)
			break
		}
	}
	if m.w.scriptCalled(steps, fault) {
		for _, e := range effects {
			m.act(e)
		}
	}
}

// check returns the fault of an effect that names an unknown thing. Effects that cannot be done, such as a unit without
// room, are no faults: they are left out.
func (m *modeScript) check(e *script.Effect) (err error) {
	missing := func(what string, ok bool, name any) {
		if !ok && err == nil {
			err = fmt.Errorf("%s: there is no %s %v", e.Name, what, name)
		}
	}
	switch e.Name {
	case "draw", "win":
		i := e.Len() - 1
		missing("reason of a-z, 0-9 and hyphens", rules.IsCode(e.Text(i)), e.Text(i))
		if i == 1 {
			missing("team", m.isTeam(e.Whole(0)), e.Whole(0))
		}
	case "give":
		missing("slot", m.isSlot(e.Whole(0)), e.Whole(0))
		missing("resource", m.w.resourceOf(e.Text(1)) >= 0, e.Text(1))
	case "defeat", "score":
		missing("slot", m.isSlot(e.Whole(0)), e.Whole(0))
	case "own":
		missing("slot", m.isSlot(e.Whole(1)), e.Whole(1))
	case "reveal":
		missing("team", m.isTeam(e.Whole(0)), e.Whole(0))
	case "set_value":
		missing("value", m.w.valueNumber(e.Text(0)) >= 0, e.Text(0))
		missing("team", m.isTeam(e.Whole(1)), e.Whole(1))
	case "set_var":
		_, _, err = m.variable(e.Text(0), e.Whole(2))
	case "set_timer", "stop_timer":
		_, err = m.timer(e.Text(0))
	case "spawn":
		_, ok := m.w.rules.TypeByName(e.Text(1))
		missing("slot", m.isSlot(e.Whole(0)), e.Whole(0))
		missing("type", ok, e.Text(1))
	}
	return err
}

func (m *modeScript) isTeam(n int32) bool { return n >= 0 && int(n) < len(m.w.teams) }

func (m *modeScript) isSlot(n int32) bool { return n >= 0 && int(n) < len(m.w.players) }

func (m *modeScript) act(e *script.Effect) {
	w := m.w
	tile := func(i int) grid.Tile { return grid.Pos{X: e.Whole(i), Y: e.Whole(i + 1)}.Tile() }
	switch e.Name {
	case "defeat":
		if w.acts() {
			w.defeat(&w.players[e.Whole(0)])
		}
	case "draw":
		w.endMatch(grid.NoTeam, e.Text(0))
	case "give":
		w.players[e.Whole(0)].receive(w.resourceOf(e.Text(1)), e.Whole(2))
	case "reveal":
		w.revealTo(grid.Team(e.Whole(0)), tile(1), halfTiles(e.Whole(3)), w.rt.ticks(e.Whole(4)))
	case "score":
		w.players[e.Whole(0)].addScore(e.Whole(1))
	case "set_timer":
		at, _ := m.timer(e.Text(0))
		m.setWord(at, uint32(w.tick)+uint32(max(1, w.rt.ticks(e.Whole(1)))))
	case "set_value":
		w.guest.values[w.valueNumber(e.Text(0))][e.Whole(1)] = min(max(e.Whole(2), 0), modeScoreMax)
	case "set_var":
		at, def, _ := m.variable(e.Text(0), e.Whole(2))
		m.setWord(at, uint32(min(max(e.Whole(1), def.Min), def.Max)))
	case "spawn":
		typ, _ := w.rules.TypeByName(e.Text(1))
		w.spawnOfMode(grid.Slot(e.Whole(0)), typ, tile(2))
	case "stop_timer":
		at, _ := m.timer(e.Text(0))
		m.setWord(at, 0)
	case "win":
		w.endMatch(grid.Team(e.Whole(0)), e.Text(1))
	default:
		if x := w.mortal(unitOf(e, 0)); x != nil && w.acts() {
			m.onUnit(e, x)
		}
	}
}

// onUnit carries out an effect on a unit or structure. No player is credited.
func (m *modeScript) onUnit(e *script.Effect, x *Entity) {
	w := m.w
	switch e.Name {
	case "damage": // dealt after the calls, first to its shield, regardless of its armour
		if x.team != grid.NoTeam && e.Whole(1) > 0 {
			w.hurt(x, harm{slot: grid.NoSlot, team: grid.NoTeam, amount: e.Whole(1), weapon: NoWeapon})
		}
	case "heal":
		if !x.unbuilt && e.Whole(1) > 0 {
			w.heal(x, e.Whole(1))
		}
	case "kill":
		w.kill(x)
	case "own": // as a capture does
		to := &w.players[e.Whole(1)]
		if x.class == rules.ClassStructure && !x.unbuilt && to.alive && x.slot != to.slot {
			w.setOwner(x, to)
		}
	}
}

// halfTiles returns a radius of sight for world units.
func halfTiles(n int32) uint8 {
	return uint8(min(max(n*2/grid.WUPerTile, 0), modeRevealRadius))
}

func unitOf(e *script.Effect, i int) grid.EntityID { return grid.EntityID(e.Unit(i)) }

// worldParts are the names of the parts of the world that a mode's script reads.
var worldParts = []string{"inside", "leader", "ms", "near", "owned", "players", "random", "sees", "stock", "teams", "tick", "timer", "units", "value", "var"}

// Parts implements [script.Host].
func (m *modeScript) Parts() []string { return worldParts }

var (
	oneName     = []script.Param{{Name: "name", Form: script.FormText}}
	nameAndOf   = []script.Param{{Name: "name", Form: script.FormText}, {Name: "of", Optional: true}}
	aCircle     = []script.Param{{Name: "x"}, {Name: "y"}, {Name: "radius"}}
	ofAType     = []script.Param{{Name: "type", Form: script.FormText, Optional: true}, {Name: "slot", Optional: true}}
	slotAnd     = []script.Param{{Name: "slot"}, {Name: "name", Form: script.FormText}}
	teamAt      = []script.Param{{Name: "team"}, {Name: "x"}, {Name: "y"}}
	belowAKey   = []script.Param{{Name: "below"}, {Name: "key", Optional: true}}
	nameAndTeam = []script.Param{{Name: "name", Form: script.FormText}, {Name: "team"}}
)

// Part implements [script.Host].
func (m *modeScript) Part(name string) script.Value {
	w := m.w
	switch name {
	case "tick":
		return script.Whole(w.tick)
	case "ms":
		return script.Whole(int64(w.tick) * 1000 / int64(w.rate))
	case "leader":
		return teamValue(w.leader())
	case "teams":
		var out []script.Value
		for _, s := range w.subjects(false) {
			out = append(out, script.Whole(s.team))
		}
		return script.List(out)
	case "players":
		var out []script.Value
		for i := range w.players {
			out = append(out, &script.Object{Kind: "player", Number: uint64(i), Host: scriptPlayer{w, &w.players[i]}})
		}
		return script.List(out)
	}
	return worldFuncs[name]
}

// worldFuncs are the functions among the parts of the world.
var worldFuncs = map[string]script.Value{
	"owned": script.Func("owned", slotAnd, func(m *modeScript, a script.Args) (script.Value, error) {
		typ, ok := m.w.rules.TypeByName(a.Text(1))
		if !ok || !m.isSlot(a.Whole(0)) {
			return nil, fmt.Errorf("owned: there is no type %q, or no slot %d", a.Text(1), a.Whole(0))
		}
		return script.Whole(m.w.players[a.Whole(0)].counts[typ]), nil
	}),
	"inside": script.Func("inside", oneName, func(m *modeScript, a script.Args) (script.Value, error) {
		i := slices.IndexFunc(m.def.Areas, func(x rules.Area) bool { return x.Name == a.Text(0) && !x.AtStart })
		if i < 0 {
			return nil, fmt.Errorf("inside: the mode has no area %q that is in the same place for all", a.Text(0))
		}
		return m.circle(a, areaMiddle(m.w.m, &m.def.Areas[i]).Center(), m.def.Areas[i].Radius, rules.ClassUnit)
	}),
	"near": script.Func("near", aCircle, func(m *modeScript, a script.Args) (script.Value, error) {
		return m.circle(a, grid.Pos{X: a.Whole(0), Y: a.Whole(1)}, grid.Dist(a.Whole(2)), rules.ClassResource)
	}),
	"random": script.Func("random", belowAKey, func(m *modeScript, a script.Args) (script.Value, error) {
		if a.Whole(0) < 1 {
			return nil, fmt.Errorf("random: below %d, want 1 at least", a.Whole(0))
		}
		return script.Whole(int64(m.w.draw(grid.NoSlot, uint32(a.Whole(1)), drawMode) % uint64(a.Whole(0)))), nil
	}),
	"sees": script.Func("sees", teamAt, func(m *modeScript, a script.Args) (script.Value, error) {
		at := grid.Pos{X: a.Whole(1), Y: a.Whole(2)}
		if !m.isTeam(a.Whole(0)) || !m.w.m.InPos(at) {
			return nil, fmt.Errorf("sees: there is no team %d, or no such place", a.Whole(0))
		}
		return script.Flag(m.w.eyes.Visible(grid.Team(a.Whole(0)), at.Tile())), nil
	}),
	"stock": script.Func("stock", slotAnd, func(m *modeScript, a script.Args) (script.Value, error) {
		i := m.w.resourceOf(a.Text(1))
		if i < 0 || !m.isSlot(a.Whole(0)) {
			return nil, fmt.Errorf("stock: there is no resource %q, or no slot %d", a.Text(1), a.Whole(0))
		}
		return script.Whole(m.w.players[a.Whole(0)].stock[i]), nil
	}),
	"timer": script.Func("timer", oneName, func(m *modeScript, a script.Args) (script.Value, error) {
		at, err := m.timer(a.Text(0))
		if err != nil {
			return nil, err
		}
		if ends := m.word(at); ends != 0 {
			return script.Whole((int64(ends) - int64(m.w.tick)) * 1000 / int64(m.w.rate)), nil
		}
		return script.None, nil
	}),
	"units": script.Func("units", ofAType, (*modeScript).units),
	"value": script.Func("value", nameAndTeam, func(m *modeScript, a script.Args) (script.Value, error) {
		i := m.w.valueNumber(a.Text(0))
		if i < 0 || !m.isTeam(a.Whole(1)) {
			return nil, fmt.Errorf("value: the mode has no value %q, or there is no team %d", a.Text(0), a.Whole(1))
		}
		return script.Whole(m.w.guest.values[i][a.Whole(1)]), nil
	}),
	"var": script.Func("var", nameAndOf, func(m *modeScript, a script.Args) (script.Value, error) {
		at, _, err := m.variable(a.Text(0), a.Whole(1))
		if err != nil {
			return nil, err
		}
		return script.Whole(int32(m.word(at))), nil
	}),
}

// units lists units and structures, of a type and of a player if the call names these.
func (m *modeScript) units(a script.Args) (script.Value, error) {
	typ, ok := m.w.rules.TypeByName(a.Text(0))
	if a.Given(0) && !ok || a.Given(1) && !m.isSlot(a.Whole(1)) {
		return nil, fmt.Errorf("units: there is no type %q, or no slot %d", a.Text(0), a.Whole(1))
	}
	var out []script.Value
	for _, e := range m.w.all {
		if !e.dying && e.class <= rules.ClassStructure && (!a.Given(0) || e.typ == typ) && (!a.Given(1) || int32(e.slot) == a.Whole(1)) {
			out = append(out, m.unit(e))
		}
	}
	return script.List(out), a.Spend(len(m.w.all)/16 + 4*len(out))
}

// circle lists the entities whose middle is in a circle, of classes up to one.
func (m *modeScript) circle(a script.Args, at grid.Pos, r grid.Dist, last rules.Class) (script.Value, error) {
	var out []script.Value
	for _, e := range m.w.all {
		if !e.dying && e.class <= last && r >= 0 && e.Pos().Sub(at).Len2() < int64(r+1)*int64(r+1) { // a length is rounded down
			out = append(out, m.unit(e))
		}
	}
	return script.List(out), a.Spend(len(m.w.all)/16 + 4*len(out))
}

func (m *modeScript) unit(e *Entity) script.Value { return unitValue(m.w, e) }

func unitValue(w *World, e *Entity) script.Value {
	return (&scriptUnit{w: w, e: e, team: grid.NoTeam}).value()
}

func (w *World) valueNumber(name string) int {
	return slices.IndexFunc(w.ModeValues(), func(x rules.ModeValue) bool { return x.Name == name })
}

func teamValue(t grid.Team) script.Value {
	if t == grid.NoTeam {
		return script.None
	}
	return script.Whole(t)
}

func slotValue(s grid.Slot) script.Value {
	if s == grid.NoSlot {
		return script.None
	}
	return script.Whole(s)
}

// scriptPlayer is a player as scripts read it.
type scriptPlayer struct {
	w *World
	p *player
}

// Parts implements [script.Host].
func (scriptPlayer) Parts() []string {
	return []string{"alive", "bot", "score", "slot", "team", "x", "y"}
}

// Part implements [script.Host].
func (s scriptPlayer) Part(name string) script.Value {
	switch name {
	case "alive":
		return script.Flag(s.p.alive)
	case "bot":
		return script.Flag(s.p.bot)
	case "score":
		return script.Whole(s.p.score)
	case "slot":
		return script.Whole(s.p.slot)
	case "team":
		return script.Whole(s.p.team)
	case "x":
		return script.Whole(s.w.m.Starts[s.p.start].Center().X)
	case "y":
		return script.Whole(s.w.m.Starts[s.p.start].Center().Y)
	}
	return nil
}

// scriptUnit is a unit, a structure or a resource place as scripts read it.
type scriptUnit struct {
	object script.Object
	w      *World
	e      *Entity
	team   grid.Team // that reads it; NoTeam: the script of a mode
}

func (s *scriptUnit) value() script.Value {
	s.object = script.Object{Kind: "unit", Number: uint64(s.e.id), Host: s}
	return &s.object
}

// Parts implements [script.Host].
func (*scriptUnit) Parts() []string {
	return []string{"built", "hp", "kind", "max", "slot", "team", "type", "value", "x", "y"}
}

// Part implements [script.Host].
func (s *scriptUnit) Part(name string) script.Value {
	e := s.e
	switch name {
	case "built":
		return script.Flag(!e.unbuilt)
	case "kind":
		return script.Text(e.class.String())
	case "hp":
		return script.Whole(e.hp)
	case "max":
		most, _, _ := s.w.Most(e)
		return script.Whole(most)
	case "slot":
		return slotValue(e.slot)
	case "team":
		return teamValue(e.team)
	case "type":
		return script.Text(s.w.rules.Types[e.typ].Name)
	case "value":
		return valueOfUnit
	case "x":
		return script.Whole(e.Pos().X)
	case "y":
		return script.Whole(e.Pos().Y)
	}
	return nil
}

var valueOfUnit = script.Func("value", oneName, func(s *scriptUnit, a script.Args) (script.Value, error) {
	if number, ok := s.w.rules.ValueByName(a.Text(0)); ok {
		if place := s.w.rules.Types[s.e.typ].HasValue(number); place >= 0 && s.w.knows(s.team, s.e, &s.w.rules.Values[number]) {
			return script.Whole(s.e.values[place]), nil
		}
	}
	return script.None, nil
})

// heard keeps an order that acts in this tick for the mode's script.
func (w *World) heard(d *dueOrder) {
	if def := w.declared(); def != nil && def.Script != nil && def.Script.Program.Handles("order") {
		w.scripts.orders = append(w.scripts.orders, *d)
		w.scripts.orders[len(w.scripts.orders)-1].units = slices.Clone(d.units)
	}
}
