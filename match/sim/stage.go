package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// StagedMax bounds the number of things that [Stage] puts on a map.
const StagedMax = 4096

// Staged is one thing that a scenario puts on the map. A nil pointer keeps its type's first
// value.
type Staged struct {
	Slot    grid.Slot // NoSlot: no owner, for a resource place or a structure
	Type    uint16
	At      grid.Pos // a structure stands as near to it as the tiles allow
	Unbuilt bool     // a structure that is under construction
	Health  *int32   // 1 to the type's
	Shield  *int32   // points, 0 to the type's
	Energy  *int32   // points, 0 to the type's
	Amount  *int32   // of a resource place, at least 1
}

// StageError says which thing of a stage cannot be put on the map.
type StageError struct {
	Index int // of the thing
	Why   string
}

func (e *StageError) Error() string { return fmt.Sprintf("sim: stage: thing %d: %s", e.Index, e.Why) }

// Stage returns the setup of a match that begins at tick 0 with these things on the map,
// instead of the things that its mode would place. It also returns their ids, in the same
// order. stock is each player's stock, by slot; nil: as the ruleset says. Everything stands
// where a match could have brought it, and each team knows the things that it sees from
// there.
func Stage(s Setup, things []Staged, stock []*rules.Cost) (Setup, []grid.EntityID, error) {
	s.Start = nil
	if err := s.Check(); err != nil {
		return Setup{}, nil, fmt.Errorf("sim: stage: %w", err)
	}
	if len(things) > StagedMax {
		return Setup{}, nil, fmt.Errorf("sim: stage: %d things, at most %d", len(things), StagedMax)
	}
	w, err := empty(s)
	if err != nil {
		return Setup{}, nil, err
	}
	if err := w.placeFeatures(); err != nil {
		return Setup{}, nil, fmt.Errorf("sim: stage: %w", err)
	}
	ids := make([]grid.EntityID, len(things))
	for i := range things {
		if why := w.stage(&things[i]); why != "" {
			return Setup{}, nil, &StageError{i, why}
		}
		ids[i] = w.newborns[len(w.newborns)-1].id
		w.settle()
	}
	for i, c := range stock {
		if i < len(w.players) && c != nil {
			w.players[i].stock = *c
		}
	}
	if m, ok := w.mode.(rulesetMode); ok {
		m.begin(w)
		w.settle()
	}
	w.addPoint()
	w.see()
	s.Start = w.Save(nil)
	return s, ids, nil
}

// stage puts one thing on the map, or says why that cannot be.
func (w *World) stage(x *Staged) string {
	if int(x.Type) >= len(w.rules.Types) {
		return "the type is unknown"
	}
	t := &w.rules.Types[x.Type]
	switch {
	case t.Feature.MapOnly():
		return fmt.Sprintf("only a map can place a %s", t.Name)
	case x.Slot != grid.NoSlot && int(x.Slot) >= len(w.players):
		return fmt.Sprintf("slot %d does not exist", x.Slot)
	case !w.m.InPos(x.At):
		return "it is off the map"
	case x.Unbuilt && (t.Class != rules.ClassStructure || x.Slot == grid.NoSlot):
		return "only a player's structure can be under construction"
	}
	if why := w.stageRoom(x, t); why != "" {
		return why
	}
	for _, v := range []struct {
		name  string
		value *int32
		least int32
		most  int32
	}{{"health", x.Health, 1, t.Health}, {"shield", x.Shield, 0, t.Shield.Max}, {"energy", x.Energy, 0, t.EnergyMax / 1000}} {
		if v.value != nil && (*v.value < v.least || *v.value > v.most) {
			return fmt.Sprintf("%s is %d, a %s has %d to %d", v.name, *v.value, t.Name, v.least, v.most)
		}
	}
	if x.Amount != nil && (t.Class != rules.ClassResource || *x.Amount < 1) {
		return "only a resource place has an amount, at least 1"
	}
	if w.nextCounter(x.Slot) > grid.EntityCounterMax {
		return "its slot has too many"
	}
	e := w.spawn(x.Slot, x.Type, x.At, x.Unbuilt)
	if x.Health != nil {
		e.hp = *x.Health
	}
	if x.Shield != nil {
		e.shield = 1000 * *x.Shield
	}
	if x.Energy != nil {
		e.energy = 1000 * *x.Energy
	}
	if x.Amount != nil {
		e.stock = *x.Amount
	}
	return ""
}

// stageRoom says why a thing cannot stand where it is to stand.
func (w *World) stageRoom(x *Staged, t *rules.Type) string {
	at := x.At.Tile()
	switch t.Class {
	case rules.ClassUnit:
		switch {
		case x.Slot == grid.NoSlot:
			return "a unit is a player's"
		case !w.passable(t, at):
			return fmt.Sprintf("a %s cannot stand on tile %d,%d", t.Name, at.X, at.Y)
		case slices.ContainsFunc(w.all, func(o *Entity) bool { return w.touches(o, t, x.At) }):
			return "another unit stands there"
		}
	case rules.ClassStructure:
		if !w.footFree(x.Type, footOf(t, x.At), 0) {
			return fmt.Sprintf("no room for a %s around tile %d,%d", t.Name, at.X, at.Y)
		}
	case rules.ClassResource:
		switch {
		case x.Slot != grid.NoSlot:
			return "a resource place has no owner"
		case !w.places[w.m.Index(at)]:
			return fmt.Sprintf("the map has no resource place on tile %d,%d", at.X, at.Y)
		case w.crowded(t, footOf(t, x.At), w.all):
			return fmt.Sprintf("tile %d,%d is taken", at.X, at.Y)
		}
	default:
		return fmt.Sprintf("a %s cannot be put on a map", t.Name)
	}
	return ""
}

// Scripted is an order as a scenario gives it: it names entities where a player's names
// handles.
type Scripted struct {
	Tick   grid.Tick       `json:"tick"` // the step into this tick takes it
	Slot   grid.Slot       `json:"slot"`
	Order  orders.Order    `json:"order"` // without units and target
	Units  []grid.EntityID `json:"units,omitempty"`
	Target grid.EntityID   `json:"target,omitempty"` // 0: no target
}

// unknownHandle is a handle that no team ever gets.
const unknownHandle = grid.Handle(1<<32 - 1)

// Input returns the order as the input of the next step, in the names that the player's
// team has now. An entity that the team does not know gets a handle that the team never
// had. So the order is judged like a player's.
func (w *World) Input(o *Scripted, seq uint32) Input {
	in := Input{Kind: InputOrder, Slot: o.Slot, Seq: seq, AsOf: w.tick, Order: o.Order}
	name := func(id grid.EntityID) grid.Handle {
		if int(o.Slot) < len(w.players) {
			if e := w.find(id); e != nil {
				k := &w.teams[w.players[o.Slot].team]
				if h, ok := k.HandleOf(e); ok {
					return h
				}
				if g, ok := k.Remembered(e); ok {
					return g.Handle
				}
			}
		}
		return unknownHandle
	}
	in.Order.Units = nil
	for _, id := range o.Units {
		in.Order.Units = append(in.Order.Units, name(id))
	}
	if o.Target != 0 {
		in.Order.Target = name(o.Target)
	}
	return in
}
