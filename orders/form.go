package orders

// Need says whether orders of a kind have a part.
type Need uint8

// What an order may have.
const (
	Ignored   Need = iota // it may be there, and says nothing
	Needed                // without it the order is malformed
	OneOf                 // this part or the other that is OneOf, or both
	Optional              // it may be there; whether it counts, the ability says
	Forbidden             // with it the order is malformed
)

// meets reports whether a part that is there, or is not, is as needed. Of OneOf it
// knows only half.
func (n Need) meets(there bool) bool { return n != Needed && n != Forbidden || (n == Needed) == there }

// Form is what orders of one kind consist of.
type Form struct {
	Units  Need
	Point  Need   // Order.Point
	Target Need   // Order.Target
	To     string // what Point means, for people
	On     string // what Target means, for people
	What   string // what Type, Ability or Item is, for people; "" if none of them counts
}

// Forms are the forms of all kinds.
var Forms = [Kinds]Form{
	Move:         {Needed, Needed, Forbidden, "where to go", "", ""},
	AttackMove:   {Needed, Needed, Forbidden, "where to go, fighting on the way", "", ""},
	Attack:       {Needed, Ignored, Needed, "", "a player's unit or structure that a weapon of the unit can hit; a remembered structure is fired at where it was last seen", ""},
	AttackGround: {Needed, Needed, Forbidden, "what to fire at", "", ""},
	Stop:         {Units: Needed},
	Hold:         {Units: Needed},
	Patrol:       {Needed, Needed, Forbidden, "the other end of the patrol", "", ""},
	Follow:       {Needed, Ignored, Needed, "", "a unit or structure of a player, in sight", ""},
	Harvest:      {Needed, OneOf, OneOf, "gather at the known resource nearest to it; not looked at with a target", "a resource, in sight or remembered", ""},
	Build:        {Needed, OneOf, OneOf, "the middle of the structure; not looked at with a target", "an own structure under construction, to go on with", "type number of the structure; not looked at with a target"},
	Train:        {Units: Needed, What: "type number of the unit"},
	SetRally:     {Needed, OneOf, OneOf, "where what is trained goes; not looked at with a target", "what it goes to: anything in sight, or a remembered structure", ""},
	UseAbility:   {Units: Needed, Target: Optional, To: "the place it works on, where `AbilityInfo.target` is 2; without it `BAD_TARGET`", On: "the unit it works on, in sight, where `AbilityInfo.target` is 1; without it `BAD_TARGET`", What: "ability number"},
	StopAbility:  {Units: Needed, What: "ability number, of one that lasts"},
	Cancel:       {Units: Needed, What: "place in the structure's production queue, or in the unit's queue of orders; 0 is the one in work"},
	Surrender:    {Units: Forbidden},
}
