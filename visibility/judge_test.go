package visibility

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// judge follows an engine from step to step and compares all its answers with the obvious
// scan.
type judge struct {
	field    *obvious.Field
	visible  [][]bool // a team each, as of the last step
	explored [][]bool
	ground   []Ground   // a tile each, as it is
	known    [][]Ground // a team each, as it last saw it
	held     []map[grid.Tile]bool
}

func newJudge(e *Engine, f *obvious.Field) *judge {
	j := &judge{field: f}
	for range e.Teams() {
		j.visible = append(j.visible, make([]bool, f.W*f.H))
		j.explored = append(j.explored, make([]bool, f.W*f.H))
	}
	for i := range f.Levels {
		j.ground = append(j.ground, Ground{Level: f.Levels[i], Opaque: f.Opaque[i]})
	}
	for range e.Teams() {
		j.known = append(j.known, slices.Clone(j.ground))
		j.held = append(j.held, map[grid.Tile]bool{})
	}
	return j
}

// setGround changes a tile of the engine and of the obvious scan.
func (j *judge) setGround(e *Engine, at grid.Tile, g Ground) {
	e.SetGround(at, g)
	i := int(at.Y)*j.field.W + int(at.X)
	j.field.Levels[i], j.field.Opaque[i], j.ground[i] = g.Level, g.Opaque, g
}

// checkGround compares a team's knowledge of the ground with the tiles in its sight.
func (j *judge) checkGround(e *Engine, t grid.Team, visible []bool) error {
	known := j.known[t]
	for k, v := range visible {
		at := grid.Tile{X: int16(k % j.field.W), Y: int16(k / j.field.W)}
		if v {
			known[k] = j.ground[k]
		}
		if got := e.Known(t, at); got != known[k] {
			return fmt.Errorf("%v is known as %+v, want %+v", at, got, known[k])
		}
		if got := e.Ground(at); got != j.ground[k] {
			return fmt.Errorf("%v is %+v, want %+v", at, got, j.ground[k])
		}
	}
	return nil
}

func (j *judge) check(e *Engine) error {
	union := make([]bool, j.field.W*j.field.H)
	seeing := make([]grid.TeamSet, len(union))
	for i := range e.Teams() {
		t := grid.Team(i)
		field := *j.field // as the team sees it
		field.Opaque = slices.Clone(field.Opaque)
		for at := range j.held[i] {
			field.Opaque[int(at.Y)*field.W+int(at.X)] = true
		}
		want := field.Scan(teamSources(e, t))
		var shown, hidden, fresh []grid.Tile
		for k, v := range want {
			at := grid.Tile{X: int16(k % j.field.W), Y: int16(k / j.field.W)}
			if v && !j.visible[i][k] {
				shown = append(shown, at)
			}
			if !v && j.visible[i][k] {
				hidden = append(hidden, at)
			}
			if v && !j.explored[i][k] {
				fresh = append(fresh, at)
			}
			if v {
				j.explored[i][k] = true
				union[k] = true
				seeing[k] = seeing[k].With(t)
			}
		}
		j.visible[i] = want
		if err := j.checkGround(e, t, want); err != nil {
			return fmt.Errorf("team %d, ground: %w", t, err)
		}
		if err := sameMask(e.Mask(VisibleNow, t), want); err != nil {
			return fmt.Errorf("team %d, visible: %w", t, err)
		}
		if err := sameMask(e.Mask(ExploredEver, t), j.explored[i]); err != nil {
			return fmt.Errorf("team %d, explored: %w", t, err)
		}
		if err := sameMask(e.Mask(DetectedNow, t), field.ScanDetected(teamSources(e, t))); err != nil {
			return fmt.Errorf("team %d, detected: %w", t, err)
		}
		if err := sameTiles(slices.Collect(e.Shown(t)), shown); err != nil {
			return fmt.Errorf("team %d, turned visible: %w", t, err)
		}
		if err := sameTiles(slices.Collect(e.Hidden(t)), hidden); err != nil {
			return fmt.Errorf("team %d, turned hidden: %w", t, err)
		}
		if err := sameTiles(exploredNow(e, t), fresh); err != nil {
			return fmt.Errorf("team %d, newly explored: %w", t, err)
		}
		for k, v := range want {
			if at := (grid.Tile{X: int16(k % j.field.W), Y: int16(k / j.field.W)}); e.Looks(t, at, 0) != v {
				return fmt.Errorf("team %d looks to %v: want %v", t, at, v)
			}
		}
		if err := sameWindows(e, t); err != nil {
			return fmt.Errorf("team %d: %w", t, err)
		}
	}
	if err := sameMask(e.Union(VisibleNow, ^grid.TeamSet(0)), union); err != nil {
		return fmt.Errorf("all teams: %w", err)
	}
	for k, want := range seeing {
		at := grid.Tile{X: int16(k % j.field.W), Y: int16(k / j.field.W)}
		if got := e.TeamsSeeing(at); got != want {
			return fmt.Errorf("%v: seen by teams %#x, want %#x", at, got, want)
		}
		for i := range e.Teams() {
			if e.Visible(grid.Team(i), at) != want.Has(grid.Team(i)) || e.Explored(grid.Team(i), at) != j.explored[i][k] {
				return fmt.Errorf("%v: Visible or Explored of team %d differ from the masks", at, i)
			}
		}
	}
	return nil
}

// sameWindows compares the blocks of changes, and the list of sources that end, with the
// masks and the list of all sources.
func sameWindows(e *Engine, t grid.Team) error {
	visible, explored := e.Mask(VisibleNow, t), e.Mask(ExploredEver, t)
	for c := range e.Changes(t) {
		at := grid.Tile{X: c.X, Y: c.Y}
		if c.Visible != visible.Block(at) || c.Known != explored.Block(at) {
			return fmt.Errorf("block at %v: changed to %#x, %#x, it is %#x, %#x", at, c.Visible, c.Known, visible.Block(at), explored.Block(at))
		}
	}
	ends := map[SourceID]Source{}
	for id, s := range e.Timed(t) {
		if _, twice := ends[id]; twice {
			return fmt.Errorf("source %#x is listed twice", uint32(id))
		}
		ends[id] = s
	}
	for id, s := range e.Sources(t) {
		if got, ok := ends[id]; ok != (s.Until != 0) || ok && got != s {
			return fmt.Errorf("source %#x, %+v: listed as ending %v, %+v", uint32(id), s, ok, got)
		}
		delete(ends, id)
	}
	if len(ends) > 0 {
		return fmt.Errorf("%d sources end that there are not", len(ends))
	}
	return nil
}

// sameTiles compares two sets of tiles; want is row by row.
func sameTiles(got, want []grid.Tile) error {
	slices.SortFunc(got, func(a, b grid.Tile) int {
		return (int(a.Y)-int(b.Y))*grid.MapSideMax + int(a.X) - int(b.X)
	})
	if !slices.Equal(got, want) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}

// exploredNow returns the tiles that the last step's changes say were explored.
func exploredNow(e *Engine, t grid.Team) []grid.Tile {
	var tiles []grid.Tile
	for c := range e.Changes(t) {
		eachTile(c.X, c.Y, c.Explored, func(at grid.Tile) bool {
			tiles = append(tiles, at)
			return true
		})
	}
	return tiles
}
