package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// knowledge is the builder's source for a world as the eyes know it: [sim.Knowledge] for a team, unionKnowledge for all
// teams.
type knowledge interface {
	Handles() []sim.HandleRow // by handle, from 1
	Left() []sim.Leave        // left sight in this tick
	Ghosts() []sim.Ghost      // sorted by handle
	HandleOf(*sim.Entity) (grid.Handle, bool)
}

// Builder builds the views of some eyes, tick after tick. Only here do the world, the sight and the knowledge of the
// eyes meet. Between two ticks it keeps the starts of the clients' counters.
type Builder struct {
	team         grid.Team // [grid.NoTeam]: all
	plan         *plan
	teams        grid.TeamSet   // whose eyes they are
	union        unionKnowledge // of all eyes
	started      bool
	cache        *Cache          // its own; nil until Build is called
	ownSightings []sim.Sighting  // of the team's own, those with an owner row
	active       []sim.Sighting  // entities that run abilities or have effects
	counters     pages[counters] // by handle
	sights       map[visibility.SourceID]Sight
	died         []visibility.SourceID // sources of what died in this tick
	blocks       []uint64              // of all eyes: blocks of the mask that are in the view, a bit each
	alertedAt    grid.Tick             // when the last alert was sent
}

// counters counts for the team's clients the changes of an entity's weapons and attributes since it came into sight.
// They start at 0: another start would reveal events out of sight.
type counters struct {
	counts  bool // something is counted: entities in sight from the start are entered at tick 0
	entered grid.Tick
	guns    [BurstsMax]gun
	target  targetKey               // of the last shot event
	changed [len(Attributes)]uint16 // its counters of changes, as of the last tick
	changes [len(Attributes)]uint8  // ticks in sight in which each changed, modulo ChangesWrap
}

// NewBuilder returns a builder for the eyes of one team, or with [grid.NoTeam] for the eyes of all teams together, for
// spectators: they see what at least one team sees. The mask is the union of all masks, its sources are the units and
// structures of all players, and the handles are the builder's own. These views have no part that belongs to one player
// (owner state) and no alert to one team (that it is attacked).
func NewBuilder(team grid.Team) *Builder {
	return &Builder{team: team, plan: tablePlan, teams: teamsOf(team), sights: map[visibility.SourceID]Sight{}}
}

// teamsOf returns the teams whose eyes a builder has.
func teamsOf(team grid.Team) grid.TeamSet {
	if team == grid.NoTeam {
		return everyTeam
	}
	return grid.TeamSet(0).With(team)
}

// Build is BuildFrom with a cache of the builder's own.
func (b *Builder) Build(w *sim.World, v *View) {
	if b.cache == nil {
		b.cache = NewCache(w)
	}
	b.cache.Prepare(w)
	b.BuildFrom(b.cache, w, v)
}

// BuildFrom fills v with everything that the builder's eyes may know at w's tick. The caller has prepared the cache for
// that tick. BuildFrom does not change w, and v keeps no reference to it. With all eyes, the ticks of two calls must
// follow each other.
func (b *Builder) BuildFrom(sc *Cache, w *sim.World, v *View) {
	m, last := w.Map(), v.Tick
	*v = View{
		Tick: w.Tick(), Team: b.team, W: m.W, H: m.H, Quiet: v.Quiet,
		Units: v.Units[:0], Actions: v.Actions[:0], Effects: v.Effects[:0], Declared: v.Declared[:0], Removed: v.Removed[:0], Ghosts: v.Ghosts[:0], Sights: v.Sights[:0], Contacts: v.Contacts[:0], Events: v.Events[:0],
		Players: v.Players[:0], Owners: v.Owners, Mask: Mask{Blocks: v.Mask.Blocks[:0]},
	}
	k := b.knowledge(w)
	b.units(sc, k, v, last)
	b.activity(w, k, v)
	for _, l := range k.Left() {
		v.Removed = append(v.Removed, b.removed(&l, v.Tick))
	}
	slices.SortFunc(v.Removed, func(a, c Removed) int { return cmp.Compare(a.Handle, c.Handle) })
	for _, g := range k.Ghosts() {
		t := &w.Rules().Types[g.Type]
		ghost := Ghost{g.Handle, g.Type, g.Slot, g.At, g.Facing, max(0, t.Health-g.Health), 0}
		if t.Feature.Stateful() {
			ghost.Amount = uint32(max(0, g.Stock))
		}
		v.Ghosts = append(v.Ghosts, ghost)
	}
	b.mask(w, v)
	if b.team != grid.NoTeam { // all eyes together see the things that radar finds
		for _, c := range w.Knowledge(b.team).Contacts() {
			v.Contacts = append(v.Contacts, Contact{c.Class, c.Cell, c.At})
		}
	}
	b.events(w, k, v)
	b.players(w, v)
	b.owners(sc, w, v)
	b.started = true
}

// knowledge returns the knowledge of the eyes at w's tick.
func (b *Builder) knowledge(w *sim.World) knowledge {
	if b.team != grid.NoTeam {
		return w.Knowledge(b.team)
	}
	b.union.update(w)
	return &b.union
}

// units lists the entities in sight. It leaves out quiet entities that have not turned since the last view: the reader
// needs no row for these.
func (b *Builder) units(sc *Cache, k knowledge, v *View, last grid.Tick) {
	rows, quiet := k.Handles(), v.Quiet
	if v.Tick != last+1 { // the reader has missed entities that left sight meanwhile: it needs all rows
		quiet = nil
	}
	b.ownSightings, b.active = b.ownSightings[:0], b.active[:0]
	for i := range rows {
		r := &rows[i]
		if !r.InSight() {
			continue
		}
		h := grid.Handle(i + 1)
		g := sc.glanceRow(r.ID)
		if g.hasOwnerRow && g.team == b.team {
			b.ownSightings = append(b.ownSightings, sim.Sighting{Handle: h, Entered: r.Entered, ID: r.ID})
		}
		if g.turned <= last && r.Entered <= last && int(h) < len(quiet) && quiet[h] > v.Tick {
			continue
		}
		v.Units = append(v.Units, Unit{})
		s := sim.Sighting{Handle: h, Entered: r.Entered, ID: r.ID}
		b.unit(sc, &s, &v.Units[len(v.Units)-1], v.Tick)
		if sc.valued {
			b.declared(sc, &s, v)
		}
	}
}

// unit fills in the row of an entity.
func (b *Builder) unit(sc *Cache, s *sim.Sighting, u *Unit, now grid.Tick) {
	a := sc.publicRow(s.ID)
	*u = a.unit
	u.Handle, u.Entered = s.Handle, s.Entered
	allied := b.teams.Has(a.team)
	u.Exact = u.Exact || allied && a.carries
	u.Busy = a.active || u.Values[ValueFlags]&FlagBuilding != 0
	if a.active {
		b.active = append(b.active, *s)
	}
	// Without counts so far the counters are as at the entity's entry.
	if a.weapons != 0 || a.changes != [len(Attributes)]uint16{} || s.Entered == now || !b.started {
		c := b.countersSince(sc, a, s.Handle, s.Entered)
		c.change(a, now, sc.health, &u.Values)
		for i := range a.weapons {
			g := &c.guns[i]
			if g.see(a.shots[i]); now%grid.Tick(sc.bursts) == 0 {
				g.tell(now, sc.bursts, a.weapon[i], sc.periods[a.weapon[i]])
			}
			u.Values[burstValues[i]] = g.value
			u.Busy = u.Busy || g.client.Fires || g.shots != g.before
		}
	}
	if !allied && (b.plan.hidden != 0 || sc.hides) {
		u.hideValues(b.plan.hidden | sc.kinds[u.Type].hidden)
	}
}

// declared lists the values of an entity in sight that the eyes may know.
func (b *Builder) declared(sc *Cache, s *sim.Sighting, v *View) {
	a, rows := sc.publicRow(s.ID), sc.row(s.ID).declared[s.ID.Counter()]
	for _, d := range rows {
		if sc.kinds[a.unit.Type].ofTeam>>d.Value&1 != 0 && !b.teams.Has(a.team) {
			continue
		}
		d.Handle = s.Handle
		v.Declared = append(v.Declared, d)
	}
}

// hideValues leaves out values that are for an entity's own team, a bit each.
func (u *Unit) hideValues(hidden uint32) {
	for k := 0; hidden != 0; k, hidden = k+1, hidden>>1 {
		if hidden&1 != 0 {
			u.Values[k] = 0
		}
	}
}

// activity lists which abilities run, and which effects are on units. When
// something began, the team knows only if it saw the entity then: an entity that
// came into sight in that very tick was not seen before.
func (b *Builder) activity(w *sim.World, k knowledge, v *View) {
	for _, s := range b.active {
		e := w.Entity(s.ID)
		for i := range w.Rules().Types[e.Type()].Abilities {
			if on, since := e.Acts(i); on {
				v.Actions = append(v.Actions, Action{s.Handle, uint8(i), seenSince(since, s.Entered)})
			}
		}
		first := len(v.Effects)
		for i := range e.Effects() {
			x := e.Effect(i)
			def := &w.Rules().Effects[x.Kind]
			if def.TeamOnly && !b.teams.Has(e.Team()) {
				continue
			}
			out := Effect{Handle: s.Handle, Kind: x.Kind, Since: seenSince(x.Since, s.Entered), Sees: def.Refocuses()}
			if by := w.Entity(x.By); by != nil && out.Since != 0 {
				if h, ok := k.HandleOf(by); ok && keyOf(k, h).entered < x.Since {
					out.Source = h
				}
			}
			v.Effects = append(v.Effects, out)
		}
		// They are in the order in which they began, also out of sight.
		slices.SortFunc(v.Effects[first:], func(a, c Effect) int {
			return cmp.Or(cmp.Compare(a.Kind, c.Kind), cmp.Compare(a.Since, c.Since), cmp.Compare(a.Source, c.Source))
		})
	}
}

// seenSince returns when something began that an entity does, 0 if it was not in
// sight then.
func seenSince(since, entered grid.Tick) grid.Tick {
	if entered < since {
		return since
	}
	return 0
}

// removed returns the row of an entity that left sight in this tick.
func (b *Builder) removed(l *sim.Leave, now grid.Tick) Removed {
	r := Removed{Handle: l.Handle, Destroyed: l.Destroyed}
	if int(l.Handle) >= b.counters.len() {
		return r
	}
	c := b.counters.at(l.Handle)
	for i := range c.guns {
		g := &c.guns[i]
		if g.shots == 0 {
			continue
		}
		var differs bool
		r.Bursts[i], differs = g.last(now)
		r.Told = r.Told || differs
		if next := g.client.next(now); next != 0 && (r.Next == 0 || next < r.Next) {
			r.Next = next
		}
	}
	return r
}

// countersSince returns an entity's counters since it came into sight.
func (b *Builder) countersSince(sc *Cache, a *publicRow, h grid.Handle, entered grid.Tick) *counters {
	c := b.countersOf(h)
	if !c.counts || c.entered != entered {
		*c = counters{counts: true, entered: entered, changed: a.changes}
		for i := range a.weapons {
			c.guns[i] = gun{ever: a.shots[i], large: sc.kinds[a.unit.Type].large[i]}
		}
	}
	return c
}

// change counts the ticks in which attributes changed, also back to the old value. Two hits in one tick leave no time
// in between that a player could see. The progress of a construction grows each tick, so its changes are counted only
// at the ticks when values are sent: clients count the rows that they receive.
func (c *counters) change(a *publicRow, now grid.Tick, every grid.Ticks, values *[ValueKinds]uint32) {
	grows := a.unit.Values[ValueFlags]&FlagBuilding != 0 && now%grid.Tick(every) != 0
	for i, of := range Attributes {
		if c.changed[i] != a.changes[i] && !grows {
			c.changed[i] = a.changes[i]
			c.changes[i] = (c.changes[i] + 1) % ChangesWrap
		}
		values[of.Changes] = uint32(c.changes[i])
	}
}

func (b *Builder) countersOf(h grid.Handle) *counters {
	b.counters.grow(h)
	return b.counters.at(h)
}

func (b *Builder) mask(w *sim.World, v *View) {
	eyes := w.Eyes()
	visible, explored := eyes.Union(visibility.VisibleNow, b.teams), eyes.Union(visibility.ExploredEver, b.teams)
	if b.started {
		b.changedBlocks(w, visible, explored, v)
	} else {
		for y := 0; y < v.H; y += 8 {
			for x := 0; x < v.W; x += 8 {
				at := grid.Tile{X: int16(x), Y: int16(y)}
				if e := explored.Block(at); e != 0 {
					v.Mask.Blocks = append(v.Mask.Blocks, Block{at.X, at.Y, visible.Block(at), e})
				}
			}
		}
	}
	if v.Tick%grid.Tick(w.TickRate()) == 0 {
		v.Mask.HasHash, v.Mask.Hash = true, visible.Hash()
	}
	for t := range w.Teams() {
		if b.teams.Has(grid.Team(t)) {
			b.noteDied(w.Knowledge(grid.Team(t)))
			b.timed(eyes, grid.Team(t), v)
		}
	}
	b.settleSights(v)
}

// changedBlocks lists the blocks of the mask that changed in this tick.
func (b *Builder) changedBlocks(w *sim.World, visible, explored visibility.Mask, v *View) {
	eyes := w.Eyes()
	if b.team != grid.NoTeam {
		for c := range eyes.Changes(b.team) {
			v.Mask.Blocks = append(v.Mask.Blocks, Block{c.X, c.Y, c.Visible, c.Known})
		}
		return
	}
	stride := (v.W + 7) / 8
	if b.blocks == nil {
		b.blocks = make([]uint64, (stride*((v.H+7)/8)+63)/64)
	}
	clear(b.blocks)
	for t := range w.Teams() {
		for c := range eyes.Changes(grid.Team(t)) {
			i := int(c.Y)/8*stride + int(c.X)/8
			if b.blocks[i>>6]>>(i&63)&1 != 0 {
				continue
			}
			b.blocks[i>>6] |= 1 << (i & 63)
			at := grid.Tile{X: c.X, Y: c.Y}
			v.Mask.Blocks = append(v.Mask.Blocks, Block{c.X, c.Y, visible.Block(at), explored.Block(at)})
		}
	}
}

// timed lists the sources of a team's mask that end by themselves: all others
// are units of the view.
func (b *Builder) timed(eyes *visibility.Engine, team grid.Team, v *View) {
	for id, s := range eyes.Timed(team) {
		if s.Until <= v.Tick {
			continue
		}
		now := Sight{
			Tile: s.Tile, Radius: int(s.Radius), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus),
			Died: slices.Contains(b.died, id), Since: v.Tick, Until: s.Until,
		}
		if was, ok := b.sights[id]; ok {
			now.Died, now.Since = was.Died, was.Since
			if now != was {
				now.Since = v.Tick
			}
		}
		b.sights[id] = now
		v.Sights = append(v.Sights, now)
	}
}

// noteDied notes the sources through which a team still sees the surroundings of its units that died in this tick.
func (b *Builder) noteDied(k *sim.Knowledge) {
	b.died = b.died[:0]
	for _, l := range k.Left() {
		if l.Eye != 0 {
			b.died = append(b.died, l.Eye)
		}
	}
}

// settleSights puts the sights of the view in order, and forgets ended ones.
func (b *Builder) settleSights(v *View) {
	for id, s := range b.sights {
		if s.Until <= v.Tick {
			delete(b.sights, id)
		}
	}
	// The engine lists them as they were made. For two shooters revealed in one
	// tick that order would reveal which was trained first.
	slices.SortFunc(v.Sights, func(a, c Sight) int {
		return cmp.Or(cmp.Compare(a.Tile.Y, c.Tile.Y), cmp.Compare(a.Tile.X, c.Tile.X), cmp.Compare(a.Radius, c.Radius),
			cmp.Compare(a.Until, c.Until), cmp.Compare(a.Since, c.Since), cmp.Compare(a.LevelBonus, c.LevelBonus),
			boolFirst(a.Flyer, c.Flyer))
	})
}

// events lists the events that the eyes see. A shot is listed for teams that see the shooter, an impact for teams that
// see the place, a hit for the unit's own team, and a sound for teams that hear it and do not see its source. Rows already cover other changes, which therefore are no events:
// destroyed has deaths in sight and impacts of projectiles, enter has new units, and actions has started abilities.
func (b *Builder) events(w *sim.World, k knowledge, v *View) {
	visible := w.Eyes().Union(visibility.VisibleNow, b.teams)
	handleOf := func(id grid.EntityID) grid.Handle { // 0: not in sight
		if e := w.Entity(id); e != nil {
			if h, ok := k.HandleOf(e); ok {
				return h
			}
		}
		return 0
	}
	for _, e := range w.Events() {
		out := Event{At: e.At, What: uint32(e.What), Source: handleOf(e.Source), Target: handleOf(e.Target)}
		switch e.Kind {
		case sim.EventShot:
			if out.Source == 0 || out.Target == 0 && (e.Target != 0 || !visible.Has(e.To.Tile())) {
				continue // the target is out of sight or gone: the burst shows that the entity fires, and the team knows no more
			}
			if !b.newTarget(out.Source, keyOf(k, out.Target)) {
				continue
			}
			out.Kind, out.At = EventShot, e.To
		case sim.EventImpact, sim.EventArea:
			if !visible.Has(e.At.Tile()) || e.Kind == sim.EventImpact && sawDestroyed(k, e.Source) {
				continue
			}
			out.Kind, out.Source, out.Target = EventBlast, 0, 0
			if e.Kind == sim.EventArea {
				out.Kind = EventAbility
			}
		case sim.EventBuilt:
			if out.Source == 0 {
				continue
			}
			out.Kind, out.What = EventBuilt, uint32(e.Type)
		case sim.EventAction:
			if out.Source == 0 || !e.On || w.Lasts(e.What) {
				continue
			}
			out.Kind, out.Target = EventAbility, 0
		case sim.EventHit:
			if e.Slot == grid.NoSlot || w.Player(e.Slot).Team != b.team || !b.alertDue(v.Tick) {
				continue
			}
			out.Kind, out.Target, out.What = EventAttacked, 0, 0
		default:
			continue
		}
		v.Events = append(v.Events, out)
	}
	if b.team == grid.NoTeam {
		return // the team of a source sees it, so all eyes hear nothing unseen
	}
	for _, s := range w.Knowledge(b.team).Heard() {
		v.Events = append(v.Events, Event{Kind: EventHeard, At: s.Middle(v.W, v.H).Center(), What: uint32(s.Class)})
	}
}

// sawDestroyed reports whether an entity was in sight, and was seen destroyed in
// this tick.
func sawDestroyed(k knowledge, id grid.EntityID) bool {
	for _, l := range k.Left() {
		if l.ID == id {
			return l.Destroyed
		}
	}
	return false
}

// targetKey is a target as the team knows it. An entity that leaves sight and comes back gets another key: its entity
// id would reveal that it is the same.
type targetKey struct {
	handle  grid.Handle // 0: none
	entered grid.Tick
}

func keyOf(k knowledge, h grid.Handle) targetKey {
	rows := k.Handles()
	if i := int(h) - 1; i >= 0 && i < len(rows) && rows[i].InSight() {
		return targetKey{h, rows[i].Entered}
	}
	return targetKey{}
}

// newTarget reports whether a shooter fires at another target than before. While
// it keeps firing at one target, its burst is enough.
func (b *Builder) newTarget(h grid.Handle, target targetKey) bool {
	c := b.countersOf(h)
	if target != (targetKey{}) && c.target == target {
		return false
	}
	c.target = target
	return true
}

// alertEvery is how many ticks apart the alerts of a team are, that it is hit and
// where. Health says the rest.
const alertEvery = 20

// alertDue reports whether a hit is worth another alert.
func (b *Builder) alertDue(now grid.Tick) bool {
	if b.alertedAt != 0 && now-b.alertedAt < alertEvery {
		return false
	}
	b.alertedAt = now
	return true
}

func (b *Builder) players(w *sim.World, v *View) {
	for s := range w.Players() {
		p, state := w.Player(grid.Slot(s)), Playing
		switch {
		case w.HasLeft(grid.Slot(s)):
			state = Left
		case !p.Alive:
			state = Defeated
		}
		x := Player{State: state, Scored: b.teams.Has(p.Team) || w.OpenScores()}
		if x.Scored {
			x.Score = p.Score
		}
		for i, value := range w.ModeValues() {
			if value.Open || b.teams.Has(p.Team) || w.Result() != nil {
				x.Values[i] = uint32(w.ModeValue(i, p.Team))
				x.Valued++
			}
		}
		v.Players = append(v.Players, x)
	}
}

// owners fills in the state that each of the team's players alone may know.
func (b *Builder) owners(sc *Cache, w *sim.World, v *View) {
	n := 0
	for s := range w.Players() {
		p := w.Player(grid.Slot(s))
		if p.Team != b.team {
			continue
		}
		if n == len(v.Owners) {
			v.Owners = append(v.Owners, OwnerState{})
		}
		o := &v.Owners[n]
		n++
		*o = OwnerState{
			Slot: p.Slot, Population: uint32(max(0, p.Pop)), PopulationMax: uint32(max(0, p.PopCap)),
			Resources: o.Resources[:0], Production: o.Production[:0], Units: o.Units[:0],
			Started: o.Started[:0], Upgrades: w.Upgrades(grid.Slot(s), o.Upgrades[:0]),
		}
		for i := range w.Rules().Resources {
			o.Resources = append(o.Resources, uint32(max(0, p.Stock[i])))
		}
	}
	v.Owners = v.Owners[:n]
	for _, s := range b.ownSightings {
		a := sc.ownerRow(s.ID)
		started := a.request != 0 && s.Entered == v.Tick
		for i := range v.Owners {
			if o := &v.Owners[i]; o.Slot == sc.publicRow(s.ID).unit.Owner {
				if started {
					o.Started = append(o.Started, Started{a.request, s.Handle})
				}
				if a.makes {
					p := a.production
					p.Handle = s.Handle
					o.Production = append(o.Production, p)
				}
				if a.busy {
					u := a.values
					u.Handle = s.Handle
					o.Units = append(o.Units, u)
				}
			}
		}
	}
}

// CancelledOf returns the player's row for an order that ended early. It reports false if the player's team no longer
// sees the unit.
func CancelledOf(w *sim.World, n *sim.Notice) (Cancelled, bool) {
	e := w.Entity(n.Unit)
	if e == nil {
		return Cancelled{}, false
	}
	h, ok := w.Knowledge(w.Player(n.Slot).Team).HandleOf(e)
	return Cancelled{Unit: h, Code: uint8(n.Code)}, ok
}
