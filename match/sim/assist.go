package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// In rulesets with assists, an enemy who hurt an entity shortly before its end shares in
// the kill. The world keeps which players have hurt which entity, and when last.

// wound is that a player hurt an enemy's entity.
type wound struct {
	victim grid.EntityID
	by     grid.Slot
	at     grid.Tick
}

func (a wound) compare(b wound) int {
	return cmp.Or(cmp.Compare(a.victim, b.victim), cmp.Compare(a.by, b.by))
}

// wounded notes who hurt an entity.
func (w *World) wounded(v *Entity, by grid.Slot) {
	if w.rt.assist == 0 || int(by) >= len(w.players) || w.players[by].team == v.team {
		return
	}
	x := wound{v.id, by, w.tick}
	if i, ok := slices.BinarySearchFunc(w.wounds, x, wound.compare); ok {
		w.wounds[i].at = w.tick
	} else {
		w.wounds = slices.Insert(w.wounds, i, x)
	}
}

// healWounds forgets the wounds that count no longer.
func (w *World) healWounds() {
	if len(w.wounds) > 0 && w.tick%grid.Tick(w.rate) == 0 {
		w.wounds = slices.DeleteFunc(w.wounds, func(x wound) bool { return !w.counts(&x) || w.find(x.victim) == nil })
	}
}

func (w *World) counts(x *wound) bool { return w.tick-x.at <= grid.Tick(w.rt.assist) }

// creditsOf returns the player who is credited with an entity's end, and the players who
// assisted, a bit for each slot. If no enemy dealt the last damage, the enemy who hurt it
// last has the credit; of several in one tick, the one of the lowest slot.
func (w *World) creditsOf(v *Entity, by grid.Slot) (_ grid.Slot, assists uint64) {
	i, _ := slices.BinarySearchFunc(w.wounds, wound{victim: v.id}, wound.compare)
	end := i
	for end < len(w.wounds) && w.wounds[end].victim == v.id {
		end++
	}
	of := w.wounds[i:end]
	if int(by) >= len(w.players) || w.players[by].team == v.team {
		last := grid.Tick(0)
		for k := range of {
			if x := &of[k]; w.counts(x) && x.at > last {
				by, last = x.by, x.at
			}
		}
	}
	for k := range of {
		if x := &of[k]; x.by != by && w.counts(x) {
			assists |= 1 << x.by
		}
	}
	return by, assists
}

// assist counts the assists of an entity's end, and gives the ruleset's share of its score.
func (w *World) assist(v *Entity, assists uint64) {
	for s := range w.players {
		if assists>>s&1 != 0 {
			w.players[s].assists++
			w.players[s].score += w.assistScore(v)
		}
	}
}

func (w *World) assistScore(v *Entity) int32 {
	return percent(w.rules.Types[v.typ].Score, w.rules.Settings.AssistScore)
}

// assistState is state of rulesets with assists.
func (w *World) assistState(a *archive.Archive) {
	if w.rt.assist == 0 {
		return
	}
	for i := range w.players {
		archive.Word(a, &w.players[i].assists)
	}
	archive.List(a, &w.wounds, 4, func(x *wound) {
		archive.Word(a, &x.victim)
		archive.Octet(a, &x.by)
		archive.Word(a, &x.at)
	})
}
