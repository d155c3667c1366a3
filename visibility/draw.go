package visibility

import (
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The canvas is wider than the map by what a circle of the largest radius can
// hang over its edges, so that drawing never asks where the edges are.
const (
	padBefore = 4 // (0-32)>>3 is -4
	padAfter  = 5 // a circle of reach 31 at the last tile ends 5 blocks on
)

// canvas is where one team's mask is drawn before it is compared with the last.
// Between two teams it is empty.
type canvas struct {
	w, h    int      // blocks, padding included
	words   []uint64 // a block each
	row     int      // words of touched in a row of blocks
	touched []uint64 // blocks drawn on, a bit each
	inside  []uint64 // blocks of the map in any row of it, a bit each
	lastCol uint64   // tiles of the map in a block of its last column
	lastRow uint64   // the same for its last row
}

func newCanvas(w, h int) canvas {
	bw, bh := (w+7)/8, (h+7)/8
	c := canvas{w: bw + padBefore + padAfter, h: bh + padBefore + padAfter}
	c.row = (c.w + 63) / 64
	c.words = make([]uint64, c.w*c.h)
	c.touched = make([]uint64, c.row*c.h)
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

// mark notes that the side x side blocks from x, y on are drawn on.
func (c *canvas) mark(x, y, side int) {
	m := uint64(1)<<side - 1
	i, k := y*c.row+x>>6, x&63
	lo, hi := m<<k, m>>(64-k)
	for range side {
		c.touched[i] |= lo
		i += c.row
	}
	if hi != 0 {
		i -= side*c.row - 1
		for range side {
			c.touched[i] |= hi
			i += c.row
		}
	}
}

// drawSight adds what the sources see to the canvas.
func (e *Engine) drawSight(list []eyeSource) {
	e.stats.Drawn += uint64(len(list))
	c := &e.draw
	for i := range list {
		s := &list[i]
		sh := &e.shapes[s.radius&127]
		if sh.three == nil || e.occl != grid.OcclusionNone {
			e.drawSource(s, s.radius)
			continue
		}
		x, y := int(s.tile.X)-sh.reach+8*padBefore, int(s.tile.Y)-sh.reach+8*padBefore
		or3(c, x>>3, y>>3, &sh.three[(y&7<<3|x&7)&63])
	}
}

func or3(c *canvas, bx, by int, s *[9]uint64) {
	{
		i, k := by*c.row+bx>>6, bx&63
		lo, hi := uint64(7)<<k, uint64(7)>>(64-k)
		t := c.touched[i:]
		t[0] |= lo
		t[c.row] |= lo
		t[2*c.row] |= lo
		if hi != 0 {
			t[1] |= hi
			t[c.row+1] |= hi
			t[2*c.row+1] |= hi
		}
	}
	to := c.words[by*c.w+bx:]
	a := (*[3]uint64)(to)
	a[0] |= s[0]
	a[1] |= s[1]
	a[2] |= s[2]
	to = to[c.w:]
	a = (*[3]uint64)(to)
	a[0] |= s[3]
	a[1] |= s[4]
	a[2] |= s[5]
	a = (*[3]uint64)(to[c.w:])
	a[0] |= s[6]
	a[1] |= s[7]
	a[2] |= s[8]
}

// drawDetection adds what the detectors among the sources see within their
// detection radius to the canvas.
func (e *Engine) drawDetection(list []eyeSource) {
	for i := range list {
		if list[i].detect > 0 {
			e.drawSource(&list[i], list[i].detect)
		}
	}
}

// drawSource adds what the source sees within the radius to the canvas.
func (e *Engine) drawSource(s *eyeSource, r Radius) {
	sh := &e.shapes[r]
	words, bx, by := sh.at(int(s.tile.X), int(s.tile.Y))
	c := &e.draw
	c.mark(bx, by, sh.side)
	at := by*c.w + bx
	switch {
	case s.eye == eyeAll:
		orBlocks(c.words[at:], words, c.w, sh.side)
	case e.occl == grid.OcclusionLineOfSight:
		orBlocks(c.words[at:], e.shed(s, r), c.w, sh.side)
	default:
		orBlocksBelow(c.words[at:], words, e.terrain.below[s.eye][at:], c.w, sh.side)
	}
}

// orBlocks adds a shape to the canvas.
func orBlocks(to, shape []uint64, stride, side int) {
	if side == 3 { // up to radius 8, the most common
		s := (*[9]uint64)(shape)
		a := (*[3]uint64)(to)
		a[0] |= s[0]
		a[1] |= s[1]
		a[2] |= s[2]
		to = to[stride:]
		a = (*[3]uint64)(to)
		a[0] |= s[3]
		a[1] |= s[4]
		a[2] |= s[5]
		a = (*[3]uint64)(to[stride:])
		a[0] |= s[6]
		a[1] |= s[7]
		a[2] |= s[8]
		return
	}
	for range side {
		row := to[:side]
		for i, w := range shape[:side] {
			row[i] |= w
		}
		shape, to = shape[side:], to[min(stride, len(to)):]
	}
}

// orBlocksBelow adds the part of a shape that lies on the tiles of below.
func orBlocksBelow(to, shape, below []uint64, stride, side int) {
	if side == 3 {
		s := (*[9]uint64)(shape)
		a, b := (*[3]uint64)(to), (*[3]uint64)(below)
		a[0] |= s[0] & b[0]
		a[1] |= s[1] & b[1]
		a[2] |= s[2] & b[2]
		to, below = to[stride:], below[stride:]
		a, b = (*[3]uint64)(to), (*[3]uint64)(below)
		a[0] |= s[3] & b[0]
		a[1] |= s[4] & b[1]
		a[2] |= s[5] & b[2]
		a, b = (*[3]uint64)(to[stride:]), (*[3]uint64)(below[stride:])
		a[0] |= s[6] & b[0]
		a[1] |= s[7] & b[1]
		a[2] |= s[8] & b[2]
		return
	}
	for range side {
		row, b := to[:side], below[:side]
		for i, w := range shape[:side] {
			row[i] |= w & b[i]
		}
		shape = shape[side:]
		to, below = to[min(stride, len(to)):], below[min(stride, len(below)):]
	}
}

// mergeVisible empties the canvas into the team's visible and explored masks
// and lists what changed. It looks at the blocks that were drawn on or that had
// a visible tile, not at the map.
func (e *Engine) mergeVisible(team *team) {
	c := &e.draw
	changes := slices.Grow(team.changes, len(team.blocks)) // room for all, so that no append asks
	for y := range c.h {
		by := y - padBefore
		rowMask := ^uint64(0)
		if by == e.bh-1 {
			rowMask = c.lastRow
		}
		for i := range c.row {
			ti := y*c.row + i
			todo := c.touched[ti] | team.lit[ti]
			if todo == 0 {
				continue
			}
			c.touched[ti] = 0
			words := c.words[y*c.w+i<<6:]
			inside := c.inside[i]
			if uint(by) >= uint(e.bh) {
				inside = 0
			}
			for out := todo &^ inside; out != 0; out &= out - 1 {
				words[bits.TrailingZeros64(out)] = 0
			}
			if last := e.bw - 1 + padBefore - i<<6; uint(last) < 64 {
				words[last] &= c.lastCol
			}
			lit := uint64(0)
			for todo &= inside; todo != 0; {
				k := bits.TrailingZeros64(todo)
				n := bits.TrailingZeros64(^(todo >> k)) // a run of blocks
				todo &^= (1<<n - 1) << k
				at := by*e.bw + i<<6 + k - padBefore
				lit |= e.mergeRun(team, &changes, words[k:k+n], at, rowMask) << k
			}
			team.lit[ti] = lit
		}
	}
	team.changes = changes
}

func (e *Engine) mergeRun(team *team, changes *[]change, words []uint64, at int, rowMask uint64) (lit uint64) {
	blocks := team.blocks[at : at+len(words)]
	ch := (*changes)[len(*changes) : len(*changes)+len(words)]
	n := 0
	for k := range words {
		now := words[k] & rowMask
		words[k] = 0
		b := &blocks[k]
		was := b.visible
		b.visible = now
		ch[n] = change{was, int32(at + k)}
		n += differ(now, was)
		lit |= uint64(differ(now, 0)) << k
		if gained := now &^ b.explored; gained != 0 {
			b.explored |= now
			team.gains = append(team.gains, gain{gained, int32(at + k)})
		}
	}
	*changes = (*changes)[:len(*changes)+n]
	return lit
}

// differ returns 1 if a and b differ, else 0, without a branch: whether a block
// changed is a coin toss, and a mispredicted one costs more than the rest.
func differ(a, b uint64) int {
	x := a ^ b
	return int((x | -x) >> 63)
}

// mergeDetected empties the canvas into the team's detected mask, as far as the
// team sees.
func (e *Engine) mergeDetected(team *team) {
	c := &e.draw
	if team.detLit == nil {
		team.detLit = make([]uint64, len(c.touched))
		team.detected = make([]uint64, len(team.blocks))
	}
	for y := range c.h {
		by := y - padBefore
		for i := range c.row {
			ti := y*c.row + i
			todo := c.touched[ti] | team.detLit[ti]
			c.touched[ti] = 0
			inside := c.inside[i]
			if uint(by) >= uint(e.bh) {
				inside = 0
			}
			lit := uint64(0)
			for ; todo != 0; todo &= todo - 1 {
				k := bits.TrailingZeros64(todo)
				word := &c.words[y*c.w+i<<6+k]
				now := *word
				*word = 0
				if inside>>k&1 == 0 {
					continue
				}
				at := by*e.bw + i<<6 + k - padBefore
				now &= team.blocks[at].visible // which ends at the map's edges
				if now != 0 {
					lit |= todo & -todo
				}
				team.detected[at] = now
			}
			team.detLit[ti] = lit
		}
	}
}
