package orders

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Kind is the kind of an order.
type Kind uint8

// The kinds of order.
const (
	None         Kind = iota
	Move              // go to Point
	AttackMove        // go to Point, fighting foes on the way
	Attack            // fight Target until it is gone
	AttackGround      // fire at Point until told otherwise
	Stop              // drop everything
	Hold              // stand and fight from the spot
	Patrol            // fight back and forth between here and Point
	Follow            // stay with Target
	Harvest           // gather from Target, or from the nearest known resource to Point, and bring it home
	Build             // raise a structure of Type with its middle nearest to Point; with Target, go on with that one
	Train             // add one unit of Type to a structure's production queue
	SetRally          // send trained units to Point, or to Target
	UseAbility        // start Ability, without an aim, on Target or on Point
	StopAbility       // stop Ability, if it lasts
	Cancel            // take Item out of a production or order queue; a structure still being built is given up
	Surrender         // the player gives up; Units stay empty
	kindEnd
)

// Kinds is the number of kinds, None included.
const Kinds = int(kindEnd)

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

// Bounds of one order and of a unit's queue.
const (
	UnitsMax = 2048 // units one order can name
	QueueMax = 16   // orders a unit can hold, the running one included
	LeftMax  = 32   // units left out of an accepted order that its answer names
)

// Order is one request of one player. Units and Target are the names that the player's
// *team* has for them; Validate resolves them as of the frame that the client had applied
// when it sent the order.
type Order struct {
	Kind     Kind
	Queued   bool          // after the units' current tasks, not instead of them
	Together bool          // Move, AttackMove and Patrol: at the speed of the slowest of the units
	Units    []grid.Handle // the ordered units, at most UnitsMax
	Target   grid.Handle   // 0: no target
	HasPoint bool
	Point    grid.Pos // where HasPoint
	Type     uint16   // Build and Train: index into the ruleset's types
	Ability  uint8    // UseAbility and StopAbility: index into the ruleset's abilities
	Item     uint8    // Cancel: place in the queue, 0 the one in work
	// Request is the client's own number for the shot or action that the first of Units
	// starts, and that the client shows at once. The numbers of the others follow, see
	// [Order.RequestOf]. The number comes back to that client only. 0: no number.
	Request uint32
}

// RequestOf returns the client's number for the shot or action of the order's i-th unit, 0
// for no number. The numbers of one order follow each other, so that each names one thing.
// They end at the greatest number.
func (o *Order) RequestOf(i int) uint32 {
	n := o.Request + uint32(i)
	if o.Request == 0 || n < o.Request {
		return 0
	}
	return n
}
