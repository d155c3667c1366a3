package minimap

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/view"
)

// State is a match at one tick, through some eyes, as a [Picture] draws it.
type State struct {
	Tick  grid.Tick
	Map   *grid.Map
	Sight []Sight // one a tile; nil with all eyes
	Marks []Mark  // in the order in which they are drawn
}

// StateOf returns the drawable state of a picture of a match. color returns the colour of a player, and 0 for neutral.
func StateOf(p *view.Picture, m *grid.Map, color func(grid.Slot) uint8) *State {
	out := &State{Tick: p.Tick, Map: m}
	for i := range p.Visible {
		s := Unexplored
		switch {
		case p.Visible[i]:
			s = Visible
		case p.Explored[i]:
			s = Explored
		}
		out.Sight = append(out.Sight, s)
	}
	for i := range p.Things {
		t := &p.Things[i]
		out.Marks = append(out.Marks, Mark{Shape: shapeOf(t), At: t.Pos, Size: t.Size, Slot: t.Slot, Color: color(t.Slot)})
	}
	// Small marks come last, so that larger ones do not cover them.
	slices.SortStableFunc(out.Marks, func(a, b Mark) int { return layer(a.Shape) - layer(b.Shape) })
	return out
}

func shapeOf(t *view.Thing) Shape {
	switch {
	case t.Ghost:
		return Ghost
	case t.Class == rules.ClassStructure:
		return Structure
	case t.Class == rules.ClassResource:
		return Resource
	case t.Class == rules.ClassProjectile:
		return Projectile
	}
	return Unit
}

func layer(s Shape) int {
	switch s {
	case Resource:
		return 0
	case Ghost:
		return 1
	case Structure:
		return 2
	case Unit:
		return 3
	default:
		return 4
	}
}
