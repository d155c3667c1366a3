package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// FineShift is how many bits the simulation keeps below a world unit. So a unit on a
// straight leg moves by the same velocity every tick, and a reader of the velocity can
// compute the positions.
const FineShift = 6

// Entity is a unit, structure, resource place or projectile. It is read-only outside this package. A pointer to an entity is good
// until the next step. Its own fields are read for all entities in every tick: drive, sight, and the values that match/view
// computes once per entity. They fill one cache line. All other fields are in [details], which lie apart: a tick begins with cold
// caches, and a walk costs time for each cache line.
type Entity struct {
	id      grid.EntityID
	typ     uint16
	class   rules.Class
	slot    grid.Slot
	team    grid.Team
	dying   bool // dies at the end of this tick
	face    grid.Facing
	unbuilt bool
	viewers grid.TeamSet // teams in whose sight it is, its own included
	cloaked bool
	queued  uint8 // len(tasks)

	x, y   int32 // 1/64 WU
	vx, vy int32 // 1/64 WU a tick: how it moved in the last step

	source      visibility.SourceID
	eyeAt       grid.Tile // of its source
	birth       grid.Tick
	hp          int32
	shield      int32  // thousandths
	hpMoves     uint16 // how often hp changed: the attribute's change counter
	shieldMoves uint16 // how often its points changed

	*details
}

// details are the part of an entity that a tick reads of some entities, or in some
// phases only. Fields that are read together lie together.
type details struct {
	tasks       []task        // the running one first; changed by Entity.give only
	effects     []effect      // on it, at most rules.UnitEffectsMax
	chaseTarget grid.EntityID // the foe that it walks to; for a unit with a load, the place of delivery
	chaseAfter  grid.Tick     // it chases no foe on its own before this tick: the way to the last target was too long
	energy      int32         // thousandths
	energySpent uint16        // in how many ticks it was spent
	weaponSwap  int16         // weapon in place of the first, -1: no other

	arms                [rules.UnitWeaponsMax]arm
	speedPct, damagePct int32 // from abilities, percent

	mv     mover
	guard  grid.Pos  // where it stands watch while idle
	shove  grid.Vec  // a friend asked the standing unit to make way, so far in this direction
	glide  grid.Tick // until then a standing unit makes way
	alert  bool      // its target has just gone: it looks for another at once
	firing firing    // how its player wants its weapons used

	lastHit  grid.Tick // when it was last damaged
	lastShot grid.Tick

	handles [grid.TeamsMax]grid.Handle // each team's name for it

	revealed    grid.Tick // until then its tile is shown to revealedTo
	revealedTo  grid.TeamSet
	carriedKind uint8     // which resource
	carried     int32     // the load that it carries home
	raised      int32     // of an unbuilt structure: ticks of work done
	stock       int32     // of a resource place
	foot        grid.Tile // of a structure or resource: the north-western tile
	lent        uint8     // 1 + the slot of the player whose it is again when that player comes back; 0: its owner's for good
	_           [39]byte  // up to whole lines

	*extras
}

// extras hold the fields that only some kinds of entities use. They are zero for plain
// entities (typeRate.plain).
type extras struct {
	acts       [rules.UnitAbilitiesMax]action
	values     []int32 // of its type's list; nil without one. World.setValue changes them
	maker      maker
	cargo      []*Entity  // units in it; only for types that carry units
	shot       shot       // of a projectile
	appearance appearance // for types with ghosts: as of the end of the last step; no part of the state
}

// give gives the entity its task.
func (e *Entity) give(tasks []task) { e.tasks, e.queued = tasks, uint8(min(len(tasks), 255)) }

// appearance holds the values of an entity that its ghost keeps.
type appearance struct {
	health, stock int32
	unbuilt       bool
	facing        grid.Facing
	slot          grid.Slot
	team          grid.Team
}

// appearanceOf returns what a ghost of e shows. A ghost has no effects: it lacks as much of its type's health as e lacked.
func (w *World) appearanceOf(e *Entity) appearance {
	most, _, _ := w.Most(e)
	return appearance{w.rules.Types[e.typ].Health - most + e.hp, e.stock, e.unbuilt, e.face, e.slot, e.team}
}

// leavesGhost reports whether teams that lose sight of the entity remember it.
func (e *Entity) leavesGhost() bool {
	return e.class == rules.ClassStructure || e.class == rules.ClassResource
}

// ID returns the entity's id. It must not reach a client.
func (e *Entity) ID() grid.EntityID { return e.id }

// Type returns the index into the ruleset's types.
func (e *Entity) Type() uint16 { return e.typ }

// Class returns the entity's class.
func (e *Entity) Class() rules.Class { return e.class }

// Slot returns the owner's slot, [grid.NoSlot] without an owner.
func (e *Entity) Slot() grid.Slot { return e.slot }

// Team returns its owner's team, [grid.NoTeam] without an owner.
func (e *Entity) Team() grid.Team { return e.team }

// Pos returns where it is; of a structure, the middle of its footprint.
func (e *Entity) Pos() grid.Pos { return grid.Pos{X: e.x >> FineShift, Y: e.y >> FineShift} }

// Fine returns where it is in 1/64 WU.
func (e *Entity) Fine() (x, y int32) { return e.x, e.y }

// Vel returns how it moved in the last step, in 1/64 WU a tick. On a straight
// leg it stays the same to the bit.
func (e *Entity) Vel() (vx, vy int32) { return e.vx, e.vy }

// Tile returns the tile of its position.
func (e *Entity) Tile() grid.Tile { return e.Pos().Tile() }

// Foot returns the north-western tile of a structure's footprint.
func (e *Entity) Foot() grid.Tile { return e.foot }

// Facing returns where it looks.
func (e *Entity) Facing() grid.Facing { return e.face }

// Health returns the health, and the number of its changes so far.
func (e *Entity) Health() (hp int32, changes uint16) { return e.hp, e.hpMoves }

// Shield returns the shield in points, and the number of its changes so far.
func (e *Entity) Shield() (points int32, changes uint16) { return e.shield / 1000, e.shieldMoves }

// Energy returns thousandths of energy; its owner's business alone.
func (e *Entity) Energy() int32 { return e.energy }

// EnergySpent returns how often the entity spent energy at once. Energy that comes back,
// and the drain of a lasting ability, do not count. Only the owner may know the number.
func (e *Entity) EnergySpent() uint16 { return e.energySpent }

// Stock returns the amount left in a resource place.
func (e *Entity) Stock() int32 { return e.stock }

// Built reports whether it is no longer under construction.
func (e *Entity) Built() bool { return !e.unbuilt }

// Cloaked reports whether only detectors see it.
func (e *Entity) Cloaked() bool { return e.cloaked }

// SeenBy returns the teams in whose sight it is, its own included.
func (e *Entity) SeenBy() grid.TeamSet { return e.viewers }

// Carrying returns the load that it brings home.
func (e *Entity) Carrying() (resource uint8, amount int32) { return e.carriedKind, e.carried }

// Shots returns, for weapon i of its type, how many shots it ever fired and
// whether it is firing.
func (e *Entity) Shots(i int) (count uint16, firing bool) { return e.arms[i].shots, e.arms[i].firing }

// Engaged reports whether it fired or was hit in the last span of ticks.
func (e *Entity) Engaged(now grid.Tick, span grid.Ticks) bool {
	return e.lastShot != 0 && now-e.lastShot <= grid.Tick(span) || e.lastHit != 0 && now-e.lastHit <= grid.Tick(span)
}

// Action is a unit's instance of one ability of its type, with a state of its own. A team
// that sees the unit may know that the ability runs, and since when if the team saw the
// start. Only the owner may know the rest.
type Action struct {
	Ability uint8
	On      bool
	Since   grid.Tick // when it last started or stopped
	Until   grid.Tick // when it ends by itself, 0: not
	Ready   grid.Tick // when it can start again
	Request uint32    // of the order that started it; 0: no order
	Grant   Grant
}

// Acts reports whether ability i of its type runs, and since when.
func (e *Entity) Acts(i int) (on bool, since grid.Tick) { return e.acts[i].on, e.acts[i].start }

// Effect is something that a weapon or an ability left on a unit.
type Effect struct {
	Kind  uint8         // the ruleset's number
	By    grid.EntityID // the unit that did it; it may be gone
	Slot  grid.Slot     // whose that was
	Since grid.Tick     // when it began, or was last renewed
	Until grid.Tick
}

// Effects returns how many effects are on the entity.
func (e *Entity) Effects() int { return len(e.effects) }

// Effect returns the i-th.
func (e *Entity) Effect(i int) Effect {
	x := &e.effects[i]
	return Effect{x.kind, x.by, x.slot, x.start, x.end}
}

// Task is one order in a unit's queue; its owner's business alone.
type Task struct {
	Kind   orders.Kind
	Seq    uint32
	Point  grid.Pos
	Group  grid.Pos // where the order sent the group: Point is the unit's own place in it
	Target grid.EntityID
	Type   uint16
}

func (t *task) shown() Task { return Task{t.kind, t.seq, t.point, t.group, t.target, t.typ} }

// Tasks appends the unit's orders, the running one first.
func (e *Entity) Tasks(to []Task) []Task {
	for i := range e.tasks {
		t := &e.tasks[i]
		to = append(to, t.shown())
	}
	return to
}

// Production is the state of a structure's queue; its owner's business alone.
type Production struct {
	Queue    []uint16 // types, the one in work first; do not change
	Done     grid.Ticks
	Total    grid.Ticks
	HasRally bool
	Rally    grid.Pos
}

// Request returns the client's own id for a projectile, and 0 for all else.
// Only the client of the shooter's slot may be told.
func (e *Entity) Request() uint32 { return e.shot.request }

// task is one order of one unit.
type task struct {
	kind    orders.Kind
	seq     uint32
	target  grid.EntityID
	point   grid.Pos
	from    grid.Pos // patrol: the other end; attack-move and hold: where to come back to
	typ     uint16
	ability uint8
	phase   uint8
	request uint32
	lag     uint8
	start   grid.Tick
	group   grid.Pos  // where the group as a whole goes: its paths are searched together
	width   grid.Dist // how far from its place in the group a unit may settle when crowded
	pace    int32     // 1/64 WU a tick that it goes at most, as its group keeps together; 0: its own speed
}

// mover is how a unit gets to where it is going.
type mover struct {
	way
	path []grid.Pos // legs still to walk, the next one first
}

// way is all of a [mover] but its path.
type way struct {
	going     bool
	goal      grid.Pos
	hub       grid.Pos   // where the path is searched to; a group shares one
	near      grid.Dist  // close enough
	width     grid.Dist  // close enough where others stand in the way
	want      bool       // the unit waits for a path
	ground    uint32     // version of the team's ground that the leg in work was held against
	brief     bool       // only if the way is short
	stalled   grid.Ticks // ticks without getting nearer
	best      grid.Dist  // nearest to the leg's end so far
	side      int8       // the side it passes obstacles on, for as long as it is passing
	sideUntil grid.Tick  // the end of that
	look      grid.Tick  // then it looks around again
	bent      bool       // until then it goes on as it goes, aside of its leg
	alone     bool       // until then no unit can come into its way
}

// arm is the state of one weapon.
type arm struct {
	target grid.EntityID
	ready  grid.Tick
	wind   grid.Tick // the shot leaves then; 0: not aiming
	shots  uint16
	firing bool
	ground bool // aimed at point in place of target
	point  grid.Pos
	lag    uint8 // ticks of its player's lag to make up for with the next shot
	rest   uint8 // shots of the burst that it is in
}

// action is the state of one ability of one unit.
type action struct {
	on      bool
	begins  bool   // its script is to be told of the start
	runs    bool   // its script has handled the start, and will handle the stop
	single  single // the grants of this unit alone
	request uint32
	start   grid.Tick
	end     grid.Tick
	ready   grid.Tick
	next    grid.Tick // its next act, if it acts at intervals
	point   grid.Pos
	target  grid.EntityID // for abilities with a unit target
}

// effect is the lasting effect of a weapon or an ability on a unit.
type effect struct {
	kind  uint8 // the ruleset's number
	slot  grid.Slot
	begun bool  // with a script: the script has handled the start
	count uint8 // with a script: how often it was put on the unit, at most its stacks
	by    grid.EntityID
	start grid.Tick
	end   grid.Tick
	next  grid.Tick // its next act, if it acts at intervals
}

// maker is a structure's production.
type maker struct {
	queue    []uint16
	done     grid.Ticks
	hasRally bool
	rally    grid.Pos
	rallyAt  grid.EntityID
}

// shot holds the data of a projectile.
type shot struct {
	weapon  uint8
	by      grid.EntityID
	target  grid.EntityID
	aim     grid.Pos
	percent int32 // of the weapon's damage
	request uint32
	level   grid.Level // the shooter stood there
	many    many
}
