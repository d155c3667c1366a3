package grid

import "fmt"

// Tick is one step of the simulation, counted from 0 at the match's start.
type Tick uint32

// Ticks is a span between two ticks.
type Ticks uint32

// Limits of the number of ticks in a second of match time.
const (
	TickRateMin     = 5
	TickRateDefault = 20
	TickRateMax     = 60
)

// Team is a group of players who share vision and victory. There is one visibility mask per
// team. Teams are numbered from 0.
type Team uint8

// TeamsMax bounds the teams of one match; sets of teams fit a uint16.
const TeamsMax = 16

// NoTeam owns things without an owner, such as resources.
const NoTeam Team = 0xFF

// TeamSet is a set of teams, one bit each.
type TeamSet uint16

// Has reports whether t is in the set.
func (s TeamSet) Has(t Team) bool { return t < TeamsMax && s&(1<<t) != 0 }

// With returns the set with t added.
func (s TeamSet) With(t Team) TeamSet {
	if t >= TeamsMax {
		return s
	}
	return s | 1<<t
}

// Slot is one player's seat in a match; units belong to slots. Slots are
// numbered from 0.
type Slot uint8

// SlotsMax bounds the players of one match; sets of slots fit a uint64.
const SlotsMax = 64

// SeriesMax bounds the points of a player's series, which players get at the match's end.
const SeriesMax = 512

// NoSlot owns things without an owner.
const NoSlot Slot = 0xFF

// SlotSet is a set of slots, one bit each.
type SlotSet uint64

// Has reports whether s is in the set.
func (set SlotSet) Has(s Slot) bool { return s < SlotsMax && set>>s&1 != 0 }

// With returns the set with s added.
func (set SlotSet) With(s Slot) SlotSet { return set | 1<<s }

// EntityID names an entity (unit, structure, projectile or resource) inside
// one match: its slot in the high 8 bits, that slot's own counter in the low
// 24. It never goes on the wire: a counter that many players share would tell each player how much the others made. See [Handle].
type EntityID uint32

// EntityCounterMax is the largest number of entities one slot can ever make.
const EntityCounterMax = 1<<24 - 1

// MakeEntityID joins a slot and that slot's counter.
func MakeEntityID(s Slot, counter uint32) EntityID {
	return EntityID(uint32(s)<<24 | counter&EntityCounterMax)
}

// Slot returns the slot the entity was made for.
func (id EntityID) Slot() Slot { return Slot(id >> 24) }

// Counter returns the slot's own number of the entity.
func (id EntityID) Counter() uint32 { return uint32(id) & EntityCounterMax }

func (id EntityID) String() string { return fmt.Sprintf("%d.%d", id.Slot(), id.Counter()) }

// Handle is a team's own name for an entity while it is in that team's sight. Two teams'
// handles for one entity are unrelated. 0 is no handle.
type Handle uint32
