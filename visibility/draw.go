package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// drawSight adds the tiles that the sources see to the mask. It records in patches
// where it drew each source. This loop is most of the work of a step.
func (e *Engine) drawSight(words []uint64, list []eyeSource, patches []patch, memory []grid.Tile) {
	c := &e.draw
	patches = patches[:len(list)]
	for i := range list {
		s := &list[i]
		sh := &e.shapes[s.radius]
		if sh.three == nil {
			patches[i] = patch{}
			if s.id != 0 {
				patches[i] = e.drawSource(words, s, s.radius, memory)
			}
			continue
		}
		// Up to radius 8, the most common case: nine words, without a loop.
		x, y := int(s.tile.X)-sh.reach+8*padBefore, int(s.tile.Y)-sh.reach+8*padBefore
		d := &sh.three[(y&7<<3|x&7)&63]
		x, y = x>>3, y>>3
		patches[i] = patch{int16(x), int16(y), 3}
		at := y*c.w + x
		if s.eye != eyeAll {
			if e.occl == grid.OcclusionHighGround {
				orBelow3(words, e.terrain.below[s.eye], at, c.w, d)
				continue
			}
			d = (*[9]uint64)(e.viewshed(s, s.radius, memory))
		}
		a := words[at : at+3 : at+3]
		a[0] |= d[0]
		a[1] |= d[1]
		a[2] |= d[2]
		at += c.w
		a = words[at : at+3 : at+3]
		a[0] |= d[3]
		a[1] |= d[4]
		a[2] |= d[5]
		at += c.w
		a = words[at : at+3 : at+3]
		a[0] |= d[6]
		a[1] |= d[7]
		a[2] |= d[8]
	}
}

// drawPatches is [Engine.drawSight] for a step that compares patches. While the blocks of a
// source are at hand, it marks them as possibly changed, and sees whether the source shows
// tiles that were never seen. It adds these patches, and patches with an unknown state, to
// t.open.
func (e *Engine) drawPatches(t *team, list []eyeSource, patches []patch) {
	c := &e.draw
	now, explored, changed := t.now, t.explored[:len(t.now)], t.changed
	stride, row := c.w, c.row
	innerW, innerH := uint(max(0, c.mapW-3)), uint(max(0, c.mapH-3))
	patches = patches[:len(list)]
	for i := range list {
		s := &list[i]
		sh := &e.shapes[s.radius]
		x, y := int(s.tile.X)-sh.reach+8*padBefore, int(s.tile.Y)-sh.reach+8*padBefore
		corner := y&7<<3 | x&7
		x, y = x>>3, y>>3
		if sh.three == nil || uint(x-padBefore) >= innerW || uint(y-padBefore) >= innerH {
			patches[i] = patch{}
			if s.id != 0 {
				patches[i] = e.drawSource(now, s, s.radius, t.memory)
				t.open = append(t.open, patches[i])
			}
			continue
		}
		d := &sh.three[corner&63]
		patches[i] = patch{int16(x), int16(y), 3}
		at := y*stride + x
		if s.eye != eyeAll {
			if e.occl == grid.OcclusionHighGround {
				d = below3(e.terrain.below[s.eye], at, stride, d)
			} else {
				d = (*[9]uint64)(e.viewshed(s, s.radius, t.memory))
			}
		}
		a, b := now[at:at+3:at+3], explored[at:at+3:at+3]
		a[0] |= d[0]
		a[1] |= d[1]
		a[2] |= d[2]
		gained := d[0]&^b[0] | d[1]&^b[1] | d[2]&^b[2]
		at += stride
		a, b = now[at:at+3:at+3], explored[at:at+3:at+3]
		a[0] |= d[3]
		a[1] |= d[4]
		a[2] |= d[5]
		gained |= d[3]&^b[0] | d[4]&^b[1] | d[5]&^b[2]
		at += stride
		a, b = now[at:at+3:at+3], explored[at:at+3:at+3]
		a[0] |= d[6]
		a[1] |= d[7]
		a[2] |= d[8]
		gained |= d[6]&^b[0] | d[7]&^b[1] | d[8]&^b[2]
		if gained != 0 {
			t.open = append(t.open, patches[i])
		}
		bx := uint(x) - padBefore
		k := (y-padBefore)*row + int(bx>>6)
		blocks := uint64(7) << (bx & 63)
		changed[k] |= blocks
		changed[k+row] |= blocks
		changed[k+2*row] |= blocks
		if bx&63 > 61 {
			blocks = 7 >> (64 - bx&63)
			changed[k+1] |= blocks
			changed[k+row+1] |= blocks
			changed[k+2*row+1] |= blocks
		}
	}
}

// below3 returns the part of a shape of side 3 that lies on the tiles of below.
func below3(below []uint64, at, stride int, d *[9]uint64) *[9]uint64 {
	a, b, c := below[at:at+3], below[at+stride:at+stride+3], below[at+2*stride:at+2*stride+3]
	return &[9]uint64{
		d[0] & a[0], d[1] & a[1], d[2] & a[2],
		d[3] & b[0], d[4] & b[1], d[5] & b[2],
		d[6] & c[0], d[7] & c[1], d[8] & c[2],
	}
}

// orBelow3 adds the part of a shape of side 3 that lies on the tiles of below.
func orBelow3(words, below []uint64, at, stride int, d *[9]uint64) {
	a, b := words[at:at+3:at+3], below[at:at+3:at+3]
	a[0] |= d[0] & b[0]
	a[1] |= d[1] & b[1]
	a[2] |= d[2] & b[2]
	at += stride
	a, b = words[at:at+3:at+3], below[at:at+3:at+3]
	a[0] |= d[3] & b[0]
	a[1] |= d[4] & b[1]
	a[2] |= d[5] & b[2]
	at += stride
	a, b = words[at:at+3:at+3], below[at:at+3:at+3]
	a[0] |= d[6] & b[0]
	a[1] |= d[7] & b[1]
	a[2] |= d[8] & b[2]
}

// drawSource adds the tiles that the source sees within the radius to the mask,
// for shapes of any size. It returns where it drew.
func (e *Engine) drawSource(words []uint64, s *eyeSource, r Radius, memory []grid.Tile) patch {
	c, sh := &e.draw, &e.shapes[r]
	shape, x, y := sh.at(int(s.tile.X), int(s.tile.Y))
	below := e.terrain.all
	if s.eye != eyeAll {
		if e.occl == grid.OcclusionLineOfSight {
			shape = e.viewshed(s, r, memory)
		} else {
			below = e.terrain.below[s.eye]
		}
	}
	for at := y*c.w + x; len(shape) > 0; at += c.w {
		row, b := words[at:at+sh.side:at+sh.side], below[at:at+sh.side:at+sh.side]
		for i := range row {
			row[i] |= shape[i] & b[i]
		}
		shape = shape[sh.side:]
	}
	return patch{int16(x), int16(y), int32(sh.side)}
}
