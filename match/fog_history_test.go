//go:build !race

package match

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/visibility"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// history has the events of a match, tick by tick, and their observers: the field table
// compares messages with it. It comes from a second world that gets the match's inputs,
// and from visibility/obvious; it uses neither match/view nor the simulation's own sight,
// and the mask engine only for the list of sources that end by themselves.
type history struct {
	setup   sim.Setup
	field   *obvious.Field
	values  grid.Tick // frames have values every so many ticks
	dying   grid.Tick
	periods []uint32   // by weapon: ticks from shot to shot
	full    []int32    // by type: full speed
	ticks   []*moments // by tick
	// welcomes is a receiver's welcome, of public rules alone.
	welcomes func(*receiver) *pb.Welcome
	// glimpses are the ticks in which a standing thing was in sight, by eyes, newest
	// last.
	glimpses []map[standing][]glimpse
}

// moments is one tick.
type moments struct {
	tick    grid.Tick
	aboard  map[grid.EntityID]bool // in transports, and no things
	things  map[grid.EntityID]*thing
	events  []sim.Event
	players []playerThen
	eyes    []*sightThen // by team; the last: of all teams
	answers []sim.Answer
	notices []sim.Notice
	said    []sim.Said
	result  *sim.Result
}

// thing is an entity as it was at a tick.
type thing struct {
	id       grid.EntityID
	typ      uint16
	class    rules.Class
	slot     grid.Slot
	team     grid.Team
	pos      grid.Pos
	fineX    int32
	fineY    int32
	foot     grid.Tile
	vx, vy   int32 // 1/64 WU a tick
	face     grid.Facing
	missing  int32     // health
	off      int32     // of the shield
	changes  [2]uint16 // of health and shield, ever
	flags    uint32
	stock    int32
	feature  bool       // with a state
	done     grid.Ticks // of the work on a building site
	work     grid.Ticks
	taken    grid.Ticks // of the capture of a structure
	taking   grid.Ticks // that it takes
	built    bool
	cloaked  bool
	weapons  []weaponThen
	values   map[string]uint32 // of valueTable and ownValueTable, for rows with a read
	declared []declaredThen

	// Its owner's business alone.
	energy     int32
	actions    []sim.Action // an observer may know which are on, and since when if it saw the start
	effects    []sim.Effect // the same
	busy       bool
	task       sim.Task
	makes      bool
	made       sim.Production
	request    uint32
	carrying   int32
	passengers [][2]uint32 // type number + 1, health missing
}

// declaredThen is a declared value of a thing at a tick.
type declaredThen struct {
	number uint32
	def    *rules.Value
	off    int32 // from its start, as far as its condition holds
	raw    int32 // from its start
}

// declaredOf returns the declared values of an entity.
func declaredOf(rs *rules.Ruleset, x *thing, e *sim.Entity) (out []declaredThen) {
	for i, v := range rs.Types[x.typ].Values {
		d := declaredThen{uint32(v.Value), &rs.Values[v.Value], e.Values()[i] - v.Start, e.Values()[i] - v.Start}
		switch d.def.When {
		case rules.ValueWhileActing:
			if !slices.ContainsFunc(x.actions, func(a sim.Action) bool { return a.On }) {
				d.off = 0
			}
		case rules.ValueWhileAffected:
			if !slices.ContainsFunc(x.effects, func(e sim.Effect) bool { return !rs.Effects[e.Kind].TeamOnly }) {
				d.off = 0
			}
		case rules.ValueWhileDamaged:
			if x.missing == 0 {
				d.off = 0
			}
		}
		out = append(out, d)
	}
	return out
}

// weaponThen is a weapon of a thing at a tick.
type weaponThen struct {
	shots  uint16 // that it ever fired
	weapon uint8  // which one it is
}

// playerThen is a player at a tick.
type playerThen struct {
	sim.PlayerState
	left, away bool
	values     []uint32 // wave and held, see [valued]
}

// sightThen is the sight of one team, or of all together, at a tick.
type sightThen struct {
	sources           []obvious.Source
	visible, explored []bool
	sounds            []simtest.Sound     // that the team hears of things that it does not see
	blips             []simtest.Blip      // that its radar finds of these
	timed             []visibility.Source // that end by themselves
	seen              map[grid.EntityID]stay
}

// stay is how long a thing has been in sight without a break, and its counts since.
type stay struct {
	since   grid.Tick
	guns    [2]gunSeen
	counted [2]uint16 // its counters of changes of health and shield, as far as they are counted
	changes [2]uint32 // ticks in which each was seen to change
}

// gunSeen is a weapon as told to an observer of all ticks: that it fires from a tick on,
// once more each period, or that it does not.
type gunSeen struct {
	first, last  uint16 // shots when it came into sight, and when values were last told
	shots, since uint32 // told
	fires        bool
	weapon       uint8 // which it was then
}

// standing is a thing that stands still.
type standing struct {
	typ  uint16
	slot grid.Slot
	pos  grid.Pos
}

// glimpse is one tick in which a thing was in sight.
type glimpse struct {
	at grid.Tick
	as *thing
}

func newHistory(setup sim.Setup, w *sim.World) *history {
	h := &history{setup: setup, field: obvious.NewField(setup.Map), dying: grid.Tick(w.DyingSight())}
	h.values = grid.Tick(max(1, w.TickRate()/10))
	for i := range setup.Rules.Weapons {
		h.periods = append(h.periods, uint32(w.WeaponTicks(uint8(i))))
	}
	for i := range setup.Rules.Types {
		h.full = append(h.full, w.Speed(uint16(i)))
	}
	for range w.Teams() + 1 {
		h.glimpses = append(h.glimpses, map[standing][]glimpse{})
	}
	return h
}

// all is the index of the eyes of all teams.
func (h *history) all() int { return len(h.glimpses) - 1 }

// eyesOf returns the index of a team's eyes.
func (h *history) eyesOf(t grid.Team) int {
	if t == grid.NoTeam {
		return h.all()
	}
	return int(t)
}

// at returns a tick, nil if the match did not play it.
func (h *history) at(t grid.Tick) *moments {
	if int(t) >= len(h.ticks) {
		return nil
	}
	return h.ticks[t]
}

// last returns the newest tick.
func (h *history) last() *moments { return h.ticks[len(h.ticks)-1] }

// take writes down a tick of the world.
func (h *history) take(w *sim.World, out *sim.Outcome, connected func(grid.Slot) bool) {
	m := &moments{tick: w.Tick(), things: map[grid.EntityID]*thing{}, aboard: map[grid.EntityID]bool{}, events: slices.Clone(w.Events()), result: w.Result()}
	for _, e := range w.Entities() {
		for _, p := range e.Passengers() {
			m.aboard[p.ID()] = true
		}
		m.things[e.ID()] = thingOf(h, w, e)
	}
	for s := range grid.Slot(w.Players()) {
		m.players = append(m.players, playerThen{w.Player(s), w.HasLeft(s), !connected(s), []uint32{uint32(w.ModeValue(0, w.Player(s).Team)), uint32(w.ModeValue(1, w.Player(s).Team))}})
	}
	if out != nil {
		for _, a := range out.Answers {
			a.Left = slices.Clone(a.Left)
			m.answers = append(m.answers, a)
		}
		m.notices, m.said = slices.Clone(out.Notices), slices.Clone(out.Said)
	}
	var before *moments
	if len(h.ticks) > 0 {
		before = h.last()
	}
	all := &sightThen{visible: make([]bool, len(h.field.Levels)), explored: make([]bool, len(h.field.Levels)), seen: map[grid.EntityID]stay{}}
	for t := range grid.Team(w.Teams()) {
		s := h.look(w, m, before, t)
		for _, x := range simtest.Audible(w, t) {
			if _, sees := s.seen[x.Source]; !sees { // also if it was destroyed in this tick
				s.sounds = append(s.sounds, x)
			}
		}
		s.blips = slices.DeleteFunc(simtest.Blips(w, t), func(b simtest.Blip) bool { _, sees := s.seen[b.Source]; return sees })
		m.eyes = append(m.eyes, s)
		for i, lit := range s.visible {
			all.visible[i] = all.visible[i] || lit
			all.explored[i] = all.explored[i] || s.explored[i]
		}
		for id := range s.seen {
			all.seen[id] = stay{}
		}
		all.sources, all.timed = append(all.sources, s.sources...), append(all.timed, s.timed...)
	}
	m.eyes = append(m.eyes, all)
	for i, s := range m.eyes {
		var was *sightThen
		if before != nil {
			was = before.eyes[i]
		}
		h.count(m, s, was, i)
	}
	if before == nil { // the map is public: all eyes know its features
		for _, x := range m.things {
			for i := range h.glimpses {
				if h.placed(x) {
					on := standing{x.typ, x.slot, x.pos}
					h.glimpses[i][on] = append(h.glimpses[i][on], glimpse{m.tick, x})
				}
			}
		}
	}
	h.ticks = append(h.ticks, m)
}

// placed reports whether the map places the thing.
func (h *history) placed(x *thing) bool {
	return slices.ContainsFunc(h.setup.Map.Features, func(f grid.Feature) bool { return f.At == x.foot && x.slot == grid.NoSlot })
}

func thingOf(h *history, w *sim.World, e *sim.Entity) *thing {
	rules := h.setup.Rules
	ty := &rules.Types[e.Type()]
	x := &thing{
		id: e.ID(), typ: e.Type(), class: e.Class(), slot: e.Slot(), team: e.Team(), pos: e.Pos(), foot: e.Foot(), face: e.Facing(),
		stock: e.Stock(), feature: ty.Feature.Stateful(), built: e.Built(), cloaked: e.Cloaked(), energy: e.Energy(), request: e.Request(), values: map[string]uint32{},
	}
	x.fineX, x.fineY = e.Fine()
	x.vx, x.vy = e.Vel()
	hp, hpChanges := e.Health()
	shield, shieldChanges := e.Shield()
	fullHealth, fullShield, _ := w.Most(e)
	x.missing, x.off, x.changes = max(0, fullHealth-hp), fullShield-shield, [2]uint16{hpChanges, shieldChanges}
	x.done, x.work = w.Raised(e)
	x.taken, x.taking = w.Captured(e)
	for i := range ty.Weapons {
		n, _ := e.Shots(i)
		x.weapons = append(x.weapons, weaponThen{n, w.WeaponOf(e, i)})
	}
	if _, x.carrying = e.Carrying(); x.carrying > 0 && ty.Carry > 0 {
		x.flags |= 32
	}
	if x.cloaked {
		x.flags |= 1
	}
	for _, p := range e.Passengers() {
		hp, _ := p.Health()
		most, _, _ := w.Most(p)
		x.passengers = append(x.passengers, [2]uint32{1 + uint32(p.Type()), uint32(most - hp)})
	}
	if e.Firing()&2 != 0 {
		x.flags |= 2
	}
	if !x.built {
		x.flags |= 64
	}
	for i := range ty.Abilities {
		a := w.Action(e, i)
		if _, _, passive := w.AbilityNeeds(a.Ability); passive {
			a.Ready = 0
		}
		x.actions = append(x.actions, a)
	}
	for i := range e.Effects() {
		x.effects = append(x.effects, e.Effect(i))
	}
	x.declared = declaredOf(rules, x, e)
	for _, row := range valueTable {
		if row.read != nil {
			x.values[row.path] = row.read(e)
		}
	}
	for _, row := range ownValueTable {
		x.values[row.path] = row.read(e)
	}
	x.task, x.busy = e.Running()
	x.made, x.makes = w.Production(e)
	x.made.Queue = slices.Clone(x.made.Queue)
	return x
}

// look scans a team's sight, every tile and every thing.
func (h *history) look(w *sim.World, m, before *moments, team grid.Team) *sightThen {
	s := &sightThen{explored: make([]bool, len(h.field.Levels)), seen: map[grid.EntityID]stay{}, sources: simtest.Eyes(w, team)}
	for _, x := range w.Eyes().Sources(team) {
		if x.Until > m.tick {
			s.timed = append(s.timed, x)
		}
	}
	s.visible = h.field.Scan(s.sources)
	if before != nil {
		copy(s.explored, before.eyes[team].explored)
	}
	for i, lit := range s.visible {
		s.explored[i] = s.explored[i] || lit
	}
	for id, x := range m.things {
		lost := before != nil && before.things[id] != nil && before.things[id].team == team // it sees the present owner
		if x.team == team || lost || h.sees(s, x) {
			s.seen[id] = stay{}
		}
	}
	return s
}

// sees reports whether eyes may know of another team's thing: they see it, unless the
// rules show it to all or to its owner's team alone.
func (h *history) sees(s *sightThen, x *thing) bool {
	switch h.setup.Rules.Types[x.typ].Relevance {
	case rules.RelevantAlways:
		return true
	case rules.RelevantToOwner:
		return false
	}
	if !h.seesAny(s, x) {
		return false
	}
	if !x.cloaked {
		return true
	}
	at := x.pos.Tile()
	return slices.ContainsFunc(s.sources, func(eye obvious.Source) bool {
		return eye.Detect > 0 && h.field.Sees(eye, eye.Detect, int(at.X), int(at.Y))
	})
}

// seesAny reports whether a tile of a thing is in sight.
func (h *history) seesAny(s *sightThen, x *thing) bool {
	if x.class != rules.ClassStructure && x.class != rules.ClassResource {
		return h.lit(s.visible, x.pos.Tile())
	}
	return h.litFoot(s.visible, x.typ, x.foot)
}

func (h *history) lit(tiles []bool, at grid.Tile) bool {
	return h.setup.Map.In(at) && tiles[h.setup.Map.Index(at)]
}

func (h *history) litFoot(tiles []bool, typ uint16, foot grid.Tile) bool {
	ty := &h.setup.Rules.Types[typ]
	for dy := range max(1, int16(ty.FootH)) {
		for dx := range max(1, int16(ty.FootW)) {
			if h.lit(tiles, grid.Tile{X: foot.X + dx, Y: foot.Y + dy}) {
				return true
			}
		}
	}
	return false
}

// count continues the stays of the things in sight, or begins them.
func (h *history) count(m *moments, s, was *sightThen, eyes int) {
	for id := range s.seen {
		x := m.things[id]
		begun, ok := stay{}, false
		if was != nil {
			begun, ok = was.seen[id]
		}
		if !ok || m.tick <= 1 { // streams begin with tick 1
			begun = stay{since: m.tick, counted: x.changes}
			for i, now := range x.weapons {
				begun.guns[i] = gunSeen{first: now.shots, last: now.shots}
			}
		}
		if m.tick%h.values == 0 {
			for i, now := range x.weapons {
				begun.guns[i].tell(uint32(m.tick), uint32(h.values), now, h.periods)
			}
		}
		// A structure under construction grows each tick, which counts when values are
		// told.
		for k, grows := range [2]bool{!x.built && m.tick%h.values != 0, false} {
			if begun.counted[k] != x.changes[k] && !grows {
				begun.counted[k], begun.changes[k] = x.changes[k], begun.changes[k]+1
			}
		}
		s.seen[id] = begun
		if x.class == rules.ClassStructure || x.class == rules.ClassResource {
			key := standing{x.typ, x.slot, x.pos}
			h.glimpses[eyes][key] = append(h.glimpses[eyes][key], glimpse{m.tick, x})
		}
	}
}

// counted is how many shots a client counts by a tick.
func (g *gunSeen) counted(tick uint32, periods []uint32) uint32 {
	if !g.fires {
		return g.shots
	}
	return g.shots + (tick-g.since)/periods[g.weapon]
}

// tell tells of the shots where a client would count wrong.
func (g *gunSeen) tell(tick, every uint32, now weaponThen, periods []uint32) {
	shots, fired := uint32(now.shots-g.first), now.shots != g.last
	g.last = now.shots
	missed := g.fires && shots < g.counted(tick, periods)
	ahead := shots > g.counted(tick+every-1, periods)
	swapped := g.fires && g.weapon != now.weapon
	if missed || ahead || swapped {
		g.shots, g.since, g.fires, g.weapon = shots, tick, fired && (swapped || !missed), now.weapon
	}
}

// burst is a weapon's row in the small form: no weapon of the played rules is fast enough
// for the large one.
func (g *gunSeen) burst() uint32 { return bit32(g.fires)<<1 | g.shots&63<<2 }

func bit32(on bool) uint32 {
	if on {
		return 1
	}
	return 0
}

// lastSeen returns a standing thing as it was last in sight by tick t.
func (h *history) lastSeen(eyes int, key standing, t grid.Tick) (glimpse, bool) {
	list := h.glimpses[eyes][key]
	n, _ := slices.BinarySearchFunc(list, t+1, func(g glimpse, t grid.Tick) int { return int(g.at) - int(t) })
	if n == 0 {
		return glimpse{}, false
	}
	return list[n-1], true
}

// died reports whether eyes saw a thing go in tick t: it was in sight until
// then, and its place is, by the masks of t.
func (h *history) died(eyes int, id grid.EntityID, t grid.Tick) bool {
	now, before := h.at(t), h.at(t-1)
	if now == nil || before == nil || now.things[id] != nil || now.aboard[id] || before.things[id] == nil {
		return false
	}
	if _, seen := before.eyes[eyes].seen[id]; !seen {
		return false
	}
	last := *before.things[id]
	for _, e := range now.events {
		if e.Source == id && (e.Kind == sim.EventDied || e.Kind == sim.EventImpact) {
			last.pos = e.At
		}
	}
	if eyes < h.all() {
		return last.team == grid.Team(eyes) || h.sees(now.eyes[eyes], &last)
	}
	for t, s := range now.eyes[:h.all()] {
		if _, seen := before.eyes[t].seen[id]; seen && (last.team == grid.Team(t) || h.sees(s, &last)) {
			return true
		}
	}
	return false
}

// hasTo returns where a unit's group goes, if its order has a place.
func (x *thing) hasTo(m *grid.Map) (grid.Pos, bool) {
	if !x.busy || x.task.Target != 0 || x.task.Kind == orders.Stop || x.task.Kind == orders.Hold {
		return grid.Pos{}, false
	}
	return m.Clamp(x.task.Group), true
}

// made reports whether a structure of the team has made an upgrade up to a tick: it was in work, a tick before its end.
func (h *history) made(team grid.Team, typ uint16, now grid.Tick) bool {
	for t := range now {
		for id, x := range h.at(t).things {
			next := h.at(t + 1).things[id]
			if x.team == team && len(x.made.Queue) > 0 && x.made.Queue[0] == typ && x.made.Done+1 >= x.made.Total && next != nil && len(next.made.Queue) < len(x.made.Queue) {
				return true
			}
		}
	}
	return false
}
