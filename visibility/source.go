package visibility

import (
	"fmt"
	"iter"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Radius is a sight radius in half tiles, 0 to [RadiusMax]. Radius 0 is the
// source's own tile alone.
type Radius uint8

// RadiusMax is the largest sight radius: 32 tiles.
const RadiusMax Radius = 64

// RadiusTiles returns a radius of n whole tiles.
func RadiusTiles(n int) Radius { return Radius(2 * n) }

// reach returns how many whole tiles the radius spans in a straight line.
func (r Radius) reach() int { return int(r) / 2 }

// Source is one eye of a team.
type Source struct {
	Tile   grid.Tile
	Radius Radius // of sight
	Detect Radius // of detection; 0 for what is no detector

	// Flyer sources see over all terrain. So does a scan from above, and the
	// single tile that reveal-on-fire shows.
	Flyer bool

	// LevelBonus is added to the level of the source's tile, for towers.
	LevelBonus grid.Level

	// Until is the first tick in which the source no longer sees; 0 is never.
	// It is how a scan ends, how a dying unit's sight lingers, how a revealed
	// shooter's tile goes dark again.
	Until grid.Tick
}

// Check says what is wrong with the source on a map of w x h tiles, or returns
// nil.
func (s Source) Check(w, h int) error {
	switch {
	case s.Tile.X < 0 || s.Tile.Y < 0 || int(s.Tile.X) >= w || int(s.Tile.Y) >= h:
		return fmt.Errorf("visibility: source at %v is off the map of %dx%d", s.Tile, w, h)
	case s.Radius > RadiusMax:
		return fmt.Errorf("visibility: sight radius of %d half tiles: at most %d", s.Radius, RadiusMax)
	case s.Detect > RadiusMax:
		return fmt.Errorf("visibility: detection radius of %d half tiles: at most %d", s.Detect, RadiusMax)
	case s.LevelBonus >= grid.LevelsMax:
		return fmt.Errorf("visibility: level bonus %d: at most %d", s.LevelBonus, grid.LevelsMax-1)
	}
	return nil
}

// SourceID names a source of an engine, until it is removed or its time is
// over. 0 names none. Ids are given out the same way in every run.
type SourceID uint32

// An id is the source's slot in the low bits and, above them, how often that
// slot was given out: an id that was kept too long is caught.
const (
	slotBits   = 20
	sourcesMax = 1 << slotBits
	genMask    = 1<<(32-slotBits) - 1
)

// slot says where the source with that id lies now.
type slot struct {
	gen  uint16 // of the id; 0 in a slot that was never used
	team grid.Team
	used bool
	at   int32 // place in the team's list
}

// seen is a source as it is drawn: lists of them are walked every step, so it
// is small and lies in one piece.
type seen struct {
	tile   grid.Tile
	radius Radius
	detect Radius
	eye    uint8 // the highest level it sees, or eyeAll
	bonus  grid.Level
	flyer  bool
	id     SourceID
	until  grid.Tick
}

// eyeAll is the eye of what no terrain hides anything from.
const eyeAll = 0xFF

func (s *seen) source() Source {
	return Source{s.tile, s.radius, s.detect, s.flyer, s.bonus, s.until}
}

// Add gives the team a source. It sees from the next step on.
func (e *Engine) Add(t grid.Team, s Source) SourceID {
	e.mustTeam(t)
	e.must(s.Check(e.w, e.h))
	var at uint32
	if n := len(e.free); n > 0 {
		at, e.free = e.free[n-1], e.free[:n-1]
	} else {
		if len(e.slots) == sourcesMax {
			panic(fmt.Sprintf("visibility: more than %d sources", sourcesMax))
		}
		at = uint32(len(e.slots))
		e.slots = append(e.slots, slot{})
	}
	sl := &e.slots[at]
	if sl.gen = (sl.gen + 1) & genMask; sl.gen == 0 {
		sl.gen = 1
	}
	id := SourceID(uint32(sl.gen)<<slotBits | at)
	sl.team, sl.used, sl.at = t, true, int32(len(e.teams[t].list))
	e.teams[t].list = append(e.teams[t].list, seen{id: id})
	e.put(sl, s)
	e.dirty |= e.feeds[t]
	return id
}

// Has reports whether the id names a source: it was added, not removed, and
// its time is not over.
func (e *Engine) Has(id SourceID) bool {
	at := uint32(id) % sourcesMax
	return int(at) < len(e.slots) && e.slots[at].used && uint32(e.slots[at].gen) == uint32(id)>>slotBits
}

// Get returns the source as it was last set, and its team.
func (e *Engine) Get(id SourceID) (grid.Team, Source) {
	sl := e.find(id)
	return sl.team, e.teams[sl.team].list[sl.at].source()
}

// Move puts the source on another tile. On the same tile it does nothing: a
// unit that moves inside its tile costs nothing.
func (e *Engine) Move(id SourceID, to grid.Tile) {
	sl := e.find(id)
	s := &e.teams[sl.team].list[sl.at]
	if s.tile == to {
		return
	}
	if uint(to.X) >= uint(e.w) || uint(to.Y) >= uint(e.h) {
		panic(fmt.Sprintf("visibility: source moved to %v, off the map of %dx%d", to, e.w, e.h))
	}
	s.tile = to
	if e.terrain.occlusion != grid.OcclusionNone && !s.flyer {
		s.eye = e.terrain.eye(to, s.bonus)
	}
	e.dirty |= e.feeds[sl.team]
}

// Change replaces all of a source but its team. If nothing differs, or only
// the time at which it ends, no mask is recomputed.
func (e *Engine) Change(id SourceID, s Source) {
	sl := e.find(id)
	e.must(s.Check(e.w, e.h))
	e.put(sl, s)
}

// Expire lets the source see until the tick and no longer: what a dying unit's
// source is given in place of [Engine.Remove] where the rules let its sight
// linger. The engine then removes it by itself.
func (e *Engine) Expire(id SourceID, until grid.Tick) {
	_, s := e.Get(id)
	s.Until = until
	e.Change(id, s)
}

// put sets the source of a slot and notes what has to be done about it.
func (e *Engine) put(sl *slot, s Source) {
	team := &e.teams[sl.team]
	old := &team.list[sl.at]
	now := seen{
		tile: s.Tile, radius: s.Radius, detect: s.Detect, eye: e.terrain.eye(s.Tile, s.LevelBonus),
		bonus: s.LevelBonus, flyer: s.Flyer, id: old.id, until: s.Until,
	}
	if s.Flyer {
		now.eye = eyeAll
	}
	e.shapes.prepare(s.Radius)
	if s.Detect > 0 {
		e.shapes.prepare(s.Detect)
	}
	if e.terrain.occlusion == grid.OcclusionLineOfSight && now.eye != eyeAll {
		e.sheds.prepare(&e.shapes, s.Radius)
		if s.Detect > 0 {
			e.sheds.prepare(&e.shapes, s.Detect)
		}
	}
	if s.Until != 0 {
		if old.until == 0 {
			e.timed = append(e.timed, old.id)
		}
		e.nextEnd = min(e.nextEnd, s.Until)
	}
	then := *old
	*old = now
	then.until = now.until
	if then != now {
		e.dirty |= e.feeds[sl.team]
	}
	team.detectors += boolInt(now.detect > 0) - boolInt(then.detect > 0)
}

// Remove takes the source away. What it alone saw is hidden at the next step.
func (e *Engine) Remove(id SourceID) {
	sl := e.find(id)
	team := &e.teams[sl.team]
	team.detectors -= boolInt(team.list[sl.at].detect > 0)
	last := len(team.list) - 1
	moved := team.list[last]
	team.list[sl.at] = moved
	e.slots[uint32(moved.id)%sourcesMax].at = sl.at
	team.list = team.list[:last]
	sl.used = false
	e.free = append(e.free, uint32(id)%sourcesMax)
	e.dirty |= e.feeds[sl.team]
}

// expire removes the sources whose time is over.
func (e *Engine) expire(now grid.Tick) {
	if e.nextEnd > now {
		return
	}
	e.nextEnd = noEnd
	keep := e.timed[:0]
	for _, id := range e.timed {
		if !e.Has(id) {
			continue
		}
		_, s := e.Get(id)
		switch {
		case s.Until == 0: // it was given back its time; a later Until lists it anew
		case s.Until <= now:
			e.Remove(id)
		default:
			e.nextEnd = min(e.nextEnd, s.Until)
			keep = append(keep, id)
		}
	}
	e.timed = keep
}

// noEnd is later than every tick of a match.
const noEnd = ^grid.Tick(0)

// Sources yields what the team's mask is made of: its own sources and those of
// the teams that share with it. A client that knows them, and the ground, has
// all it takes to derive the mask. The order is the same in every run.
func (e *Engine) Sources(t grid.Team) iter.Seq2[SourceID, Source] {
	e.mustTeam(t)
	return func(yield func(SourceID, Source) bool) {
		for from := range e.teams {
			if !e.feeds[from].Has(t) {
				continue
			}
			for i := range e.teams[from].list {
				if s := &e.teams[from].list[i]; !yield(s.id, s.source()) {
					return
				}
			}
		}
	}
}

func (e *Engine) find(id SourceID) *slot {
	if !e.Has(id) {
		panic(fmt.Sprintf("visibility: no source %#x: removed, over, or of another engine", uint32(id)))
	}
	return &e.slots[uint32(id)%sourcesMax]
}

func (e *Engine) must(err error) {
	if err != nil {
		panic(err.Error())
	}
}

func (e *Engine) mustTeam(t grid.Team) {
	if int(t) >= len(e.teams) {
		panic(fmt.Sprintf("visibility: team %d of %d", t, len(e.teams)))
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
