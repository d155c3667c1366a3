package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// EventKind is what happened at a place.
type EventKind uint8

// The kinds of event.
const (
	EventShot   EventKind = iota // Source fired weapon What at To
	EventImpact                  // a projectile of weapon What came down
	EventHit                     // Source, its owner's, was hurt; for its own team alone
	EventDied                    // Source was destroyed
	EventBuilt                   // Source is finished
	EventMade                    // Source was trained
	EventAction                  // Source started (On) or stopped ability What
	EventArea                    // ability What works on the ground around At, until Until
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
	Req    uint32       // the client's own id, for the client of Slot alone
	Seen   grid.TeamSet // EventDied: who saw it, and saw it go; no other may be told
	By     grid.Slot    // EventDied: whose damage destroyed it, NoSlot: none did; told to nobody while the match runs
}

// sortEvents sorts the tick's events by what can be seen: kind, place and looks.
// They arise in the order of ids, and ids tell what was made first.
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
