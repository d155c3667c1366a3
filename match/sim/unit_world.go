package sim

import (
	"fmt"
	"iter"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// Bounds of the actions of a registered kind. The counts per tick are for the player for
// whom the functions act; the kinds of other players do not count.
const (
	UnitActsMax        = 64                  // searches and acts, a call
	UnitActsTickMax    = 4096                // and a tick
	UnitSpawnsMax      = 8                   // a call
	UnitSpawnsTickMax  = 32                  // a tick
	UnitRevealsMax     = 2                   // a call
	UnitRevealsTickMax = 8                   // a tick
	UnitRevealTicks    = 600                 // the longest, in ticks
	UnitEntitiesMax    = 1024                // the limit of a player's entities above which no more spawn
	UnitSightsMax      = 256                 // no more is revealed to a team that has so many sights for a time
	UnitReachMax       = 32 * grid.WUPerTile // the radius of searches and areas
	UnitPushMax        = 4 * grid.WUPerTile  // of one push
	UnitBytesMax       = 16                  // that an ability or an effect keeps on one unit
	UnitAmountMax      = 1_000_000           // of damage or health, an act
)

// UnitWorld is the world around one unit, lent to an ability or an effect of a registered
// kind for one call. Use after the call is a panic. It hands out copies. Only its methods
// change the world, and they keep it whole: a method that fails reports false and has no effect.
//
// It acts for one player: an ability for its unit's owner, an effect for the player who put
// it on the unit. All damage is dealt together at the end of the tick; the rest happens at once.
type UnitWorld struct {
	w    *World
	lent uint32
}

// Unit is a unit or a structure as a registered kind sees it.
type Unit struct {
	ID      grid.EntityID // do not choose by it: it tells which entity was made first
	Type    uint16        // its number in the ruleset, as values of [rules.ParamType]
	Name    string        // of its type
	Class   rules.Class
	Slot    grid.Slot // NoSlot: no owner
	Team    grid.Team // NoTeam: no owner
	At      grid.Pos  // its middle
	HP, Max int32
	Unbuilt bool // a structure under construction
	Seen    bool // by the team of the player for whom the call acts
}

func (u UnitWorld) world() (*World, *turnOf) {
	if u.w == nil || u.w.turns.lent != u.lent {
		panic("sim: a registered kind used a world after the call that lent it")
	}
	return u.w, &u.w.turns.of
}

// act counts an act, and reports false beyond the limits.
func (u UnitWorld) act() (*World, *turnOf, bool) {
	w, of := u.world()
	total := &w.turns.done[of.slot].acts
	if of.deeds.acts >= UnitActsMax || *total >= UnitActsTickMax {
		return w, of, false
	}
	of.deeds.acts++
	*total++
	return w, of, true
}

// target counts an act on the unit or structure with that id, nil beyond the limits, or if
// it does not exist.
func (u UnitWorld) target(id grid.EntityID) (*World, *turnOf, *Entity) {
	w, of, ok := u.act()
	if !ok {
		return w, of, nil
	}
	return w, of, w.mortal(id)
}

// Tick returns the ticks since the match began.
func (u UnitWorld) Tick() grid.Tick { w, _ := u.world(); return w.tick }

// TickRate returns the ticks in a second of match time.
func (u UnitWorld) TickRate() int { w, _ := u.world(); return w.TickRate() }

// Size returns the map's width and height in tiles.
func (u UnitWorld) Size() (width, height int) { w, _ := u.world(); return w.m.W, w.m.H }

// Slot returns the player for whom the call acts.
func (u UnitWorld) Slot() grid.Slot { _, of := u.world(); return of.slot }

// Team returns that player's team.
func (u UnitWorld) Team() grid.Team { _, of := u.world(); return of.team }

// Param returns the value of a field of the ruleset's entry. A field that the kind has not
// declared is a panic.
func (u UnitWorld) Param(name string) int32 { _, of := u.world(); return of.params.Get(name) }

// Ticks returns a field that is a time, in ticks. A time above 0 is at least one tick.
func (u UnitWorld) Ticks(name string) grid.Ticks {
	w, of := u.world()
	return w.rt.ticks(of.params.Get(name))
}

// Range and Radius come from the ability's entry; for an effect they are 0.
func (u UnitWorld) Range() grid.Dist { return u.entry().Range }

// Radius: see Range.
func (u UnitWorld) Radius() grid.Dist { return u.entry().Radius }

func (u UnitWorld) entry() rules.Ability {
	w, of := u.world()
	if of.ability < 0 {
		return rules.Ability{}
	}
	def, _ := w.def(of.e, of.ability)
	return *def
}

// Self returns the unit that uses the ability, or has the effect.
func (u UnitWorld) Self() Unit { w, of := u.world(); return w.forKind(of, of.e) }

// Point returns the aim of the ability: a place, where its target stood, or where its unit
// stood. For an effect it is the place of its unit.
func (u UnitWorld) Point() grid.Pos {
	_, of := u.world()
	if of.ability < 0 {
		return of.e.Pos()
	}
	return of.e.acts[of.ability].point
}

// Target returns the unit that the ability was aimed at. It reports false if it was not
// aimed at one, if the unit is gone, or if the team does not see it now.
func (u UnitWorld) Target() (Unit, bool) {
	w, of := u.world()
	if of.ability < 0 {
		return Unit{}, false
	}
	return u.seen(w, of, of.e.acts[of.ability].target)
}

// Source returns the unit that put the effect on this one, the last of several. It
// reports false of an ability, if that unit is gone, or if the team does not see it now.
func (u UnitWorld) Source() (Unit, bool) {
	w, of := u.world()
	if of.ability >= 0 {
		return Unit{}, false
	}
	return u.seen(w, of, of.e.effectOf(of.effect, of.slot).by)
}

func (u UnitWorld) seen(w *World, of *turnOf, id grid.EntityID) (Unit, bool) {
	if e := w.mortal(id); e != nil && e.seen.Has(of.team) {
		return w.forKind(of, e), true
	}
	return Unit{}, false
}

// Count returns how often the effect counts, up to its Stacks; of an ability 0.
func (u UnitWorld) Count() int {
	_, of := u.world()
	if of.ability >= 0 {
		return 0
	}
	return int(of.e.effectOf(of.effect, of.slot).custom.count)
}

// Since returns the tick in which the ability started or the effect was last renewed.
func (u UnitWorld) Since() grid.Tick {
	_, of := u.world()
	if of.ability < 0 {
		return of.e.effectOf(of.effect, of.slot).since
	}
	return of.e.acts[of.ability].since
}

// Hurt reports whether the unit was damaged in the tick before.
func (u UnitWorld) Hurt() bool {
	w, of := u.world()
	return of.e.lastHit != 0 && of.e.lastHit+1 == w.tick
}

// Energy returns the energy of the unit, in thousandths.
func (u UnitWorld) Energy() int32 { _, of := u.world(); return of.e.energy }

// Rand returns 64 random bits: a pure function of the match's seed, the tick, the player,
// where the unit stands, and key.
func (u UnitWorld) Rand(key uint32) uint64 {
	w, of := u.world()
	return mix(w.draw(of.slot, key, drawUnit) ^ (uint64(uint32(of.e.x))<<32 | uint64(uint32(of.e.y))))
}

// Near visits the units and structures whose edge is within radius of a place and that the
// team sees, from north to south. The unit itself is among them. It is a search, which
// counts as an act; beyond [UnitActsMax], and for a radius above [UnitReachMax], it makes
// no visit. It misses entities made in this tick.
func (u UnitWorld) Near(at grid.Pos, radius grid.Dist) iter.Seq[Unit] {
	return u.units(at, radius, true)
}

// All is Near without regard to the team's sight. Its visible consequences tell the team of
// unseen entities.
func (u UnitWorld) All(at grid.Pos, radius grid.Dist) iter.Seq[Unit] {
	return u.units(at, radius, false)
}

func (u UnitWorld) units(at grid.Pos, radius grid.Dist, seen bool) iter.Seq[Unit] {
	found := slices.Clone(u.around(at, radius, seen))
	return func(yield func(Unit) bool) {
		for _, e := range found {
			if w, of := u.world(); !yield(w.forKind(of, e)) {
				return
			}
		}
	}
}

// around lists the entities of a search, for use until the next search.
func (u UnitWorld) around(at grid.Pos, radius grid.Dist, seen bool) []*Entity {
	w, of, ok := u.act()
	if !ok || radius < 0 || radius > UnitReachMax || !w.m.InPos(at) {
		return nil
	}
	w.turns.found = w.near.targets(w.turns.found[:0], at, radius+grid.Dist(w.near.wide))
	for _, e := range w.turns.moved {
		if !slices.Contains(w.turns.found, e) {
			w.turns.found = append(w.turns.found, e)
		}
	}
	w.turns.found = slices.DeleteFunc(w.turns.found, func(e *Entity) bool {
		return e.gone || seen && !e.seen.Has(of.team) || !w.gapWithin(at, e, 0, radius)
	})
	slices.SortStableFunc(w.turns.found, CompareLooks)
	return w.turns.found
}

// Bytes returns a copy of the ability's or effect's bytes on this unit.
func (u UnitWorld) Bytes() []byte { return []byte(*u.kept()) }

// SetBytes keeps a copy of b, which is saved, restored and hashed with the unit. An effect
// loses it as it ends; an ability keeps it. More than [UnitBytesMax] bytes is an error
// without a change.
func (u UnitWorld) SetBytes(b []byte) error {
	if len(b) > UnitBytesMax {
		return fmt.Errorf("sim: %d bytes of a registered kind, at most %d", len(b), UnitBytesMax)
	}
	if kept := u.kept(); string(b) != *kept {
		*kept = string(b)
	}
	return nil
}

func (u UnitWorld) kept() *string {
	_, of := u.world()
	if of.ability >= 0 {
		return &of.e.custom[of.ability].bytes
	}
	return &of.e.effectOf(of.effect, of.slot).custom.bytes
}

// End ends the ability or the effect. Stop or End is called after this call.
func (u UnitWorld) End() {
	w, of := u.world()
	if of.ability >= 0 {
		w.stop(of.e, of.ability)
		return
	}
	of.e.effectOf(of.effect, of.slot).until = w.tick
}

// Damage damages a unit or a structure: its effects and its shield count, its armour does
// not. The player is credited. An entity without an owner takes no damage.
func (u UnitWorld) Damage(id grid.EntityID, amount int32) bool {
	w, of, e := u.target(id)
	if e == nil || e.team == grid.NoTeam || amount <= 0 || amount > UnitAmountMax {
		return false
	}
	w.hurt(e, harm{by: of.e.id, slot: of.slot, team: of.team, amount: amount, weapon: NoWeapon})
	return true
}

// Strike damages a unit or a structure as a hit of one of the ruleset's weapons does, with
// armour, high ground and the weapon's effect. Range, sight and the weapon's valid targets
// do not matter.
func (u UnitWorld) Strike(id grid.EntityID, weapon int32) bool {
	w, of, e := u.target(id)
	if e == nil || e.team == grid.NoTeam || weapon < 0 || int(weapon) >= len(w.rules.Weapons) {
		return false
	}
	w.hurt(e, harm{by: of.e.id, slot: of.slot, team: of.team, amount: w.rules.Weapons[weapon].Damage, weapon: uint8(weapon), level: w.m.Level(of.e.Tile())})
	return true
}

// DamageArea damages all within radius of a place, in sight or not: amount in the middle,
// edge percent of amount at the rim. friends says whether the player's team is damaged too.
func (u UnitWorld) DamageArea(at grid.Pos, radius grid.Dist, amount, edge int32, friends bool) bool {
	w, of, ok := u.act()
	if !ok || radius < 0 || radius > UnitReachMax || amount <= 0 || amount > UnitAmountMax || edge < 0 || edge > 100 || !w.m.InPos(at) {
		return false
	}
	w.hurtArea(at, radius, harm{by: of.e.id, slot: of.slot, team: of.team, amount: amount, weapon: NoWeapon}, edge, friends)
	return true
}

// Heal gives a unit or a finished structure health, up to its type's.
func (u UnitWorld) Heal(id grid.EntityID, amount int32) bool {
	w, _, e := u.target(id)
	if e == nil || e.unbuilt || amount <= 0 || amount > UnitAmountMax {
		return false
	}
	w.heal(e, amount)
	return true
}

// PutEffect puts one of the ruleset's effects on a unit, as an ability of kind apply does.
// A unit that has [rules.UnitEffectsMax] takes no more.
func (u UnitWorld) PutEffect(id grid.EntityID, effect int32) bool {
	w, of, e := u.target(id)
	if e == nil || e.class != rules.ClassUnit || effect < 0 || int(effect) >= len(w.rules.Effects) {
		return false
	}
	w.addEffect(e, uint8(effect), of.slot, of.e.id)
	return e.effectOf(uint8(effect), of.slot) != nil
}

// EndEffect ends an effect of the ruleset on a unit, from any player. It ends with this
// tick or the next.
func (u UnitWorld) EndEffect(id grid.EntityID, effect int32) bool {
	w, _, e := u.target(id)
	if e == nil {
		return false
	}
	found := false
	for i := range e.effects {
		if x := &e.effects[i]; int32(x.kind) == effect {
			x.until, found = min(x.until, w.tick), true
		}
	}
	return found
}

// Push moves a unit in a straight line, up to [UnitPushMax], for as long as the ground is
// passable and no other unit is in its way. It returns how far the unit came. Structures,
// and units that cannot walk, stay where they are.
func (u UnitWorld) Push(id grid.EntityID, by grid.Vec) grid.Dist {
	w, _, e := u.target(id)
	if e == nil || !w.movable(e) || by.X > UnitPushMax || by.X < -UnitPushMax || by.Y > UnitPushMax || by.Y < -UnitPushMax {
		return 0
	}
	length := by.Len()
	if length > UnitPushMax {
		return 0
	}
	from, at := e.Pos(), e.Pos()
	const stride = grid.WUPerTile / 8
	for d := grid.Dist(stride); ; d += stride {
		d = min(d, length)
		to := from
		if length > 0 {
			to = from.Add(grid.Vec{X: int32(int64(by.X) * int64(d) / int64(length)), Y: int32(int64(by.Y) * int64(d) / int64(length))})
		}
		if !w.spaceFor(e, &w.rules.Types[e.typ], at, to) {
			break
		}
		if at = to; d == length {
			break
		}
	}
	if at == from {
		return 0
	}
	w.place(e, at)
	return at.Sub(from).Len()
}

// Move puts a unit in another place, at once, if the team sees that place, the ground there
// is passable, and no unit stands there.
func (u UnitWorld) Move(id grid.EntityID, to grid.Pos) bool {
	w, of, e := u.target(id)
	if e == nil || !w.movable(e) || !w.m.InPos(to) || !w.eyes.Visible(of.team, to.Tile()) || !w.spaceFor(e, &w.rules.Types[e.typ], to, to) {
		return false
	}
	w.place(e, to)
	e.guard = to
	return true
}

// Spawn makes a unit for the player in the middle of a tile that the team sees. It is free and counts for the
// population. It reports false if the type is no unit, if the player's population is at its limit, if there is no
// room, or beyond [UnitSpawnsMax], [UnitSpawnsTickMax] and [UnitEntitiesMax].
func (u UnitWorld) Spawn(typ int32, at grid.Tile) (grid.EntityID, bool) {
	w, of, ok := u.act()
	if !ok || typ < 0 || int(typ) >= len(w.rules.Types) || !w.m.In(at) || !w.eyes.Visible(of.team, at) {
		return 0, false
	}
	p, t, total := &w.players[of.slot], &w.rules.Types[typ], &w.turns.done[of.slot].spawns
	switch {
	case of.deeds.spawns >= UnitSpawnsMax, *total >= UnitSpawnsTickMax, t.Class != rules.ClassUnit, !p.alive,
		t.Pop > 0 && p.pop+t.Pop > w.popLimit(p),
		p.entities() >= UnitEntitiesMax, w.nextCounter(of.slot) > grid.EntityCounterMax,
		t.Move != grid.Air && w.places[w.m.Index(at)], !w.spaceFor(nil, t, at.Center(), at.Center()):
		return 0, false
	}
	of.deeds.spawns++
	*total++
	return w.spawn(of.slot, uint16(typ), at.Center(), false).id, true
}

// Reveal shows a circle of the map to the team, as seen from above. radius is in half
// tiles, at most 64, ticks at most [UnitRevealTicks]. detect says whether cloaked units are
// shown too. It reports false beyond [UnitRevealsMax], [UnitRevealsTickMax] and
// [UnitSightsMax].
func (u UnitWorld) Reveal(at grid.Tile, radius uint8, ticks grid.Ticks, detect bool) bool {
	w, of, ok := u.act()
	total := &w.turns.done[of.slot].reveals
	if !ok || !w.m.In(at) || radius > modeRevealRadius || ticks < 1 || ticks > UnitRevealTicks || of.deeds.reveals >= UnitRevealsMax || *total >= UnitRevealsTickMax {
		return false
	}
	n := 0
	for range w.eyes.Timed(of.team) {
		if n++; n >= UnitSightsMax {
			return false
		}
	}
	of.deeds.reveals++
	*total++
	src := visibility.Source{Tile: at, Radius: visibility.Radius(radius), Flyer: true, Until: w.tick + grid.Tick(ticks)}
	if detect {
		src.Detect = src.Radius
	}
	w.eyes.Add(of.team, src)
	return true
}

func (w *World) forKind(of *turnOf, e *Entity) Unit {
	most, _, _ := w.Most(e)
	return Unit{e.id, e.typ, w.rules.Types[e.typ].Name, e.class, e.slot, e.team, e.Pos(), e.hp, most, e.unbuilt, e.seen.Has(of.team)}
}

// entities returns how many units and finished structures the player has.
func (p *player) entities() (n int32) {
	for _, c := range p.counts {
		n += c
	}
	return n
}

// movable reports whether e can be put elsewhere.
func (w *World) movable(e *Entity) bool {
	return e.class == rules.ClassUnit && w.rules.Types[e.typ].Mobile && !w.rooted(e)
}

// spaceFor reports whether a unit of the type can stand at a place: no other unit of its
// layer is there, or nearer than at the place before. Units have moved since w.near was
// built.
func (w *World) spaceFor(e *Entity, t *rules.Type, before, at grid.Pos) bool {
	if !w.m.InPos(at) || !w.passable(t, at.Tile()) {
		return false
	}
	inWay := func(o *Entity) bool {
		return o != e && w.touches(o, t, at) && (before == at || o.Pos().Sub(at).Len2() < o.Pos().Sub(before).Len2())
	}
	w.foes = w.near.units(w.foes[:0], at, t.Radius+grid.Dist(w.near.wide))
	return !slices.ContainsFunc(w.foes, inWay) && !slices.ContainsFunc(w.turns.moved, inWay) && !slices.ContainsFunc(w.born, inWay)
}

// place puts a unit elsewhere. It stands there, and looks for its way anew.
func (w *World) place(e *Entity, at grid.Pos) {
	e.put(at)
	e.vx, e.vy = 0, 0
	if m := &e.mv; m.going {
		m.path, m.want, m.best, m.stalled = m.path[:0], true, 0, 0
	}
	if !slices.Contains(w.turns.moved, e) {
		w.turns.moved = append(w.turns.moved, e)
	}
}
