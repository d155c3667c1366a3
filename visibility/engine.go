package visibility

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Config is what an engine is made of.
type Config struct {
	// Map gives size, levels, cliffs and the occlusion rule. It must have
	// passed [grid.Map.CheckGround] and is only read; starts and resources do
	// not matter.
	Map *grid.Map
	// Teams is their number, 1 to [grid.TeamsMax].
	Teams int
	// ViewshedBytesMax caps the memory for remembered lines of sight, on maps that
	// ask for them; 0 means [ViewshedBytesDefault]. What does not fit is computed
	// anew: the cap costs time, never truth.
	ViewshedBytesMax int
}

// Engine holds the masks of one match's teams. See the package's page for who
// may call it.
type Engine struct {
	w, h      int // tiles
	occl      grid.Occlusion
	terrain   terrain
	shapes    shapes
	viewsheds viewsheds

	teams []team
	feeds [grid.TeamsMax]grid.TeamSet // feeds[a] has b: b sees what a sees; a always feeds itself
	dirty grid.TeamSet

	timed   []SourceID
	nextEnd grid.Tick // no source ends before it

	visibleTo visibleTo
	draw      canvas // the layout of all masks
	stats     Stats
}

// team is what the engine keeps for one team.
type team struct {
	list      []eyeSource
	until     []grid.Tick // of the sources of list, at the same place
	free      []SourceID  // of removed sources, whose places are given out again, last first
	detectors int         // sources of the list that detect

	// The masks, laid out as a canvas. A step draws the new visible mask over
	// the one before the last, so that what changed is now ^ was.
	now, was []uint64
	explored []uint64
	detected []uint64 // nil until a detector is met

	// Where the sources were drawn in now and in was, in the order of the lists
	// that feed the mask.
	patches, patchesWas []patch
	sweeps              int // steps to come that cannot trust them
	detPatches          []patch
	detUnclean          bool // the next step cannot trust detPatches

	turned  bool     // something may have changed in the last step
	changed []uint64 // the blocks that may have, a bit each, canvas.row words a row of the map
	gains   []gain   // of the last step, row by row
	learned []grid.Tile
}

// gain is what a change added to the explored tiles. After the first minutes of
// a match there are few.
type gain struct {
	tiles uint64
	at    int32 // place of the block
}

// Stats counts work since the engine was made. It is no part of the state.
type Stats struct {
	Steps         uint64 // calls of Step
	Recomputed    uint64 // team masks drawn anew
	Drawn         uint64 // sources drawn, over all recomputed masks
	ViewshedsMade uint64 // viewsheds computed because they were not in the cache
}

// New returns an engine in which nobody sees anything.
func New(c Config) (*Engine, error) {
	if c.Teams < 1 || c.Teams > grid.TeamsMax {
		return nil, fmt.Errorf("visibility: %d teams: 1 to %d", c.Teams, grid.TeamsMax)
	}
	if c.ViewshedBytesMax < 0 {
		return nil, fmt.Errorf("visibility: cap of %d bytes for lines of sight is negative", c.ViewshedBytesMax)
	}
	m := c.Map
	if err := m.CheckGround(); err != nil {
		return nil, fmt.Errorf("visibility: map %q: %w", m.Name, err)
	}
	e := &Engine{
		w: m.W, h: m.H,
		occl: m.Occlusion, teams: make([]team, c.Teams), nextEnd: noEnd,
	}
	e.draw = newCanvas(e.w, e.h)
	e.visibleTo = newVisibleTo(e.w, &e.draw, c.Teams)
	e.terrain = newTerrain(m, &e.draw)
	e.viewsheds = newViewsheds(c.ViewshedBytesMax, m.W, m.H)
	n := e.draw.words
	for i := range e.teams {
		e.feeds[i] = grid.TeamSet(0).With(grid.Team(i))
		t := &e.teams[i]
		t.now, t.was, t.explored = make([]uint64, n), make([]uint64, n), make([]uint64, n)
		t.changed = make([]uint64, e.draw.row*e.draw.mapH)
	}
	return e, nil
}

// Size returns the size of the map in tiles.
func (e *Engine) Size() (w, h int) { return e.w, e.h }

// Teams returns the number of teams.
func (e *Engine) Teams() int { return len(e.teams) }

// Stats returns the counters of work done.
func (e *Engine) Stats() Stats { return e.stats }

// Share starts or ends that one team sees what another sees: what is drawn for
// from is drawn for to as well, from the next step on. It holds one way and is
// not handed on: to sees by from's own sources alone. What to has explored it
// keeps.
func (e *Engine) Share(from, to grid.Team, on bool) {
	e.mustTeam(from)
	e.mustTeam(to)
	bit := grid.TeamSet(0).With(to)
	if from == to || on == e.feeds[from].Has(to) {
		return
	}
	e.feeds[from] ^= bit
	if len(e.teams[from].list) > 0 {
		e.dirty |= bit
	}
}

// Step brings the masks up to the sources, at the end of a tick: sources whose
// [Source.Until] is now or earlier go, the masks of dirty teams are drawn anew,
// and teams learn the changed ground that they see.
func (e *Engine) Step(now grid.Tick) {
	e.stats.Steps++
	e.expire(now)
	for i := range e.teams {
		t := &e.teams[i]
		t.gains, t.learned = t.gains[:0], t.learned[:0]
		if t.turned {
			t.turned = false
			clear(t.changed)
		}
	}
	for i := range e.teams {
		if e.dirty.Has(grid.Team(i)) {
			e.recompute(grid.Team(i))
		}
	}
	if e.dirty != 0 {
		e.dirty = 0
		e.visibleTo.outdated()
	}
	e.learn()
}

// recompute draws a team's mask from its sources and takes over what differs.
func (e *Engine) recompute(t grid.Team) {
	e.stats.Recomputed++
	team := &e.teams[t]
	n, detectors := 0, 0
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			n += len(e.teams[from].list)
			detectors += e.teams[from].detectors
		}
	}
	team.now, team.was = team.was, team.now
	over := team.patchesWas // what now is drawn over
	team.patches, team.patchesWas = slices.Grow(over[:0], n)[:n], team.patches

	// A patch costs as much as some 36 blocks of the map that are gone over in
	// a row (measured, radius 8): where sources are many, the map is cheaper.
	if 36*n > e.draw.mapW*e.draw.mapH || team.sweeps > 0 {
		team.sweeps = max(0, team.sweeps-1)
		clear(team.now)
		e.drawFeeds(t, team)
		e.compareAll(team)
	} else {
		for _, p := range over {
			e.draw.wipe(team.now, p)
		}
		e.drawFeeds(t, team)
		e.comparePatches(team)
	}
	if detectors > 0 || len(team.detPatches) > 0 || team.detUnclean {
		e.drawDetected(t)
	}
}

// drawFeeds draws all sources that feed the team's mask.
func (e *Engine) drawFeeds(t grid.Team, team *team) {
	patches := team.patches
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			list := e.teams[from].list
			e.drawSight(team.now, list, patches)
			patches = patches[len(list):]
			e.stats.Drawn += uint64(len(list) - len(e.teams[from].free))
		}
	}
}

// Visible reports whether the team sees the tile. Tiles off the map are seen by
// nobody.
func (e *Engine) Visible(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].now[e.block(at)]>>bit(at)&1 != 0
}

// Explored reports whether the team ever saw the tile.
func (e *Engine) Explored(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].explored[e.block(at)]>>bit(at)&1 != 0
}

// Detected reports whether the team sees the tile and what is cloaked on it:
// it is visible, and inside a detector's circle under the same rule.
func (e *Engine) Detected(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	d := e.teams[t].detected
	return d != nil && e.in(at) && d[e.block(at)]>>bit(at)&1 != 0
}

// TeamsDetecting returns the teams that see what is cloaked on the tile.
func (e *Engine) TeamsDetecting(at grid.Tile) grid.TeamSet {
	var s grid.TeamSet
	for t := range e.teams {
		if e.Detected(grid.Team(t), at) {
			s = s.With(grid.Team(t))
		}
	}
	return s
}

func (e *Engine) in(at grid.Tile) bool { return uint(at.X) < uint(e.w) && uint(at.Y) < uint(e.h) }

// block returns the place of the tile's block in a mask.
func (e *Engine) block(at grid.Tile) int {
	return (int(at.Y)>>3+padBefore)*e.draw.w + int(at.X)>>3 + padBefore
}

// bit returns the tile's bit in its block's word.
// The last & tells the compiler that a shift by it needs no check.
func bit(at grid.Tile) uint { return (uint(at.Y)&7<<3 | uint(at.X)&7) & 63 }
