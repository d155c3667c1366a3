package orders

import "github.com/fogkeep/fogkeep/match/grid"

// World answers the questions of [Validate]. Every answer is a lookup in the knowledge of
// the slot's team, and must not depend on anything else.
type World interface {
	// Running reports whether the match has begun and is not over.
	Running() bool
	// Alive reports whether the player still takes part.
	Alive(s grid.Slot) bool
	// Unit returns the unit that h names for the team of s, if h named it already at tick
	// asOf and it is in sight now.
	Unit(s grid.Slot, h grid.Handle, asOf grid.Tick) (Unit, bool)
	// Target is Unit for the other end of an order: visible entities, and structures
	// remembered as ghosts.
	Target(s grid.Slot, h grid.Handle, asOf grid.Tick) (Target, bool)
	// Ability judges ability a of unit u.
	Ability(u grid.EntityID, a uint8) Ability
	// Aim returns the target mode of ability a.
	Aim(a uint8) TargetMode
	// CanTarget reports whether ability a of unit u can be aimed at the target, which
	// is in sight.
	CanTarget(u grid.EntityID, a uint8, t Target) bool
	// Trainable says whether structure u may add a unit of type typ to its
	// queue now: OK, NotGranted, Unaffordable or PopLimit.
	Trainable(u grid.EntityID, typ uint16) Reject
	// Buildable says whether u may raise a structure of type typ at all: OK,
	// NotGranted or Unaffordable.
	Buildable(u grid.EntityID, typ uint16) Reject
	// Site reports whether a structure of type typ can stand with its middle
	// nearest to p on the ground as the team of s remembers it.
	Site(s grid.Slot, typ uint16, p grid.Pos) bool
	// CanHit reports whether a weapon of u can be aimed at the target.
	CanHit(u grid.EntityID, t Target) bool
	// CanHitGround reports whether a weapon of u can be aimed at the ground.
	CanHitGround(u grid.EntityID) bool
	// CanDo reports whether u can carry out an order of kind k, Harvest or another that only some units do, on the target.
	CanDo(u grid.EntityID, k Kind, t Target) bool
	// OnMap reports whether the point is on the map.
	OnMap(p grid.Pos) bool
	// Reachable reports whether u can come to p, as far as its team knows.
	Reachable(u grid.EntityID, p grid.Pos) bool
}

// Unit holds the facts of an ordered unit that validation needs.
type Unit struct {
	ID        grid.EntityID
	Owner     grid.Slot
	Kinds     KindSet // the orders that it can take now
	QueueLen  int     // orders it holds
	TrainFull bool    // its production queue is full
	Fires     uint16  // a bit for each of the FireModes that it has
}

// Relation is the relation of a target to the ordering player.
type Relation uint8

// The relations.
const (
	Own Relation = iota
	Ally
	Enemy
	Neutral
)

// Target holds the facts of an order's target that validation needs.
type Target struct {
	ID       grid.EntityID // 0 for a ghost: its fate is not known
	Relation Relation
	Ghost    bool // remembered, not in sight
	Unbuilt  bool // a structure that is not finished
	Type     uint16
	At       grid.Pos // its position, for a ghost the middle of its footprint
}

// TargetMode is the kind of aim of an ability.
type TargetMode uint8

// The ways of aiming an ability. The values equal those on the wire.
const (
	AimNone TargetMode = iota
	AimUnit
	AimGround
)

// Ability holds the facts of one unit's ability that validation needs.
type Ability struct {
	Granted    bool
	Ready      bool // off cooldown
	Affordable bool // energy and resources
	Lasting    bool // it can be stopped
}
