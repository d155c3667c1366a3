package visibility

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Hold lets a team go on seeing as if something opaque stood on a tile, or ends that: something fell there, and the team has
// not seen it. Only lines of sight ask. Holds are few and short, so viewsheds with a held tile in reach are made anew in
// each step, and holds are no part of a save: [Engine.HoldAgain].
func (e *Engine) Hold(t grid.Team, at grid.Tile, on bool) {
	e.mustTeam(t)
	e.tileIndex(at) // a tile off the map is a mistake
	memory := &e.teams[t].memory
	i := slices.Index(*memory, at)
	switch {
	case e.occl != grid.OcclusionLineOfSight || on == (i >= 0):
		return
	case on:
		*memory = append(*memory, at)
	default:
		*memory = slices.Delete(*memory, i, i+1)
	}
	for from := range e.teams {
		if e.feeds[from].Has(t) && slices.ContainsFunc(e.teams[from].list, func(s eyeSource) bool {
			return s.id != 0 && s.eye != eyeAll && s.reaches(at, max(s.radius, s.detect))
		}) {
			e.dirty = e.dirty.With(t)
		}
	}
}

// HoldAgain gives a restored engine the team's holds of the saved one.
func (e *Engine) HoldAgain(t grid.Team, memory []grid.Tile) {
	e.mustTeam(t)
	if e.occl == grid.OcclusionLineOfSight {
		e.teams[t].memory = append([]grid.Tile(nil), memory...)
	}
}

// Looks reports whether a source of the team's mask sees the tile, by the sources' present places: the step into
// tick now is going to show it.
func (e *Engine) Looks(t grid.Team, at grid.Tile, now grid.Tick) bool {
	e.mustTeam(t)
	for from := range e.teams {
		if !e.feeds[from].Has(t) {
			continue
		}
		for i := range e.teams[from].list {
			if until := e.teams[from].until[i]; until != 0 && until <= now {
				continue
			}
			if s := &e.teams[from].list[i]; s.id != 0 && s.reaches(at, s.radius) && e.lookTo(s, at, e.teams[t].memory) {
				return true
			}
		}
	}
	return false
}

// reaches applies rule 1.
func (s *eyeSource) reaches(at grid.Tile, r Radius) bool {
	return inCircle(int(s.tile.X)-int(at.X), int(s.tile.Y)-int(at.Y), r)
}

// lookTo applies rules 2 and 3.
func (e *Engine) lookTo(s *eyeSource, at grid.Tile, memory []grid.Tile) bool {
	if s.eye == eyeAll {
		return true
	}
	t := &e.terrain
	sees := t.levels[e.tileIndex(at)] <= s.eye
	if e.occl == grid.OcclusionLineOfSight {
		between(int(at.X-s.tile.X), int(at.Y-s.tile.Y), func(dx, dy int) {
			x := grid.Tile{X: s.tile.X + int16(dx), Y: s.tile.Y + int16(dy)}
			sees = sees && !e.stops(s, x, memory)
		})
	}
	return sees
}

// stops reports whether a tile stands above the eye, for a team that goes on seeing obstacles on the held tiles.
func (e *Engine) stops(s *eyeSource, at grid.Tile, memory []grid.Tile) bool {
	i := e.tileIndex(at)
	return e.terrain.stands[i] > s.eye || e.terrain.levels[i] >= s.eye && slices.Contains(memory, at)
}

// ownViewshed returns a viewshed of a team that goes on seeing obstacles on the held tiles, or nil if none is in reach.
func (e *Engine) ownViewshed(s *eyeSource, r Radius, memory []grid.Tile) []uint64 {
	if !slices.ContainsFunc(memory, func(at grid.Tile) bool { return s.reaches(at, r) }) {
		return nil
	}
	sh := &e.viewsheds.sheets[r]
	if sh.eye == nil {
		sh.eye = make([]uint64, len(sh.frame))
	}
	e.makeViewshed(sh, sh.eye, s, r, memory)
	return sh.eye
}

// addHeld adds the held tiles that stand in the way of the eye to the blockers in sh.alloc.
func (e *Engine) addHeld(sh *sheet, s *eyeSource, r Radius, memory []grid.Tile, bx, by int) (blockers uint64) {
	for _, at := range memory {
		if !s.reaches(at, r) || e.terrain.levels[e.tileIndex(at)]+1 <= s.eye {
			continue
		}
		x, y := int(at.X)>>3+padBefore-bx, int(at.Y)>>3+padBefore-by
		sh.alloc[y*e.shapes[r].side+x] |= 1 << bit(at)
		blockers = 1
	}
	return blockers
}
