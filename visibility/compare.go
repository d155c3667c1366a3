package visibility

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// compareAll finds the blocks of the map in which the new mask differs from the
// last one, and adds the new mask to the explored tiles.
func (e *Engine) compareAll(t *team) {
	c := &e.draw
	any := uint64(0)
	for y := range c.mapH {
		at := c.place(0, y)
		t.now[at+c.mapW-1] &= c.lastCol
		if y == c.mapH-1 {
			for k := range c.mapW {
				t.now[at+k] &= c.lastRow
			}
		}
		for i := range c.row {
			n := min(64, c.mapW-i<<6)
			differ, fresh := t.compareRow(at+i<<6, n)
			t.changed[y*c.row+i] = differ
			any |= differ
			if fresh {
				t.explore(at+i<<6, n)
			}
		}
	}
	t.turned = any != 0
}

// compareRow returns in which of up to 64 blocks the new mask differs from the
// last one, and whether it has tiles that were never seen before. It has no
// branches: whether a block changed cannot be predicted, and a mispredicted branch
// costs more than the rest of the loop.
func (t *team) compareRow(at, n int) (differ uint64, fresh bool) {
	now := t.now[at:][:n]
	prev, explored := t.prev[at:][:len(now)], t.explored[at:][:len(now)]
	gained := uint64(0)
	for k, w := range now {
		d := w ^ prev[k]
		differ = differ>>1 | (d|-d)&(1<<63)
		gained |= w &^ explored[k]
	}
	return differ >> (64 - n), gained != 0
}

// comparePatches does the same as compareAll, if the masks can differ only in the
// patches of the new and of the last mask. It marks all blocks of the patches.
// [Engine.eachChanged] skips the blocks that did not change.
func (e *Engine) comparePatches(t *team) {
	for _, p := range t.open {
		e.exploreAny(t, p)
	}
	for i, p := range t.patchesWas {
		if i >= len(t.patches) || t.patches[i] != p {
			e.draw.note(t.changed, p)
		}
	}
	t.turned = true
	if len(t.gains) > 1 { // patches are not sorted
		slices.SortFunc(t.gains, func(a, b gain) int { return cmp.Compare(a.at, b.at) })
	}
}

// note adds the patch's blocks on the map to a set of blocks.
func (c *canvas) note(set []uint64, p patch) {
	x, end := max(int(p.x)-padBefore, 0), min(int(p.x)-padBefore+int(p.side), c.mapW)
	y, south := max(int(p.y)-padBefore, 0), min(int(p.y)-padBefore+int(p.side), c.mapH)
	if x >= end {
		return
	}
	blocks := uint64(1)<<(end-x) - 1
	here, over := blocks<<(x&63), blocks>>1>>(63-x&63)
	for i := y*c.row + x>>6; y < south; i, y = i+c.row, y+1 {
		set[i] |= here
		if over != 0 {
			set[i+1] |= over
		}
	}
}

// exploreAny marks the blocks of a patch and adds its visible tiles to the explored ones.
func (e *Engine) exploreAny(t *team, p patch) {
	c := &e.draw
	c.rows(p, func(at, bx, by, n int) {
		for k := range n {
			t.now[at+k] &= c.onMap(bx+k, by)
		}
		t.explore(at, n)
	})
	c.note(t.changed, p)
}

// explore adds the visible tiles of n blocks to the explored ones.
func (t *team) explore(at, n int) {
	for k := at; k < at+n; k++ {
		if gained := t.now[k] &^ t.explored[k]; gained != 0 {
			t.explored[k] |= gained
			t.gains = append(t.gains, gain{gained, int32(k)})
		}
	}
}

// eachChanged calls f for each block that changed in the last step, row by row,
// until f returns false.
func (e *Engine) eachChanged(t *team, f func(at, bx, by int) bool) {
	if !t.turned {
		return
	}
	c := &e.draw
	for i, w := range t.changed {
		for ; w != 0; w &= w - 1 {
			bx, by := i%c.row<<6+bits.TrailingZeros64(w), i/c.row
			at := c.place(bx, by)
			if t.now[at] != t.prev[at] && !f(at, bx, by) {
				return
			}
		}
	}
}

// drawDetected draws the detectors whose sight the team shares. A tile counts as
// detected only if the team also sees it.
func (e *Engine) drawDetected(of grid.Team) {
	c, t := &e.draw, &e.teams[of]
	if t.detected == nil {
		t.detected = make([]uint64, len(t.now))
	}
	if t.detUnclean {
		clear(t.detected)
		t.detUnclean = false
	}
	for _, p := range t.detPatches { // the patches of the last step
		c.wipe(t.detected, p)
	}
	t.detPatches = t.detPatches[:0]
	for from := range e.teams {
		if by := &e.teams[from]; by.detectors > 0 && e.feeds[from].Has(of) {
			for i := range by.list {
				if s := &by.list[i]; s.detect > 0 {
					t.detPatches = append(t.detPatches, e.drawSource(t.detected, s, s.detect, t.memory))
				}
			}
		}
	}
	for _, p := range t.detPatches {
		c.rows(p, func(at, _, _, n int) {
			for k := at; k < at+n; k++ {
				t.detected[k] &= t.now[k]
			}
		})
	}
}
