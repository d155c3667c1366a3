package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// seers answers for all teams at once. A team's mask lies in one piece, as
// drawing wants it, so a look at the masks of eight teams would go to eight
// places of memory; here the teams' words of a block lie side by side. The copy
// is made when somebody asks, the first time after a step, and then of what
// changed only: an engine that nobody asks does not pay for it.
type seers struct {
	words  []uint64     // block*stride + team, blocks of the map row by row; nil until asked for
	stride int          // a power of two
	stale  bool         // a step went by since; true at first
	whole  grid.TeamSet // teams of which changes were missed
}

// missed is told that what changed in the team's mask is about to be forgotten.
func (s *seers) missed(t int) {
	if s.stale {
		s.whole = s.whole.With(grid.Team(t))
	}
}

// outdated is told that a step went by.
func (s *seers) outdated() { s.stale = true }

// refresh brings the copy up to the masks.
func (e *Engine) refresh() {
	s, c := &e.seers, &e.draw
	if s.words == nil {
		for s.stride = 1; s.stride < len(e.teams); s.stride *= 2 {
		}
		s.words = make([]uint64, c.mapW*c.mapH*s.stride)
		s.whole = ^grid.TeamSet(0)
	}
	for i := range e.teams {
		t := &e.teams[i]
		if !s.whole.Has(grid.Team(i)) {
			e.eachChanged(t, func(at, bx, by int) bool {
				s.words[(by*c.mapW+bx)*s.stride+i] = t.now[at]
				return true
			})
			continue
		}
		for by := range c.mapH {
			for bx, w := range t.now[c.place(0, by):][:c.mapW] {
				s.words[(by*c.mapW+bx)*s.stride+i] = w
			}
		}
	}
	s.whole, s.stale = 0, false
}

// TeamsSeeing returns the teams that see the tile: one look for all of them.
// The first look after a step brings a table up to date, so, unlike the engine's
// other questions, this one is for the goroutine that owns it.
func (e *Engine) TeamsSeeing(at grid.Tile) grid.TeamSet {
	if e.seers.stale {
		e.refresh()
	}
	if !e.in(at) {
		return 0
	}
	s := &e.seers
	i, k := (int(at.Y)>>3*e.draw.mapW+int(at.X)>>3)*s.stride, bit(at)
	if s.stride == 8 { // a cache line
		k &= 63
		v := (*[8]uint64)(s.words[i:])
		return grid.TeamSet(v[0]>>k&1 | v[1]>>k&1<<1 | v[2]>>k&1<<2 | v[3]>>k&1<<3 |
			v[4]>>k&1<<4 | v[5]>>k&1<<5 | v[6]>>k&1<<6 | v[7]>>k&1<<7)
	}
	var set uint64
	for t, v := range s.words[i : i+s.stride] {
		set |= v >> k & 1 << t
	}
	return grid.TeamSet(set)
}

// TeamsSeeingAny returns the teams that see at least one tile of a footprint of
// w x h tiles whose north-western tile is at: those that see a structure. Tiles
// off the map do not count. It is for the owner, as [Engine.TeamsSeeing].
func (e *Engine) TeamsSeeingAny(at grid.Tile, w, h int) grid.TeamSet {
	var s grid.TeamSet
	for dy := range h {
		for dx := range w {
			s |= e.TeamsSeeing(grid.Tile{X: at.X + int16(dx), Y: at.Y + int16(dy)})
		}
	}
	return s
}
