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
	Detect Radius // of detection; 0: not a detector

	// Flyer sources see over all terrain. Scans are such sources, and so is the
	// tile of a shooter that is revealed.
	Flyer bool

	// LevelBonus is added to the level of the source's tile, for towers.
	LevelBonus grid.Level

	// Until is the first tick in which the source no longer sees; 0: it has no
	// end. Scans, the sight of units that have died, and revealed shooters end so.
	Until grid.Tick
}

// Check returns the fault of the source on a map of w x h tiles, or nil.
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

// SourceID identifies a source of an engine until it is removed or its time is
// over. 0 is no source. Every run gives out the same ids.
type SourceID uint32

// An id has the team, the index in the team's list, and a counter of how often
// that index was used. By the counter, an id of a removed source is detected.
const (
	teamBits   = 4 // TeamsMax is 16
	placeBits  = 16
	sourcesMax = 1 << placeBits // of one team
	genUnit    = 1 << (teamBits + placeBits)
)

func (id SourceID) team() grid.Team { return grid.Team(id & (1<<teamBits - 1)) }
func (id SourceID) place() int      { return int(id >> teamBits & (sourcesMax - 1)) }

// eyeSource is the part of a source that drawing and moving need. It is small,
// because each step walks the lists of all sources. An unused place has id 0 and
// a radius without a shape.
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

// eyeAll is the eye of sources that see over all terrain.
const eyeAll = 0xFF

// Add gives the team a source. It sees from the next step on.
func (e *Engine) Add(t grid.Team, s Source) SourceID {
	e.mustTeam(t)
	e.must(s.Check(e.w, e.h))
	team := &e.teams[t]
	var id SourceID
	if n := len(team.free); n > 0 {
		id = team.free[n-1] + genUnit // the counter wraps around after 4096
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

// Has reports whether the id names a source that was neither removed nor has expired.
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

// Move puts the source on another tile. If it is the same tile, Move has no effect and no
// cost.
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

// Change replaces everything of a source except its team. If at most Until differs, no mask
// is recomputed.
func (e *Engine) Change(id SourceID, s Source) {
	e.find(id)
	e.must(s.Check(e.w, e.h))
	e.put(id, s)
}

// Expire sets the source's Until. The engine then removes the source by itself. It
// is used in place of [Engine.Remove] for units that die, if the rules let their
// sight last for a time.
func (e *Engine) Expire(id SourceID, until grid.Tick) {
	_, s := e.Get(id)
	s.Until = until
	e.Change(id, s)
}

// put sets the source of an id and marks the work of the next step.
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

// prepare makes the tables of the radii that do not exist.
func (e *Engine) prepare(sight, detect Radius, flyer bool) {
	for _, r := range [2]Radius{sight, detect} {
		e.shapes.prepare(r)
		if e.occl == grid.OcclusionLineOfSight && !flyer {
			e.viewsheds.prepare(&e.shapes, r)
		}
	}
}

// Remove removes the source. Tiles that no other source sees are hidden at the
// next step.
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
		case s.Until == 0: // it has no end any more; a new Until lists it again
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

// Sources yields the sources of the team's mask: its own and the sources of the teams that
// share their sight with it. A client that knows them and the ground can derive the mask.
// The order is the same in every run.
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

// Timed yields the sources of [Engine.Sources] with an Until, in no defined order. Its cost
// grows only with the number of such sources, which are few.
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
