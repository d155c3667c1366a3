package sim

import "github.com/fogkeep/fogkeep/match/grid"

// EventKind is what happened at a place.
type EventKind uint8

// The kinds of event.
const (
	EventShot   EventKind = iota // Source fired weapon What at To
	EventImpact                  // a projectile of weapon What came down
	EventDied                    // Source was destroyed
	EventBuilt                   // Source is finished
	EventMade                    // Source was trained
	EventAction                  // Source started (On) or stopped ability What
	EventArea                    // ability What works on the ground around At, until Until
	EventHit                     // Source, its owner's, was hurt; for its own team alone
)

// Event is something that happened in the last step. A team may be told only
// of what its mask shows at At; EventHit only the owner's team. Source's
// handle is given only to teams that see it.
type Event struct {
	Kind   EventKind
	What   uint8 // weapon or ability
	On     bool
	Type   uint16 // of Source
	Slot   grid.Slot
	Source grid.EntityID
	Target grid.EntityID // EventShot at a unit
	At     grid.Pos
	To     grid.Pos
	Until  grid.Tick
	Radius grid.Dist
	Req    uint32 // the client's own id, for the client of Slot alone
}

func (w *World) tell(e Event) { w.events = append(w.events, e) }

// eventOf begins an event about an entity.
func eventOf(kind EventKind, e *Entity) Event {
	return Event{Kind: kind, Type: e.typ, Slot: e.slot, Source: e.id, At: e.Pos()}
}
