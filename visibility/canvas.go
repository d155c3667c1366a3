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

	mapW, mapH int    // blocks of the map
	lastCol    uint64 // tiles of the map in a block of its last column
	lastRow    uint64 // the same for its last row
}

func newCanvas(w, h int) canvas {
	c := canvas{mapW: (w + 7) / 8, mapH: (h + 7) / 8}
	c.w, c.h = c.mapW+padBefore+padAfter, c.mapH+padBefore+padAfter
	c.words = make([]uint64, c.w*c.h)
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

// patch is a square of blocks that a source was drawn on.
type patch struct {
	x, y int16 // of its first block on the canvas
	side int32 // blocks; 0 is nothing
}

// inner reports whether all of the patch is on the map and away from its last
// row and column, which may end within a block.
func (c *canvas) inner(p patch) bool {
	return uint(p.x)-padBefore < uint(c.mapW-int(p.side)) && uint(p.y)-padBefore < uint(c.mapH-int(p.side)) &&
		c.mapW > int(p.side) && c.mapH > int(p.side)
}
