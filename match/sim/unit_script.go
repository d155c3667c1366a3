package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/visibility"
)

// Bounds of the acts of the scripts of abilities and effects. The counts per tick are for the player for whom the scripts
// act; the scripts of other players do not count.
const (
	unitActsMax        = 64                  // searches and acts, a call
	unitActsTickMax    = 4096                // and a tick
	unitSpawnsMax      = 8                   // a call
	unitSpawnsTickMax  = 32                  // a tick
	unitRevealsMax     = 2                   // a call
	unitRevealsTickMax = 8                   // a tick
	unitRevealTicks    = 600                 // the longest, in ticks
	unitEntitiesMax    = 1024                // the limit of a player's entities above which no more spawn
	unitSightsMax      = 256                 // no more is revealed to a team that has so many sights for a time
	unitReachMax       = 32 * grid.WUPerTile // the radius of searches and areas
	unitPushMax        = 4 * grid.WUPerTile  // of one push
	unitAmountMax      = 1_000_000           // of damage or health, an act
)

// turn is a call of the script of an ability or effect. It acts for one player: an ability for its unit's owner, an effect
// for the player who put it on the unit. The script reads the knowledge of that player's team. All damage is dealt together
// at the end of the tick; the rest happens at once.
type turn struct {
	object  script.Object
	w       *World
	e       *Entity // that uses the ability, or has the effect
	slot    grid.Slot
	team    grid.Team
	ability int   // the place among e's; -1: an effect
	effect  uint8 // the ruleset's number
	deeds   done  // in this call
}

// act counts an act, and reports false beyond the limits.
func (t *turn) act() bool {
	total := &t.w.turns.done[t.slot].acts
	if t.deeds.acts >= unitActsMax || *total >= unitActsTickMax {
		return false
	}
	t.deeds.acts++
	*total++
	return true
}

// named returns the number of the type, weapon or the like that an effect names.
func (w *World) named(e *script.Effect) (int, error) {
	i, name, r := 0, "", w.rules
	switch e.Name {
	case "lift", "put":
		name = e.Text(1)
		i = slices.IndexFunc(r.Effects, func(x rules.Effect) bool { return x.Name == name })
	case "set_value":
		name = e.Text(1)
		i = slices.IndexFunc(r.Values, func(x rules.Value) bool { return x.Name == name })
	case "spawn":
		name = e.Text(0)
		i = slices.IndexFunc(r.Types, func(x rules.Type) bool { return x.Name == name })
	case "strike":
		name = e.Text(1)
		i = slices.IndexFunc(r.Weapons, func(x rules.Weapon) bool { return x.Name == name })
	}
	if i < 0 {
		return 0, fmt.Errorf("%s: the ruleset has no %q", e.Name, name)
	}
	return i, nil
}

// carryOut carries out an effect, which counts as an act. An effect that is not possible, or is beyond the limits, is left
// out.
func (t *turn) carryOut(e *script.Effect) {
	w := t.w
	if e.Name == "end" { // no act
		if t.ability >= 0 {
			w.stop(t.e, t.ability)
		} else {
			t.e.effectOf(t.effect, t.slot).end = w.tick
		}
		return
	}
	if !t.act() {
		return
	}
	n, _ := w.named(e)
	switch e.Name {
	case "damage_area":
		at, radius, amount, edge := posOf(e, 0), grid.Dist(e.Whole(2)), e.Whole(3), e.Whole(4)
		if radius >= 0 && radius <= unitReachMax && amount > 0 && amount <= unitAmountMax && edge >= 0 && edge <= 100 && w.m.InPos(at) {
			w.hurtArea(at, radius, t.harm(amount), edge, e.Flag(5))
		}
	case "reveal":
		t.reveal(posOf(e, 0).Tile(), halfTiles(e.Whole(2)), w.rt.ticks(e.Whole(3)), e.Flag(4))
	case "spawn":
		t.spawn(uint16(n), posOf(e, 1).Tile())
	default:
		if x := w.mortal(unitOf(e, 0)); x != nil {
			t.onUnit(e, x, n)
		}
	}
}

func posOf(e *script.Effect, i int) grid.Pos { return grid.Pos{X: e.Whole(i), Y: e.Whole(i + 1)} }

// harm is damage for which the player is credited.
func (t *turn) harm(amount int32) harm {
	return harm{by: t.e.id, slot: t.slot, team: t.team, amount: amount, weapon: NoWeapon}
}

// onUnit carries out an effect on a unit or structure; n is the number of the thing that it names.
func (t *turn) onUnit(e *script.Effect, x *Entity, n int) {
	w := t.w
	switch e.Name {
	case "damage": // its effects and its shield count, its armour does not
		if x.team != grid.NoTeam && e.Whole(1) > 0 && e.Whole(1) <= unitAmountMax {
			w.hurt(x, t.harm(e.Whole(1)))
		}
	case "heal":
		if !x.unbuilt && e.Whole(1) > 0 && e.Whole(1) <= unitAmountMax {
			w.heal(x, e.Whole(1))
		}
	case "lift": // from any player; it ends with this tick or the next
		for i := range x.effects {
			if y := &x.effects[i]; int(y.kind) == n {
				y.end = min(y.end, w.tick)
			}
		}
	case "move": // if the team sees the place
		if to := posOf(e, 1); w.movable(x) && w.m.InPos(to) && w.eyes.Visible(t.team, to.Tile()) && w.spaceFor(x, &w.rules.Types[x.typ], to, to) {
			w.place(x, to)
			x.guard = to
		}
	case "push":
		w.shove(x, grid.Vec{X: e.Whole(1), Y: e.Whole(2)})
	case "put":
		if x.class == rules.ClassUnit {
			w.addEffect(x, uint8(n), t.slot, t.e.id)
		}
	case "set_value":
		if place := w.rules.Types[x.typ].HasValue(uint8(n)); place >= 0 {
			w.setValue(x, place, e.Whole(2))
		}
	case "strike": // as a hit, wherever it stands and whatever the weapon's valid targets are
		if x.team != grid.NoTeam {
			h := t.harm(w.rules.Weapons[n].Damage)
			h.weapon, h.level = uint8(n), w.m.Level(t.e.Tile())
			w.hurt(x, h)
		}
	}
}

// shove moves a unit in a straight line, up to [unitPushMax], for as long as the ground is passable and no other unit is in
// its way.
func (w *World) shove(e *Entity, by grid.Vec) {
	length := by.Len()
	if !w.movable(e) || by.X > unitPushMax || by.X < -unitPushMax || by.Y > unitPushMax || by.Y < -unitPushMax || length > unitPushMax || length == 0 {
		return
	}
	from, at := e.Pos(), e.Pos()
	const stride = grid.WUPerTile / 8
	for d := grid.Dist(stride); ; d += stride {
		d = min(d, length)
		to := from.Add(grid.Vec{X: int32(int64(by.X) * int64(d) / int64(length)), Y: int32(int64(by.Y) * int64(d) / int64(length))})
		if !w.spaceFor(e, &w.rules.Types[e.typ], at, to) {
			break
		}
		if at = to; d == length {
			break
		}
	}
	if at != from {
		w.place(e, at)
	}
}

// spawn makes a unit for the player in the middle of a tile that the team sees. It is free and counts for the population.
func (t *turn) spawn(typ uint16, at grid.Tile) {
	w := t.w
	p, def, total := &w.players[t.slot], &w.rules.Types[typ], &w.turns.done[t.slot].spawns
	switch {
	case !w.m.In(at), !w.eyes.Visible(t.team, at),
		t.deeds.spawns >= unitSpawnsMax, *total >= unitSpawnsTickMax, def.Class != rules.ClassUnit, !p.alive,
		def.Pop > 0 && p.pop+def.Pop > w.popLimit(p),
		p.entities() >= unitEntitiesMax, w.nextCounter(t.slot) > grid.EntityCounterMax,
		def.Move != grid.Air && w.places[w.m.Index(at)], !w.spaceFor(nil, def, at.Center(), at.Center()):
		return
	}
	t.deeds.spawns++
	*total++
	w.spawn(t.slot, typ, at.Center(), false)
}

// reveal shows a circle of the map to the team, as seen from above. detect says whether cloaked units are shown too.
func (t *turn) reveal(at grid.Tile, radius uint8, ticks grid.Ticks, detect bool) {
	w := t.w
	total := &w.turns.done[t.slot].reveals
	if !w.m.In(at) || ticks < 1 || ticks > unitRevealTicks || t.deeds.reveals >= unitRevealsMax || *total >= unitRevealsTickMax {
		return
	}
	n := 0
	for range w.eyes.Timed(t.team) {
		if n++; n >= unitSightsMax {
			return
		}
	}
	t.deeds.reveals++
	*total++
	src := visibility.Source{Tile: at, Radius: visibility.Radius(radius), Flyer: true, Until: w.tick + grid.Tick(ticks)}
	if detect {
		src.Detect = src.Radius
	}
	w.eyes.Add(t.team, src)
}

var (
	callParts = []string{"energy", "hurt", "ms", "name", "near", "radius", "random", "range", "self", "since", "slot", "source", "stacks", "target", "team", "tick", "x", "y"}
	aReach    = []script.Param{{Name: "radius"}, {Name: "x", Optional: true}, {Name: "y", Optional: true}}
)

// Parts implements [script.Host].
func (*turn) Parts() []string { return callParts }

// Part implements [script.Host]. Radius, range and target of an effect are absent or 0, and so are source and stacks of an
// ability.
func (t *turn) Part(name string) script.Value {
	w, e := t.w, t.e
	ms := func(n grid.Tick) script.Value { return script.Whole(int64(n) * 1000 / int64(w.rate)) }
	switch name {
	case "energy":
		return script.Whole(e.energy / 1000)
	case "hurt": // in the tick before
		return script.Flag(e.lastHit != 0 && e.lastHit+1 == w.tick)
	case "ms":
		return ms(w.tick)
	case "near":
		return nearUnit
	case "random":
		return randomOfUnit
	case "self":
		return t.unit(e)
	case "slot":
		return script.Whole(t.slot)
	case "team":
		return script.Whole(t.team)
	case "tick":
		return script.Whole(w.tick)
	}
	if t.ability < 0 {
		return t.effectPart(name, ms)
	}
	def, _ := w.def(e, t.ability)
	switch act := &e.acts[t.ability]; name {
	case "name":
		return script.Text(def.Name)
	case "radius":
		return script.Whole(def.Radius)
	case "range":
		return script.Whole(def.Range)
	case "since":
		return ms(w.tick - act.start)
	case "source":
		return script.None
	case "stacks":
		return script.Whole(0)
	case "target":
		return t.seen(act.target)
	case "x": // of the aim
		return script.Whole(act.point.X)
	case "y":
		return script.Whole(act.point.Y)
	}
	return nil
}

// effectPart returns the parts that an effect has otherwise than an ability.
func (t *turn) effectPart(name string, ms func(grid.Tick) script.Value) script.Value {
	x := t.e.effectOf(t.effect, t.slot)
	switch name {
	case "name":
		return script.Text(t.w.rules.Effects[t.effect].Name)
	case "radius", "range":
		return script.Whole(0)
	case "since":
		return ms(t.w.tick - x.start)
	case "source":
		return t.seen(x.by)
	case "stacks":
		return script.Whole(x.count)
	case "target":
		return script.None
	case "x":
		return script.Whole(t.e.Pos().X)
	case "y":
		return script.Whole(t.e.Pos().Y)
	}
	return nil
}

// unit returns an entity as a value.
func (t *turn) unit(e *Entity) script.Value {
	return (&scriptUnit{w: t.w, e: e, team: t.team}).value()
}

// seen returns the unit with that id as a value, if the team sees it.
func (t *turn) seen(id grid.EntityID) script.Value {
	if e := t.w.mortal(id); e != nil && e.viewers.Has(t.team) {
		return t.unit(e)
	}
	return script.None
}

// nearUnit lists the units and structures whose edge is within a radius of a place and that the team sees, from north to
// south. The unit itself is among them. It counts as an act. It misses entities made in this tick.
var nearUnit = script.Func("near", aReach, func(t *turn, a script.Args) (script.Value, error) {
	at := t.e.Pos()
	if a.Given(1) || a.Given(2) {
		at = grid.Pos{X: a.Whole(1), Y: a.Whole(2)}
	}
	out := t.w.turns.values(t, t.near(at, grid.Dist(a.Whole(0))))
	return script.List(out), a.Spend(16 + 4*len(out))
})

// near is a search, for use until the next search.
func (t *turn) near(at grid.Pos, radius grid.Dist) []*Entity {
	w := t.w
	if !t.act() || radius < 0 || radius > unitReachMax || !w.m.InPos(at) {
		return nil
	}
	found := w.near.targets(w.turns.found[:0], at, radius+grid.Dist(w.near.wide))
	for _, e := range w.turns.moved {
		if !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	found = slices.DeleteFunc(found, func(e *Entity) bool {
		return e.dying || !e.viewers.Has(t.team) || !w.gapWithin(at, e, 0, radius)
	})
	slices.SortStableFunc(found, CompareLooks)
	w.turns.found = found
	return found
}

// randomOfUnit is a pure function of the match's seed, the tick, the player, the unit's place, and a key.
var randomOfUnit = script.Func("random", belowAKey, func(t *turn, a script.Args) (script.Value, error) {
	if a.Whole(0) < 1 {
		return nil, fmt.Errorf("random: below %d, want 1 at least", a.Whole(0))
	}
	bits := mix(t.w.draw(t.slot, uint32(a.Whole(1)), drawUnit) ^ (uint64(uint32(t.e.x))<<32 | uint64(uint32(t.e.y))))
	return script.Whole(int64(bits % uint64(a.Whole(0)))), nil
})

// knows reports whether a team's script may read a value of e: of the own team's units each, of others the values that
// the team is sent. No team stands for the script of a mode.
func (w *World) knows(team grid.Team, e *Entity, def *rules.Value) bool {
	return team == grid.NoTeam || team == e.team ||
		def.Class != rules.ValueOwner && def.When != rules.ValueInitial && w.ValueShown(e, def.When)
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
	return !slices.ContainsFunc(w.foes, inWay) && !slices.ContainsFunc(w.turns.moved, inWay) && !slices.ContainsFunc(w.newborns, inWay)
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
