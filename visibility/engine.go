package visibility

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Config is what an engine is made of.
type Config struct {
	// Map gives size, levels, cliffs and the occlusion rule. It must have
	// passed [grid.Map.Check] and is only read.
	Map *grid.Map
	// Teams is their number, 1 to [grid.TeamsMax].
	Teams int
	// ShedBytesMax caps the memory for remembered lines of sight, on maps that
	// ask for them; 0 means [ShedBytesDefault]. What does not fit is computed
	// anew: the cap costs time, never truth.
	ShedBytesMax int
}

// Engine holds the masks of one match's teams. See the package's page for who
// may call it.
type Engine struct {
	w, h    int // tiles
	bw, bh  int // blocks
	occl    grid.Occlusion
	terrain terrain
	shapes  shapes
	sheds   sheds

	teams []team
	feeds [grid.TeamsMax]grid.TeamSet // feeds[a] has b: b sees what a sees; a always feeds itself
	dirty grid.TeamSet

	timed   []SourceID
	nextEnd grid.Tick // no source ends before it

	draw  canvas
	stats Stats
}

// team is what the engine keeps for one team.
type team struct {
	list      []eyeSource
	until     []grid.Tick // of the sources of list, at the same place
	free      []SourceID  // of removed sources, whose places are given out again, last first
	detectors int         // sources of the list that detect

	blocks   []block  // the masks, row by row
	detected []uint64 // a word a block; nil until a detector is met
	lit      []uint64 // the blocks with a visible tile, a bit each, laid out as canvas.touched
	detLit   []uint64 // the same for detected tiles

	changes []change // of the last step
	gains   []gain
	learned []grid.Tile
}

// block is 8x8 tiles of a team's masks. The two lie together because a step
// looks at both.
type block struct{ visible, explored uint64 }

// change is a block whose visible tiles changed in the last step.
type change struct {
	was   uint64
	block int32
}

// gain is what a change added to the explored tiles. After the first minutes of
// a match there are few.
type gain struct {
	tiles uint64
	block int32
}

// Stats counts work since the engine was made. It is no part of the state.
type Stats struct {
	Steps      uint64 // calls of Step
	Recomputed uint64 // team masks drawn anew
	Drawn      uint64 // sources drawn, over all recomputed masks
	ShedsMade  uint64 // lines of sight worked out because they were not remembered
}

// New returns an engine in which nobody sees anything.
func New(c Config) (*Engine, error) {
	if c.Teams < 1 || c.Teams > grid.TeamsMax {
		return nil, fmt.Errorf("visibility: %d teams: 1 to %d", c.Teams, grid.TeamsMax)
	}
	if c.ShedBytesMax < 0 {
		return nil, fmt.Errorf("visibility: cap of %d bytes for lines of sight is negative", c.ShedBytesMax)
	}
	m := c.Map
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("visibility: map %q: %w", m.Name, err)
	}
	e := &Engine{
		w: m.W, h: m.H, bw: (m.W + 7) / 8, bh: (m.H + 7) / 8,
		occl: m.Occlusion, teams: make([]team, c.Teams), nextEnd: noEnd,
	}
	e.draw = newCanvas(e.w, e.h)
	e.terrain = newTerrain(m, &e.draw)
	e.sheds = newSheds(c.ShedBytesMax, m.W, m.H)
	for i := range e.teams {
		e.feeds[i] = grid.TeamSet(0).With(grid.Team(i))
		e.teams[i].blocks = make([]block, e.bw*e.bh)
		e.teams[i].lit = make([]uint64, len(e.draw.touched))
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

// Shares returns the teams that see what the team sees, itself among them.
func (e *Engine) Shares(from grid.Team) grid.TeamSet {
	e.mustTeam(from)
	return e.feeds[from]
}

// Step brings the masks up to the sources, at the end of a tick: sources whose
// [Source.Until] is now or earlier go, the masks of dirty teams are drawn anew,
// and teams learn the changed ground that they see.
func (e *Engine) Step(now grid.Tick) {
	e.stats.Steps++
	e.expire(now)
	for i := range e.teams {
		t := &e.teams[i]
		t.changes, t.gains, t.learned = t.changes[:0], t.gains[:0], t.learned[:0]
	}
	for i := range e.teams {
		if e.dirty.Has(grid.Team(i)) {
			e.recompute(grid.Team(i))
		}
	}
	e.dirty = 0
	e.learn()
}

// recompute draws a team's mask from its sources and takes over what differs.
func (e *Engine) recompute(t grid.Team) {
	e.stats.Recomputed++
	detectors := 0
	for from := range e.teams {
		if e.feeds[from].Has(t) {
			e.drawSight(e.teams[from].list)
			e.stats.Drawn += uint64(len(e.teams[from].list) - len(e.teams[from].free))
			detectors += e.teams[from].detectors
		}
	}
	e.mergeVisible(&e.teams[t])
	if detectors == 0 && e.teams[t].detLit == nil {
		return
	}
	for from := range e.teams {
		if e.feeds[from].Has(t) && e.teams[from].detectors > 0 {
			e.drawDetection(e.teams[from].list)
		}
	}
	e.mergeDetected(&e.teams[t])
}

// Visible reports whether the team sees the tile. Tiles off the map are seen by
// nobody.
func (e *Engine) Visible(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].blocks[e.block(at)].visible>>bit(at)&1 != 0
}

// Explored reports whether the team ever saw the tile.
func (e *Engine) Explored(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	return e.in(at) && e.teams[t].blocks[e.block(at)].explored>>bit(at)&1 != 0
}

// Detected reports whether the team sees the tile and what is cloaked on it:
// it is visible, and inside a detector's circle under the same rule.
func (e *Engine) Detected(t grid.Team, at grid.Tile) bool {
	e.mustTeam(t)
	d := e.teams[t].detected
	return d != nil && e.in(at) && d[e.block(at)]>>bit(at)&1 != 0
}

// TeamsSeeing returns the teams that see the tile: one look for all of them.
func (e *Engine) TeamsSeeing(at grid.Tile) grid.TeamSet {
	if !e.in(at) {
		return 0
	}
	i, k := e.block(at), bit(at)
	var s uint64
	for t := range e.teams {
		s |= e.teams[t].blocks[i].visible >> k & 1 << t
	}
	return grid.TeamSet(s)
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

// TeamsSeeingAny returns the teams that see at least one tile of a footprint of
// w x h tiles whose north-western tile is at: those that see a structure. Tiles
// off the map do not count.
func (e *Engine) TeamsSeeingAny(at grid.Tile, w, h int) grid.TeamSet {
	var s grid.TeamSet
	for dy := range h {
		for dx := range w {
			s |= e.TeamsSeeing(grid.Tile{X: at.X + int16(dx), Y: at.Y + int16(dy)})
		}
	}
	return s
}

func (e *Engine) in(at grid.Tile) bool { return uint(at.X) < uint(e.w) && uint(at.Y) < uint(e.h) }

// block returns the place of the tile's block.
func (e *Engine) block(at grid.Tile) int { return int(at.Y)>>3*e.bw + int(at.X)>>3 }

// bit returns the tile's bit in its block's word.
func bit(at grid.Tile) uint { return uint(at.Y)&7<<3 | uint(at.X)&7 }
