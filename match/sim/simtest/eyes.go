package simtest

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// Eyes returns a team's sources of sight as they are now. It shares no code with the simulation's own sight. From the
// engine of masks it takes only the sources that end by themselves: scans, the last sight of the dead, revealed shooters.
func Eyes(w *sim.World, team grid.Team) (eyes []obvious.Source) {
	for _, e := range w.Entities() {
		ty := &w.Rules().Types[e.Type()]
		if e.Team() != team || e.Class() == rules.ClassProjectile {
			continue
		}
		s := obvious.Source{
			X: int(e.Tile().X), Y: int(e.Tile().Y), Radius: SightOf(w, e), Detect: int(ty.Detect),
			Flyer: e.Class() == rules.ClassUnit && ty.Move == grid.Air, LevelBonus: int(ty.LevelBonus),
		}
		if !e.Built() {
			s.Radius, s.Detect = min(s.Radius, 4), 0
		}
		eyes = append(eyes, s)
	}
	for _, s := range w.Eyes().Sources(team) {
		if s.Until > w.Tick() {
			eyes = append(eyes, obvious.Source{
				X: int(s.Tile.X), Y: int(s.Tile.Y), Radius: int(s.Radius), Detect: int(s.Detect), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus),
			})
		}
	}
	return eyes
}

// SightOf returns how far an entity sees, in half tiles, by the order of docs/reference/rules.md: its effects add, then they
// multiply, then the lowest share is left of that, then the lowest cap holds. No effect of the played rules counts
// several times.
func SightOf(w *sim.World, e *sim.Entity) int {
	sight, factor, share, most := int(w.Rules().Types[e.Type()].Sight), 100, 100, 64
	for i := range e.Effects() {
		for _, c := range w.Rules().Effects[e.Effect(i).Kind].Changes {
			if c.Attribute != rules.AttributeSight {
				continue
			}
			sight, factor = sight+int(c.Add), factor+int(c.Percent)
			if c.CapPercent != 0 {
				share = min(share, int(c.CapPercent))
			}
			if c.Cap != 0 { // one more than the cap
				most = min(most, int(c.Cap)-1)
			}
		}
	}
	return min(max(0, sight)*min(max(0, factor), 1000)/100*share/100, most)
}
