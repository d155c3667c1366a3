package visibility

import (
	"fmt"
	"iter"
	"slices"

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

// An id is the team, the source's place in the team's list, and how often that
// place was given out: an id that was kept too long is caught.
const (
	teamBits   = 4 // TeamsMax is 16
	placeBits  = 16
	sourcesMax = 1 << placeBits // of one team
	genUnit    = 1 << (teamBits + placeBits)
)

func (id SourceID) team() grid.Team { return grid.Team(id & (1<<teamBits - 1)) }
func (id SourceID) place() int      { return int(id >> teamBits & (sourcesMax - 1)) }

// eyeSource is a source as drawing and moving see it: lists of them are walked
// every step, so it is small. A place without a source has no id and a radius
// that has no shape.
type eyeSource struct {
	tile   grid.Tile
	radius Radius
	detect Radius
	eye    uint8 // the highest level it sees, or eyeAll
	kind   uint8 // the level bonus, and kindFlyer
	id     SourceID
}

const (
	kindFlyer = 0x80
	noRadius  = 0xFF
)

func (t *team) source(i int) Source {
	s := &t.list[i]
	return Source{s.tile, s.radius, s.detect, s.kind&kindFlyer != 0, s.kind &^ kindFlyer, t.until[i]}
}

// eyeAll is the eye of what no terrain hides anything from.
const eyeAll = 0xFF

// Add gives the team a source. It sees from the next step on.
func (e *Engine) Add(t grid.Team, s Source) SourceID {
	e.mustTeam(t)
	e.must(s.Check(e.w, e.h))
	team := &e.teams[t]
	var id SourceID
	if n := len(team.free); n > 0 {
		id = team.free[n-1] + genUnit // after 4096 of them it wraps around
		team.free = team.free[:n-1]
	} else {
		if len(team.list) == sourcesMax {
			panic(fmt.Sprintf("visibility: team %d has more than %d sources", t, sourcesMax))
		}
		id = SourceID(genUnit | len(team.list)<<teamBits | int(t))
		team.list = append(team.list, eyeSource{})
		team.until = append(team.until, 0)
	}
	if id < genUnit {
		id += genUnit // so that no id is 0
	}
	team.list[id.place()] = eyeSource{id: id}
	e.put(id, s)
	e.dirty |= e.feeds[t]
	return id
}

// Has reports whether the id names a source: it was added, not removed, and
// its time is not over.
func (e *Engine) Has(id SourceID) bool {
	if int(id.team()) >= len(e.teams) || id == 0 {
		return false
	}
	list := e.teams[id.team()].list
	return id.place() < len(list) && list[id.place()].id == id
}

// Get returns the source as it was last set, and its team.
func (e *Engine) Get(id SourceID) (grid.Team, Source) {
	e.find(id)
	return id.team(), e.teams[id.team()].source(id.place())
}

// Move puts the source on another tile. On the same tile it does nothing: a
// unit that moves inside its tile costs nothing.
func (e *Engine) Move(id SourceID, to grid.Tile) {
	s := e.find(id)
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
	e.dirty |= e.feeds[id.team()]
}

// Change replaces all of a source but its team. If nothing differs, or only
// the time at which it ends, no mask is recomputed.
func (e *Engine) Change(id SourceID, s Source) {
	e.find(id)
	e.must(s.Check(e.w, e.h))
	e.put(id, s)
}

// Expire lets the source see until the tick and no longer: what a dying unit's
// source is given in place of [Engine.Remove] where the rules let its sight
// linger. The engine then removes it by itself.
func (e *Engine) Expire(id SourceID, until grid.Tick) {
	_, s := e.Get(id)
	s.Until = until
	e.Change(id, s)
}

// put sets the source of an id and notes what has to be done about it.
func (e *Engine) put(id SourceID, s Source) {
	team := &e.teams[id.team()]
	now := eyeSource{s.Tile, s.Radius, s.Detect, e.terrain.eye(s.Tile, s.LevelBonus), s.LevelBonus, id}
	if s.Flyer {
		now.eye, now.kind = eyeAll, now.kind|kindFlyer
	}
	e.prepare(s.Radius, s.Detect, s.Flyer)
	then, until := &team.list[id.place()], &team.until[id.place()]
	if s.Until != 0 {
		if *until == 0 && !slices.Contains(e.timed, id) {
			e.timed = append(e.timed, id)
		}
		e.nextEnd = min(e.nextEnd, s.Until)
	}
	*until = s.Until
	team.detectors += boolInt(now.detect > 0) - boolInt(then.detect > 0)
	if *then != now {
		*then = now
		e.dirty |= e.feeds[id.team()]
	}
}

// prepare makes the tables for the radii, where they are not there yet.
func (e *Engine) prepare(sight, detect Radius, flyer bool) {
	for _, r := range [2]Radius{sight, detect} {
		e.shapes.prepare(r)
		if e.occl == grid.OcclusionLineOfSight && !flyer {
			e.viewsheds.prepare(&e.shapes, r)
		}
	}
}

// Remove takes the source away. What it alone saw is hidden at the next step.
func (e *Engine) Remove(id SourceID) {
	s, team := e.find(id), &e.teams[id.team()]
	team.detectors -= boolInt(s.detect > 0)
	*s = eyeSource{radius: noRadius}
	team.until[id.place()] = 0
	team.free = append(team.free, id)
	e.dirty |= e.feeds[id.team()]
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
	return func(yield func(SourceID, Source) bool) { e.eachSource(t, yield) }
}

func (e *Engine) eachSource(t grid.Team, yield func(SourceID, Source) bool) {
	e.mustTeam(t)
	for from := range e.teams {
		if !e.feeds[from].Has(t) {
			continue
		}
		team := &e.teams[from]
		for i := range team.list {
			if id := team.list[i].id; id != 0 && !yield(id, team.source(i)) {
				return
			}
		}
	}
}

// Timed yields those of [Engine.Sources] that end by themselves, in no order to
// rely on. There are few of them, and it looks at no others.
func (e *Engine) Timed(t grid.Team) iter.Seq2[SourceID, Source] {
	return func(yield func(SourceID, Source) bool) { e.eachTimed(t, yield) }
}

func (e *Engine) eachTimed(t grid.Team, yield func(SourceID, Source) bool) {
	e.mustTeam(t)
	for _, id := range e.timed {
		if !e.Has(id) || !e.feeds[id.team()].Has(t) {
			continue
		}
		if s := e.teams[id.team()].source(id.place()); s.Until != 0 && !yield(id, s) {
			return
		}
	}
}

func (e *Engine) find(id SourceID) *eyeSource {
	if int(id.team()) < len(e.teams) {
		list := e.teams[id.team()].list
		if at := id.place(); at < len(list) && list[at].id == id {
			return &list[at]
		}
	}
	e.noSource(id)
	return nil
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
