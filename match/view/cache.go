package view

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Speeds returns the full speed of each type, as the welcome has it.
func Speeds(w *sim.World) []int32 {
	out := make([]int32, len(w.Rules().Types))
	for i := range out {
		out[i] = w.Speed(uint16(i))
	}
	return out
}

// Cache is the part of a tick's views that is equal for all teams: each entity is worked out once, not once per team.
// It holds the whole world, so only builders of this package read it.
type Cache struct {
	Run grid.Runner // prepares several parts at a time; nil: one after the other. It may change between two ticks

	hides   bool         // some kind has hidden values
	valued  bool         // some kind has declared values that eyes share
	kinds   []kind       // by type
	periods []grid.Ticks // by weapon: from shot to shot
	rows    [grid.SlotsMax + 1]cacheRows
	health  grid.Ticks // clients are sent health every so many ticks
	bursts  grid.Ticks // and bursts
	tick    grid.Tick  // that it was prepared for; 0: none yet
	of      *sim.World // that is prepared
	follows bool       // the prepared tick is the tick after tick
	part    func(int)  // preparePart, which is made once
}

// cacheRows has the entities of one slot by the slot's counter. The last cacheRows has the neutral entities.
type cacheRows struct {
	glance   []glanceRow
	lines    []line
	public   []publicRow
	owner    []ownerRow
	declared [][]Declared // nil where no kind has any: values that eyes share
}

// glanceRow has the fields that a builder reads of each entity in a team's sight at each tick. Usually it reads no
// more: the rows are small, so that all rows of a match fit a processor's cache.
type glanceRow struct {
	turned      grid.Tick // the last tick at which the entity left its line, or a value that a team may know changed
	team        grid.Team
	hasOwnerRow bool // its owner row holds something
}

// line is where an entity is if it goes on as it did, in 1/64 world units.
type line struct {
	x, y int32
	v    Velocity
}

// lineSlack is the distance from its line up to which an entity still counts as on it, in world units each way. An
// entity that moves to a goal in whole numbers does not move quite straight. A standing entity is on its line exactly.
const lineSlack = 4

// follow moves the line on by a tick, and takes a new one if the entity is not on it. It
// reports whether it did.
func (l *line) follow(x, y int32, v Velocity) (turned bool) {
	l.x, l.y = l.x+l.v.X, l.y+l.v.Y
	dx, dy := x-l.x, y-l.y
	if stands := v == (Velocity{}); stands == (l.v == Velocity{}) && (dx|dy == 0 || !stands && within(dx, dy, lineSlack<<VelocityShift)) {
		return false
	}
	*l = line{x, y, v}
	return true
}

// kind is the part that all entities of a type share.
type kind struct {
	passive         []bool // of each of its abilities: no order starts it
	effects         bool   // weapons and abilities can leave effects on it
	full            int32  // speed
	health          int32
	shield          int32
	weapons         uint8
	large           [BurstsMax]bool // its weapons' shots are sent in the large form
	class           rules.Class
	carries         bool // goods
	repairs         bool
	transports      bool
	eyes            bool            // it sees for its team
	makes           bool            // it has a queue of production
	energy          bool            // it can have some
	hidden          uint32          // a bit for each value that only its own team knows, although others see the entity
	declared, owner []declaredValue // that eyes share, and that the owner alone may know
	ofTeam          uint32          // a bit for each declared value that only its own team knows
	initial         bool            // one of own is sent once
}

// publicRow is an entity as a builder needs it for each team that sees it. It is small because every such team reads
// it. The view of a team leaves out the values that the team may not know.
type publicRow struct {
	unit    Unit // without what is a team's: handle, entered, burst
	team    grid.Team
	carries bool                    // it carries the sight of its team
	active  bool                    // it runs abilities, or has effects
	weapons uint8                   // how many it has
	weapon  [BurstsMax]uint8        // the ruleset's number of each now
	shots   [BurstsMax]uint16       // that each ever fired
	changes [len(Attributes)]uint16 // of its attributes, ever
}

// ownerRow is the part of an entity that only its owner may know.
type ownerRow struct {
	request    uint32 // its owner's own id for it, 0: none
	busy       bool   // values has something to send
	makes      bool   // production has
	values     OwnerUnit
	actions    [rules.UnitAbilitiesMax]OwnAction // values.Actions
	production Production
}

// NewCache returns a cache for w's match.
func NewCache(w *sim.World) *Cache {
	every := func(value int) grid.Ticks {
		return tablePlan.public[value].every(TickRateOf(w.Rules(), w.TickRate()))
	}
	sc := &Cache{health: every(ValueHealth), bursts: every(ValueBurst)}
	sc.part = sc.preparePart
	for i := range w.Rules().Weapons {
		sc.periods = append(sc.periods, w.WeaponTicks(uint8(i)))
	}
	for i, full := range Speeds(w) {
		t := &w.Rules().Types[i]
		var large [BurstsMax]bool
		for k, x := range t.Weapons {
			periods := []grid.Ticks{sc.periods[x]}
			for _, a := range t.Abilities {
				if x := w.Rules().Abilities[a].Weapon; x >= 0 && k == 0 {
					periods = append(periods, sc.periods[x])
				}
			}
			if y := w.Rules().Weapons[x].Alternate; y >= 0 {
				periods = append(periods, sc.periods[y])
			}
			large[k] = LargeBurst(w.TickRate(), periods...)
		}
		passive := make([]bool, len(t.Abilities))
		for k, a := range t.Abilities {
			_, _, passive[k] = w.AbilityNeeds(a)
		}
		sc.kinds = append(sc.kinds, kind{
			full: full, health: t.Health, shield: t.Shield.Max,
			weapons: uint8(len(t.Weapons)), large: large, passive: passive, carries: t.Carry > 0, repairs: t.Repairs.Types != nil, transports: t.Transport.Slots > 0,
			effects: t.Class <= rules.ClassStructure && len(w.Rules().Effects) > 0,
			eyes:    t.Class != rules.ClassProjectile, class: t.Class, makes: len(t.Trains) > 0, energy: t.EnergyMax > 0,
			hidden: hiddenOf(t),
		})
		k := &sc.kinds[i]
		k.declared, k.owner = declaredOf(w.Rules(), t)
		for _, x := range k.declared {
			if x.team {
				k.ofTeam |= 1 << x.value
			}
		}
		k.initial = slices.ContainsFunc(k.owner, func(x declaredValue) bool { return x.when == rules.ValueInitial })
		sc.valued = sc.valued || k.declared != nil
		sc.hides = sc.hides || t.Relevance == rules.RelevantAlways
	}
	return sc
}

// cacheParts is into how many parts the entities are cut to be prepared.
const cacheParts = 16

// Prepare takes in w's tick.
func (sc *Cache) Prepare(w *sim.World) {
	sc.makeRoom(w.Entities())
	sc.of, sc.follows = w, sc.tick != 0 && w.Tick() == sc.tick+1
	sc.Run.Run(cacheParts, sc.part)
	sc.of, sc.tick = nil, w.Tick()
}

// makeRoom makes rows for all entities, which are sorted by slot and counter.
func (sc *Cache) makeRoom(all []*sim.Entity) {
	for len(all) > 0 {
		slot := all[0].ID().Slot()
		n, _ := slices.BinarySearchFunc(all, slot+1, func(e *sim.Entity, s grid.Slot) int { return cmp.Compare(e.ID().Slot(), s) })
		if slot == ^grid.Slot(0) {
			n = len(all)
		}
		last := all[n-1].ID()
		row := sc.row(last)
		for int(last.Counter()) >= len(row.public) {
			row.glance, row.lines = append(row.glance, glanceRow{}), append(row.lines, line{})
			row.public, row.owner = append(row.public, publicRow{}), append(row.owner, ownerRow{})
			if sc.valued {
				row.declared = append(row.declared, nil)
			}
		}
		all = all[n:]
	}
}

// preparePart prepares one of [cacheParts] parts of the entities.
func (sc *Cache) preparePart(part int) {
	w := sc.of
	all := w.Entities()
	for _, e := range all[len(all)*part/cacheParts : len(all)*(part+1)/cacheParts] {
		id := e.ID()
		row := sc.row(id)
		g, a, k := &row.glance[id.Counter()], &row.public[id.Counter()], &sc.kinds[e.Type()]
		if a.prepare(w, k, e, &row.lines[id.Counter()]) || !sc.follows {
			g.turned = w.Tick()
		}
		if k.declared != nil && row.prepareDeclared(w, k, e) {
			g.turned = w.Tick()
		}
		g.team = a.team
		g.hasOwnerRow = a.team != grid.NoTeam && k.mayHaveOwnerRow(e) && fillOwnerRow(w, k, e, &row.owner[id.Counter()])
	}
}

// prepare takes in an entity. It reports whether the entity turned; otherwise the entity goes on along its line.
func (a *publicRow) prepare(w *sim.World, k *kind, e *sim.Entity, l *line) (turned bool) {
	u := &a.unit
	x, y := e.Fine()
	u.Pos = e.Pos()
	u.Vel.X, u.Vel.Y = e.Vel()
	turned = l.follow(x, y, u.Vel)
	u.Line = l.v
	if u.Type != e.Type() || u.Owner != e.Slot() || u.Facing != e.Facing() || a.team != e.Team() {
		turned = true
	}
	u.Type, u.Owner, u.Facing, u.FullSpeed, u.Exact = e.Type(), e.Slot(), e.Facing(), k.full, k.full == 0
	a.team, a.carries, a.weapons = e.Team(), k.eyes, k.weapons
	hp, hpChanges := e.Health()
	shield, shieldChanges := e.Shield()
	changes := [len(Attributes)]uint16{hpChanges, shieldChanges}
	if u.setPublic(w, k, e, hp, shield) || changes != a.changes {
		a.changes, turned = changes, true
	}
	if active := k.acts(e); active || a.active {
		a.active, turned = active, true
	}
	for i := range k.weapons {
		shots, _ := e.Shots(int(i))
		if weapon := w.WeaponOf(e, int(i)); shots != a.shots[i] || weapon != a.weapon[i] {
			a.shots[i], a.weapon[i], turned = shots, weapon, true
		}
	}
	return turned
}

func (sc *Cache) row(id grid.EntityID) *cacheRows {
	return &sc.rows[min(int(id.Slot()), grid.SlotsMax)]
}

func (sc *Cache) glanceRow(id grid.EntityID) *glanceRow { return &sc.row(id).glance[id.Counter()] }

func (sc *Cache) publicRow(id grid.EntityID) *publicRow { return &sc.row(id).public[id.Counter()] }

func (sc *Cache) ownerRow(id grid.EntityID) *ownerRow { return &sc.row(id).owner[id.Counter()] }

func flagsOf(k *kind, e *sim.Entity) uint32 {
	f := uint32(0)
	if e.Cloaked() {
		f |= FlagCloaked
	}
	if !e.Built() {
		f |= FlagBuilding
	}
	if e.Alternates() {
		f |= FlagAlternate
	}
	if k.carries {
		if _, n := e.Carrying(); n > 0 {
			f |= FlagCarrying
		}
	}
	if k.repairs && e.Repairing() {
		f |= FlagRepairing
	}
	return f
}

// acts reports whether the entity runs abilities, or has effects.
func (k *kind) acts(e *sim.Entity) bool {
	for i := range k.passive {
		if on, _ := e.Acts(i); on {
			return true
		}
	}
	return k.effects && e.Effects() > 0
}

// buildSteps is how many steps the progress of a building has for clients.
const buildSteps = 16

func amountOf(w *sim.World, e *sim.Entity) uint32 {
	switch {
	case e.Class() == rules.ClassResource:
		return uint32(max(0, e.Stock()))
	case !e.Built():
		done, total := w.Raised(e)
		return progress(done, total)
	case e.Class() != rules.ClassStructure: // other classes cannot be captured
		return 0
	}
	if w.Rules().Types[e.Type()].Feature.Stateful() {
		return uint32(max(0, e.Stock()))
	}
	done, total := w.Captured(e)
	return progress(done, total)
}

// progress returns how far something is, in 1/255, in steps.
func progress(done, total grid.Ticks) uint32 {
	step := uint32(done) * buildSteps / uint32(max(1, total))
	return min(255, step*256/buildSteps)
}

// hiddenOf returns a bit for each value of a type that only its own team knows. A type that all teams always know hides
// the values that the rules do not name; other types hide none. A value's counter is hidden with it.
func hiddenOf(t *rules.Type) (hidden uint32) {
	if t.Relevance != rules.RelevantAlways {
		return 0
	}
	for i, name := range ValueNames {
		if !slices.Contains(t.Tells, strings.TrimSuffix(name, "_changes")) {
			hidden |= 1 << i
		}
	}
	return hidden
}

// mayHaveOwnerRow reports whether there may be anything that only the owner of e knows.
func (k *kind) mayHaveOwnerRow(e *sim.Entity) bool {
	switch {
	case k.class == rules.ClassProjectile:
		return e.Request() != 0
	case k.owner != nil || k.transports:
		return true
	case k.class == rules.ClassUnit && len(k.passive) == 0 && !k.makes:
		_, runs := e.Running()
		return runs || (k.energy || e.Firing() != 0) && ownerValues(e) != [OwnerValueKinds]uint32{}
	}
	return true
}

// passenger describes a unit in a transport for its owner.
func passenger(w *sim.World, e *sim.Entity) PassengerRow {
	hp, _ := e.Health()
	most, _, _ := w.Most(e)
	return PassengerRow{Type: 1 + uint32(e.Type()), Missing: uint32(max(0, most-hp))}
}

// fillOwnerRow fills in the values that only the owner may know, and reports whether there are any.
func fillOwnerRow(w *sim.World, k *kind, e *sim.Entity, s *ownerRow) bool {
	s.request, s.busy, s.makes = e.Request(), false, k.makes
	if k.makes {
		p, _ := w.Production(e)
		s.production = Production{Types: p.Queue, HasRally: p.HasRally, Rally: p.Rally}
		if s.production.Total = p.Total; p.Total > 0 {
			s.production.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
		}
	}
	if k.class == rules.ClassUnit || len(k.passive) > 0 || k.weapons > 0 || k.owner != nil || k.transports {
		s.values = OwnerUnit{Values: ownerValues(e), Actions: s.actions[:0], Passengers: s.values.Passengers[:0], Declared: appendDeclared(s.values.Declared[:0], w, e, k.owner)}
		if r, runs := e.Running(); runs && k.class == rules.ClassUnit {
			s.values.Doing = uint8(r.Kind)
			if r.Target == 0 && !r.Kind.Form().Bare() {
				s.values.HasTo, s.values.To = true, w.Map().Clamp(r.Group)
			}
		}
		for _, p := range e.Passengers() {
			s.values.Passengers = append(s.values.Passengers, passenger(w, p))
		}
		for i := range k.passive {
			s.values.Actions = append(s.values.Actions, ownAction(w, e, i, k.passive[i]))
		}
		s.busy = s.values.Doing != 0 || s.values.Values != [OwnerValueKinds]uint32{} || len(s.values.Actions)+len(s.values.Declared)+len(s.values.Passengers) > 0 || k.initial
	}
	return s.busy || s.makes || s.request != 0
}

// ownAction returns the i-th ability of e as only its owner knows it.
func ownAction(w *sim.World, e *sim.Entity, i int, passive bool) OwnAction {
	a := w.Action(e, i)
	out := OwnAction{Grant: uint8(a.Grant)}
	if passive { // clients know when it ends: they see when it began
		return out
	}
	if a.Ready > w.Tick() {
		out.Ready = a.Ready
	}
	if a.On {
		out.On, out.Since, out.Until, out.Request = true, a.Since, a.Until, a.Request
	}
	return out
}

// declaredValue is a value that a type has, for the builder.
type declaredValue struct {
	place int // in the list of the type
	value uint8
	start int32
	when  rules.ValueWhen
	team  bool // only the entity's own team may know it, though others see the entity
}

// declaredOf returns the values of a type for the part of a frame that eyes share, and
// those for the owner's own part.
func declaredOf(rs *rules.Ruleset, t *rules.Type) (shared, own []declaredValue) {
	for i, x := range t.Values {
		def := &rs.Values[x.Value]
		v := declaredValue{i, x.Value, x.Start, def.When, def.Class == rules.ValueSeeing && t.Relevance == rules.RelevantAlways}
		if def.Class == rules.ValueOwner {
			own = append(own, v)
		} else {
			shared = append(shared, v)
		}
	}
	return shared, own
}

// appendDeclared appends the values of e that are not at their start.
func appendDeclared(to []Declared, w *sim.World, e *sim.Entity, list []declaredValue) []Declared {
	for i := range list {
		x := &list[i]
		d := e.Values()[x.place] - x.start
		if d != 0 && w.ValueShown(e, x.when) {
			to = append(to, Declared{Value: x.value, N: uint32(d<<1) ^ uint32(d>>31)})
		}
	}
	return to
}

// prepareDeclared takes in the values of e, and reports whether one changed.
func (r *cacheRows) prepareDeclared(w *sim.World, k *kind, e *sim.Entity) (changed bool) {
	var room [rules.TypeValuesMax]Declared
	now, was := appendDeclared(room[:0], w, e, k.declared), &r.declared[e.ID().Counter()]
	if slices.Equal(*was, now) {
		return false
	}
	*was = append((*was)[:0], now...)
	return true
}
