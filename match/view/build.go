package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// The bits of Unit.Flags, as on the wire.
const (
	FlagCloaked   = 1
	FlagDeployed  = 4
	FlagSprinting = 8
	FlagBurning   = 16
	FlagCarrying  = 32
	FlagBuilding  = 64
	FlagRaging    = 128
)

var abilityFlags = map[string]uint32{
	"deploy": FlagDeployed, "sprint": FlagSprinting, "burn": FlagBurning, "rage": FlagRaging,
}

// Speeds returns the full speed of each type, as clients are told it.
func Speeds(w *sim.World) []int32 {
	out := make([]int32, len(w.Rules().Types))
	for i := range out {
		out[i] = w.Speed(uint16(i))
	}
	return out
}

// Builder builds the views of one team, tick after tick. What it keeps between
// two ticks is what the team was already told: where its counters began.
type Builder struct {
	team   grid.Team
	begun  bool
	full   []int32
	flags  []uint32 // by ability
	seen   []sim.Sighting
	counts []counts // by handle
	sights map[visibility.SourceID]Sight
	action []sim.Action
}

// counts is where the counters of an entity stood when it came into sight:
// clients count from 0, else a counter would tell what happened in the dark.
type counts struct {
	entered grid.Tick
	shots   uint16
	target  grid.EntityID // that its fire was last told to be at
}

// NewBuilder returns a builder for a team of w's match.
func NewBuilder(w *sim.World, team grid.Team) *Builder {
	b := &Builder{team: team, full: Speeds(w), sights: map[visibility.SourceID]Sight{}}
	for i := range w.Rules().Abilities {
		b.flags = append(b.flags, abilityFlags[w.Rules().Abilities[i].Kind])
	}
	return b
}

// Build fills v with what the builder's team may be told at w's tick. Outside
// of match/sim and orders it is the only function that sees a world and a mask
// together. It changes nothing in w, and v keeps nothing of it.
func (b *Builder) Build(w *sim.World, v *View) {
	m := w.Map()
	*v = View{
		Tick: w.Tick(), Team: b.team, W: m.W, H: m.H,
		Units: v.Units[:0], Lost: v.Lost[:0], Ghosts: v.Ghosts[:0], Sights: v.Sights[:0], Events: v.Events[:0],
		Players: v.Players[:0], Owns: v.Owns, Mask: Mask{Blocks: v.Mask.Blocks[:0]},
	}
	k := w.Knowledge(b.team)
	b.units(w, k, v)
	for _, l := range k.Left() {
		v.Lost = append(v.Lost, Lost{l.Handle, l.Destroyed})
	}
	slices.SortFunc(v.Lost, func(a, c Lost) int { return cmp.Compare(a.Handle, c.Handle) })
	for _, g := range k.Ghosts() {
		t := &w.Rules().Types[g.Type]
		v.Ghosts = append(v.Ghosts, Ghost{g.Handle, g.Type, g.Slot, g.At, g.Facing, max(0, t.Health-g.Health)})
	}
	b.mask(w, v)
	b.events(w, k, v)
	b.players(w, v)
	b.owns(w, k, v)
	b.begun = true
	leak(w, b.team, v)
}

func (b *Builder) units(w *sim.World, k *sim.Knowledge, v *View) {
	b.seen = k.Seen(b.seen[:0])
	types := w.Rules().Types
	for _, s := range b.seen {
		e := w.Entity(s.ID)
		if e == nil {
			continue
		}
		t := &types[e.Type()]
		hp, _ := e.Health()
		vx, vy := e.Vel()
		own := e.Team() == b.team
		v.Units = append(v.Units, Unit{
			Handle: s.Handle, Entered: s.Entered, Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(), Vel: Velocity{vx, vy},
			Full: b.full[e.Type()], Facing: e.Facing(), Exact: own && e.Class() != sim.ClassProjectile || b.full[e.Type()] == 0,
			Missing: max(0, t.Health-hp), Flags: b.flagsOf(w, e), Amount: amountOf(w, e), Burst: b.burst(e, s, len(t.Weapons)),
		})
	}
}

func (b *Builder) flagsOf(w *sim.World, e *sim.Entity) uint32 {
	f := uint32(0)
	if e.Cloaked() {
		f |= FlagCloaked
	}
	if !e.Built() {
		f |= FlagBuilding
	}
	if _, n := e.Carrying(); n > 0 {
		f |= FlagCarrying
	}
	if len(w.Rules().Types[e.Type()].Abilities) > 0 {
		b.action = e.Actions(b.action[:0], w.Rules())
		for _, a := range b.action {
			if a.On {
				f |= b.flags[a.Ability]
			}
		}
	}
	return f
}

// buildSteps is in how many steps the progress of a building is told.
const buildSteps = 16

func amountOf(w *sim.World, e *sim.Entity) uint32 {
	switch {
	case e.Class() == sim.ClassResource:
		return uint32(max(0, e.Stock()))
	case !e.Built():
		done, total := w.Raised(e)
		step := uint32(done) * buildSteps / uint32(max(1, total))
		return min(255, step*256/buildSteps)
	}
	return 0
}

// burst is the burst byte of an entity's weapons: bit 0 large, bit 1 firing,
// then the shots since it came into sight. While it fires the counter stays
// as it was when firing began: clients count on by the weapon's rate.
func (b *Builder) burst(e *sim.Entity, s sim.Sighting, weapons int) uint32 {
	if weapons == 0 {
		return 0
	}
	for int(s.Handle) >= len(b.counts) {
		b.counts = append(b.counts, counts{})
	}
	c := &b.counts[s.Handle]
	shots, firing := uint16(0), false
	for i := range weapons {
		n, on := e.Shots(i)
		shots, firing = shots+n, firing || on
	}
	if c.entered != s.Entered {
		*c = counts{entered: s.Entered, shots: shots}
	}
	if !firing {
		c.target = 0
		return uint32(shots-c.shots) & 63 << 2
	}
	return 1 << 1
}

func (b *Builder) mask(w *sim.World, v *View) {
	eyes := w.Eyes()
	visible, explored := eyes.Mask(visibility.VisibleNow, b.team), eyes.Mask(visibility.ExploredEver, b.team)
	if b.begun {
		for c := range eyes.Changes(b.team) {
			at := grid.Tile{X: c.X, Y: c.Y}
			v.Mask.Blocks = append(v.Mask.Blocks, Block{c.X, c.Y, visible.Block(at), explored.Block(at)})
		}
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
	b.timed(eyes, v)
}

// timed lists the sources of the mask that end by themselves: all others are
// units of the view.
func (b *Builder) timed(eyes *visibility.Engine, v *View) {
	for id, s := range eyes.Sources(b.team) {
		if s.Until == 0 || s.Until <= v.Tick {
			continue
		}
		now := Sight{Tile: s.Tile, Radius: int(s.Radius), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus), Since: v.Tick, Until: s.Until}
		if was, ok := b.sights[id]; ok {
			now.Since = was.Since
			if now != was {
				now.Since = v.Tick
			}
		}
		b.sights[id] = now
		v.Sights = append(v.Sights, now)
	}
	for id, s := range b.sights {
		if s.Until <= v.Tick {
			delete(b.sights, id)
		}
	}
}

// events tells what the team's eyes caught. What came from the dark stays
// there: a shot is told by who sees the shooter, an impact by who sees the
// place, and that a unit was hit only to its own team.
func (b *Builder) events(w *sim.World, k *sim.Knowledge, v *View) {
	eyes := w.Eyes()
	name := func(id grid.EntityID) grid.Handle {
		if e := w.Entity(id); id != 0 && e != nil {
			if h, ok := k.HandleOf(e); ok {
				return h
			}
		}
		return 0
	}
	for _, e := range w.Events() {
		out := Event{At: e.At, What: uint32(e.What), Source: name(e.Source), Target: name(e.Target)}
		switch e.Kind {
		case sim.EventShot:
			if out.Source == 0 || !b.newTarget(out.Source, e.Target) {
				continue
			}
			out.Kind, out.At = EventShot, e.To
		case sim.EventImpact, sim.EventArea:
			if !eyes.Visible(b.team, e.At.Tile()) {
				continue
			}
			out.Kind, out.Source, out.Target = EventBlast, 0, 0
			if e.Kind == sim.EventArea {
				out.Kind = EventAbility
			}
		case sim.EventDied:
			if !eyes.Visible(b.team, e.At.Tile()) {
				continue
			}
			out.Kind, out.What, out.Source, out.Target = EventDeath, uint32(e.Type), 0, 0
		case sim.EventBuilt, sim.EventMade:
			if out.Source == 0 {
				continue
			}
			out.Kind, out.What = EventBuilt, uint32(e.Type)
			if e.Kind == sim.EventMade {
				out.Kind = EventTrained
			}
		case sim.EventAction:
			if out.Source == 0 || !e.On {
				continue
			}
			out.Kind, out.Target = EventAbility, 0
		case sim.EventHit:
			if w.Player(e.Slot).Team != b.team {
				continue
			}
			out.Kind, out.Target, out.What = EventAttacked, 0, 0
		default:
			continue
		}
		v.Events = append(v.Events, out)
	}
}

// newTarget reports whether a shooter's fire is news: while it keeps firing at
// one target its burst says it all.
func (b *Builder) newTarget(h grid.Handle, target grid.EntityID) bool {
	if int(h) >= len(b.counts) {
		return true
	}
	if target != 0 && b.counts[h].target == target {
		return false
	}
	b.counts[h].target = target
	return true
}

func (b *Builder) players(w *sim.World, v *View) {
	for s := range w.Players() {
		state := Playing
		switch p := w.Player(grid.Slot(s)); {
		case w.HasLeft(grid.Slot(s)):
			state = Left
		case !p.Alive:
			state = Defeated
		}
		v.Players = append(v.Players, Player{state})
	}
	if r := w.Result(); r != nil {
		v.Ended = &Ended{Reason: r.Reason}
		if r.Winner != grid.NoTeam {
			v.Ended.Winners = []grid.Team{r.Winner}
		}
		for _, p := range r.Players {
			v.Ended.Scores = append(v.Ended.Scores, Score{uint32(p.Killed), uint32(p.Lost), uint32(p.Made)})
		}
	}
}

// owns fills in what only each of the team's players may know.
func (b *Builder) owns(w *sim.World, k *sim.Knowledge, v *View) {
	n := 0
	for s := range w.Players() {
		p := w.Player(grid.Slot(s))
		if p.Team != b.team {
			continue
		}
		if n == len(v.Owns) {
			v.Owns = append(v.Owns, Own{})
		}
		o := &v.Owns[n]
		n++
		*o = Own{
			Slot: p.Slot, Population: uint32(max(0, p.Pop)), PopulationMax: uint32(max(0, p.PopCap)),
			Resources: o.Resources[:0], Production: o.Production[:0], Units: o.Units[:0],
		}
		for i := range w.Rules().Resources {
			o.Resources = append(o.Resources, uint32(max(0, p.Stock[i])))
		}
	}
	v.Owns = v.Owns[:n]
	for _, s := range b.seen {
		e := w.Entity(s.ID)
		if e == nil || e.Team() != b.team {
			continue
		}
		for i := range v.Owns {
			if v.Owns[i].Slot == e.Slot() {
				b.own(w, e, s.Handle, &v.Owns[i])
			}
		}
	}
}

func (b *Builder) own(w *sim.World, e *sim.Entity, h grid.Handle, o *Own) {
	if p, ok := w.Production(e); ok {
		out := Production{Handle: h, Types: p.Queue, HasRally: p.HasRally, Rally: p.Rally}
		if p.Total > 0 {
			out.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
		}
		o.Production = append(o.Production, out)
	}
	if e.Class() != sim.ClassUnit {
		return
	}
	u := OwnUnit{Handle: h, Energy: uint32(max(0, e.Energy())) / 1000}
	if t, ok := e.Running(); ok {
		u.Doing = uint8(t.Kind)
		if t.Target == 0 && t.Kind != orders.Stop && t.Kind != orders.Hold {
			u.HasTo, u.To = true, t.Point
		}
	}
	if len(w.Rules().Types[e.Type()].Abilities) > 0 {
		b.action = e.Actions(b.action[:0], w.Rules())
		u.ReadyAt = make([]grid.Tick, len(b.action))
		for i, a := range b.action {
			if a.Ready > w.Tick() {
				u.ReadyAt[i] = a.Ready
			}
		}
	}
	o.Units = append(o.Units, u)
}
