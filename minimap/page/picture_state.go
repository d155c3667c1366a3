package page

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/minimap"
)

// StateOf returns what is drawn of a picture of a match. color returns the
// colour of a player, and 0 for nobody.
func StateOf(p *view.Picture, m *grid.Map, color func(grid.Slot) uint8) *State {
	out := &State{Tick: p.Tick, Map: m}
	for i := range p.Visible {
		s := minimap.Unexplored
		switch {
		case p.Visible[i]:
			s = minimap.Visible
		case p.Explored[i]:
			s = minimap.Explored
		}
		out.Sight = append(out.Sight, s)
	}
	for i := range p.Things {
		t := &p.Things[i]
		out.Marks = append(out.Marks, minimap.Mark{Shape: shapeOf(t), At: t.Pos, Size: t.Size, Slot: t.Slot, Color: color(t.Slot)})
	}
	// What is small comes last, so that nothing covers it.
	slices.SortStableFunc(out.Marks, func(a, b minimap.Mark) int { return layer(a.Shape) - layer(b.Shape) })
	return out
}

func shapeOf(t *view.Thing) minimap.Shape {
	switch {
	case t.Ghost:
		return minimap.Ghost
	case t.Class == rules.ClassStructure:
		return minimap.Structure
	case t.Class == rules.ClassResource:
		return minimap.Resource
	case t.Class == rules.ClassProjectile:
		return minimap.Projectile
	}
	return minimap.Unit
}

func layer(s minimap.Shape) int {
	switch s {
	case minimap.Resource:
		return 0
	case minimap.Ghost:
		return 1
	case minimap.Structure:
		return 2
	case minimap.Unit:
		return 3
	default:
		return 4
	}
}
