package client

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// OwnerState is a client's copy of the state that only its player receives.
type OwnerState struct {
	Resources                 []uint32
	Upgrades                  []uint32 // types of the upgrades that the team has
	Population, PopulationMax uint32
	Queues                    map[grid.Handle]QueueState // of structures that make something
	Rallies                   map[grid.Handle]grid.Pos
	Tasks                     map[grid.Handle]Task // of units that do something
	Values                    [view.OwnerValueKinds]map[grid.Handle]uint32
	Ready                     map[Ability]grid.Tick // when an ability that is not ready will be
	Running                   map[Ability]Running   // the last start, kept after the ability has ended
	Grants                    map[Ability]uint32    // grants other than 0: an AbilityGrant
	Passengers                map[grid.Handle][]Passenger
	Declared                  map[grid.Handle][]Declared // values that differ from the start of the unit's type

	w int // of the map, tiles
}

// QueueState is a queue as it was sent at a tick.
type QueueState struct {
	Types    []uint16
	Progress uint32 // of the first, 1/255, at tick At
	At       grid.Tick
}

// Task is the current order of a unit, and its group's goal, to a sixteenth of a tile.
type Task struct {
	Doing uint8 // an orders.Kind
	HasTo bool
	To    grid.Pos
}

// Ability is one ability of a unit, in the list of its type.
type Ability struct {
	Unit  grid.Handle
	Index uint32
}

// Passenger is a unit in a transport.
type Passenger struct {
	Type    uint16
	Missing uint32 // of its type's health
}

// Running is an ability that started.
type Running struct {
	Until   grid.Tick // when it ends by itself, 0: not
	Request uint32    // the number that this client's order gave it; 0: without a number
}

// NewOwnerState returns the owner state of a client without state, on a map w tiles wide.
func NewOwnerState(w int) *OwnerState {
	a := &OwnerState{w: w}
	a.forget()
	return a
}

func (a *OwnerState) forget() {
	a.Queues, a.Rallies, a.Tasks = map[grid.Handle]QueueState{}, map[grid.Handle]grid.Pos{}, map[grid.Handle]Task{}
	a.Passengers = map[grid.Handle][]Passenger{}
	a.Ready, a.Running, a.Grants = map[Ability]grid.Tick{}, map[Ability]Running{}, map[Ability]uint32{}
	a.Declared, a.Upgrades = map[grid.Handle][]Declared{}, nil
	for i := range a.Values {
		a.Values[i] = map[grid.Handle]uint32{}
	}
}

// Apply takes in a frame that brings the client to tick now: the removed entities, and the player's own part, nil if
// the frame has no such part.
func (a *OwnerState) Apply(d *view.Diff, owner *view.OwnerDiff, now grid.Tick) {
	if d.Snapshot {
		a.forget()
	}
	for _, list := range [2][]grid.Handle{d.Leave, d.Destroyed} {
		for _, h := range list {
			a.drop(h)
		}
	}
	for _, o := range d.Owners { // the entity has another owner, or the server sends all of its owner state anew
		a.drop(o.Handle)
	}
	if owner == nil {
		return
	}
	if owner.Resources != nil {
		a.Resources = append(a.Resources[:0], owner.Resources...)
	}
	if owner.Upgrades != nil {
		a.Upgrades = append(a.Upgrades[:0], owner.Upgrades...)
	}
	if owner.HasPopulation {
		a.Population, a.PopulationMax = owner.Population, owner.PopulationMax
	}
	for _, q := range owner.Queues {
		keep(a.Queues, q.Handle, QueueState{q.Types, q.Progress, now}, len(q.Types) > 0)
	}
	for _, r := range owner.Rallies {
		keep(a.Rallies, r.Handle, a.place(r.Cell), r.Has)
	}
	for _, t := range owner.Tasks {
		task := Task{Doing: t.Doing, HasTo: t.HasTo}
		if t.HasTo {
			task.To = a.place(t.Cell)
		}
		keep(a.Tasks, t.Handle, task, t.Doing != 0)
	}
	for i, old := range a.Values {
		for _, e := range owner.Values[i] {
			keep(old, e.Handle, e.Value, e.Value != 0)
		}
	}
	for _, r := range owner.Running {
		x := Running{Request: r.Request}
		if r.Ends {
			x.Until = now + grid.Tick(r.In)
		}
		keep(a.Running, Ability{r.Handle, r.Ability}, x, true)
	}
	for _, r := range owner.Grants {
		keep(a.Grants, Ability{r.Handle, r.Ability}, r.Grant, r.Grant != 0)
	}
	for _, r := range owner.Passengers {
		list := a.Passengers[r.Handle]
		if r.Place == 0 {
			list = nil
		}
		if r.Type > 0 && len(list) < view.PassengersMax {
			list = append(list, Passenger{uint16(r.Type - 1), r.Missing})
		}
		keep(a.Passengers, r.Handle, list, len(list) > 0)
	}
	for _, r := range owner.Declared {
		list := declare(a.Declared[r.Handle], r)
		keep(a.Declared, r.Handle, list, len(list) > 0)
	}
	for _, r := range owner.Ready {
		keep(a.Ready, Ability{r.Handle, r.Ability}, now+grid.Tick(r.In), r.In != 0)
	}
}

// rowsMax bounds the rows of each kind: more than any player can own. A server
// may send anything.
const rowsMax = 1 << 16

// keep sets the value of a key, or drops it if it is back at its default.
func keep[K comparable, V any](m map[K]V, k K, v V, has bool) {
	if _, found := m[k]; !has {
		delete(m, k)
	} else if found || len(m) < rowsMax {
		m[k] = v
	}
}

func (a *OwnerState) place(cell uint32) grid.Pos {
	return view.InCell(view.CellCorner(cell, a.w), view.FineMiddle)
}

func (a *OwnerState) drop(h grid.Handle) {
	delete(a.Queues, h)
	delete(a.Rallies, h)
	delete(a.Tasks, h)
	delete(a.Declared, h)
	for _, old := range a.Values {
		delete(old, h)
	}
	delete(a.Passengers, h)
	dropOf(a.Ready, h)
	dropOf(a.Running, h)
	dropOf(a.Grants, h)
}

// dropOf drops all values of a unit's abilities.
func dropOf[V any](m map[Ability]V, h grid.Handle) {
	for k := range m {
		if k.Unit == h {
			delete(m, k)
		}
	}
}
