package visibility

// The canvas is wider than the map by what a circle of the largest radius can
// hang over its edges, so that drawing never asks where the edges are.
const (
	padBefore = 4 // (0-32)>>3 is -4
	padAfter  = 5 // a circle of reach 31 at the last tile ends 5 blocks on
)

// canvas is where one team's mask is drawn before it is compared with the last.
// Between two teams it is empty.
type canvas struct {
	w, h  int      // blocks, padding included
	words []uint64 // a block each

	row     int                   // words that hold a bit for each block of a row
	corners [sideMax + 1][]uint64 // where a shape of that side was drawn: its first block
	used    uint32                // the sides that were drawn, a bit each
	touched []uint64              // blocks drawn on, once spread has made them of corners
	inside  []uint64              // blocks of the map in any row of it

	lastCol uint64 // tiles of the map in a block of its last column
	lastRow uint64 // the same for its last row
}

func newCanvas(w, h int) canvas {
	bw, bh := (w+7)/8, (h+7)/8
	c := canvas{w: bw + padBefore + padAfter, h: bh + padBefore + padAfter}
	c.row = (c.w + 63) / 64
	c.words = make([]uint64, c.w*c.h)
	c.touched = make([]uint64, c.row*c.h)
	for side := range c.corners {
		c.corners[side] = make([]uint64, c.row*c.h)
	}
	c.inside = make([]uint64, c.row)
	for x := padBefore; x < padBefore+bw; x++ {
		c.inside[x>>6] |= 1 << (x & 63)
	}
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

// spread turns the corners of shapes into the blocks that the shapes touch, and
// forgets the corners. Drawing notes one bit a source and leaves the rest to
// this, which costs by the row.
func (c *canvas) spread() {
	for side := range c.corners {
		if c.used>>side&1 == 0 {
			continue
		}
		corners := c.corners[side]
		for y := 0; y < len(corners); y += c.row {
			over := uint64(0) // what hangs over from the word before
			for i := y; i < y+c.row; i++ {
				w := corners[i]
				if w|over == 0 {
					continue
				}
				corners[i] = 0
				wide, next := over, uint64(0)
				for k := range side {
					wide |= w << k
					next |= w >> 1 >> (63 - k)
				}
				over = next
				for j := i; j < i+side*c.row; j += c.row {
					c.touched[j] |= wide
				}
			}
		}
	}
	c.used = 0
}

// crop takes the tiles that lie off the map out of the words of a row that
// begins at column 64*i of the canvas.
func (c *canvas) crop(words []uint64, i int, last bool) {
	if end := c.w - padAfter - 1 - i<<6; uint(end) < 64 {
		words[end] &= c.lastCol
	}
	if last {
		for k := range words[:min(64, c.w-i<<6)] {
			words[k] &= c.lastRow
		}
	}
}

// setLit sets the bit of a block of the map, in the layout of touched.
func (c *canvas) setLit(lit []uint64, block, bw int) {
	x, y := block%bw+padBefore, block/bw+padBefore
	lit[y*c.row+x>>6] |= 1 << (x & 63)
}
