package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// visibleTo is a table of the teams that see each tile. A team's mask is one
// array, so a look-up for eight teams reads eight places of memory. The table
// keeps the eight teams of a tile in one word. It is built when the look-ups
// since the last step exceed an eighth of the number of the map's blocks: for
// fewer look-ups, building it for a large map costs more than it saves.
type visibleTo struct {
	w, stride uint     // tiles of a row of the map, words of a row of the table
	rows      []uint64 // a word has eight tiles of a row, a byte a team; empty if out of date
	dark      []uint64 // a row of blocks, all hidden: the mask of teams that do not exist
	looks     int      // look-ups without the table since the last step
	looksMax  int      // look-ups before the table is built
}

// visibleToTeamsMax is how many teams the table has room for. With more teams,
// every look-up reads the masks.
const visibleToTeamsMax = 8

func newVisibleTo(w int, c *canvas, teams int) visibleTo {
	s := visibleTo{w: uint(w), stride: uint(c.mapW), looksMax: c.mapW * c.mapH / 8}
	if teams > visibleToTeamsMax {
		s.looksMax = int(^uint(0) >> 1) // never
	}
	return s
}

// outdated drops the table. The masks have changed.
func (s *visibleTo) outdated() { s.rows, s.looks = s.rows[:0], 0 }

// TeamsSeeing returns the teams that see the tile. Many calls between two steps
// are answered from a table. A call may build that table, so only the goroutine
// that owns the engine may call this method, unlike the engine's other queries.
func (e *Engine) TeamsSeeing(at grid.Tile) grid.TeamSet {
	// A row off the map, as an unsigned number, is past the end of the table.
	s, x := &e.visibleTo, uint(at.X)
	if i := uint(at.Y)*s.stride + x>>3; x < s.w && i < uint(len(s.rows)) {
		return column(s.rows[i], x)
	}
	return e.look(at)
}

// Prepare gets ready for about so many calls of [Engine.TeamsSeeing] before the next step.
// If it returns true, these calls do not write, and several goroutines may make them at a
// time.
func (e *Engine) Prepare(looks int) bool {
	s := &e.visibleTo
	if len(s.rows) == 0 && looks > s.looksMax {
		e.makeVisibleTo()
	}
	return len(s.rows) > 0
}

// column returns bit x&7 of each of the eight bytes, as one byte. The factor
// moves the bit of byte t from 8*t to 56+t. Its other products stay below bit 56
// or leave the word, and no two bits meet.
func column(row uint64, x uint) grid.TeamSet {
	return grid.TeamSet(row >> (x & 7) & 0x0101010101010101 * 0x0102040810204080 >> 56)
}

// look reads the masks. It builds the table if there were enough look-ups.
func (e *Engine) look(at grid.Tile) grid.TeamSet {
	if !e.in(at) {
		return 0
	}
	if e.visibleTo.looks++; e.visibleTo.looks > e.visibleTo.looksMax {
		e.makeVisibleTo()
	}
	block, k, set := e.block(at), bit(at), uint64(0)
	for t := len(e.teams) - 1; t >= 0; t-- {
		set = set<<1 | e.teams[t].now[block]>>k&1
	}
	return grid.TeamSet(set)
}

// makeVisibleTo builds the table from the masks. It transposes blocks: eight
// words, one a team, with a byte a row, become eight words, one a row, with a
// byte a team. It swaps halves of words, then quarters, then eighths.
func (e *Engine) makeVisibleTo() {
	s, cv := &e.visibleTo, &e.draw
	if cap(s.rows) == 0 {
		s.rows, s.dark = make([]uint64, 8*cv.mapW*cv.mapH), make([]uint64, cv.mapW)
	}
	s.rows = s.rows[:cap(s.rows)]
	for by := range cv.mapH {
		var m, to [8][]uint64
		for i := range m {
			to[i] = s.rows[(by*8+i)*cv.mapW:][:cv.mapW]
			if m[i] = s.dark; i < len(e.teams) {
				m[i] = e.teams[i].now[cv.place(0, by):][:cv.mapW]
			}
		}
		for bx := range cv.mapW {
			const half, quarter, eighth = 0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF
			a, b, c, d, e, f, g, h := m[0][bx], m[1][bx], m[2][bx], m[3][bx], m[4][bx], m[5][bx], m[6][bx], m[7][bx]
			a, e = a&half|e<<32, a>>32|e&^half
			b, f = b&half|f<<32, b>>32|f&^half
			c, g = c&half|g<<32, c>>32|g&^half
			d, h = d&half|h<<32, d>>32|h&^half
			a, c = a&quarter|c&quarter<<16, a>>16&quarter|c&^quarter
			b, d = b&quarter|d&quarter<<16, b>>16&quarter|d&^quarter
			e, g = e&quarter|g&quarter<<16, e>>16&quarter|g&^quarter
			f, h = f&quarter|h&quarter<<16, f>>16&quarter|h&^quarter
			to[0][bx], to[1][bx] = a&eighth|b&eighth<<8, a>>8&eighth|b&^eighth
			to[2][bx], to[3][bx] = c&eighth|d&eighth<<8, c>>8&eighth|d&^eighth
			to[4][bx], to[5][bx] = e&eighth|f&eighth<<8, e>>8&eighth|f&^eighth
			to[6][bx], to[7][bx] = g&eighth|h&eighth<<8, g>>8&eighth|h&^eighth
		}
	}
}

// TeamsSeeingAny returns the teams that see at least one tile of a footprint of
// w x h tiles whose north-western tile is at. These teams see a structure that
// stands there. Tiles off the map do not count. Only the owner of the engine may
// call it, as with [Engine.TeamsSeeing].
func (e *Engine) TeamsSeeingAny(at grid.Tile, w, h int) grid.TeamSet {
	var s grid.TeamSet
	for dy := range h {
		for dx := range w {
			s |= e.TeamsSeeing(grid.Tile{X: at.X + int16(dx), Y: at.Y + int16(dy)})
		}
	}
	return s
}
