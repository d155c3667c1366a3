package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// unionKnowledge is the knowledge of all teams together, in the form of a team's [sim.Knowledge]: the entities that at
// least one team sees, and the teams' memories. It has its own handles.
//
// It lives here and not in the world: spectators do not change a world, and two unions that begin at different ticks
// give different handles.
type unionKnowledge struct {
	handles  handleTable
	handleOf [grid.SlotsMax + 1][]grid.Handle // by slot (the last: neutral entities) and the slot's counter; 0: not in sight
	entering []*sim.Entity                    // scratch
	left     []sim.Leave                      // in this tick, sorted by handle
	shared   []sharedGhost                    // sorted by place
	spare    []sharedGhost                    // the other buffer of shared
	ghosts   []sim.Ghost                      // of shared, sorted by handle
}

// everyTeam is the set of all teams there can be.
const everyTeam = ^grid.TeamSet(0)

// update takes in w's tick. The ticks of two calls follow each other.
func (k *unionKnowledge) update(w *sim.World) {
	k.release(w)
	k.assign(w)
	k.updateGhosts(w)
}

// Handles, Left, Ghosts and HandleOf are as a team's.
func (k *unionKnowledge) Handles() []sim.HandleRow { return k.handles.rows }

// Left returns the entities that no team sees any more.
func (k *unionKnowledge) Left() []sim.Leave { return k.left }

// Ghosts returns what the teams remember together.
func (k *unionKnowledge) Ghosts() []sim.Ghost { return k.ghosts }

// HandleOf returns the handle of an entity that a team sees.
func (k *unionKnowledge) HandleOf(e *sim.Entity) (grid.Handle, bool) {
	h := *k.at(e.ID())
	return h, h != 0
}

// at returns where an entity's handle is kept.
func (k *unionKnowledge) at(id grid.EntityID) *grid.Handle {
	row := &k.handleOf[min(int(id.Slot()), grid.SlotsMax)]
	for int(id.Counter()) >= len(*row) {
		*row = append(*row, 0)
	}
	return &(*row)[id.Counter()]
}

// handleTable gives handles as a team's knowledge does: a freed handle rests,
// then the lowest is given out first.
type handleTable struct {
	rows []sim.HandleRow // by handle, from 1: rows[h-1]; without an id: rests, is free, or belongs to a ghost
	free []grid.Handle
	rest []removedRec
}

// wake frees the handles that have rested.
func (t *handleTable) wake(now grid.Tick) {
	rested := 0
	for rested < len(t.rest) && t.rest[rested].left+sim.HandleRest <= now {
		h := t.rest[rested].handle
		at, _ := slices.BinarySearchFunc(t.free, h, func(a, b grid.Handle) int { return cmp.Compare(b, a) })
		t.free = slices.Insert(t.free, at, h) // the lowest last
		rested++
	}
	t.rest = t.rest[:copy(t.rest, t.rest[rested:])]
}

func (t *handleTable) give(id grid.EntityID, now grid.Tick) grid.Handle {
	if last := len(t.free) - 1; last >= 0 {
		h := t.free[last]
		t.free = t.free[:last]
		t.rows[h-1] = sim.HandleRow{ID: id, Entered: now}
		return h
	}
	t.rows = append(t.rows, sim.HandleRow{ID: id, Entered: now})
	return grid.Handle(len(t.rows))
}

func (t *handleTable) drop(h grid.Handle, now grid.Tick) {
	t.rows[h-1] = sim.HandleRow{}
	t.rest = append(t.rest, removedRec{handle: h, left: now})
}

// release takes back the handles of entities that no team sees any more. An entity counts as destroyed if a team saw
// its end.
func (k *unionKnowledge) release(w *sim.World) {
	k.left = k.left[:0]
	for i := range k.handles.rows {
		s := k.handles.rows[i]
		if !s.InSight() {
			continue
		}
		if e := w.Entity(s.ID); e != nil && e.SeenBy() != 0 {
			continue
		}
		h := grid.Handle(i + 1)
		k.left = append(k.left, sim.Leave{Handle: h, Entered: s.Entered, Destroyed: w.SeenDie(s.ID) != 0, ID: s.ID})
		*k.at(s.ID) = 0
		k.handles.drop(h, w.Tick())
	}
}

// assign gives handles to entities that came into a team's sight, by place and looks as a team does.
func (k *unionKnowledge) assign(w *sim.World) {
	k.handles.wake(w.Tick())
	k.entering = k.entering[:0]
	for _, e := range w.Entities() {
		if e.SeenBy() != 0 && *k.at(e.ID()) == 0 {
			k.entering = append(k.entering, e)
		}
	}
	slices.SortStableFunc(k.entering, sim.CompareLooks)
	for _, e := range k.entering {
		*k.at(e.ID()) = k.handles.give(e.ID(), w.Tick())
	}
	clear(k.entering)
}

// sharedGhost is a ghost at a place, in the memory of one team or of all together.
type sharedGhost struct {
	teams     grid.TeamSet // that remember it
	sim.Ghost              // Handle 0: not yet assigned
}

// comparePlace orders ghosts by place. Ghosts at one place follow each other.
func (g *sharedGhost) comparePlace(o *sharedGhost) int {
	return cmp.Or(cmp.Compare(g.Foot.Y, o.Foot.Y), cmp.Compare(g.Foot.X, o.Foot.X), cmp.Compare(g.Type, o.Type))
}

// updateGhosts lists the ghosts that the teams remember together: neutral structures out of every team's sight that
// each team remembers which ever saw the ground below. (A team that saw the ground and does not remember the structure
// knows that it is gone. A player's structure is in its own team's sight while it stands, and that team sees it go.)
func (k *unionKnowledge) updateGhosts(w *sim.World) {
	next := k.remembered(w)
	k.ghosts = k.ghosts[:0]
	old := 0
	for i := range next {
		g := &next[i]
		for old < len(k.shared) && k.shared[old].comparePlace(g) < 0 {
			k.handles.drop(k.shared[old].Handle, w.Tick())
			old++
		}
		if old < len(k.shared) && k.shared[old].comparePlace(g) == 0 {
			g.Handle = k.shared[old].Handle
			old++
		} else {
			g.Handle = k.handles.give(0, w.Tick())
		}
		k.ghosts = append(k.ghosts, g.Ghost)
	}
	for ; old < len(k.shared); old++ {
		k.handles.drop(k.shared[old].Handle, w.Tick())
	}
	slices.SortFunc(k.ghosts, func(x, y sim.Ghost) int { return cmp.Compare(x.Handle, y.Handle) })
	k.shared, k.spare = next, k.shared
}

// remembered returns the teams' common memories, by place, without handles. Of several ghosts at a place the youngest
// counts.
func (k *unionKnowledge) remembered(w *sim.World) []sharedGhost {
	all := k.spare[:0]
	for t := range w.Teams() {
		for _, g := range w.Knowledge(grid.Team(t)).Ghosts() {
			if g.Team == grid.NoTeam {
				g.Handle = 0 // the team's
				all = append(all, sharedGhost{grid.TeamSet(0).With(grid.Team(t)), g})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y sharedGhost) int { return cmp.Or(x.comparePlace(&y), cmp.Compare(y.Since, x.Since)) })
	kept := all[:0]
	for i := 0; i < len(all); {
		g := all[i]
		for i++; i < len(all) && all[i].comparePlace(&g) == 0; i++ {
			g.teams |= all[i].teams
		}
		if g.undisputed(w) {
			kept = append(kept, g)
		}
	}
	return kept
}

// undisputed reports whether no team sees the ground of a ghost, and every team that ever saw the ground remembers the
// ghost.
func (g *sharedGhost) undisputed(w *sim.World) bool {
	t := &w.Rules().Types[g.Type]
	eyes := w.Eyes()
	visible, explored := eyes.Union(visibility.VisibleNow, everyTeam), eyes.Union(visibility.ExploredEver, everyTeam&^g.teams)
	for y := range int16(max(1, t.FootH)) {
		for x := range int16(max(1, t.FootW)) {
			if at := (grid.Tile{X: g.Foot.X + x, Y: g.Foot.Y + y}); visible.Has(at) || explored.Has(at) {
				return false
			}
		}
	}
	return true
}
