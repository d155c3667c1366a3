package visibility

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// compareAll notes in which blocks of the map the new mask differs from the
// last, and adds it to what is explored.
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

// compareRow returns in which of up to 64 blocks the new mask differs, and
// whether it shows tiles never seen before. It has no branches: whether a block
// changed is a coin toss, and a branch guessed wrong costs more than the rest.
func (t *team) compareRow(at, n int) (differ uint64, fresh bool) {
	now := t.now[at:][:n]
	was, explored := t.was[at:][:len(now)], t.explored[at:][:len(now)]
	gained := uint64(0)
	for k, w := range now {
		d := w ^ was[k]
		differ = differ>>1 | (d|-d)&(1<<63)
		gained |= w &^ explored[k]
	}
	return differ >> (64 - n), gained != 0
}

// comparePatches does the same in the patches of now, for what is seen, and in
// those of the last mask, for what is not seen any more.
func (e *Engine) comparePatches(t *team) {
	for _, p := range t.patches {
		e.comparePatch(t, p)
	}
	for i, p := range t.patchesWas {
		if i >= len(t.patches) || t.patches[i] != p {
			e.comparePatch(t, p)
		}
	}
	if len(t.gains) > 1 { // patches come in no order
		slices.SortFunc(t.gains, func(a, b gain) int { return cmp.Compare(a.at, b.at) })
	}
}

func (e *Engine) comparePatch(t *team, p patch) {
	c := &e.draw
	if p.side != 3 || !c.inner(p) {
		e.compareAny(t, p)
		return
	}
	at := int(p.y)*c.w + int(p.x)
	bx := int(p.x) - padBefore
	i := (int(p.y)-padBefore)*c.row + bx>>6
	any, gained := uint64(0), uint64(0)
	for range 3 {
		now, was, explored := (*[3]uint64)(t.now[at:]), (*[3]uint64)(t.was[at:]), (*[3]uint64)(t.explored[at:])
		n0, n1, n2 := now[0], now[1], now[2]
		d0, d1, d2 := n0^was[0], n1^was[1], n2^was[2]
		differ := (d0|-d0)>>63 | (d1|-d1)>>63<<1 | (d2|-d2)>>63<<2
		gained |= n0&^explored[0] | n1&^explored[1] | n2&^explored[2]
		any |= differ
		t.changed[i] |= differ << (bx & 63)
		if over := differ >> 1 >> (63 - bx&63); over != 0 {
			t.changed[i+1] |= over
		}
		at += c.w
		i += c.row
	}
	t.turned = t.turned || any != 0
	if gained != 0 {
		at := int(p.y)*c.w + int(p.x)
		for range 3 {
			t.explore(at, 3)
			at += c.w
		}
	}
}

// compareAny is [Engine.comparePatch] for patches of any side, anywhere.
func (e *Engine) compareAny(t *team, p patch) {
	c := &e.draw
	c.rows(p, func(at, bx, by, n int) {
		if bx+n == c.mapW {
			t.now[at+n-1] &= c.lastCol
		}
		if by == c.mapH-1 {
			for k := range n {
				t.now[at+k] &= c.lastRow
			}
		}
		differ, fresh := t.compareRow(at, n)
		i := by*c.row + bx>>6
		t.changed[i] |= differ << (bx & 63)
		if over := differ >> 1 >> (63 - bx&63); over != 0 {
			t.changed[i+1] |= over
		}
		t.turned = t.turned || differ != 0
		if fresh {
			t.explore(at, n)
		}
	})
}

// explore adds what is visible in n blocks to what is explored.
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
			if !f(c.place(bx, by), bx, by) {
				return
			}
		}
	}
}

// drawDetected draws the detectors that feed the team and takes over what they
// detect, as far as the team sees.
func (e *Engine) drawDetected(of grid.Team) {
	c, t := &e.draw, &e.teams[of]
	if t.detected == nil {
		t.detected = make([]uint64, len(t.now))
	}
	if t.detUnclean {
		clear(t.detected)
		t.detUnclean = false
	}
	for _, p := range t.detPatches { // of the last time
		c.wipe(t.detected, p)
	}
	t.detPatches = t.detPatches[:0]
	for from := range e.teams {
		if by := &e.teams[from]; by.detectors > 0 && e.feeds[from].Has(of) {
			for i := range by.list {
				if s := &by.list[i]; s.detect > 0 {
					t.detPatches = append(t.detPatches, e.drawSource(t.detected, s, s.detect))
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
