package orders

import "github.com/fogkeep/fogkeep/match/grid"

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
	Item     uint8    // Cancel: place in the queue, 0 the one in work; Fire: FireAtWill and so on
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
