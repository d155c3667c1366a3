package visibility

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Ground holds the properties of a tile for the rule of sight, and a mark.
type Ground struct {
	Level  grid.Level
	Opaque bool // blocks sight like ground one level higher: a cliff, a wall
	// Mark is for the caller, for example the kind of terrain and the ways of moving that
	// may pass. It is 0 on every tile that was never set.
	Mark uint16
}

// terrain is the current ground, whether teams know it or not.
type terrain struct {
	occlusion grid.Occlusion
	w         int // tiles
	levels    []grid.Level
	stands    []uint8 // height for sight: the level, plus one on opaque tiles
	c         *canvas // the layout of below and above

	all []uint64 // all ones, also for tiles off the map

	// One bit per tile, made when the first eye of the level is used:
	below [grid.LevelsMax][]uint64 // tiles that the eye may see by rule 2
	above [grid.LevelsMax][]uint64 // tiles that stand in its way by rule 3

	edits   []edit // tiles that were ever set, sorted by at
	pending int    // edits that some team does not know
}

// edit is a tile whose ground was set, and each team's knowledge about it.
type edit struct {
	at      int    // index in levels
	first   Ground // the map's ground
	now     Ground
	known   [grid.TeamsMax]Ground
	pending grid.TeamSet // teams whose knowledge differs from the current ground
}

func newTerrain(m *grid.Map, c *canvas) terrain {
	t := terrain{
		occlusion: m.Occlusion, w: m.W, c: c,
		levels: slices.Clone(m.Levels), stands: make([]uint8, len(m.Levels)),
	}
	t.all = slices.Repeat([]uint64{^uint64(0)}, c.words)
	for i, l := range t.levels {
		t.stands[i] = l + uint8(boolInt(m.Terrain[i] == grid.Cliff))
	}
	return t
}

// eye returns the highest level that a source on the tile sees. It makes the level's planes if they do not exist.
func (t *terrain) eye(at grid.Tile, bonus grid.Level) uint8 {
	if t.occlusion == grid.OcclusionNone {
		return eyeAll
	}
	eye := min(t.levels[int(at.Y)*t.w+int(at.X)]+bonus, grid.LevelsMax-1)
	if t.below[eye] == nil {
		t.makePlanes(eye)
	}
	return eye
}

func (t *terrain) makePlanes(eye uint8) {
	t.below[eye] = make([]uint64, t.c.words)
	if t.occlusion == grid.OcclusionLineOfSight {
		t.above[eye] = make([]uint64, t.c.words)
	}
	for i := range t.levels {
		t.setPlanes(eye, i)
	}
}

// setPlanes sets one tile of an eye's planes from the ground.
func (t *terrain) setPlanes(eye uint8, i int) {
	x, y := i%t.w, i/t.w
	word, bit := (y>>3+padBefore)*t.c.w+x>>3+padBefore, uint64(1)<<(y&7<<3|x&7)
	set := func(plane []uint64, on bool) {
		if plane[word] &^= bit; on {
			plane[word] |= bit
		}
	}
	set(t.below[eye], t.levels[i] <= eye)
	if t.above[eye] != nil {
		set(t.above[eye], t.stands[i] > eye)
	}
}

// Ground returns the current ground of a tile, whether teams know it or not.
func (e *Engine) Ground(at grid.Tile) Ground {
	i := e.tileIndex(at)
	t := &e.terrain
	if j, ok := t.find(i); ok {
		return t.edits[j].now
	}
	return t.original(i)
}

// original returns the ground of a tile that SetGround never changed.
func (t *terrain) original(i int) Ground {
	return Ground{Level: t.levels[i], Opaque: t.stands[i] > t.levels[i]}
}

func (t *terrain) find(i int) (int, bool) {
	return slices.BinarySearchFunc(t.edits, i, func(e edit, i int) int { return cmp.Compare(e.at, i) })
}

// SetGround changes the ground of a tile, for example when a bridge falls or a wall is
// built. Sight uses the new ground from the next step on. [Engine.Known] of each team has
// the old ground until the team sees the tile. So a caller that sends teams only their own knowledge does not reveal
// unseen changes.
func (e *Engine) SetGround(at grid.Tile, g Ground) {
	if g.Level >= grid.LevelsMax {
		panic(fmt.Sprintf("visibility: level %d for %v: at most %d", g.Level, at, grid.LevelsMax-1))
	}
	i := e.tileIndex(at)
	t := &e.terrain
	j, ok := t.find(i)
	if !ok {
		fresh := edit{at: i, first: t.original(i), now: t.original(i)}
		for k := range fresh.known {
			fresh.known[k] = fresh.now
		}
		t.edits = slices.Insert(t.edits, j, fresh)
	}
	ed := &t.edits[j]
	was := ed.now
	ed.now = g
	t.pending -= boolInt(ed.pending != 0)
	ed.pending = 0
	for k := range e.teams {
		if ed.known[k] != g {
			ed.pending = ed.pending.With(grid.Team(k))
		}
	}
	t.pending += boolInt(ed.pending != 0)
	t.levels[i], t.stands[i] = g.Level, g.Level+uint8(boolInt(g.Opaque))
	if was.Level == g.Level && was.Opaque == g.Opaque || t.occlusion == grid.OcclusionNone {
		return
	}
	for eye := range t.below {
		if t.below[eye] != nil {
			t.setPlanes(uint8(eye), i)
		}
	}
	e.viewsheds.forget(at)
	e.groundMoved(at)
}

// groundMoved gives the sources on the tile their new eye and marks the teams with
// a source that reaches the tile. It looks at every source, which is cheap enough,
// since ground rarely changes.
func (e *Engine) groundMoved(at grid.Tile) {
	for i := range e.teams {
		list := e.teams[i].list
		for j := range list {
			s := &list[j]
			if s.id == 0 || s.kind&kindFlyer != 0 {
				continue
			}
			if s.tile == at {
				s.eye = e.terrain.eye(at, s.kind)
			}
			if inCircle(int(s.tile.X)-int(at.X), int(s.tile.Y)-int(at.Y), max(s.radius, s.detect)) {
				e.dirty |= e.feeds[i]
			}
		}
	}
}

// learn updates each team's knowledge of the changed ground in its sight.
func (e *Engine) learn() {
	t := &e.terrain
	if t.pending == 0 {
		return
	}
	for j := range t.edits {
		ed := &t.edits[j]
		if ed.pending == 0 {
			continue
		}
		visibleTo := e.TeamsSeeing(grid.Tile{X: int16(ed.at % t.w), Y: int16(ed.at / t.w)}) & ed.pending
		if visibleTo == 0 {
			continue
		}
		for k := range e.teams {
			if visibleTo.Has(grid.Team(k)) {
				ed.known[k] = ed.now
			}
		}
		if ed.pending &^= visibleTo; ed.pending == 0 {
			t.pending--
		}
	}
}

// Known returns the ground of a tile as the team last saw it. A team that never
// saw the tile knows the ground of the map.
func (e *Engine) Known(t grid.Team, at grid.Tile) Ground {
	e.mustTeam(t)
	i := e.tileIndex(at)
	if j, ok := e.terrain.find(i); ok {
		return e.terrain.edits[j].known[t]
	}
	return e.terrain.original(i)
}

func (e *Engine) tileIndex(at grid.Tile) int {
	if !e.in(at) {
		panic(fmt.Sprintf("visibility: %v is off the map of %dx%d", at, e.w, e.h))
	}
	return int(at.Y)*e.w + int(at.X)
}
