package view

import (
	"cmp"

	"github.com/fogkeep/fogkeep/match/grid"
)

// View is plain data: the state that some eyes may know at one tick. Its slices belong to the caller that built it and
// hold until the next build into the same View.
type View struct {
	Tick grid.Tick
	Team grid.Team
	W, H int // of the map, tiles

	// Quiet has by handle the tick until which the reader needs no row of an entity, exclusive, unless the entity
	// turns. The caller sets it before the build. If it is nil, or the View was not last built for the tick before,
	// Units has all entities in sight. See [Tracker.Quiet].
	Quiet []grid.Tick

	Units    []Unit     // in sight, and not left out, sorted by Handle
	Actions  []Action   // that the units run, sorted by Handle and Index
	Effects  []Effect   // on the units, sorted by Handle, Kind, Since and Source
	Declared []Declared // values of the units that are not at their start, sorted by Handle and Value
	Removed  []Removed  // left sight or were seen destroyed in this tick, sorted by Handle
	Ghosts   []Ghost    // remembered structures, sorted by Handle
	Mask     Mask
	Sights   []Sight      // sources of the mask that are no unit of the view
	Contacts []Contact    // of the team's radar, sorted by class and cell
	Events   []Event      // events of this tick in the team's sight
	Players  []Player     // public, index = slot
	Owners   []OwnerState // the state that each of the team's players alone may know
}

// Unit is one entity that the team sees.
type Unit struct {
	Handle    grid.Handle
	Entered   grid.Tick // when it came into sight: with Handle, the key of a diff
	Type      uint16
	Owner     grid.Slot // [grid.NoSlot]: neutral
	Pos       grid.Pos
	Vel       Velocity
	FullSpeed int32 // the type's full speed, in 1/64 world unit per tick
	Facing    grid.Facing
	Exact     bool // clients have to hold its tile (or all of a static place) exactly
	Busy      bool // it changes by itself: it is in the next view, too
	// Line is the velocity of the entity's line. As long as its row is left out, the entity is less than twice
	// lineSlack off the place to which Line brings it from Pos. A standing entity has the zero Line.
	Line   Velocity
	Values [ValueKinds]uint32
}

// Action is an ability that an entity runs.
type Action struct {
	Handle grid.Handle
	Index  uint8     // in the list of its type
	Since  grid.Tick // when it began; 0: before the entity came into sight
}

// Effect is something that a weapon or an ability left on a unit.
type Effect struct {
	Handle grid.Handle
	Kind   uint8       // the ruleset's number
	Since  grid.Tick   // when it began or was renewed; 0: before the unit came into sight
	Source grid.Handle // the attacker, if it was in sight then and still is; else 0
	Sees   bool        // its unit sees farther or less far with it
}

// Removed is an entity that the team saw until this tick.
type Removed struct {
	Handle    grid.Handle
	Destroyed bool              // it was seen destroyed; else it only left sight
	Bursts    [BurstsMax]uint32 // the shots of its weapons in sight, as values that do not fire
	Told      bool              // Bursts are sent to all: clients with all updates so far have another count
	Next      grid.Tick         // the first tick from this one on at which clients with all updates count more shots; 0: never
}

// Ghost is a structure as the team last saw it.
type Ghost struct {
	Handle  grid.Handle
	Type    uint16
	Owner   grid.Slot
	Pos     grid.Pos
	Facing  grid.Facing
	Missing int32
	Amount  uint32 // of a feature with a state
}

// Mask has the changes of the team's mask in this tick (in the first view: all tiles that are not dark), in blocks of
// 8x8 tiles.
type Mask struct {
	Blocks  []Block
	HasHash bool
	Hash    uint32 // of the visible tiles, as visibility hashes a mask; if HasHash
}

// Block is a changed block as it is now. Bit 8*row+column of a word is the tile
// that many rows and columns from X, Y.
type Block struct {
	X, Y              int16 // north-western tile
	Visible, Explored uint64
}

// Sight is a source of the team's mask that is no unit of the view: a scan, the last sight of the dead, a revealed
// shooter.
type Sight struct {
	Tile       grid.Tile
	Radius     int // half tiles
	Flyer      bool
	LevelBonus int
	Died       bool      // of a unit of the team that died: clients that have the tick before Since derive it
	Since      grid.Tick // the tick at which it is first sent
	Until      grid.Tick // it sees up to, not including
}

// Contact is a thing that the team's radar found beyond sight.
type Contact struct {
	Class uint8     // index into the ruleset's signatures
	Cell  grid.Tile // column and row of a cell of the map, of ContactCell tiles
	At    grid.Tick // when it was found last
}

// Compare orders contacts by class and cell.
func (c Contact) Compare(o Contact) int {
	return cmp.Or(cmp.Compare(c.Class, o.Class), cmp.Compare(c.Cell.Y, o.Cell.Y), cmp.Compare(c.Cell.X, o.Cell.X))
}

// ContactCell is the side in tiles of the cells that place contacts.
const ContactCell = 8

// EventKind is the kind of an event. The wire has the same values.
type EventKind uint8

// The kinds of events.
const (
	EventShot     EventKind = 1 + iota // a weapon fired at a place
	EventHit                           // something was hit
	EventDeath                         // reserved: rows of destroyed have the deaths in sight
	EventBlast                         // a projectile came down that was not in sight before
	EventBuilt                         // a structure was finished
	EventTrained                       // reserved: rows of enter have the player's new units
	EventAttacked                      // a unit of the own team was hit, by whom it may not know
	EventAbility                       // an ability that ends as it begins was used, or an ability began to work on the ground
	EventHeard                         // a sound of something unseen, in the middle of its cell of the map
)

// Event is something that the team saw happen at a place. It is sent once,
// in the frame of its tick, and dropped by its [EffectClass] when bytes are short.
type Event struct {
	Kind           EventKind
	At             grid.Pos
	What           uint32      // weapon, type or ability number, or class of sound, by kind
	Source, Target grid.Handle // 0: not seen
}

// PlayerState is a player's public state. The wire has the same values.
type PlayerState uint8

// The states of a player.
const (
	Playing  PlayerState = 1 + iota
	Away                 // connection lost, seat kept
	Defeated             // without any means to win
	Left                 // gave up the seat
	StandIn              // a bot plays on for the absent player
)

// Player is the public part of a player, and its score.
type Player struct {
	State  PlayerState
	Name   string // of a person who has taken the seat over in the match; "": as in the welcome
	Scored bool   // these eyes may know the score
	Score  int32
	Valued uint8 // how many of the mode's values of its team these eyes may know: the first ones
	Values [ValuesMax]uint32
}

// OwnerState is the state that only the player in the slot may know.
type OwnerState struct {
	Slot          grid.Slot
	Resources     []uint32
	Population    uint32
	PopulationMax uint32
	Upgrades      []uint32     // of the team: types
	Production    []Production // sorted by Handle
	Units         []OwnerUnit  // sorted by Handle
	Started       []Started    // in this tick, sorted by Handle
}

// Production is the queue of one structure.
type Production struct {
	Handle   grid.Handle
	Types    []uint16   // the first is in work
	Progress uint32     // of the first, 1/255
	Total    grid.Ticks // that the first takes
	HasRally bool
	Rally    grid.Pos
}

// OwnerUnit is the part of a unit, or of a structure with abilities, that only its owner knows.
type OwnerUnit struct {
	Handle   grid.Handle
	Values   [OwnerValueKinds]uint32
	Doing    uint8 // an orders.Kind
	HasTo    bool
	To       grid.Pos    // where its group goes
	Actions  []OwnAction // of the type's abilities, in their order
	Declared []Declared  // values that are not at their start, sorted by Value; without Handle
	// The units in it, without Handle and Place.
	Passengers []PassengerRow
}

// OwnAction is the part of a unit's ability that only its owner knows.
type OwnAction struct {
	Ready   grid.Tick // when it can be used again; 0: ready, or no order starts it
	On      bool      // it runs, and an order started it
	Since   grid.Tick // when it began, where it runs
	Until   grid.Tick // when it ends by itself; 0: not
	Request uint32    // of the order that started it
	Grant   uint8     // a sim.Grant
}

// Started is the effect of an order with a client's own id: the client may have shown it already, and learns here which
// entity it is.
type Started struct {
	Request uint32
	Handle  grid.Handle
}

// Cancelled is an order of a unit that ended early. It is sent with the player's
// own part, once the journal has the tick.
type Cancelled struct {
	Unit grid.Handle
	Code uint8 // an orders.Reject
}
