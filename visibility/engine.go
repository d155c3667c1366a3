package visibility

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Config holds the inputs of an engine.
type Config struct {
	// Map gives size, levels, cliffs and the occlusion rule. It must have
	// passed [grid.Map.CheckGround] and is only read; starts and resources do
	// not matter.
	Map *grid.Map
	// Teams is their number, 1 to [grid.TeamsMax].
	Teams int
	// ViewshedBytesMax caps the memory of the viewshed cache, on maps with line of
	// sight; 0 means [ViewshedBytesDefault]. A viewshed that does not fit is computed
	// again when it is needed. The masks do not depend on the cap.
	ViewshedBytesMax int
}

// Engine holds the masks of one match's teams. The package's page says which goroutines may
// call it.
type Engine struct {
	w, h      int // tiles
	occl      grid.Occlusion
	terrain   terrain
	shapes    shapes
	viewsheds viewsheds

	teams []team
	feeds [grid.TeamsMax]grid.TeamSet // feeds[a] has b: b shares a's sight; a always feeds itself
	dirty grid.TeamSet

	timed   []SourceID
	nextEnd grid.Tick // no source ends before it

	visibleTo visibleTo
	draw      canvas // the layout of all masks
	stats     Stats

	run    grid.Runner
	redraw func(team int) // recompute, of a dirty team; made once
}

// team is the engine's state for one team.
type team struct {
	list      []eyeSource
	until     []grid.Tick // [Source.Until], with the same index as list
	free      []SourceID  // of removed sources; their places are used again, last first
	detectors int         // sources of the list that detect
	memory    []grid.Tile // where the team goes on seeing obstacles

	// The masks, in the layout of the canvas. A step draws the new visible mask
	// into the memory of the one before the last, so the changes are now ^ prev.
	now, prev []uint64
	explored  []uint64
	detected  []uint64 // nil before the first detector

	// Where the sources were drawn in now and in prev, in the order in which
	// drawFeeds draws them.
	patches, patchesWas []patch
	open                []patch // the patches that may show tiles never seen before
	sweeps              int     // the next so many steps cannot use them
	detPatches          []patch
	detUnclean          bool // the next step cannot use detPatches

	turned  bool     // something may have changed in the last step
	changed []uint64 // the blocks that may have changed, a bit each, canvas.row words a row of the map
	gains   []gain   // of the last step, row by row
}

// gain has tiles of one block that a step added to the explored ones. After the
// first minutes of a match there are few.
type gain struct {
	tiles uint64
	at    int32 // index of the block
}

// Stats counts work since the engine was made. It is no part of the state.
type Stats struct {
	Steps         uint64 // calls of Step
	Recomputed    uint64 // team masks drawn anew
	Drawn         uint64 // sources drawn, over all recomputed masks
	ViewshedsMade uint64 // viewsheds computed because they were not in the cache
}

// New returns an engine in which no team sees a tile.
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
	e.redraw = func(i int) {
		if e.dirty.Has(grid.Team(i)) {
			e.recompute(grid.Team(i))
		}
	}
	n := e.draw.words
	for i := range e.teams {
		e.feeds[i] = grid.TeamSet(0).With(grid.Team(i))
		t := &e.teams[i]
		t.now, t.prev, t.explored = make([]uint64, n), make([]uint64, n), make([]uint64, n)
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

// Share starts or ends shared sight: from the next step on, team to also sees the tiles of
// team from's own sources. It holds in one direction and is not passed on to third teams.
// Tiles that to has explored stay explored.
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

// Step updates the masks at the end of a tick. It removes the sources whose
// [Source.Until] is now or earlier, draws the masks of the dirty teams again, and
// lets teams learn the changed ground that they see.
func (e *Engine) Step(now grid.Tick) {
	e.stats.Steps++
	e.expire(now)
	for i := range e.teams {
		t := &e.teams[i]
		t.gains = t.gains[:0]
		if t.turned {
			t.turned = false
			clear(t.changed)
		}
	}
	if e.dirty != 0 {
		for i := range e.teams {
			if e.dirty.Has(grid.Team(i)) {
				e.count(grid.Team(i))
			}
		}
		run := e.run
		if e.occl == grid.OcclusionLineOfSight {
			run = nil // teams share the cache of viewsheds
		}
		run.Run(len(e.teams), e.redraw)
		e.dirty = 0
		e.visibleTo.outdated()
	}
	e.learn()
}

// SetRunner lets a step compute the masks of several teams side by side; nil: one
// after the other. It may change between two steps. The masks do not depend on it.
func (e *Engine) SetRunner(r grid.Runner) { e.run = r }

// count counts the work that a team's mask is going to be.
func (e *Engine) count(t grid.Team) {
	e.stats.Recomputed++
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			e.stats.Drawn += uint64(len(e.teams[from].list) - len(e.teams[from].free))
		}
	}
}

// recompute draws a team's mask from its sources and finds the changes. It writes only the
// team's data.
func (e *Engine) recompute(t grid.Team) {
	team := &e.teams[t]
	n, detectors := 0, 0
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			n += len(e.teams[from].list)
			detectors += e.teams[from].detectors
		}
	}
	team.now, team.prev = team.prev, team.now
	over := team.patchesWas // where the mask of the step before the last was drawn
	team.patches, team.patchesWas = slices.Grow(over[:0], n)[:n], team.patches

	// Comparing one patch costs about as much as comparing 36 blocks of the map in
	// a row (measured at radius 8). With many sources the whole map is cheaper.
	if 36*n > e.draw.mapW*e.draw.mapH || team.sweeps > 0 {
		team.sweeps = max(0, team.sweeps-1)
		clear(team.now)
		e.drawFeeds(t, team, false)
		e.compareAll(team)
	} else {
		for _, p := range over {
			e.draw.wipe(team.now, p)
		}
		team.open = team.open[:0]
		e.drawFeeds(t, team, true)
		e.comparePatches(team)
	}
	if detectors > 0 || len(team.detPatches) > 0 || team.detUnclean {
		e.drawDetected(t)
	}
}

// drawFeeds draws all sources of the team's mask: its own and shared ones.
func (e *Engine) drawFeeds(t grid.Team, team *team, compare bool) {
	patches := team.patches
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			list := e.teams[from].list
			if compare {
				e.drawPatches(team, list, patches)
			} else {
				e.drawSight(team.now, list, patches, team.memory)
			}
			patches = patches[len(list):]
		}
	}
}

// Visible reports whether the team sees the tile. No team sees tiles off the map.
func (e *Engine) Visible(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].now[e.block(at)]>>bit(at)&1 != 0
}

// Explored reports whether the team ever saw the tile.
func (e *Engine) Explored(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].explored[e.block(at)]>>bit(at)&1 != 0
}

// Detected reports whether the team sees cloaked units on the tile: the tile is
// visible, and a detector sees it by the same rule with its detection radius.
func (e *Engine) Detected(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	d := e.teams[t].detected
	return d != nil && e.in(at) && d[e.block(at)]>>bit(at)&1 != 0
}

// TeamsDetecting returns the teams that see cloaked units on the tile.
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

// block returns the index of the tile's block in a mask.
func (e *Engine) block(at grid.Tile) int {
	return (int(at.Y)>>3+padBefore)*e.draw.w + int(at.X)>>3 + padBefore
}

// bit returns the tile's bit in its block's word. The last & lets the compiler
// omit the check of a shift by it.
func bit(at grid.Tile) uint { return (uint(at.Y)&7<<3 | uint(at.X)&7) & 63 }
