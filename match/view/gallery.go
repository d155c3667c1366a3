package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// AllEyes builds, tick after tick, what a spectator of all teams may be told:
// what the eyes of at least one team see. It is the view of a team that there
// is not: its mask is the union of all masks, its sources are the units and
// structures of all players, and its handles are its own. What belongs to a
// player alone (books, tasks, queues) and what calls a team to arms (alarms,
// units trained) is in none of its views.
//
// The handles live here and not in the world: building such views leaves the
// state as it was, and two builders that begin at different ticks give
// different names.
type AllEyes struct {
	team  Builder // of no team: what clients were told of weapons and of sights
	names handles
	rows  [grid.SlotsMax + 1][]grid.Handle // by slot (the last: nobody's) and the slot's counter; 0: not in sight
	fresh []*sim.Entity
	went  []grid.EntityID // destroyed in sight in this tick
	known []known         // ghosts, sorted by place
	spare []known
	marks []uint64 // blocks of the mask that are in the view, a bit each
}

// NewAllEyes returns a builder that has named nothing yet.
func NewAllEyes() *AllEyes { return &AllEyes{team: *NewBuilder(grid.NoTeam)} }

// BuildFrom fills v with what a spectator of all teams may be told at w's tick,
// for which the cache was prepared. It changes nothing in w, and v keeps
// nothing of it. The ticks of two calls follow each other.
func (b *AllEyes) BuildFrom(sc *Cache, w *sim.World, v *View) {
	m := w.Map()
	*v = View{
		Tick: w.Tick(), Team: grid.NoTeam, W: m.W, H: m.H,
		Units: v.Units[:0], Removed: v.Removed[:0], Ghosts: v.Ghosts[:0], Sights: v.Sights[:0], Events: v.Events[:0],
		Players: v.Players[:0], Mask: Mask{Blocks: v.Mask.Blocks[:0]},
	}
	b.lose(w, v)
	b.name(w)
	b.units(sc, v)
	b.ghosts(w, v)
	b.mask(w, v)
	events(&b.team, w, unionEyes{b, w.Eyes().Union(visibility.VisibleNow, everyTeam)}, v)
	b.team.players(w, v)
	b.team.started = true
}

// everyTeam is the set of all teams there can be.
const everyTeam = ^grid.TeamSet(0)

// sighted is one row of a table of handles.
type sighted struct {
	id      grid.EntityID // 0: rests, is free, or names a ghost
	entered grid.Tick
}

// handles gives names as a team's knowledge does: a freed number rests, then
// the lowest goes first.
type handles struct {
	rows []sighted // by handle, from 1: rows[h-1]
	free []grid.Handle
	rest []removedRec
}

// wake frees what has rested.
func (n *handles) wake(now grid.Tick) {
	rested := 0
	for rested < len(n.rest) && n.rest[rested].left+sim.HandleRest <= now {
		h := n.rest[rested].handle
		at, _ := slices.BinarySearchFunc(n.free, h, func(a, b grid.Handle) int { return cmp.Compare(b, a) })
		n.free = slices.Insert(n.free, at, h) // the lowest last
		rested++
	}
	n.rest = n.rest[:copy(n.rest, n.rest[rested:])]
}

func (n *handles) give(id grid.EntityID, now grid.Tick) grid.Handle {
	if last := len(n.free) - 1; last >= 0 {
		h := n.free[last]
		n.free = n.free[:last]
		n.rows[h-1] = sighted{id, now}
		return h
	}
	n.rows = append(n.rows, sighted{id, now})
	return grid.Handle(len(n.rows))
}

func (n *handles) drop(h grid.Handle, now grid.Tick) {
	n.rows[h-1] = sighted{}
	n.rest = append(n.rest, removedRec{handle: h, left: now})
}

// row returns where an entity's handle is kept.
func (b *AllEyes) row(id grid.EntityID) *grid.Handle {
	row := &b.rows[min(int(id.Slot()), grid.SlotsMax)]
	for int(id.Counter()) >= len(*row) {
		*row = append(*row, 0)
	}
	return &(*row)[id.Counter()]
}

// lose takes back the names of what no team sees any more. It is told to be
// destroyed if a team saw it go.
func (b *AllEyes) lose(w *sim.World, v *View) {
	b.went = b.went[:0]
	for i := range b.names.rows {
		s := b.names.rows[i]
		if s.id == 0 {
			continue
		}
		e := w.Entity(s.id)
		if e != nil && e.SeenBy() != 0 {
			continue
		}
		destroyed := w.SeenDie(s.id) != 0
		if destroyed {
			b.went = append(b.went, s.id)
		}
		h := grid.Handle(i + 1)
		v.Removed = append(v.Removed, Removed{Handle: h, Destroyed: destroyed})
		*b.row(s.id) = 0
		b.names.drop(h, w.Tick())
	}
}

// name names what came into a team's sight, by place and looks as a team does.
func (b *AllEyes) name(w *sim.World) {
	b.names.wake(w.Tick())
	b.fresh = b.fresh[:0]
	for _, e := range w.Entities() {
		if e.SeenBy() != 0 && *b.row(e.ID()) == 0 {
			b.fresh = append(b.fresh, e)
		}
	}
	slices.SortStableFunc(b.fresh, sim.CompareLooks)
	for _, e := range b.fresh {
		*b.row(e.ID()) = b.names.give(e.ID(), w.Tick())
	}
	clear(b.fresh)
}

func (b *AllEyes) units(sc *Cache, v *View) {
	for i := range b.names.rows {
		s := b.names.rows[i]
		if s.id == 0 {
			continue
		}
		a := sc.publicRow(s.id)
		v.Units = append(v.Units, a.unit)
		u := &v.Units[len(v.Units)-1]
		u.Handle, u.Entered = grid.Handle(i+1), s.entered
		u.Exact = u.Exact || a.carries && a.team != grid.NoTeam
		c := b.team.countersSince(a, u.Handle, s.entered)
		u.Values[ValueHealthChanges] = c.change(a, v.Tick, sc.values)
		if a.armed {
			u.Values[ValueBurst] = c.burst(a, v.Tick)
		}
	}
}

// known is what a team, or all together, remember at a place.
type known struct {
	handle grid.Handle // 0: not named yet
	teams  grid.TeamSet
	ghost  sim.Ghost
}

// compare orders memories by place, those of one place one after the other.
func (k *known) compare(o *known) int {
	return cmp.Or(cmp.Compare(k.ghost.Foot.Y, o.ghost.Foot.Y), cmp.Compare(k.ghost.Foot.X, o.ghost.Foot.X), cmp.Compare(k.ghost.Type, o.ghost.Type))
}

// ghosts tells what the teams together remember: what is nobody's, in no team's
// sight, and remembered by each team that ever saw the ground it stands on. (A
// team that saw the ground and does not remember it knows that it is gone. A
// player's structure is in its own team's sight while it stands, and seen to go.)
func (b *AllEyes) ghosts(w *sim.World, v *View) {
	next := b.memories(w)
	old := 0
	for i := range next {
		k := &next[i]
		for old < len(b.known) && b.known[old].compare(k) < 0 {
			b.names.drop(b.known[old].handle, v.Tick)
			old++
		}
		if old < len(b.known) && b.known[old].compare(k) == 0 {
			k.handle = b.known[old].handle
			old++
		} else {
			k.handle = b.names.give(0, v.Tick)
		}
		t := &w.Rules().Types[k.ghost.Type]
		v.Ghosts = append(v.Ghosts, Ghost{k.handle, k.ghost.Type, k.ghost.Slot, k.ghost.At, k.ghost.Facing, max(0, t.Health-k.ghost.Health)})
	}
	for ; old < len(b.known); old++ {
		b.names.drop(b.known[old].handle, v.Tick)
	}
	slices.SortFunc(v.Ghosts, func(x, y Ghost) int { return cmp.Compare(x.Handle, y.Handle) })
	b.known, b.spare = next, b.known
}

// memories returns what the teams together remember, by place, unnamed. Of
// several memories of a place the youngest counts.
func (b *AllEyes) memories(w *sim.World) []known {
	all := b.spare[:0]
	for t := range w.Teams() {
		for _, g := range w.Knowledge(grid.Team(t)).Ghosts() {
			if g.Team == grid.NoTeam {
				all = append(all, known{teams: grid.TeamSet(0).With(grid.Team(t)), ghost: g})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y known) int { return cmp.Or(x.compare(&y), cmp.Compare(y.ghost.Since, x.ghost.Since)) })
	kept := all[:0]
	for i := 0; i < len(all); {
		k := all[i]
		for i++; i < len(all) && all[i].compare(&k) == 0; i++ {
			k.teams |= all[i].teams
		}
		if remembered(w, &k) {
			kept = append(kept, k)
		}
	}
	return kept
}

// remembered reports whether no team sees the ground that a ghost stands on,
// and none but those that remember it ever did.
func remembered(w *sim.World, k *known) bool {
	t := &w.Rules().Types[k.ghost.Type]
	eyes := w.Eyes()
	visible, explored := eyes.Union(visibility.VisibleNow, everyTeam), eyes.Union(visibility.ExploredEver, everyTeam&^k.teams)
	for y := range int16(max(1, t.FootH)) {
		for x := range int16(max(1, t.FootW)) {
			if at := (grid.Tile{X: k.ghost.Foot.X + x, Y: k.ghost.Foot.Y + y}); visible.Has(at) || explored.Has(at) {
				return false
			}
		}
	}
	return true
}

func (b *AllEyes) mask(w *sim.World, v *View) {
	eyes := w.Eyes()
	visible, explored := eyes.Union(visibility.VisibleNow, everyTeam), eyes.Union(visibility.ExploredEver, everyTeam)
	stride := (v.W + 7) / 8
	if b.team.started {
		clear(b.marks)
		for t := range w.Teams() {
			for c := range eyes.Changes(grid.Team(t)) {
				i := int(c.Y)/8*stride + int(c.X)/8
				if b.marks[i>>6]>>(i&63)&1 != 0 {
					continue
				}
				b.marks[i>>6] |= 1 << (i & 63)
				at := grid.Tile{X: c.X, Y: c.Y}
				v.Mask.Blocks = append(v.Mask.Blocks, Block{c.X, c.Y, visible.Block(at), explored.Block(at)})
			}
		}
	} else {
		b.marks = make([]uint64, (stride*((v.H+7)/8)+63)/64)
		for y := 0; y < v.H; y += 8 {
			for x := 0; x < v.W; x += 8 {
				at := grid.Tile{X: int16(x), Y: int16(y)}
				if e := explored.Block(at); e != 0 {
					v.Mask.Blocks = append(v.Mask.Blocks, Block{at.X, at.Y, visible.Block(at), e})
				}
			}
		}
	}
	if v.Tick%grid.Tick(w.TickRate()) == 0 {
		v.Mask.HasHash, v.Mask.Hash = true, visible.Hash()
	}
	b.team.died = b.team.died[:0]
	for t := range w.Teams() {
		b.team.noteDied(w.Knowledge(grid.Team(t)))
		b.team.timed(eyes, grid.Team(t), v)
	}
	b.team.settleSights(v)
}

// unionEyes are the eyes of all teams, and the spectators' names for what they
// see.
type unionEyes struct {
	b       *AllEyes
	visible visibility.Mask
}

func (u unionEyes) name(id grid.EntityID) grid.Handle {
	if id == 0 {
		return 0
	}
	return *u.b.row(id)
}

func (u unionEyes) sees(at grid.Tile) bool { return u.visible.Has(at) }

func (u unionEyes) sawGo(id grid.EntityID) bool { return slices.Contains(u.b.went, id) }
