package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// dropTheAbsent handles players who are gone, by the rule for [Leavers].
func (w *World) dropTheAbsent() {
	for i := range w.players {
		p := &w.players[i]
		if !p.alive || p.present {
			continue
		}
		rule := w.leavers()
		if rule == LeaversAlly {
			if mate := w.teammateOf(p); mate != nil {
				w.handOver(p, mate)
				continue
			}
		}
		stays := (rule == LeaversBot || rule == LeaversFreeze) && w.teamStays(p)
		if rule == LeaversDefeat || p.leaver && !stays {
			w.defeat(p)
		}
	}
}

// teammateOf returns the present team-mate with the lowest slot.
func (w *World) teammateOf(p *player) *player {
	for i := range w.players {
		if q := &w.players[i]; q.team == p.team && q.slot != p.slot && q.alive && q.present {
			return q
		}
	}
	return nil
}

// teamStays reports whether a team-mate plays on, or may come back.
func (w *World) teamStays(p *player) bool {
	return slices.ContainsFunc(w.players, func(q player) bool { return q.team == p.team && q.slot != p.slot && q.alive && !q.leaver })
}

// giveUp takes a player out who surrenders. A rule for [Leavers] that was chosen for the
// match holds as if the player had left.
func (w *World) giveUp(p *player) {
	p.gaveUp = true
	switch mate := w.teammateOf(p); {
	case w.opts.Leavers == LeaversAlly && mate != nil:
		w.handOver(p, mate)
		w.forfeit(p)
		w.departed(p, true)
	case (w.opts.Leavers == LeaversBot || w.opts.Leavers == LeaversFreeze) && w.teamStays(p):
		w.departed(p, true)
		return
	}
	w.defeat(p)
}

// hasCentre reports whether the team has a structure that keeps it in the
// match.
func (w *World) hasCentre(t grid.Team) bool {
	for i := range w.players {
		p := &w.players[i]
		if p.team != t || !p.alive {
			continue
		}
		for typ := range p.counts {
			if p.counts[typ] > 0 && w.rules.Types[typ].Centre {
				return true
			}
		}
	}
	return false
}

// hasUnits reports whether the player has anything that can move or shoot.
func (w *World) hasUnits(p *player) bool {
	for typ := range p.counts {
		if p.counts[typ] > 0 && (w.rules.Types[typ].Class == rules.ClassUnit || len(w.rules.Types[typ].Weapons) > 0) {
			return true
		}
	}
	return false
}

func (w *World) teamScore(t grid.Team) int64 {
	sum := int64(0)
	for i := range w.players {
		if w.players[i].team == t {
			sum += int64(w.players[i].score)
		}
	}
	return sum
}

// placeResources puts the ruleset's resources on the map's places. Each place
// belongs to the nearest start. The places of a start take the kinds in turn,
// nearest first. So every start gets the same share.
func (w *World) placeResources() {
	if len(w.rules.Places) == 0 {
		return
	}
	nearest := make([]int, len(w.m.Resources))
	for i, at := range w.m.Resources {
		for s := range w.m.Starts {
			if at.Dist2(w.m.Starts[s]) < at.Dist2(w.m.Starts[nearest[i]]) {
				nearest[i] = s
			}
		}
	}
	for i, at := range w.m.Resources {
		rank, start := 0, w.m.Starts[nearest[i]]
		for j, other := range w.m.Resources {
			if nearest[j] == nearest[i] && (other.Dist2(start) < at.Dist2(start) || other.Dist2(start) == at.Dist2(start) && j < i) {
				rank++
			}
		}
		w.spawn(grid.NoSlot, w.rules.Places[rank%len(w.rules.Places)], at.Center(), false)
	}
}

// footFree reports whether a structure of the type could really stand there: on passable
// ground, with no ground unit or resource on it, and no structure on it or within margin
// tiles.
func (w *World) footFree(typ uint16, foot grid.Tile, margin int16) bool {
	t := &w.rules.Types[typ]
	for dy := -margin; dy < int16(t.FootH)+margin; dy++ {
		for dx := -margin; dx < int16(t.FootW)+margin; dx++ {
			tile := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			inside := dx >= 0 && dy >= 0 && dx < int16(t.FootW) && dy < int16(t.FootH)
			if !w.m.In(tile) || !w.m.Passable(tile, grid.Ground) {
				if inside {
					return false
				}
				continue
			}
			if w.solid[w.m.Index(tile)] != 0 {
				return false
			}
		}
	}
	return !w.crowded(t, foot, w.all)
}

// crowded reports whether a ground unit or a resource of a list is on the footprint.
func (w *World) crowded(t *rules.Type, foot grid.Tile, list []*Entity) bool {
	lo := grid.Pos{X: int32(foot.X) << grid.TileShift, Y: int32(foot.Y) << grid.TileShift}
	hi := lo.Add(grid.Vec{X: int32(t.FootW) << grid.TileShift, Y: int32(t.FootH) << grid.TileShift})
	for _, e := range list {
		et := &w.rules.Types[e.typ]
		if e.dying || e.class == rules.ClassProjectile || e.class == rules.ClassStructure || e.class == rules.ClassUnit && et.Move == grid.Air {
			continue
		}
		p, r := e.Pos(), int32(et.Radius)
		if p.X > lo.X-r && p.Y > lo.Y-r && p.X < hi.X+r && p.Y < hi.Y+r {
			return true
		}
	}
	return false
}
