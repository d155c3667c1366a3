package orders

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

// Form lists the parts of orders of one kind, and their names. Validation, the wire, the
// TypeScript SDK and docs/protocol.md read it.
type Form struct {
	Name   string // in files and in the inspector
	Wire   uint8  // OrderKind in the protocol, which names it for clients
	Units  Need
	Point  Need   // Order.Point
	Target Need   // Order.Target
	To     string // the meaning of Point, for people
	On     string // the meaning of Target, for people
	Number Number
	What   string // the meaning of Number, for people
}

// Forms are the forms of all kinds.
var Forms = [Kinds]Form{
	None:         {Name: "none"},
	Move:         {Name: "move", Wire: 1, Units: Needed, Point: Needed, Target: Forbidden, To: "where to go"},
	AttackMove:   {Name: "attack-move", Wire: 2, Units: Needed, Point: Needed, Target: Forbidden, To: "where to go, fighting on the way"},
	Attack:       {Name: "attack", Wire: 3, Units: Needed, Target: Needed, On: "a player's unit or structure that a weapon of the unit can hit; a remembered structure is fired at where it was last seen"},
	AttackGround: {Name: "attack-ground", Wire: 4, Units: Needed, Point: Needed, Target: Forbidden, To: "what to fire at"},
	Stop:         {Name: "stop", Wire: 5, Units: Needed},
	Hold:         {Name: "hold", Wire: 6, Units: Needed},
	Patrol:       {Name: "patrol", Wire: 7, Units: Needed, Point: Needed, Target: Forbidden, To: "the other end of the patrol"},
	Follow:       {Name: "follow", Wire: 8, Units: Needed, Target: Needed, On: "a unit or structure of a player, in sight"},
	Harvest:      {Name: "harvest", Wire: 9, Units: Needed, Point: OneOf, Target: OneOf, To: "gather at the known resource nearest to it; not looked at with a target", On: "a resource, in sight or remembered"},
	Build:        {Name: "build", Wire: 10, Units: Needed, Point: OneOf, Target: OneOf, To: "the middle of the structure; not looked at with a target", On: "an own structure under construction, to go on with", Number: TypeNumber, What: "type number of the structure; not looked at with a target"},
	Train:        {Name: "train", Wire: 11, Units: Needed, Number: TypeNumber, What: "type number of the unit"},
	SetRally:     {Name: "set-rally", Wire: 12, Units: Needed, Point: OneOf, Target: OneOf, To: "where what is trained goes; not looked at with a target", On: "what it goes to: anything in sight, or a remembered structure"},
	UseAbility:   {Name: "use-ability", Wire: 13, Units: Needed, Target: Optional, To: "the place it works on, where `AbilityInfo.target` is 2; without it `BAD_TARGET`", On: "the unit it works on, in sight, where `AbilityInfo.target` is 1; without it `BAD_TARGET`", Number: AbilityNumber, What: "ability number"},
	StopAbility:  {Name: "stop-ability", Wire: 16, Units: Needed, Number: AbilityNumber, What: "ability number, of one that lasts"},
	Cancel:       {Name: "cancel", Wire: 14, Units: Needed, Number: ItemNumber, What: "place in the structure's production queue, or in the unit's queue of orders; 0 is the one in work"},
	Surrender:    {Name: "surrender", Wire: 15, Units: Forbidden},
}
