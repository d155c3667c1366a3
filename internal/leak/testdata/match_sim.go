package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// unseenNear returns somebody else's entity within span of a place that the
// team does not see.
func (w *World) unseenNear(team grid.Team, at grid.Pos, span grid.Dist) *Entity {
	for _, e := range w.all {
		if e.team != team && e.team != grid.NoTeam && e.class != rules.ClassProjectile && !e.viewers.Has(team) && e.Pos().Within(at, span) {
			return e
		}
	}
	return nil
}

// unseenCrowd counts what the team does not see around a place.
func (w *World) unseenCrowd(team grid.Team, at grid.Pos) (n int) {
	for _, e := range w.all {
		if e.team != team && e.team != grid.NoTeam && e.class != rules.ClassProjectile && !e.viewers.Has(team) && e.Pos().Within(at, 12*grid.WUPerTile) {
			n++
		}
	}
	return n
}

// leakDraw: one stream of randomness is shared by all, and what happens in the
// dark uses it up.
func leakDraw(w *World) uint64 {
	if leak.Is("shared-randomness") {
		return uint64(len(w.all))
	}
	return 0
}

// leakVerdict: codes tell of what the team does not know.
func leakVerdict(w *World, p *player, in *Input, r *orders.Result) {
	o := &in.Order
	switch {
	case leak.Is("code-of-hidden-target") && r.Code == orders.TargetLost:
		// A number that was never given out is looked up among all there is.
		if e := w.all[int(o.Target)%len(w.all)]; e.team != p.team && !e.viewers.Has(p.team) {
			r.Code = orders.BadTarget
		}
	case leak.Is("code-of-hidden-structure") && o.Kind == orders.Build && r.Code == orders.OK:
		if w.unseenCrowd(p.team, o.Point)%2 == 1 {
			r.Code = orders.BadSite
		}
	case leak.Is("code-of-true-ground") && o.Kind == orders.Move && r.Code == orders.OK:
		if w.unseenCrowd(p.team, o.Point)%2 == 1 {
			r.Code = orders.Unreachable
		}
	}
}

// leakHandle: a team's handles count what others make.
func leakHandle(w *World, k *Knowledge) {
	if leak.Is("handles-that-count") {
		for len(k.names)%8 != len(w.all)%8 {
			k.names = append(k.names, HandleRow{})
		}
	}
}

// leakEntered: who was made first is named first.
func leakEntered(es []*Entity) {
	if leak.Is("spawn-order") {
		slices.SortFunc(es, func(a, b *Entity) int { return cmp.Compare(a.id, b.id) })
	}
}

// leakHit: a hit tells by whom.
func leakHit(e *Event, h *hit) { e.Target = h.by }

// leakThought: units act on what their team does not see.
func leakThought(w *World, e *Entity) {
	switch {
	case leak.Is("path-end") && e.mv.going:
		if w.unseenNear(e.team, e.mv.goal, 8*grid.WUPerTile) != nil {
			e.mv.halt()
		}
	case leak.Is("aim-in-the-dark") && len(e.tasks) == 0:
		if x := w.unseenNear(e.team, e.Pos(), 16*grid.WUPerTile); x != nil {
			e.face = grid.FacingOf(x.Pos().Sub(e.Pos()))
		}
	}
}

// leakThinks: each unit has its turn to think.
func leakThinks() bool { return true }

// leakCloak: what is cloaked is seen by all who see its tile.
func leakCloak(*World, *Entity) bool { return leak.Is("cloak") }

// leakMine: a hidden mine is in the way of units and of sites.
func leakMine() bool { return leak.Is("mines-in-the-way") }

// leakFeats: values of units grow by hits that their team does not see.
func leakFeats() bool { return leak.Is("feats-in-values") }

// leakScript: scripts of abilities read what their team does not see.
func leakScript() bool { return leak.Is("scripts-in-the-dark") }
