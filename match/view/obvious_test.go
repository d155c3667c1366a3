package view

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// obviousRules are the rules with landmarks and values, with a unit that has energy, two weapons and
// neither abilities nor a queue.
func obviousRules(t *testing.T) *rules.Ruleset {
	t.Helper()
	rs, err := simtest.ValuedRules()
	if err != nil {
		t.Fatal(err)
	}
	const before = `{"name": "marker",`
	b := bytes.Replace(rs.Source, []byte(before), []byte(`{"name": "walker", "radius": 0.4, "speed": 2, "health": 150, "armour": "heavy", "sight": 7,
     "weapons": ["rifle", "howitzer"], "energy": {"max": 80, "start": 20, "regen": 3}, "threat": 6},
    `+before), 1)
	b = bytes.Replace(b, []byte(`"cost": {"ore": 15},
     "build": 5,`), []byte(`"cost": {"ore": 1},
     "build": 1,`), 1)
	if rs, err = rules.Parse("obvious.json", b); err != nil {
		t.Fatal(err)
	}
	if _, ok := rs.TypeByName("walker"); !ok {
		t.Fatal("the ruleset has no place for the walker")
	}
	return rs
}

// worldOf is a world of four players in three teams, on a map whose sides are no whole
// blocks.
func worldOf(t *testing.T, rs *rules.Ruleset, seed uint64) *sim.World {
	t.Helper()
	m := grid.NewMap("battle", 61, 52)
	m.Starts = []grid.Tile{{X: 7, Y: 7}, {X: 52, Y: 7}, {X: 7, Y: 43}, {X: 52, Y: 43}}
	m.Resources = []grid.Tile{{X: 30, Y: 8}, {X: 30, Y: 44}, {X: 44, Y: 26}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rs, TickRate: 20, Seed: seed, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2}, {Team: 2, Start: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// onlooker has the things that some eyes were shown, tick after tick, and the builder that is compared with it. Its
// keys are the entities' own ids, which no client knows.
type onlooker struct {
	eyes    grid.Team
	b       *Builder
	v       View
	stays   map[grid.EntityID]*stay
	rests   map[grid.Handle]grid.Tick // when a handle of all eyes was given back
	sights  map[visibility.SourceID]Sight
	radar   []Contact // of the last tick
	ghosts  []Ghost   // of the last tick
	alerted grid.Tick
	heard   map[[3]int16]grid.Tick // class and cell: when they were last heard
	visible []bool
	seen    []bool // explored
	// lastDied is how many of the last team that was looked at left sight in this tick and may see on: a builder has
	// to remember them.
	lastDied int

	at   grid.Tick
	list []*sim.Entity // in sight at that tick
}

// stay is a time in sight without a break.
type stay struct {
	handle  grid.Handle
	entered grid.Tick
	changed [len(Attributes)]uint16
	ticks   [len(Attributes)]uint32 // in which the attribute changed
	shots   [BurstsMax]uint16       // that it had fired as it came into sight
	fired   [BurstsMax]uint16       // in sight
	quiet   [BurstsMax]int          // ticks since the last
	target  grid.EntityID           // of the last shot that was told; 0: none
	since   grid.Tick               // when that came into sight
}

func (o *onlooker) all() bool { return o.eyes == grid.NoTeam }

func (o *onlooker) has(team grid.Team) bool {
	return o.all() && team != grid.NoTeam || grid.Team(o.eyes) == team
}

// sees says whether the eyes see an entity. A team knows that itself.
func (o *onlooker) sees(e *sim.Entity) bool {
	return e != nil && (o.all() && e.SeenBy() != 0 || !o.all() && e.SeenBy().Has(grid.Team(o.eyes)))
}

func (o *onlooker) tile(w *sim.World, at grid.Tile) (visible, explored bool) {
	for team := range grid.Team(w.Teams()) {
		if o.has(team) {
			visible = visible || w.Eyes().Visible(team, at)
			explored = explored || w.Eyes().Explored(team, at)
		}
	}
	return visible, explored
}

// look compares the view of w's tick with the knowledge that the eyes may have.
func (o *onlooker) look(w *sim.World, sc *Cache) error {
	v := &o.v
	o.b.BuildFrom(sc, w, v)
	gone, err := o.stay(w)
	if err != nil {
		return err
	}
	return errors.Join(
		same("units", told(v.Units), o.units(w)),
		same("actions", v.Actions, o.actions(w)),
		same("effects", v.Effects, o.effects(w)),
		same("values", v.Declared, o.declared(w)),
		same("removed", o.removed(), gone),
		same("sights", sorted(v.Sights), sorted(o.sightsOf(w))),
		o.contacts(w),
		same("events", v.Events, o.events(w)),
		same("players", v.Players, o.players(w)),
		same("ghosts", placed(v.Ghosts), o.remembered(w)),
		o.sameOwners(w),
		o.mask(w),
	)
}

// told returns units without the parts for the next view alone.
func told(units []Unit) []Unit {
	out := slices.Clone(units)
	for i := range out {
		out[i].Busy, out[i].Line = false, Velocity{}
	}
	return out
}

func handlesOf(units []Unit) (out []grid.Handle) {
	for i := range units {
		out = append(out, units[i].Handle)
	}
	return out
}

func same[T comparable](what string, got, want []T) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s:\n%+v\nwant\n%+v", what, got, want)
	}
	return nil
}

func (o *onlooker) sameOwners(w *sim.World) error {
	if got, want := fmt.Sprintf("%+v", o.v.Owners), fmt.Sprintf("%+v", o.owners(w)); got != want {
		return fmt.Errorf("owners:\n%s\nwant\n%s", got, want)
	}
	return nil
}

// stay follows the entities in sight, and returns departed ones.
func (o *onlooker) stay(w *sim.World) (gone []Removed, err error) {
	now := w.Tick()
	handles := map[grid.EntityID]sim.Sighting{}
	for i, r := range o.b.knowledge0(w).Handles() {
		if r.InSight() {
			handles[r.ID] = sim.Sighting{Handle: grid.Handle(i + 1), Entered: r.Entered, ID: r.ID}
		}
	}
	for id, s := range o.stays {
		if e := w.Entity(id); !o.sees(e) || handles[id].Entered != s.entered {
			died := w.SeenDie(id)
			gone = append(gone, Removed{Handle: s.handle, Destroyed: o.all() && died != 0 || !o.all() && died.Has(grid.Team(o.eyes))})
			delete(o.stays, id)
			o.rests[s.handle] = now
		}
	}
	if o.visible == nil { // a team that is looked at late has lost something already
		for _, l := range o.b.knowledge0(w).Left() {
			gone = append(gone, Removed{Handle: l.Handle, Destroyed: l.Destroyed})
		}
	}
	seen := 0
	for _, e := range w.Entities() {
		if !o.sees(e) {
			continue
		}
		seen++
		row, ok := handles[e.ID()]
		s := o.stays[e.ID()]
		if !ok || s != nil && s.handle != row.Handle {
			return nil, fmt.Errorf("%v is in sight, its handle is %d, and it was %+v", e.ID(), row.Handle, s)
		}
		if s == nil {
			if at, ok := o.rests[row.Handle]; o.all() && (ok && now < at+sim.HandleRest || row.Entered != now) {
				return nil, fmt.Errorf("%v came into sight and has handle %d, that was given back at %d, since %d", e.ID(), row.Handle, at, row.Entered)
			}
			s = &stay{handle: row.Handle, entered: row.Entered}
			_, s.changed[0] = e.Health()
			_, s.changed[1] = e.Shield()
			for i := range w.Rules().Types[e.Type()].Weapons {
				s.shots[i], _ = e.Shots(i)
				s.quiet[i] = 1000
			}
			o.stays[e.ID()] = s
		}
		flush := now%grid.Tick(w.TickRate()/10) == 0
		for i, is := range [len(Attributes)]func() (int32, uint16){e.Health, e.Shield} {
			if _, n := is(); n != s.changed[i] && (e.Built() || flush) {
				s.changed[i] = n
				s.ticks[i]++
			}
		}
		for i := range w.Rules().Types[e.Type()].Weapons {
			n, _ := e.Shots(i)
			s.quiet[i]++
			if fired := n - s.shots[i]; fired != s.fired[i] {
				s.fired[i], s.quiet[i] = fired, 0
			}
		}
	}
	if seen != len(handles) {
		return nil, fmt.Errorf("%d are in sight, %d have handles", seen, len(handles))
	}
	for _, g := range o.ghosts { // a team sees that it is gone
		same := func(x Ghost) bool { return x.Handle == g.Handle }
		if !o.all() && !slices.ContainsFunc(o.v.Ghosts, same) && !slices.ContainsFunc(o.v.Units, func(u Unit) bool { return u.Handle == g.Handle }) {
			gone = append(gone, Removed{Handle: g.Handle})
		}
	}
	o.ghosts = append(o.ghosts[:0], o.v.Ghosts...)
	slices.SortFunc(gone, func(a, b Removed) int { return cmp.Compare(a.Handle, b.Handle) })
	return gone, nil
}

// knowledge0 is the knowledge that the builder has just read.
func (b *Builder) knowledge0(w *sim.World) knowledge {
	if b.team != grid.NoTeam {
		return w.Knowledge(b.team)
	}
	return &b.union
}

// removed is what left, without its bursts.
func (o *onlooker) removed() (out []Removed) {
	for _, r := range o.v.Removed {
		out = append(out, Removed{Handle: r.Handle, Destroyed: r.Destroyed})
	}
	return out
}

// inSight lists the entities in sight, by handle.
func (o *onlooker) inSight(w *sim.World) []*sim.Entity {
	if o.at == w.Tick() {
		return o.list
	}
	var out []*sim.Entity
	for _, e := range w.Entities() {
		if o.sees(e) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b *sim.Entity) int { return cmp.Compare(o.stays[a.ID()].handle, o.stays[b.ID()].handle) })
	o.at, o.list = w.Tick(), out
	return out
}

func (o *onlooker) units(w *sim.World) (out []Unit) {
	for i, e := range o.inSight(w) {
		s, t := o.stays[e.ID()], &w.Rules().Types[e.Type()]
		u := Unit{Handle: s.handle, Entered: s.entered, Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(), Facing: e.Facing(), FullSpeed: w.Speed(e.Type())}
		u.Vel.X, u.Vel.Y = e.Vel()
		u.Exact = u.FullSpeed == 0 || t.Class != rules.ClassProjectile && o.has(e.Team())
		health, _ := e.Health()
		shield, _ := e.Shield()
		fullHealth, fullShield, _ := w.Most(e)
		u.Values[ValueHealth] = uint32(max(0, fullHealth-health))
		u.Values[ValueShield] = uint32(max(0, fullShield-shield))
		u.Values[ValueHealthChanges], u.Values[ValueShieldChanges] = s.ticks[0]%128, s.ticks[1]%128
		if e.Cloaked() {
			u.Values[ValueFlags] += FlagCloaked
		}
		if e.Alternates() {
			u.Values[ValueFlags] += FlagAlternate
		}
		if _, n := e.Carrying(); n > 0 {
			u.Values[ValueFlags] += FlagCarrying
		}
		if e.Repairing() {
			u.Values[ValueFlags] += FlagRepairing
		}
		share := func(done, total grid.Ticks) uint32 { return min(255, uint32(done)*16/uint32(max(1, total))*16) }
		switch {
		case t.Class == rules.ClassResource:
			u.Values[ValueAmount] = uint32(e.Stock())
		case t.Feature.Stateful():
			u.Values[ValueAmount] = uint32(e.Stock())
		case e.Built():
			u.Values[ValueAmount] = share(w.Captured(e))
		default:
			u.Values[ValueFlags] += FlagBuilding
			u.Values[ValueAmount] = share(w.Raised(e))
		}
		for k := range t.Weapons {
			// TestBurstsAreCounted checks the clients' counts while it fires.
			at := burstValues[k]
			told := o.v.Units[min(i, len(o.v.Units)-1)].Values[at]
			if u.Values[at] = told; s.quiet[k] > 80 {
				u.Values[at] = uint32(s.fired[k])%64<<2 | told&1
				if told&1 != 0 {
					u.Values[at] = uint32(s.fired[k])%(1<<14)<<2 | 1
				}
			}
		}
		if t.Relevance == rules.RelevantAlways && !o.has(e.Team()) {
			kept := u.Values[ValueAmount] // as the beacon's rules say
			u.Values = [ValueKinds]uint32{ValueAmount: kept}
		}
		out = append(out, u)
	}
	return out
}

// since is when something began, if the entity was in sight then.
func (s *stay) told(since grid.Tick) grid.Tick {
	if since > s.entered {
		return since
	}
	return 0
}

func (o *onlooker) actions(w *sim.World) (out []Action) {
	for _, e := range o.inSight(w) {
		for i := range w.Rules().Types[e.Type()].Abilities {
			if on, since := e.Acts(i); on {
				s := o.stays[e.ID()]
				out = append(out, Action{s.handle, uint8(i), s.told(since)})
			}
		}
	}
	return out
}

func (o *onlooker) effects(w *sim.World) (out []Effect) {
	for _, e := range o.inSight(w) {
		s := o.stays[e.ID()]
		for i := range e.Effects() {
			x := e.Effect(i)
			def := w.Rules().Effects[x.Kind]
			if def.TeamOnly && o.eyes != grid.NoTeam && o.eyes != e.Team() {
				continue
			}
			row := Effect{Handle: s.handle, Kind: x.Kind, Since: s.told(x.Since)}
			for _, c := range def.Changes {
				row.Sees = row.Sees || c.Attribute == rules.AttributeSight
			}
			if by := o.stays[x.By]; by != nil && row.Since != 0 && by.told(x.Since) != 0 {
				row.Source = by.handle
			}
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b Effect) int {
		return cmp.Or(cmp.Compare(a.Handle, b.Handle), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Source, b.Source))
	})
	return out
}

// shown returns the values of an entity that are not at their start, as far as their
// conditions hold.
func shown(w *sim.World, e *sim.Entity, may func(def *rules.Value) bool) (out []Declared) {
	t := &w.Rules().Types[e.Type()]
	hp, _ := e.Health()
	acts := false
	for i := range t.Abilities {
		on, _ := e.Acts(i)
		acts = acts || on
	}
	for i, x := range t.Values {
		def, n := &w.Rules().Values[x.Value], e.Values()[i]-x.Start
		full, _, _ := w.Most(e)
		affected := false
		for k := range e.Effects() {
			affected = affected || !w.Rules().Effects[e.Effect(k).Kind].TeamOnly
		}
		holds := map[rules.ValueWhen]bool{
			rules.ValueOnChange: true, rules.ValueInitial: true, rules.ValueWhileActing: acts,
			rules.ValueWhileAffected: affected, rules.ValueWhileDamaged: hp < full,
		}
		if zigzag := uint32(2 * n); n != 0 && holds[def.When] && may(def) {
			if n < 0 {
				zigzag = uint32(-2*n - 1)
			}
			out = append(out, Declared{Value: x.Value, N: zigzag})
		}
	}
	return out
}

func (o *onlooker) declared(w *sim.World) (out []Declared) {
	for _, e := range o.inSight(w) {
		always := w.Rules().Types[e.Type()].Relevance == rules.RelevantAlways
		for _, d := range shown(w, e, func(def *rules.Value) bool {
			return def.Class == rules.ValueAll || def.Class == rules.ValueSeeing && (!always || e.Team() != grid.NoTeam && o.has(e.Team()))
		}) {
			d.Handle = o.stays[e.ID()].handle
			out = append(out, d)
		}
	}
	return out
}

// sightsOf lists the sources of the mask that end by themselves.
func (o *onlooker) sightsOf(w *sim.World) (out []Sight) {
	next := map[visibility.SourceID]Sight{}
	for team := range grid.Team(w.Teams()) {
		if !o.has(team) {
			continue
		}
		died := map[visibility.SourceID]bool{}
		for _, l := range w.Knowledge(team).Left() {
			died[l.Eye] = l.Eye != 0
		}
		o.lastDied = len(died)
		for id, s := range w.Eyes().Timed(team) {
			if s.Until <= w.Tick() {
				continue
			}
			now := Sight{Tile: s.Tile, Radius: int(s.Radius), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus), Until: s.Until, Since: w.Tick(), Died: died[id]}
			if was, ok := o.sights[id]; ok {
				now.Died = was.Died
				same := was
				same.Since = now.Since
				if same == now {
					now.Since = was.Since
				}
			}
			next[id] = now
			out = append(out, now)
		}
	}
	o.sights = next
	return out
}

func sorted[T any](list []T) (out []string) {
	for _, x := range list {
		out = append(out, fmt.Sprintf("%+v", x))
	}
	slices.Sort(out)
	return out
}

func (o *onlooker) events(w *sim.World) (out []Event) {
	handle := func(id grid.EntityID) grid.Handle {
		if s := o.stays[id]; s != nil {
			return s.handle
		}
		return 0
	}
	visible := func(at grid.Pos) bool {
		is, _ := o.tile(w, at.Tile())
		return is
	}
	for _, e := range w.Events() {
		source, target := o.stays[e.Source], o.stays[e.Target]
		switch e.Kind {
		case sim.EventShot:
			if source == nil || e.Target != 0 && target == nil || e.Target == 0 && !visible(e.To) {
				continue
			}
			if target != nil {
				if source.target == e.Target && source.since == target.entered {
					continue
				}
				source.target, source.since = e.Target, target.entered
			} else {
				source.target = 0
			}
			out = append(out, Event{EventShot, e.To, uint32(e.What), source.handle, handle(e.Target)})
		case sim.EventImpact:
			if visible(e.At) && !slices.ContainsFunc(o.b.knowledge0(w).Left(), func(l sim.Leave) bool { return l.ID == e.Source && l.Destroyed }) {
				out = append(out, Event{Kind: EventBlast, At: e.At, What: uint32(e.What)})
			}
		case sim.EventArea:
			if visible(e.At) {
				out = append(out, Event{Kind: EventAbility, At: e.At, What: uint32(e.What)})
			}
		case sim.EventBuilt:
			if source != nil {
				out = append(out, Event{EventBuilt, e.At, uint32(e.Type), source.handle, handle(e.Target)})
			}
		case sim.EventAction:
			if source != nil && e.On && !w.Lasts(e.What) {
				out = append(out, Event{Kind: EventAbility, At: e.At, What: uint32(e.What), Source: source.handle})
			}
		case sim.EventHit:
			if w.Player(e.Slot).Team == grid.Team(o.eyes) && (o.alerted == 0 || w.Tick() >= o.alerted+20) {
				o.alerted = w.Tick()
				out = append(out, Event{Kind: EventAttacked, At: e.At, Source: handle(e.Source)})
			}
		}
	}
	return append(out, o.sounds(w)...)
}

// sounds lists the sounds of things out of sight, one of a class and cell each second.
func (o *onlooker) sounds(w *sim.World) (out []Event) {
	if o.all() {
		return nil
	}
	for _, s := range simtest.Audible(w, o.eyes) {
		key := [3]int16{int16(s.Class), s.Cell.Y, s.Cell.X}
		if e := w.Entity(s.Source); e != nil && o.sees(e) || e == nil && w.SeenDie(s.Source).Has(o.eyes) {
			continue
		}
		if at, again := o.heard[key]; again && w.Tick() < at+grid.Tick(w.TickRate()) {
			continue
		}
		o.heard[key] = w.Tick()
		out = append(out, Event{Kind: EventHeard, At: s.Middle(w.Map()), What: uint32(s.Class)})
	}
	slices.SortFunc(out, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X))
	})
	return out
}

// contacts compares the contacts with the things that radar finds. A contact that is scattered may be anywhere in its block.
func (o *onlooker) contacts(w *sim.World) error {
	var blips []simtest.Blip
	if !o.all() {
		blips = slices.DeleteFunc(simtest.Blips(w, o.eyes), func(b simtest.Blip) bool { return o.sees(w.Entity(b.Source)) })
	}
	var now, old []Contact
	for _, c := range o.v.Contacts {
		if c.At < w.Tick() {
			old = append(old, c)
			continue
		}
		now = append(now, c)
		if !slices.ContainsFunc(blips, func(b simtest.Blip) bool { return b.Has(c.Class, c.Cell.X, c.Cell.Y) }) {
			return fmt.Errorf("contact %v of nothing", c)
		}
	}
	for _, b := range blips {
		if !slices.ContainsFunc(now, func(c Contact) bool { return b.Has(c.Class, c.Cell.X, c.Cell.Y) }) {
			return fmt.Errorf("no contact of %v", b)
		}
	}
	keep := grid.Tick(int(w.Rules().Settings.RadarKeepMs) * w.TickRate() / 1000)
	o.radar = slices.DeleteFunc(o.radar, func(c Contact) bool {
		return c.At+keep <= w.Tick() || slices.ContainsFunc(now, func(n Contact) bool { return n.Compare(c) == 0 })
	})
	err := same("old contacts", old, o.radar)
	o.radar = slices.Clone(o.v.Contacts)
	return err
}

func (o *onlooker) players(w *sim.World) (out []Player) {
	for s := range grid.Slot(w.Players()) {
		x := Player{State: Defeated}
		switch {
		case w.HasLeft(s):
			x.State = Left
		case w.Player(s).Alive:
			x.State = Playing
		}
		if x.Scored = o.eyes == grid.NoTeam || o.eyes == w.Player(s).Team; x.Scored {
			x.Score = w.Player(s).Score
		}
		for i, value := range w.ModeValues() {
			if x.Scored || value.Open || w.Result() != nil {
				x.Valued, x.Values[i] = uint8(i+1), uint32(w.ModeValue(i, w.Player(s).Team))
			}
		}
		out = append(out, x)
	}
	return out
}

func (o *onlooker) owners(w *sim.World) []OwnerState {
	out := []OwnerState{}
	for slot := range grid.Slot(w.Players()) {
		p := w.Player(slot)
		if p.Team != grid.Team(o.eyes) {
			continue
		}
		state := OwnerState{Slot: slot, Population: uint32(p.Pop), PopulationMax: uint32(p.PopCap), Upgrades: w.Upgrades(slot, nil)}
		for i := range w.Rules().Resources {
			state.Resources = append(state.Resources, uint32(p.Stock[i]))
		}
		for _, e := range o.inSight(w) {
			s, t := o.stays[e.ID()], &w.Rules().Types[e.Type()]
			if e.Slot() != slot {
				continue
			}
			if e.Request() != 0 && s.entered == w.Tick() {
				state.Started = append(state.Started, Started{e.Request(), s.handle})
			}
			if p, ok := w.Production(e); ok {
				row := Production{Handle: s.handle, Types: p.Queue, Total: p.Total, HasRally: p.HasRally, Rally: p.Rally}
				if p.Total != 0 {
					row.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
				}
				state.Production = append(state.Production, row)
			}
			u := OwnerUnit{Handle: s.handle, Values: [OwnerValueKinds]uint32{uint32(e.Energy() / 1000), uint32(e.EnergySpent()) % 128}}
			if task, busy := e.Running(); busy && t.Class == rules.ClassUnit {
				u.Doing = uint8(task.Kind)
				if task.Target == 0 && task.Kind != orders.Stop && task.Kind != orders.Hold {
					u.HasTo, u.To = true, w.Map().Clamp(task.Group)
				}
			}
			for i, ability := range t.Abilities {
				a, row := w.Action(e, i), OwnAction{}
				row.Grant = uint8(a.Grant)
				if _, _, passive := w.AbilityNeeds(ability); !passive {
					if a.Ready > w.Tick() {
						row.Ready = a.Ready
					}
					if a.On {
						row.On, row.Since, row.Until, row.Request = true, a.Since, a.Until, a.Request
					}
				}
				u.Actions = append(u.Actions, row)
			}
			for _, p := range e.Passengers() {
				hp, _ := p.Health()
				u.Passengers = append(u.Passengers, PassengerRow{Type: uint32(p.Type()) + 1, Missing: uint32(w.Rules().Types[p.Type()].Health - hp)})
			}
			u.Declared = shown(w, e, func(def *rules.Value) bool { return def.Class == rules.ValueOwner })
			once := slices.ContainsFunc(t.Values, func(x rules.TypeValue) bool {
				return w.Rules().Values[x.Value].Class == rules.ValueOwner && w.Rules().Values[x.Value].When == rules.ValueInitial
			})
			plain := t.Class == rules.ClassUnit || len(t.Abilities) > 0 || t.Transport.Slots > 0
			if plain && (once || len(u.Declared)+len(u.Passengers) > 0 || u.Doing != 0 || u.Values[0] != 0 || u.Values[1] != 0 || len(u.Actions) > 0) {
				state.Units = append(state.Units, u)
			}
		}
		out = append(out, state)
	}
	return out
}

// placed are ghosts without what only the builder knows, by place.
func placed(list []Ghost) []string {
	for i := range list {
		list = slices.Clone(list)
		list[i].Handle = 0
	}
	return sorted(list)
}

// remembered lists a team's ghosts, or the ghosts of all together: entities without an owner, on ground that no
// team sees, and that only the remembering teams ever saw. The last to see it knows best.
func (o *onlooker) remembered(w *sim.World) []string {
	var out []Ghost
	for team := range grid.Team(w.Teams()) {
		if !o.has(team) {
			continue
		}
	each:
		for _, g := range w.Knowledge(team).Ghosts() {
			t := &w.Rules().Types[g.Type]
			if o.all() {
				if g.Slot != grid.NoSlot {
					continue
				}
				remember := grid.TeamSet(0)
				for other := range grid.Team(w.Teams()) {
					for _, x := range w.Knowledge(other).Ghosts() {
						if x.Type != g.Type || x.Foot != g.Foot || x.Slot != grid.NoSlot {
							continue
						}
						if remember = remember.With(other); x.Since > g.Since || x.Since == g.Since && other < team {
							continue each
						}
					}
				}
				for x := range max(1, t.FootW) {
					for y := range max(1, t.FootH) {
						at := grid.Tile{X: g.Foot.X + int16(x), Y: g.Foot.Y + int16(y)}
						for other := range grid.Team(w.Teams()) {
							if w.Eyes().Visible(other, at) || !remember.Has(other) && w.Eyes().Explored(other, at) {
								continue each
							}
						}
					}
				}
			}
			amount := uint32(0)
			if t.Feature.Stateful() {
				amount = uint32(g.Stock)
			}
			out = append(out, Ghost{0, g.Type, g.Slot, g.At, g.Facing, max(0, t.Health-g.Health), amount})
		}
	}
	return sorted(out)
}

// mask takes over the blocks of the view, and compares all tiles with the masks.
func (o *onlooker) mask(w *sim.World) error {
	m := w.Map()
	if o.visible == nil {
		o.visible, o.seen = make([]bool, m.W*m.H), make([]bool, m.W*m.H)
	}
	told := map[grid.Tile]bool{}
	for _, b := range o.v.Mask.Blocks {
		if at := (grid.Tile{X: b.X, Y: b.Y}); told[at] {
			return fmt.Errorf("block at %v is told twice", at)
		} else {
			told[at] = true
		}
		for k := range 64 {
			if x, y := int(b.X)+k%8, int(b.Y)+k/8; x < m.W && y < m.H {
				o.visible[y*m.W+x], o.seen[y*m.W+x] = b.Visible>>k&1 != 0, b.Explored>>k&1 != 0
			} else if b.Visible>>k&1 != 0 || b.Explored>>k&1 != 0 {
				return fmt.Errorf("tile %d,%d is off the map", x, y)
			}
		}
	}
	for i := range o.visible {
		at := m.TileAt(i)
		if visible, explored := o.tile(w, at); visible != o.visible[i] || explored != o.seen[i] {
			return fmt.Errorf("%v is shown as visible %v, explored %v; it is %v, %v", at, o.visible[i], o.seen[i], visible, explored)
		}
	}
	due := w.Tick()%grid.Tick(w.TickRate()) == 0
	if hash := w.Eyes().Union(visibility.VisibleNow, teamsOf(o.eyes)).Hash(); o.v.Mask.HasHash != due || due && o.v.Mask.Hash != hash {
		return fmt.Errorf("the mask's hash is told %v as %d, it is %d", o.v.Mask.HasHash, o.v.Mask.Hash, hash)
	}
	return nil
}

// TestEqualsObvious plays battles in which anything happens, and compares in each tick the view of each team and of
// all together with their permitted knowledge of the world, worked out the obvious way.
func TestEqualsObvious(t *testing.T) {
	rs := obviousRules(t)
	counts := map[string]int{}
	seeds := uint64(2)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		seeds = 30
	}
	for seed := range seeds {
		playObvious(t, rs, seed+3, counts)
	}
	for _, what := range []string{"left out", "units", "actions", "effects", "sources", "removed", "destroyed", "ghosts of all", "sights", "died", "contacts", "events", "shots", "alerts", "abilities", "built", "own units", "queues", "started", "values", "own values"} {
		if counts[what] < 10 {
			t.Errorf("there were %d %s: that proves little (%v)", counts[what], what, counts)
		}
	}
}

func playObvious(t *testing.T, rs *rules.Ruleset, seed uint64, counts map[string]int) {
	rng := rand.New(rand.NewPCG(seed, 71))
	w := worldOf(t, rs, seed)
	edit := simtest.Edit(w)
	types := []string{"worker", "scout", "soldier", "artillery", "caster", "flyer", "detector", "raider", "walker", "marker", "wall", "tower", "barracks"}
	place := func() grid.Pos {
		return grid.Tile{X: int16(18 + rng.IntN(25)), Y: int16(14 + rng.IntN(24))}.Center()
	}
	make1 := func() {
		if typ, ok := rs.TypeByName(types[rng.IntN(len(types))]); ok {
			edit.Add(grid.Slot(rng.IntN(w.Players())), typ, place())
		}
	}
	for range 50 {
		make1()
	}
	var eyes []*onlooker
	var pairs []*eyePair
	sc := NewCache(w)
	begin := func(of grid.Team) *onlooker {
		return &onlooker{eyes: of, b: NewBuilder(of), stays: map[grid.EntityID]*stay{}, rests: map[grid.Handle]grid.Tick{}, sights: map[visibility.SourceID]Sight{}, heard: map[[3]int16]grid.Tick{}}
	}
	kinds := []orders.Kind{orders.Move, orders.AttackMove, orders.Hold, orders.Patrol, orders.Stop, orders.AttackGround}
	for tick := range 200 {
		list := slices.Clone(w.Entities())
		for range 4 {
			e := list[rng.IntN(len(list))]
			if w.Entity(e.ID()) != e || e.Slot() == grid.NoSlot && rng.IntN(40) > 0 {
				continue
			}
			typ := &rs.Types[e.Type()]
			switch rng.IntN(12) {
			case 0, 1, 2:
				if len(typ.Builds) > 0 {
					continue
				}
				k := kinds[rng.IntN(len(kinds))]
				if k == orders.AttackGround && len(typ.Weapons) == 0 {
					k = orders.Hold
				}
				edit.Order(e, k, place(), rng.IntN(3) == 0)
			case 3, 4, 5:
				for _, a := range typ.Abilities {
					edit.SetEnergy(e, 90_000)
					edit.StartAbility(e, a, e.Pos().Add(grid.Vec{X: int32(rng.IntN(4000) - 2000), Y: int32(rng.IntN(4000) - 2000)}))
				}
			case 6, 7:
				if by := list[rng.IntN(len(list))]; typ.Class == rules.ClassUnit && by.Slot() != grid.NoSlot {
					edit.AddEffect(e, uint8(rng.IntN(len(rs.Effects))), by)
				}
			case 8:
				edit.SetHealth(e, int32(rng.IntN(200)))
				edit.SetShield(e, int32(rng.IntN(60)))
			case 9:
				if len(typ.Trains) > 0 {
					edit.Enqueue(e, typ.Trains[rng.IntN(len(typ.Trains))])
					edit.SetRally(e, place())
				}
			case 10:
				edit.Move(e, place())
			case 11:
				if rng.IntN(3) == 0 {
					edit.Remove(e)
				}
				make1()
			}
		}
		simtest.Omens(w)
		w.Step(obviousOrders(w, rng, uint32(tick)))
		sc.Prepare(w)
		if tick == 0 || tick == 20 { // some look from the start on, others come later
			for team := range grid.Team(w.Teams()) {
				if tick == 0 || team == 0 {
					eyes, pairs = append(eyes, begin(team)), append(pairs, newEyePair(w, team, 1+grid.Ticks(team%2)))
				}
			}
			eyes, pairs = append(eyes, begin(grid.NoTeam)), append(pairs, newEyePair(w, grid.NoTeam, 2))
		}
		for _, p := range pairs {
			if err := p.look(w, sc, counts); err != nil {
				t.Fatalf("seed %d, tick %d, eyes %d: %v", seed, w.Tick(), p.eyes, err)
			}
		}
		for _, o := range eyes {
			if err := o.look(w, sc); err != nil {
				t.Fatalf("seed %d, tick %d, eyes %d: %v", seed, w.Tick(), o.eyes, err)
			}
			if n := len(o.b.died); n > o.lastDied {
				t.Fatalf("seed %d, tick %d, eyes %d: %d sources of the dead are kept, %d died", seed, w.Tick(), o.eyes, n, o.lastDied)
			}
			o.count(counts)
		}
	}
}

// obviousOrders are orders with the players' own numbers: abilities at entities in sight and at places, shots at
// the ground, and walls.
func obviousOrders(w *sim.World, rng *rand.Rand, seq uint32) (in []sim.Input) {
	for slot := range grid.Slot(w.Players()) {
		seen := w.Knowledge(w.Player(slot).Team).Seen(nil)
		if len(seen) == 0 {
			continue
		}
		for range 6 {
			s, at := seen[rng.IntN(len(seen))], seen[rng.IntN(len(seen))]
			e := w.Entity(s.ID)
			if e.Slot() != slot {
				continue
			}
			typ := &w.Rules().Types[e.Type()]
			o := orders.Order{Kind: orders.AttackGround, Units: []grid.Handle{s.Handle}, Request: uint32(1 + rng.IntN(1<<20))}
			point := w.Map().Clamp(e.Pos().Add(grid.Vec{X: int32(rng.IntN(12000) - 6000), Y: int32(rng.IntN(12000) - 6000)}))
			switch {
			case len(typ.Abilities) > 0 && rng.IntN(2) == 0:
				o.Kind, o.Ability = orders.UseAbility, typ.Abilities[rng.IntN(len(typ.Abilities))]
				if aim, _, _ := w.AbilityNeeds(o.Ability); orders.TargetMode(aim) == orders.AimUnit {
					o.Target = at.Handle
				} else {
					o.HasPoint, o.Point = true, point
				}
			case len(typ.Builds) > 0:
				if _, runs := e.Running(); runs && rng.IntN(30) != 0 {
					continue
				}
				point = w.Map().Clamp(e.Pos().Add(grid.Vec{X: int32(rng.IntN(4000) - 2000), Y: int32(rng.IntN(4000) - 2000)}))
				wall, _ := w.Rules().TypeByName("wall")
				o.Kind, o.Type, o.HasPoint, o.Point = orders.Build, wall, true, point
			default:
				o.HasPoint, o.Point = true, point
			}
			in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: seq + 1, AsOf: w.Tick(), Order: o})
			break
		}
	}
	return in
}

func (o *onlooker) count(counts map[string]int) {
	v := &o.v
	counts["units"] += len(v.Units)
	counts["actions"] += len(v.Actions)
	counts["effects"] += len(v.Effects)
	counts["values"] += len(v.Declared)
	counts["removed"] += len(v.Removed)
	counts["sights"] += len(v.Sights)
	counts["events"] += len(v.Events)
	counts["contacts"] += len(v.Contacts)
	if o.all() {
		counts["ghosts of all"] += len(v.Ghosts)
	}
	for i := range v.Effects {
		if v.Effects[i].Source != 0 {
			counts["sources"]++
		}
	}
	for i := range v.Removed {
		if v.Removed[i].Destroyed {
			counts["destroyed"]++
		}
	}
	for i := range v.Sights {
		if v.Sights[i].Died {
			counts["died"]++
		}
	}
	for i := range v.Events {
		switch v.Events[i].Kind {
		case EventShot:
			counts["shots"]++
		case EventAttacked:
			counts["alerts"]++
		case EventAbility:
			counts["abilities"]++
		case EventBuilt:
			counts["built"]++
		case EventHeard:
			counts["sounds"]++
		}
	}
	for i := range v.Owners {
		counts["own units"] += len(v.Owners[i].Units)
		for _, u := range v.Owners[i].Units {
			counts["own values"] += len(u.Declared)
		}
		counts["queues"] += len(v.Owners[i].Production)
		counts["started"] += len(v.Owners[i].Started)
	}
}
