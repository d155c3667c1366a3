package visibility

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// ViewshedBytesDefault caps an engine's cache of viewsheds if its [Config] has no
// cap.
const ViewshedBytesDefault = 64 << 20

// viewsheds is the cache of viewsheds. A viewshed is the set of tiles that one
// tile sees under rules 1 to 3, from one height, with one radius. Ground rarely
// changes, so viewsheds are kept. A missing one is computed from shadows: for
// each place in a circle, the tiles of the circle that a blocker there hides. By
// rule 3 one blocker is enough, so the hidden tiles are the union of the
// blockers' shadows.
type viewsheds struct {
	bytesLeft int
	bytesMax  int // of one sheet
	w, h      int // tiles
	sheets    [RadiusMax + 1]sheet
}

// sheet caches the viewsheds of one radius. Tile x, y has one place: x mod w, y
// mod h. Tiles that are w or h apart share a place, and the later one takes it.
type sheet struct {
	made         bool
	w, h         int // powers of two
	keys         []uint32
	words        []uint64
	shadows      shadows
	frame, alloc []uint64 // scratch, a frame each
	eye          []uint64 // of ownViewshed
}

func newViewsheds(bytesMax, w, h int) viewsheds {
	if bytesMax == 0 {
		bytesMax = ViewshedBytesDefault
	}
	return viewsheds{bytesLeft: bytesMax, bytesMax: bytesMax / 4, w: w, h: h}
}

// prepare makes the sheet of a radius if it does not exist. A sheet takes at most a quarter
// of the cap, and at most the rest of the cap. It always has room for one viewshed.
func (ss *viewsheds) prepare(shapes *shapes, r Radius) {
	s := &ss.sheets[r]
	if s.made {
		return
	}
	s.made = true
	side := shapes[r].side
	bytes := func() int { return s.w * s.h * (8*side*side + 4) }
	s.w, s.h = ceilPow2(ss.w), ceilPow2(ss.h)
	for bytes() > min(ss.bytesMax, ss.bytesLeft) && s.w*s.h > 1 {
		if s.w > s.h {
			s.w /= 2
		} else {
			s.h /= 2
		}
	}
	ss.bytesLeft = max(0, ss.bytesLeft-bytes())
	s.keys = make([]uint32, s.w*s.h)
	s.words = make([]uint64, s.w*s.h*side*side)
	s.shadows = newShadows(r)
	s.frame, s.alloc = make([]uint64, side*side), make([]uint64, side*side)
}

// forget drops the viewsheds of the tiles that may see the tile.
func (ss *viewsheds) forget(at grid.Tile) {
	for r := range ss.sheets {
		s := &ss.sheets[r]
		if !s.made {
			continue
		}
		reach := Radius(r).reach()
		for y := max(0, int(at.Y)-reach); y <= min(ss.h-1, int(at.Y)+reach); y++ {
			for x := max(0, int(at.X)-reach); x <= min(ss.w-1, int(at.X)+reach); x++ {
				s.keys[s.place(x, y)] = 0
			}
		}
	}
}

func (s *sheet) place(x, y int) int { return y&(s.h-1)*s.w + x&(s.w-1) }

// viewshed returns the viewshed of the source's tile and eye with the radius, in
// the layout of [shape.at]. memory are the tiles on which the team that looks goes on seeing obstacles.
func (e *Engine) viewshed(s *eyeSource, r Radius, memory []grid.Tile) []uint64 {
	if len(memory) > 0 {
		if own := e.ownViewshed(s, r, memory); own != nil {
			return own
		}
	}
	sh := &e.viewsheds.sheets[r]
	x, y := int(s.tile.X), int(s.tile.Y)
	place := sh.place(x, y)
	n := len(sh.frame)
	out := sh.words[place*n : place*n+n : place*n+n]
	key := (uint32(y)<<10|uint32(x))<<4 | uint32(s.eye) + 1
	if sh.keys[place] != key {
		sh.keys[place] = key
		e.makeViewshed(sh, out, s, r, nil)
	}
	return out
}

func (e *Engine) makeViewshed(sh *sheet, out []uint64, s *eyeSource, r Radius, memory []grid.Tile) {
	e.stats.ViewshedsMade++
	shape := &e.shapes[r]
	words, bx, by := shape.at(int(s.tile.X), int(s.tile.Y))
	c, side := &e.draw, shape.side
	at := by*c.w + bx
	below, above := e.terrain.below[s.eye][at:], e.terrain.above[s.eye][at:]

	// 1. Apply rules 1 and 2, and find the blockers.
	blockers := uint64(0)
	for y := range side {
		for x := range side {
			i, j := y*side+x, y*c.w+x
			out[i] = words[i] & below[j]
			sh.alloc[i] = words[i] & above[j]
			blockers |= sh.alloc[i]
		}
	}
	if blockers |= e.addHeld(sh, s, r, memory, bx, by); blockers == 0 {
		return
	}
	// 2. Move the frame's corner to the circle's corner, as shadows have it.
	ax, ay := (int(s.tile.X)-shape.reach)&7, (int(s.tile.Y)-shape.reach)&7
	shiftNW(sh.frame, sh.alloc, side, ax, ay)
	// 3. Join the shadows of all blockers.
	shadow := sh.alloc
	clear(shadow)
	for i, w := range sh.frame {
		for ; w != 0; w &= w - 1 {
			for _, p := range sh.shadows.of(i<<6 + bits.TrailingZeros64(w)) {
				shadow[p.word] |= p.tiles
			}
		}
	}
	// 4. Move them back, and take them away.
	shiftSE(sh.frame, shadow, side, ax, ay)
	for i := range out {
		out[i] &^= sh.frame[i]
	}
}

// shadows has, for each place in a circle, the places that a blocker there hides.
// Places are bits of a frame whose first bit is the circle's corner.
type shadows struct {
	first  []uint32 // index of a place's first part; one more at the end
	spread []part
}

// part is the piece of a shadow in one block.
type part struct {
	word  uint32
	tiles uint64
}

func (s *shadows) of(place int) []part { return s.spread[s.first[place]:s.first[place+1]] }

func newShadows(r Radius) shadows {
	reach, side := r.reach(), sideOf(r.reach())
	place := func(dx, dy int) int {
		x, y := dx+reach, dy+reach
		return (y>>3*side+x>>3)<<6 + (y&7<<3 | x&7)
	}
	lists := make([][]part, side*side*64)
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			if !inCircle(dx, dy, r) {
				continue
			}
			to := place(dx, dy)
			between(dx, dy, func(x, y int) {
				lists[place(x, y)] = addTile(lists[place(x, y)], to)
			})
		}
	}
	s := shadows{first: make([]uint32, 0, len(lists)+1)}
	for _, l := range lists {
		s.first = append(s.first, uint32(len(s.spread)))
		s.spread = append(s.spread, l...)
	}
	s.first = append(s.first, uint32(len(s.spread)))
	return s
}

func addTile(l []part, place int) []part {
	word, tile := uint32(place>>6), uint64(1)<<(place&63)
	for i := range l {
		if l[i].word == word {
			l[i].tiles |= tile
			return l
		}
	}
	return append(l, part{word, tile})
}

// between calls f for each tile strictly between the origin and dx, dy, by
// rule 3: along the longer axis one tile a step, or two where the line passes
// exactly between them.
func between(dx, dy int, f func(x, y int)) {
	long, short := abs(dx), abs(dy)
	sx, sy := sign(dx), sign(dy)
	put := func(a, b int) { f(a*sx, b*sy) }
	if short > long {
		long, short = short, long
		put = func(a, b int) { f(b*sx, a*sy) }
	}
	for a := 1; a < long; a++ {
		b, rest := a*short/long, a*short%long
		if 2*rest <= long {
			put(a, b)
		}
		if 2*rest >= long {
			put(a, b+1)
		}
	}
}

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

func ceilPow2(n int) int { return 1 << bits.Len(uint(n-1)) }

// everyRow has one bit in each row of a block.
const everyRow = 0x0101010101010101

// shiftNW moves the tiles of a square of blocks ax columns to the west and ay rows to the
// north, 0 to 7 each. Tiles that leave the square are lost.
func shiftNW(to, from []uint64, side, ax, ay int) {
	keep := everyRow * uint64(0xFF>>ax) // columns filled by the block itself
	for y := range side {
		column := func(x int) uint64 {
			if x == side {
				return 0
			}
			v := from[y*side+x] >> (8 * ay)
			if y+1 < side {
				v |= from[(y+1)*side+x] << (64 - 8*ay)
			}
			return v
		}
		here := column(0)
		for x := range side {
			next := column(x + 1)
			to[y*side+x] = here>>ax&keep | next<<(8-ax)&^keep
			here = next
		}
	}
}

// shiftSE undoes [shiftNW].
func shiftSE(to, from []uint64, side, ax, ay int) {
	keep := everyRow * uint64(0xFF<<ax&0xFF)
	for y := range side {
		before := uint64(0)
		for x := range side {
			v := from[y*side+x] << (8 * ay)
			if y > 0 {
				v |= from[(y-1)*side+x] >> (64 - 8*ay)
			}
			to[y*side+x] = v<<ax&keep | before>>(8-ax)&^keep
			before = v
		}
	}
}
