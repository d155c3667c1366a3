package simtest

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// Sound is a sound of the last step.
type Sound struct {
	Class  uint8
	Cell   grid.Tile // the column and row of its cell of 8 x 8 tiles
	Source grid.EntityID
	At     grid.Pos
	Type   uint16 // of the source
	radius grid.Dist
}

// Middle returns the place at which a team hears the sound.
func (s *Sound) Middle(m *grid.Map) grid.Pos {
	return middle(m, s.Cell.X, s.Cell.Y, 1)
}

// Audible returns the sounds of the last step that a unit or structure of the team is near
// enough to hear, with their sources in sight or not. It shares no code with the
// simulation's own hearing.
func Audible(w *sim.World, team grid.Team) (out []Sound) {
	rs := w.Rules()
	var all []Sound
	add := func(s rules.Sound, source grid.EntityID, at grid.Pos, typ uint16) {
		t := at.Tile()
		all = append(all, Sound{s.Class, grid.Tile{X: t.X >> 3, Y: t.Y >> 3}, source, at, typ, s.Radius})
	}
	for _, e := range w.Events() {
		if rs.Types[e.Type].Relevance == rules.RelevantToOwner {
			continue
		}
		if e.Kind == sim.EventShot {
			add(rs.Weapons[e.What].Sound, e.Source, e.At, e.Type)
		} else if e.Kind == sim.EventAction && e.On {
			add(rs.Abilities[e.What].Sound, e.Source, e.At, e.Type)
		}
	}
	for _, e := range w.Entities() {
		if vx, vy := e.Vel(); vx != 0 || vy != 0 {
			add(rs.Types[e.Type()].Sound, e.ID(), e.Pos(), e.Type())
		}
	}
	for _, s := range all {
		for _, e := range w.Entities() {
			hears := e.Team() == team && (e.Class() == rules.ClassUnit || e.Class() == rules.ClassStructure) && e.Built()
			if hears && e.Pos().Within(s.Middle(w.Map()), carries(w.Map(), s.Middle(w.Map()).Tile(), e.Tile(), s.radius)) && s.radius > 0 {
				out = append(out, s)
				break
			}
		}
	}
	return out
}

// carries returns how far a sound carries from one tile towards another.
func carries(m *grid.Map, from, to grid.Tile, radius grid.Dist) grid.Dist {
	for _, t := range visibility.Line(from, to) {
		if m.Level(t) > m.Level(from) && m.Level(t) > m.Level(to) {
			return radius / 2
		}
	}
	return radius
}
