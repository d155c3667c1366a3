package visibility

// The canvas has a margin around the map. A circle of the largest radius at the
// edge of the map fits into it, so drawing needs no checks for the edges.
const (
	padBefore = 4 // blocks; (0-32)>>3 is -4
	padAfter  = 5 // blocks; a circle of reach 31 at the last tile ends 5 blocks after it
)

// canvas is the layout of masks: one word a block, row by row, with a margin
// around the map.
type canvas struct {
	w, h  int // blocks, with the margin
	words int // w*h

	mapW, mapH int    // blocks of the map
	row        int    // words that hold a bit for each block of a row of the map
	lastCol    uint64 // tiles of the map in a block of its last column
	lastRow    uint64 // the same for its last row
}

func newCanvas(w, h int) canvas {
	c := canvas{mapW: (w + 7) / 8, mapH: (h + 7) / 8}
	c.w, c.h = c.mapW+padBefore+padAfter, c.mapH+padBefore+padAfter
	c.row = (c.mapW + 63) / 64
	c.words = c.w * c.h
	for i := range 64 {
		if i&7 <= (w-1)&7 {
			c.lastCol |= 1 << i
		}
		if i>>3 <= (h-1)&7 {
			c.lastRow |= 1 << i
		}
	}
	return c
}

// place returns the index of a block of the map in a mask.
func (c *canvas) place(bx, by int) int { return (by+padBefore)*c.w + bx + padBefore }

// onMap returns the tiles of a block of the map that lie on the map.
func (c *canvas) onMap(bx, by int) uint64 {
	w := ^uint64(0)
	if bx == c.mapW-1 {
		w = c.lastCol
	}
	if by == c.mapH-1 {
		w &= c.lastRow
	}
	return w
}

// patch is the square of blocks into which a source was drawn.
type patch struct {
	x, y int16 // of its first block on the canvas
	side int32 // blocks; 0: an empty patch
}

// wipe clears the patch in a mask.
func (c *canvas) wipe(words []uint64, p patch) {
	at := int(p.y)*c.w + int(p.x)
	if p.side == 3 {
		for range 3 {
			*(*[3]uint64)(words[at:]) = [3]uint64{}
			at += c.w
		}
		return
	}
	for range p.side {
		clear(words[at : at+int(p.side)])
		at += c.w
	}
}

// rows calls f for each row of the patch, cut to the map: with its index in a
// mask, its first block, and its number of blocks.
func (c *canvas) rows(p patch, f func(at, bx, by, n int)) {
	x, end := max(int(p.x), padBefore), min(int(p.x)+int(p.side), padBefore+c.mapW)
	for y := max(int(p.y), padBefore); x < end && y < min(int(p.y)+int(p.side), padBefore+c.mapH); y++ {
		f(y*c.w+x, x-padBefore, y-padBefore, end-x)
	}
}
