package orders

import (
	"fmt"
	"strings"
)

// Kind is the kind of an order.
type Kind uint8

// The kinds of order. Form.Does has their effect.
const (
	None Kind = iota
	Move
	AttackMove
	Attack
	AttackGround
	Stop
	Hold
	Patrol
	Follow
	Harvest
	Build
	Train
	SetRally
	UseAbility
	StopAbility
	Cancel
	Surrender
	Fire
	Repair
	Board
	Unload
	kindEnd
)

// Kinds is the number of kinds, None included.
const Kinds = int(kindEnd)

// Forms has a row for each kind.
var Forms = [Kinds]Form{
	None: {Name: "none"},
	Move: {Name: "move", Wire: 1, Does: "goes to a place",
		Units: Needed, Point: Needed, Target: Forbidden, To: "where to go", Tasks: Replaces, Group: true, Reach: true},
	AttackMove: {Name: "attack-move", Wire: 2, Does: "goes to a place, and fights foes on the way",
		Units: Needed, Point: Needed, Target: Forbidden, To: "where to go, fighting on the way", Tasks: Replaces, Group: true, Reach: true},
	Attack: {Name: "attack", Wire: 3, Does: "fights a target until it is gone",
		Units: Needed, Target: Needed, On: "a player's unit or structure that a weapon of the unit can hit; a remembered structure is fired at where it was last seen", Tasks: Replaces},
	AttackGround: {Name: "attack-ground", Wire: 4, Does: "fires at a place until its next order",
		Units: Needed, Point: Needed, Target: Forbidden, To: "the target", Tasks: Replaces},
	Stop: {Name: "stop", Wire: 5, Does: "drops everything",
		Units: Needed, Tasks: Drops},
	Hold: {Name: "hold", Wire: 6, Does: "stands and fights from the spot",
		Units: Needed, Tasks: Replaces},
	Patrol: {Name: "patrol", Wire: 7, Does: "goes back and forth between here and a place, and fights",
		Units: Needed, Point: Needed, Target: Forbidden, To: "the other end of the patrol", Tasks: Replaces, Group: true, Reach: true},
	Follow: {Name: "follow", Wire: 8, Does: "stays with a unit or structure",
		Units: Needed, Target: Needed, On: "a unit or structure of a player, in sight", Tasks: Replaces},
	Harvest: {Name: "harvest", Wire: 9, Does: "gathers a resource, and brings it home",
		Units: Needed, Point: OneOf, Target: OneOf, To: "gather at the known resource nearest to it; not looked at with a target", On: "a resource, in sight or remembered", Tasks: Replaces, Reach: true},
	Build: {Name: "build", Wire: 10, Does: "builds a structure with its middle nearest to a place, or goes on with one",
		Units: Needed, Point: OneOf, Target: OneOf, To: "the middle of the structure; not looked at with a target", On: "an own structure under construction, to go on with", Number: TypeNumber, What: "type number of the structure; not looked at with a target", Tasks: Replaces, Reach: true},
	Train: {Name: "train", Wire: 11, Does: "adds a unit to a structure's production queue",
		Units: Needed, Number: TypeNumber, What: "type number of the unit"},
	SetRally: {Name: "set-rally", Wire: 12, Client: "RALLY", Does: "sends trained units to a place or a target",
		Units: Needed, Point: OneOf, Target: OneOf, To: "where the trained units go; ignored with a target", On: "the target of the trained units: an entity in sight, or a remembered structure"},
	UseAbility: {Name: "use-ability", Wire: 13, Client: "ABILITY", Does: "starts an ability; one with an aim needs a place or a target",
		Units: Needed, Target: Optional, To: "the place it works on, where `AbilityInfo.target` is 2; without it `BAD_TARGET`", On: "the unit it works on, in sight, where `AbilityInfo.target` is 1; without it `BAD_TARGET`", Number: AbilityNumber, What: "ability number", Tasks: ReplacesToAim},
	StopAbility: {Name: "stop-ability", Wire: 16, Does: "stops an ability that lasts",
		Units: Needed, Number: AbilityNumber, What: "number of a lasting ability"},
	Cancel: {Name: "cancel", Wire: 14, Does: "takes a place out of a queue; a structure under construction is given up",
		Units: Needed, Number: ItemNumber, What: "place in the structure's production queue, or in the unit's queue of orders; 0 is the one in work", Tasks: Removes},
	Surrender: {Name: "surrender", Wire: 15, Does: "gives up the match",
		Units: Forbidden},
	Fire: {Name: "fire", Wire: 17, Does: "chooses when the weapons of a unit fire, and which, and how far the unit goes for foes",
		Units: Needed, Number: ItemNumber, What: "0 at will, 1 at the targets of orders alone; 2 main fire, 3 alternate fire; 4 all weapons, 5 the first alone, 6 the second alone; stances of units that walk, which also end 1: 7 defensive, 8 aggressive, 9 holds its ground"},
	Repair: {Name: "repair", Wire: 18, Does: "restores the health of a unit or structure, for a part of its cost",
		Units: Needed, Target: Needed, On: "a damaged unit or structure of the team that the unit repairs", Tasks: Replaces},
	Board: {Name: "board", Wire: 19, Does: "gets into a transport",
		Units: Needed, Target: Needed, On: "an own transport with room for the unit", Tasks: Replaces},
	Unload: {Name: "unload", Wire: 20, Does: "goes to a place, and lets passengers out",
		Units: Needed, Point: Needed, Target: Forbidden, To: "where to let them out", Number: ItemNumber, What: "the passenger's place in the transport, from 1; 0: all of them", Tasks: Replaces},
}

// The ways to fire, the numbers of orders of the kind [Fire]. The first two are a pair, so are
// the next two; three choose weapons. The last three are stances: how far a unit goes for foes
// by its own choice. With [FireHold] there are four.
const (
	FireAtWill = iota
	FireHold   // at the targets of orders alone
	FireMain
	FireAlternate // weapons that have one use it
	FireAll
	FireFirst
	FireSecond
	FireDefensive  // foes near its post
	FireAggressive // foes in its sight, without a way back
	FireGround     // foes in its range
	FireModes
)

// Form lists the parts of orders of one kind, and their effect. Validation, the wire, the TypeScript and C# clients and docs/reference/protocol.md read it.
type Form struct {
	Name   string // in files and in the inspector
	Wire   uint8  // OrderKind in the protocol
	Client string // the name in the protocol and in clients, where it is not Name: "RALLY"
	Does   string // its effect, for people: "goes to a place"
	Units  Need
	Point  Need   // Order.Point
	Target Need   // Order.Target
	To     string // the meaning of Point, for people
	On     string // the meaning of Target, for people
	Number Number
	What   string // the meaning of Number, for people
	Tasks  Tasks
	Group  bool // each unit gets a place of its own around Point; Order.Together counts
	Reach  bool // a unit that cannot go to Point, or to Target, is refused
}

// Need says whether orders of a kind have a part.
type Need uint8

// Whether an order has a part.
const (
	Ignored   Need = iota // it may be there, without meaning
	Needed                // without it the order is malformed
	OneOf                 // this part or the other that is OneOf, or both
	Optional              // it may be there; whether it counts, the ability says
	Forbidden             // with it the order is malformed
)

// meets reports whether a part that is there, or is not, is as needed. Of OneOf it
// knows only half.
func (n Need) meets(there bool) bool { return n != Needed && n != Forbidden || (n == Needed) == there }

// Number is the part of an order to which its number on the wire, "what", belongs.
type Number uint8

// The parts that are numbers.
const (
	NoNumber      Number = iota
	TypeNumber           // Order.Type
	AbilityNumber        // Order.Ability
	ItemNumber           // Order.Item
)

// Tasks is the effect of an order on the tasks of its units.
type Tasks uint8

// The effects on tasks.
const (
	Keeps         Tasks = iota // they go on: the order acts at once, queued or not
	Replaces                   // the order is a task, instead of them or, queued, after them
	ReplacesToAim              // Replaces, if the ability has an aim or the order is queued; else Keeps
	Removes                    // the task Order.Item ends
	Drops                      // all end, queued or not
)

// Form returns the row of the kind; the row of None for an unknown kind.
func (k Kind) Form() *Form {
	if k >= kindEnd {
		k = None
	}
	return &Forms[k]
}

// Bare reports whether orders of the kind have units alone.
func (f *Form) Bare() bool { return f.Point == Ignored && f.Target == Ignored && f.Number == NoNumber }

// ProtocolName returns the kind's name in the protocol: ATTACK_MOVE.
func (f *Form) ProtocolName() string {
	if f.Client != "" {
		return f.Client
	}
	return strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

func (k Kind) String() string {
	if k < kindEnd {
		return Forms[k].Name
	}
	return fmt.Sprintf("order(%d)", uint8(k))
}

// ParseKind returns the kind with that name.
func ParseKind(name string) (Kind, bool) {
	for i := range Forms {
		if Forms[i].Name == name && i > 0 {
			return Kind(i), true
		}
	}
	return None, false
}

// KindSet is a set of kinds, one bit each.
type KindSet uint32

// Has reports whether k is in the set.
func (s KindSet) Has(k Kind) bool { return k < kindEnd && s>>k&1 != 0 }

// SetOf returns the set of the given kinds.
func SetOf(kinds ...Kind) KindSet {
	s := KindSet(0)
	for _, k := range kinds {
		s |= 1 << k
	}
	return s
}
