package visibility

// A block is 8x8 tiles in one word: bit 8*row+column, the north-western tile in
// bit 0. A shape is a square of blocks, row by row.

// shape is one sight circle, drawn for each of the 64 places that its corner can
// have in a block. The corner is the north-western tile of the square around the
// circle: reach tiles north and west of the source.
type shape struct {
	reach int            // tiles from the middle to the rim
	side  int            // blocks a side: they hold the square for any place of its corner
	words []uint64       // 64 times side*side
	three *[64][9]uint64 // words, if side is 3
}

// at returns the circle's blocks for a source on tile x, y, and the block of the canvas on
// which the first block lies.
func (s *shape) at(x, y int) (words []uint64, bx, by int) {
	x, y = x-s.reach+8*padBefore, y-s.reach+8*padBefore
	n := s.side * s.side
	i := (y&7<<3 | x&7) * n
	return s.words[i : i+n : i+n], x >> 3, y >> 3
}

// sideOf returns how many blocks a side hold a square of 2*reach+1 tiles that
// begins anywhere in the first block: up to 7 tiles are added before it, and the
// sum is rounded up.
func sideOf(reach int) int { return (2*reach + 1 + 7 + 7) / 8 }

const sideMax = 9 // sideOf(RadiusMax.reach())

// inCircle is rule 1: offset in tiles, radius in half tiles.
func inCircle(dx, dy int, r Radius) bool { return 4*(dx*dx+dy*dy) <= int(r)*int(r) }

// shapes holds the circles of all radii that are in use.
type shapes [256]shape // every Radius is a valid index

// prepare computes the circle of a radius, if it does not exist.
func (ss *shapes) prepare(r Radius) {
	s := &ss[r]
	if s.words != nil {
		return
	}
	s.reach, s.side = r.reach(), sideOf(r.reach())
	n := s.side * s.side
	s.words = make([]uint64, 64*n)
	for corner := range 64 {
		words := s.words[corner*n:]
		for dy := -s.reach; dy <= s.reach; dy++ {
			for dx := -s.reach; dx <= s.reach; dx++ {
				if inCircle(dx, dy, r) {
					x, y := corner&7+dx+s.reach, corner>>3+dy+s.reach
					words[y>>3*s.side+x>>3] |= 1 << (y&7<<3 | x&7)
				}
			}
		}
	}
	if s.side == 3 {
		s.three = new([64][9]uint64)
		for i := range s.words {
			s.three[i/9][i%9] = s.words[i]
		}
	}
}
