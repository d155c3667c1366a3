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
)

// slot says where the source of an id lies. Moving looks up one slot a unit, so
// it is small.
type slot struct {
	id    SourceID // 0 if there is none
	where uint32   // place in the team's list, and the team in the low bits
}

const teamBits = 4 // TeamsMax is 16

func (s slot) team() grid.Team { return grid.Team(s.where & (1<<teamBits - 1)) }
func (s slot) at() int         { return int(s.where >> teamBits) }

// eyeSource is what drawing reads of a source: lists of them are walked every
// step, so it is eight bytes. The rest is in [sourceRest], beside it.
type eyeSource struct {
	tile   grid.Tile
	radius Radius
	detect Radius
	eye    uint8 // the highest level it sees, or eyeAll
	kind   uint8 // the level bonus, and kindFlyer
}

const kindFlyer = 0x80

type sourceRest struct {
	id    SourceID
	until grid.Tick
}

func (t *team) source(i int) Source {
	s := &t.list[i]
	return Source{s.tile, s.radius, s.detect, s.kind&kindFlyer != 0, s.kind &^ kindFlyer, t.rest[i].until}
}

// eyeAll is the eye of what no terrain hides anything from.
const eyeAll = 0xFF

// Add gives the team a source. It sees from the next step on.
func (e *Engine) Add(t grid.Team, s Source) SourceID {
	e.mustTeam(t)
	e.must(s.Check(e.w, e.h))
	var id SourceID
	if n := len(e.free); n > 0 {
		if id = e.free[n-1] + sourcesMax; id < sourcesMax { // wrapped around
			id += sourcesMax
		}
		e.free = e.free[:n-1]
	} else {
		if len(e.slots) == sourcesMax {
			panic(fmt.Sprintf("visibility: more than %d sources", sourcesMax))
		}
		id = sourcesMax | SourceID(len(e.slots))
		e.slots = append(e.slots, slot{})
	}
	team := &e.teams[t]
	sl := &e.slots[id%sourcesMax]
	*sl = slot{id, uint32(len(team.list))<<teamBits | uint32(t)}
	team.list = append(team.list, eyeSource{})
	team.rest = append(team.rest, sourceRest{id: id})
	e.put(*sl, s)
	e.dirty |= e.feeds[t]
	return id
}

// Has reports whether the id names a source: it was added, not removed, and
// its time is not over.
func (e *Engine) Has(id SourceID) bool {
	at := int(id % sourcesMax)
	return at < len(e.slots) && e.slots[at].id == id && id != 0
}

// Get returns the source as it was last set, and its team.
func (e *Engine) Get(id SourceID) (grid.Team, Source) {
	sl := e.find(id)
	return sl.team(), e.teams[sl.team()].source(sl.at())
}

// Move puts the source on another tile. On the same tile it does nothing: a
// unit that moves inside its tile costs nothing.
func (e *Engine) Move(id SourceID, to grid.Tile) {
	sl := e.find(id)
	s := &e.teams[sl.team()].list[sl.at()]
	if s.tile == to {
		return
	}
	if !e.in(to) {
		panic(fmt.Sprintf("visibility: source moved to %v, off the map of %dx%d", to, e.w, e.h))
	}
	s.tile = to
	if e.occl != grid.OcclusionNone && s.kind&kindFlyer == 0 {
		s.eye = e.terrain.eye(to, s.kind)
	}
	e.dirty |= e.feeds[sl.team()]
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
func (e *Engine) put(sl slot, s Source) {
	team := &e.teams[sl.team()]
	now := eyeSource{s.Tile, s.Radius, s.Detect, e.terrain.eye(s.Tile, s.LevelBonus), s.LevelBonus}
	if s.Flyer {
		now.eye, now.kind = eyeAll, now.kind|kindFlyer
	}
	e.shapes.prepare(s.Radius)
	e.shapes.prepare(s.Detect)
	if e.occl == grid.OcclusionLineOfSight && !s.Flyer {
		e.sheds.prepare(&e.shapes, s.Radius)
		e.sheds.prepare(&e.shapes, s.Detect)
	}
	then, rest := &team.list[sl.at()], &team.rest[sl.at()]
	if s.Until != 0 {
		if rest.until == 0 {
			e.timed = append(e.timed, rest.id)
		}
		e.nextEnd = min(e.nextEnd, s.Until)
	}
	rest.until = s.Until
	team.detectors += boolInt(now.detect > 0) - boolInt(then.detect > 0)
	if *then != now {
		*then = now
		e.dirty |= e.feeds[sl.team()]
	}
}

// Remove takes the source away. What it alone saw is hidden at the next step.
func (e *Engine) Remove(id SourceID) {
	sl := e.find(id)
	team := &e.teams[sl.team()]
	team.detectors -= boolInt(team.list[sl.at()].detect > 0)
	last := len(team.list) - 1
	team.list[sl.at()], team.rest[sl.at()] = team.list[last], team.rest[last]
	e.slots[team.rest[last].id%sourcesMax].where = sl.where
	team.list, team.rest = team.list[:last], team.rest[:last]
	e.slots[id%sourcesMax] = slot{}
	e.free = append(e.free, id)
	e.dirty |= e.feeds[sl.team()]
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
			team := &e.teams[from]
			for i := range team.list {
				if !yield(team.rest[i].id, team.source(i)) {
					return
				}
			}
		}
	}
}

func (e *Engine) find(id SourceID) slot {
	if !e.Has(id) {
		e.noSource(id)
	}
	return e.slots[id%sourcesMax]
}

func (e *Engine) noSource(id SourceID) {
	panic(fmt.Sprintf("visibility: no source %#x: removed, over, or of another engine", uint32(id)))
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
