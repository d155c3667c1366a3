package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// EventKind is the kind of an event at a place.
type EventKind uint8

// The kinds of event.
const (
	EventShot   EventKind = iota // Source fired weapon What at To
	EventImpact                  // a projectile of weapon Event.What came down
	EventHit                     // Source, its owner's, was hurt; for its own team alone
	EventDied                    // Source was destroyed
	EventBuilt                   // Source is finished
	EventMade                    // Source was trained
	EventAction                  // Source started (On) or stopped ability What
	EventArea                    // ability What works on the ground around At, until Until
)

// Event is something that happened in the last step. The server may tell a team of an event
// only if the team's mask shows At, and of an EventHit only the owner's team. Only teams
// that see Source get its handle.
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
	Req    uint32       // the client's own id, for the client of Slot alone
	Seen   grid.TeamSet // EventDied: the teams that saw it, and saw it go; no other team may learn of it
	By     grid.Slot    // EventDied: the player whose damage destroyed it, NoSlot: no player; secret while the match runs
	// EventDied: the players who assisted, a bit for each slot; as secret as By.
	Assists uint64
}

// sortEvents sorts the tick's events by visible values: kind, place and looks. They arise
// in the order of ids, and ids tell which entity was made first.
func (w *World) sortEvents() {
	slices.SortFunc(w.events, func(a, b Event) int {
		switch {
		case a.Kind != b.Kind:
			return int(a.Kind) - int(b.Kind)
		case a.At.Y != b.At.Y:
			return cmp.Compare(a.At.Y, b.At.Y)
		case a.At.X != b.At.X:
			return cmp.Compare(a.At.X, b.At.X)
		case a.What != b.What:
			return int(a.What) - int(b.What)
		case a.Slot != b.Slot:
			return int(a.Slot) - int(b.Slot)
		case a.Type != b.Type:
			return int(a.Type) - int(b.Type)
		case a.To.Y != b.To.Y:
			return cmp.Compare(a.To.Y, b.To.Y)
		}
		return cmp.Compare(a.To.X, b.To.X)
	})
}

func (w *World) tell(e Event) { w.events = append(w.events, e) }

// eventOf begins an event about an entity.
func eventOf(kind EventKind, e *Entity) Event {
	return Event{Kind: kind, Type: e.typ, Slot: e.slot, Source: e.id, At: e.Pos(), By: grid.NoSlot}
}
