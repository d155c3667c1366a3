package sim

import (
	"fmt"
	"iter"
	"slices"

	"github.com/fogkeep/fogkeep/internal/registry"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/visibility"
)

// Bounds of a mode's actions in one call, and in a match.
const (
	ModeSpawnsMax    = 64            // entities a call
	ModeRevealsMax   = 4             // a call
	ModeRevealTicks  = 600           // the longest, in ticks
	ModeEntitiesMax  = 8192          // no more is spawned if there are so many
	ModeStockMax     = 1_000_000_000 // of one resource, for Give
	ModeScoreMax     = 1_000_000_000 // for AddScore, above and below 0, and for SetValue
	modeRevealRadius = 64            // half tiles
)

// ModeWorld is the world of a match, lent to its [Mode] for one call. Use after the call is
// a panic. It sees everything, as the modes of fogkeep do. It hands out copies. Only its
// methods change the world, and they keep it whole: a method that fails reports false and
// changes nothing.
type ModeWorld struct {
	w    *World
	lent uint32
}

// ModePlayer is a seat as its mode sees it.
type ModePlayer struct {
	Slot  grid.Slot
	Team  grid.Team
	Start grid.Tile
	Alive bool
	Score int32
}

// ModeEntity is a unit, a structure or a resource place as a mode sees it.
type ModeEntity struct {
	ID      grid.EntityID
	Type    string // its name in the ruleset
	Class   rules.Class
	Slot    grid.Slot // NoSlot: no owner
	Team    grid.Team // NoTeam: no owner
	Tile    grid.Tile // of its middle
	HP, Max int32
	Unbuilt bool // a structure under construction
}

func (m ModeWorld) world() *World {
	if m.w == nil || m.w.guest.lent != m.lent {
		panic("sim: a mode used a world after the call that lent it")
	}
	return m.w
}

// acting returns the world if the match has begun: Begin cannot hurt or remove entities.
func (m ModeWorld) acting() (*World, bool) {
	w := m.world()
	return w, w.tick > 0 && w.guest.end == nil
}

// Tick returns the ticks since the match began, 0 in Begin.
func (m ModeWorld) Tick() grid.Tick { return m.world().tick }

// TickRate returns the ticks in a second of match time.
func (m ModeWorld) TickRate() int { return m.world().TickRate() }

// Options returns the options that the match's players chose.
func (m ModeWorld) Options() Options { return m.world().opts }

// Size returns the map's width and height in tiles.
func (m ModeWorld) Size() (w, h int) { return m.world().m.W, m.world().m.H }

// Players returns how many seats there are. Slots are 0 to one less.
func (m ModeWorld) Players() int { return len(m.world().players) }

// Player returns a seat, and false for a slot without a seat.
func (m ModeWorld) Player(s grid.Slot) (ModePlayer, bool) {
	w := m.world()
	if int(s) >= len(w.players) {
		return ModePlayer{}, false
	}
	p := &w.players[s]
	return ModePlayer{s, p.team, w.m.Starts[p.start], p.alive, p.score}, true
}

// Leader returns the team with the highest score, NoTeam if two share it.
func (m ModeWorld) Leader() grid.Team { return m.world().leader() }

// Stock returns how much a player has of a resource, by its name in the ruleset.
func (m ModeWorld) Stock(s grid.Slot, resource string) int32 {
	w := m.world()
	if i := w.resourceOf(resource); i >= 0 && int(s) < len(w.players) {
		return w.players[s].stock[i]
	}
	return 0
}

// Entities visits all entities but projectiles, in the order of their ids. It leaves out
// entities that the mode makes or ends during the visit.
func (m ModeWorld) Entities() iter.Seq[ModeEntity] {
	w := m.world()
	return func(yield func(ModeEntity) bool) {
		for _, e := range m.world().all {
			if !e.gone && e.class != rules.ClassProjectile && !yield(w.forMode(e)) {
				return
			}
		}
	}
}

// Entity returns the entity with that id, and false if it no longer exists.
func (m ModeWorld) Entity(id grid.EntityID) (ModeEntity, bool) {
	w := m.world()
	if e := w.find(id); e != nil && !e.gone && e.class != rules.ClassProjectile {
		return w.forMode(e), true
	}
	return ModeEntity{}, false
}

// Rand returns 64 random bits: a pure function of the match's seed, the tick and key.
func (m ModeWorld) Rand(key uint32) uint64 { return m.world().drawMode(key) }

// Blob returns a copy of the mode's bytes.
func (m ModeWorld) Blob() []byte { return []byte(m.world().guest.blob) }

// SetBlob keeps a copy of b with the state of the match: it is saved, restored and hashed.
// More than [ModeBlobMax] bytes is an error without a change.
func (m ModeWorld) SetBlob(b []byte) error {
	w := m.world()
	if len(b) > ModeBlobMax {
		return fmt.Errorf("sim: a mode's blob of %d bytes, at most %d", len(b), ModeBlobMax)
	}
	if string(b) != w.guest.blob {
		w.guest.blob = string(b)
	}
	return nil
}

// Spawn makes a finished unit or structure of a living player, or with [grid.NoSlot] a pickup or a switch: a unit in the middle of
// the tile, a structure with its middle there. It costs nothing, and counts for the
// population. It reports false if the ruleset has no such type, if there is no room,
// or beyond [ModeSpawnsMax] and [ModeEntitiesMax].
func (m ModeWorld) Spawn(s grid.Slot, typ string, at grid.Tile) (grid.EntityID, bool) {
	w := m.world()
	i, ok := w.rules.TypeByName(typ)
	neutral := ok && s == grid.NoSlot && w.rules.Types[i].Feature.Common()
	if !ok || !neutral && (int(s) >= len(w.players) || !w.players[s].alive) || w.guest.end != nil || w.guest.spawned >= ModeSpawnsMax ||
		len(w.all)+len(w.born) >= ModeEntitiesMax || w.nextCounter(s) > grid.EntityCounterMax || !w.canSpawn(i, at) {
		return 0, false
	}
	w.guest.spawned++
	return w.spawn(s, i, at.Center(), false).id, true
}

// Kill destroys a unit or a structure. No player is credited.
func (m ModeWorld) Kill(id grid.EntityID) bool {
	w, on := m.acting()
	e := w.mortal(id)
	if !on || e == nil {
		return false
	}
	w.kill(e)
	return true
}

// Damage takes health from a unit or a structure at the end of the call: first from its
// shield, regardless of its armour. No player is credited.
func (m ModeWorld) Damage(id grid.EntityID, amount int32) bool {
	w, on := m.acting()
	e := w.mortal(id)
	if !on || e == nil || e.team == grid.NoTeam || amount <= 0 {
		return false
	}
	w.hurt(e, harm{slot: grid.NoSlot, team: grid.NoTeam, amount: amount, weapon: NoWeapon})
	return true
}

// Heal gives a unit or a finished structure health, up to its type's.
func (m ModeWorld) Heal(id grid.EntityID, amount int32) bool {
	w, on := m.acting()
	e := w.mortal(id)
	if !on || e == nil || e.unbuilt || amount <= 0 {
		return false
	}
	w.heal(e, amount)
	return true
}

// SetOwner makes a finished structure a living player's, as a capture does.
func (m ModeWorld) SetOwner(id grid.EntityID, s grid.Slot) bool {
	w, on := m.acting()
	e := w.mortal(id)
	if !on || e == nil || e.class != rules.ClassStructure || e.unbuilt || int(s) >= len(w.players) || !w.players[s].alive {
		return false
	}
	if e.slot != s {
		w.setOwner(e, &w.players[s])
	}
	return true
}

// Give adds to a player's stock of a resource; a negative amount takes away. It reports
// false if the player is out, does not have enough, or would have more than [ModeStockMax].
func (m ModeWorld) Give(s grid.Slot, resource string, amount int32) bool {
	w := m.world()
	i := w.resourceOf(resource)
	if i < 0 || int(s) >= len(w.players) || !w.players[s].alive {
		return false
	}
	n := int64(w.players[s].stock[i]) + int64(amount)
	if n < 0 || n > ModeStockMax {
		return false
	}
	w.players[s].stock[i] = int32(n)
	return true
}

// AddScore adds to a player's score, which the player's team is shown at once, and all
// players in a mode with [OpenScores].
func (m ModeWorld) AddScore(s grid.Slot, points int32) bool {
	w := m.world()
	if int(s) >= len(w.players) {
		return false
	}
	p := &w.players[s]
	score, shown := int64(p.score)+int64(points), int64(p.shown)+int64(points)
	if max(score, shown) > ModeScoreMax || min(score, shown) < -ModeScoreMax {
		return false
	}
	p.score, p.shown = int32(score), int32(shown)
	return true
}

// SetValue sets the value of a team, or with [grid.NoTeam] of all teams, from 0 to
// [ModeScoreMax]. The mode has to list it: see [ShowsValues].
func (m ModeWorld) SetValue(name string, t grid.Team, v int32) bool {
	w := m.world()
	i := w.valueNumber(name)
	if i < 0 || v < 0 || v > ModeScoreMax || t != grid.NoTeam && int(t) >= len(w.teams) {
		return false
	}
	for of := range w.teams {
		if t == grid.NoTeam || of == int(t) {
			w.guest.values[i][of] = v
		}
	}
	return true
}

// Value returns a team's value, 0 for an unknown name.
func (m ModeWorld) Value(name string, t grid.Team) int32 {
	w := m.world()
	i := w.valueNumber(name)
	if i < 0 || int(t) >= len(w.teams) {
		return 0
	}
	return w.guest.values[i][t]
}

func (w *World) valueNumber(name string) int {
	return slices.IndexFunc(w.ModeValues(), func(x ModeValue) bool { return x.Name == name })
}

// Reveal shows a circle of the map to a team, as seen from above, without detection.
// radius is in half tiles, at most 64, ticks at most [ModeRevealTicks]; and there are at
// most [ModeRevealsMax] a call.
func (m ModeWorld) Reveal(t grid.Team, at grid.Tile, radius uint8, ticks grid.Ticks) bool {
	w, on := m.acting()
	if !on || int(t) >= len(w.teams) || !w.m.In(at) || radius > modeRevealRadius || ticks < 1 || ticks > ModeRevealTicks || w.guest.revealed >= ModeRevealsMax {
		return false
	}
	w.guest.revealed++
	w.eyes.Add(t, visibility.Source{Tile: at, Radius: visibility.Radius(radius), Flyer: true, Until: w.tick + grid.Tick(ticks)})
	return true
}

// Defeat takes a player out of the match. Its entities are destroyed.
func (m ModeWorld) Defeat(s grid.Slot) bool {
	w, on := m.acting()
	if !on || int(s) >= len(w.players) || !w.players[s].alive {
		return false
	}
	w.defeat(&w.players[s])
	return true
}

// End ends the match with this tick; NoTeam is a draw. All players see reason, a code of 1
// to 32 of a-z, 0-9 and hyphens. Only the first End counts.
func (m ModeWorld) End(winner grid.Team, reason string) bool {
	w, on := m.acting()
	if !on || winner != grid.NoTeam && int(winner) >= len(w.teams) || !registry.GoodName(reason) {
		return false
	}
	w.guest.end = &Ending{winner, reason}
	return true
}

func (w *World) forMode(e *Entity) ModeEntity {
	most, _, _ := w.Most(e)
	return ModeEntity{e.id, w.rules.Types[e.typ].Name, e.class, e.slot, e.team, e.Tile(), e.hp, most, e.unbuilt}
}

// mortal returns the unit or structure with that id, or nil.
func (w *World) mortal(id grid.EntityID) *Entity {
	if e := w.find(id); e != nil && !e.gone && (e.class == rules.ClassUnit || e.class == rules.ClassStructure) {
		return e
	}
	return nil
}

// resourceOf returns the resource's number, -1 for an unknown name.
func (w *World) resourceOf(name string) int {
	return slices.Index(w.rules.Resources, name)
}

// canSpawn reports whether a unit or structure of the type can stand at a tile at the
// end of a tick, when units have moved since w.near was built.
func (w *World) canSpawn(typ uint16, at grid.Tile) bool {
	t := &w.rules.Types[typ]
	if !w.m.In(at) || t.Feature.MapOnly() {
		return false
	}
	switch t.Class {
	case rules.ClassStructure:
		foot := footOf(t, at.Center())
		return w.footFree(typ, foot, 0) && !w.crowded(t, foot, w.born)
	case rules.ClassUnit:
		inWay := func(o *Entity) bool {
			return w.touches(o, t, at.Center()) || o.class == rules.ClassResource && t.Move != grid.Air && !o.gone && o.Tile() == at
		}
		return w.passable(t, at) && !slices.ContainsFunc(w.all, inWay) && !slices.ContainsFunc(w.born, inWay)
	}
	return false
}
