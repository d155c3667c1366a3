package sim

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// see updates the masks to the current places of all entities. Then it updates each team's
// visible entities, handles and ghosts.
func (w *World) see() {
	w.bands.find(w, bandMoved, w.bands.run)
	w.seeMoved()
}

// seeMoved is see once the bands list the entities whose eyes move.
func (w *World) seeMoved() {
	for i := range w.bands.list {
		for _, e := range w.bands.list[i] {
			e.eyeAt = e.Tile()
			w.eyes.Move(e.source, e.eyeAt)
		}
	}
	// A structure that was finished and destroyed in one tick keeps the sight it
	// had before. Its team's clients are never told that it was finished.
	for _, e := range w.refocused {
		if !e.dying {
			w.eyes.Change(e.source, w.sourceOf(e))
		}
	}
	w.refocused = w.refocused[:0]
	w.discover()
	w.eyes.Step(w.tick)
	for i := range w.teams {
		k := &w.teams[i]
		k.entered = k.entered[:0]
		k.wake(w.tick)
	}
	w.judgeDeaths()
	run := w.bands.run
	if !w.eyes.Prepare(len(w.all)) {
		run = nil
	}
	w.bands.find(w, bandTurned, run)
	for i := range w.bands.list {
		for _, e := range w.bands.list[i] {
			w.look(e)
			if e.leavesGhost() {
				e.appearance = w.appearanceOf(e)
			}
		}
	}
	for i := range w.teams {
		k := &w.teams[i]
		k.nameEntered(w)
		k.checkGhosts(w)
		k.checkTouched(w)
	}
	w.showStates()
	clear(w.taken)
	w.taken = w.taken[:0]
	w.hear()
	w.sweep()
}

// look finds out which teams see e now. It notes the teams that newly see it, and the teams
// that no longer do.
func (w *World) look(e *Entity) {
	now := w.sightOf(e)
	if now == e.viewers && e.birth != w.tick {
		return
	}
	lost := e.viewers &^ now
	e.viewers = now
	for left := now | lost; left != 0; left &= left - 1 {
		t := grid.Team(bits.TrailingZeros16(uint16(left)))
		k := &w.teams[t]
		switch h := e.handles[t]; {
		case now.Has(t) && (h == 0 || e.class != rules.ClassUnit && k.names[h-1].ghost): // of a unit no ghost stays
			k.entered = append(k.entered, e)
		case lost.Has(t) && h != 0:
			k.lose(w, e, h)
		}
	}
}

// SightRule is the rule by which other teams see an entity.
type SightRule uint8

// The rules.
const (
	SightTile     SightRule = iota // teams that see its tile
	SightFoot                      // teams that see any tile of its footprint
	SightDetected                  // it is cloaked: teams that detect on its tile
	SightOwner                     // no other team, by the ruleset
	SightAlways                    // everybody, by the ruleset
)

// SightRule returns the rule that now decides which teams see e.
func (w *World) SightRule(e *Entity) SightRule {
	switch relevance := w.rules.Types[e.typ].Relevance; {
	case relevance == rules.RelevantAlways:
		return SightAlways
	case relevance == rules.RelevantToOwner:
		return SightOwner
	case e.cloaked:
		return SightDetected
	case e.class == rules.ClassStructure:
		return SightFoot
	}
	return SightTile
}

// sightOf returns the teams that see e. The team that has just lost an entity to
// another sees that.
func (w *World) sightOf(e *Entity) grid.TeamSet {
	var s grid.TeamSet
	switch w.SightRule(e) {
	case SightAlways:
		return grid.TeamSet(1)<<len(w.teams) - 1
	case SightDetected:
		s = w.eyes.TeamsDetecting(e.Tile())
	case SightFoot:
		t := &w.rules.Types[e.typ]
		s = w.eyes.TeamsSeeingAny(e.foot, int(t.FootW), int(t.FootH))
	case SightTile:
		s = w.eyes.TeamsSeeing(e.Tile())
	}
	for i := range w.taken {
		if w.taken[i].e == e {
			s = s.With(w.taken[i].from)
		}
	}
	return s.With(e.team)
}

// lose takes an entity that left the team's sight out of its knowledge. A structure stays
// as a ghost under the same handle. All else goes, and its handle is freed. The team does
// not learn the entity's fate in this tick: the ghost has the appearance of the tick
// before.
func (k *Knowledge) lose(w *World, e *Entity, h grid.Handle) {
	n := &k.names[h-1]
	still := e.leavesGhost()
	k.leaves = append(k.leaves, Leave{Handle: h, Entered: n.Entered, Ghost: still, At: e.Pos()})
	if !still {
		e.handles[k.team] = 0
		k.drop(w, h)
		return
	}
	n.ghost = true
	g := Ghost{
		Handle: h, Type: e.typ, Slot: e.appearance.slot, Team: e.appearance.team, Foot: e.foot, At: e.Pos(), Health: e.appearance.health,
		Stock: e.appearance.stock, Unbuilt: e.appearance.unbuilt, Since: w.tick, Facing: e.appearance.facing, id: e.id,
	}
	at, _ := k.ghostAt(h)
	k.ghosts = slices.Insert(k.ghosts, at, g)
}

// forget takes a dying entity out of the knowledge of all teams. Teams that see it
// see it destroyed. Teams whose sight it left in this tick lose it like anything
// else that leaves their sight. Teams that have it as a ghost do not learn of its
// end.
func (w *World) forget(e *Entity) {
	for i := range w.teams {
		k := &w.teams[i]
		h := e.handles[i]
		if h == 0 || k.names[h-1].ghost {
			continue
		}
		if !e.viewers.Has(grid.Team(i)) {
			k.lose(w, e, h)
			continue
		}
		l := Leave{Handle: h, Entered: k.names[h-1].Entered, Destroyed: true, At: e.Pos(), ID: e.id}
		if e.team == grid.Team(i) && w.rt.dyingSight > 0 {
			l.Eye = e.source
		}
		k.leaves = append(k.leaves, l)
		k.drop(w, h)
		if e.class == rules.ClassStructure && grid.Team(i) != e.team {
			k.setGround(w, e.typ, e.foot, contentsOf(&w.rules.Types[e.typ], false, 0))
		}
	}
}

// nameEntered gives handles to the entities that came into sight. The order depends only on
// visible values: place and looks. It never depends on ids, because ids tell which entity
// was made first.
func (k *Knowledge) nameEntered(w *World) {
	if len(k.entered) > 1 {
		slices.SortStableFunc(k.entered, CompareLooks)
	}
	for _, e := range k.entered {
		k.give(w, e)
		if e.class == rules.ClassStructure && e.team != k.team {
			k.setGround(w, e.typ, e.foot, w.waysThrough(e, k.team))
		}
	}
}

// CompareLooks orders entities by the values that a team with both in sight can see: place,
// type, owner, health, facing. It returns 0 for two entities that look alike.
func CompareLooks(a, b *Entity) int {
	if a.y != b.y {
		return cmp.Compare(a.y, b.y)
	}
	return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.typ, b.typ),
		cmp.Compare(a.slot, b.slot), cmp.Compare(a.hp, b.hp), cmp.Compare(a.face, b.face))
}

// checkGhosts drops the ghosts whose ground is in sight and empty.
func (k *Knowledge) checkGhosts(w *World) {
	kept := k.ghosts[:0]
	for i := range k.ghosts {
		g := k.ghosts[i]
		if !w.refuted(&g, k.team) {
			kept = append(kept, g)
			continue
		}
		// In sight, and still a ghost: the structure that stood here is gone.
		k.leaves = append(k.leaves, Leave{Handle: g.Handle, Entered: k.names[g.Handle-1].Entered, At: g.At})
		k.drop(w, g.Handle)
		if t := &w.rules.Types[g.Type]; t.Class == rules.ClassStructure {
			k.setGround(w, g.Type, g.Foot, contentsOf(t, false, 0))
		}
	}
	k.ghosts = kept
}
