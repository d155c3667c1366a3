package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// seers answers for all teams at once. A team's mask lies in one piece, as
// drawing wants it, so a look at the masks of eight teams would go to eight
// places of memory; here the teams' words of a block lie side by side. The copy
// is made when somebody asks, the first time after a step, and then of what
// changed only: an engine that nobody asks does not pay for it.
type seers struct {
	low, high [][8]uint64  // teams 0 to 7 and 8 to 15 of each block of the map, row by row
	stale     bool         // a step went by since; true at first
	whole     grid.TeamSet // teams of which changes were missed
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
	if s.low == nil {
		s.low = make([][8]uint64, c.mapW*c.mapH)
		if len(e.teams) > 8 {
			s.high = make([][8]uint64, c.mapW*c.mapH)
		}
		s.whole = ^grid.TeamSet(0)
	}
	for i := range e.teams {
		t, table, k := &e.teams[i], s.low, i
		if i >= 8 {
			table, k = s.high, i-8
		}
		if !s.whole.Has(grid.Team(i)) {
			e.eachChanged(t, func(at, bx, by int) bool {
				table[by*c.mapW+bx][k] = t.now[at]
				return true
			})
			continue
		}
		for by := range c.mapH {
			for bx, w := range t.now[c.place(0, by):][:c.mapW] {
				table[by*c.mapW+bx][k] = w
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
	i, k := int(at.Y)>>3*e.draw.mapW+int(at.X)>>3, bit(at)
	set := pick(&e.seers.low[i], k)
	if e.seers.high != nil {
		set |= pick(&e.seers.high[i], k) << 8
	}
	return set
}

// pick returns bit k of each word.
func pick(w *[8]uint64, k uint) grid.TeamSet {
	s := w[7] >> (k & 63) & 1
	s = s<<1 + w[6]>>(k&63)&1
	s = s<<1 + w[5]>>(k&63)&1
	s = s<<1 + w[4]>>(k&63)&1
	s = s<<1 + w[3]>>(k&63)&1
	s = s<<1 + w[2]>>(k&63)&1
	s = s<<1 + w[1]>>(k&63)&1
	s = s<<1 + w[0]>>(k&63)&1
	return grid.TeamSet(s)
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
