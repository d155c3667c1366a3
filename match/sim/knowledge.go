package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/visibility"
)

// HandleRest is for how many ticks a freed handle is not given out again.
const HandleRest = 100

// Knowledge is the knowledge of one team: its handles for visible entities, its ghosts, and
// the ground as it last saw it. Its mask is in [World.Eyes]. It is part of the saved and
// hashed state. Other packages only read it.
type Knowledge struct {
	team grid.Team

	names  []HandleRow   // by handle, from 1: names[h-1]
	free   []grid.Handle // to give out again, a heap with the lowest on top
	rest   []resting     // freed, oldest first
	ghosts []Ghost       // sorted by handle
	ground nav.Ground

	// The changes of the last step.
	leaves  []Leave
	entered []*Entity
	sounds  []Trace

	echoes   []echo    // sorted; state of rulesets with sounds
	contacts []Contact // sorted; state of rulesets with radar
}

// HandleRow is one row of a team's table of handles.
type HandleRow struct {
	ID      grid.EntityID // 0: not given out
	Entered grid.Tick     // when it came into sight
	first   grid.Tick     // when the handle was given out; a ghost keeps it over several entries
	ghost   bool
}

// InSight reports whether the handle names something that is in sight.
func (r *HandleRow) InSight() bool { return r.ID != 0 && !r.ghost }

type resting struct {
	handle grid.Handle
	freed  grid.Tick
}

// Leave says that something left a team's sight in the last step.
type Leave struct {
	Handle  grid.Handle
	Entered grid.Tick // with Handle, the key of the team's entity
	// Destroyed: the team saw it destroyed. Otherwise it is out of sight, and the team does
	// not learn its fate.
	Destroyed bool
	// Ghost: a structure that stays as a ghost under the same handle.
	Ghost bool
	At    grid.Pos      // where it was last seen
	ID    grid.EntityID // of a removed entity; secret
	// Eye is the source through which a destroyed entity of the team still sees for a
	// while; 0: no source.
	Eye visibility.SourceID
}

// Ghost is a structure as a team last saw it. It stays until the team sees one of
// its tiles again, even if the structure is gone before.
type Ghost struct {
	Handle  grid.Handle
	Type    uint16
	Slot    grid.Slot
	Team    grid.Team
	Foot    grid.Tile // north-western tile of the footprint
	At      grid.Pos
	Health  int32
	Stock   int32 // of a resource place
	Unbuilt bool
	Since   grid.Tick
	Facing  grid.Facing
	id      grid.EntityID // not to be told
}

// Sighting is something the team sees now.
type Sighting struct {
	Handle  grid.Handle
	Entered grid.Tick // with Handle, the key of a diff
	ID      grid.EntityID
}

func newKnowledge(w *World, t grid.Team) Knowledge {
	return Knowledge{team: t, ground: nav.NewGround(w.base)}
}

// Team returns whose knowledge it is.
func (k *Knowledge) Team() grid.Team { return k.team }

// Seen appends the entities that the team sees now, its own included, sorted by handle.
func (k *Knowledge) Seen(to []Sighting) []Sighting {
	for i := range k.names {
		if r := &k.names[i]; r.InSight() {
			to = append(to, Sighting{grid.Handle(i + 1), r.Entered, r.ID})
		}
	}
	return to
}

// Handles returns the team's table of handles: row h-1 belongs to handle h. The caller must
// not change it. It is valid until the next step.
func (k *Knowledge) Handles() []HandleRow { return k.names }

// Left returns the entities that left the team's sight in the last step.
func (k *Knowledge) Left() []Leave { return k.leaves }

// Ghosts returns the structures the team remembers, sorted by handle.
func (k *Knowledge) Ghosts() []Ghost { return k.ghosts }

// HandleOf returns the team's name for an entity in its sight.
func (k *Knowledge) HandleOf(e *Entity) (grid.Handle, bool) {
	h := e.handles[k.team]
	return h, h != 0 && e.viewers.Has(k.team)
}

// Sighted returns the entity that h names now, and since when.
func (k *Knowledge) Sighted(h grid.Handle) (Sighting, bool) {
	if h == 0 || uint64(h) > uint64(len(k.names)) {
		return Sighting{}, false
	}
	r := &k.names[h-1]
	return Sighting{h, r.Entered, r.ID}, r.InSight()
}

// Ghost returns the ghost with that handle.
func (k *Knowledge) Ghost(h grid.Handle) (Ghost, bool) {
	i, ok := k.ghostAt(h)
	if !ok {
		return Ghost{}, false
	}
	return k.ghosts[i], true
}

func (k *Knowledge) ghostAt(h grid.Handle) (int, bool) {
	return slices.BinarySearchFunc(k.ghosts, h, func(g Ghost, h grid.Handle) int { return cmp.Compare(g.Handle, h) })
}

// give gives a handle to an entity that comes into sight: its ghost's handle if the team
// has the ghost, else the lowest free handle.
func (k *Knowledge) give(w *World, e *Entity) {
	h := e.handles[k.team]
	if h != 0 { // a ghost shows itself again
		if i, ok := k.ghostAt(h); ok {
			k.ghosts = slices.Delete(k.ghosts, i, i+1)
		}
		k.names[h-1].ghost, k.names[h-1].Entered = false, w.tick
		return
	}
	if len(k.free) > 0 {
		h = k.popFree()
	} else {
		k.names = append(k.names, HandleRow{})
		h = grid.Handle(len(k.names))
	}
	k.names[h-1] = HandleRow{ID: e.id, Entered: w.tick, first: w.tick}
	e.handles[k.team] = h
}

// drop frees a handle. It is not given out again for [HandleRest] ticks.
func (k *Knowledge) drop(w *World, h grid.Handle) {
	k.names[h-1] = HandleRow{}
	k.rest = append(k.rest, resting{h, w.tick})
}

// wake makes the handles available that were freed [HandleRest] ticks ago.
func (k *Knowledge) wake(now grid.Tick) {
	n := 0
	for n < len(k.rest) && k.rest[n].freed+HandleRest <= now {
		k.pushFree(k.rest[n].handle)
		n++
	}
	if n > 0 {
		k.rest = append(k.rest[:0], k.rest[n:]...)
	}
}

func (k *Knowledge) pushFree(h grid.Handle) {
	k.free = append(k.free, h)
	for i := len(k.free) - 1; i > 0; {
		up := (i - 1) / 2
		if k.free[up] <= k.free[i] {
			return
		}
		k.free[up], k.free[i] = k.free[i], k.free[up]
		i = up
	}
}

func (k *Knowledge) popFree() grid.Handle {
	top, last := k.free[0], len(k.free)-1
	k.free[0] = k.free[last]
	k.free = k.free[:last]
	for i := 0; ; {
		low := 2*i + 1
		if low >= last {
			return top
		}
		if low+1 < last && k.free[low+1] < k.free[low] {
			low++
		}
		if k.free[i] <= k.free[low] {
			return top
		}
		k.free[i], k.free[low] = k.free[low], k.free[i]
		i = low
	}
}
