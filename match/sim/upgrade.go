package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// An upgrade is a product that stands nowhere: a structure makes it once for the whole team. Each of the team's players
// counts one of its type from then on, so that types and abilities can need it.

// Upgrades appends the upgrades that the player's team has, by their types. Only the team may know them.
func (w *World) Upgrades(s grid.Slot, to []uint32) []uint32 {
	for _, typ := range w.rt.growth.upgrades {
		if w.players[s].counts[typ] > 0 {
			to = append(to, uint32(typ))
		}
	}
	return to
}

// underway reports whether a structure of the team makes the upgrade.
func (w *World) underway(team grid.Team, typ uint16) bool {
	return slices.ContainsFunc(w.all, func(e *Entity) bool {
		return e.team == team && !e.dying && e.class == rules.ClassStructure && slices.Contains(e.maker.queue, typ)
	})
}

// canResearch reports whether the player's team neither has nor makes the type, if it is an upgrade.
func (w *World) canResearch(p *player, typ uint16) bool {
	return w.rules.Types[typ].Class != rules.ClassUpgrade || p.counts[typ] == 0 && !w.underway(p.team, typ)
}

// research is an upgrade that a structure of a team has made in this step.
type research struct {
	team grid.Team
	typ  uint16
}

// endResearch gives the upgrades of the step to their teams, after the turns of all entities: which turns come later must
// not matter.
func (w *World) endResearch() {
	for _, r := range w.researched {
		for i := range w.players {
			if p := &w.players[i]; p.team == r.team {
				p.counts[r.typ] = 1
			}
		}
	}
	w.researched = w.researched[:0]
}
