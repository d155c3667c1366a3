package visibility

import "math/bits"

// mergeVisible empties the canvas into the team's visible and explored masks
// and lists what changed. It looks at the blocks that were drawn on now or the
// last time, not at the map.
func (e *Engine) mergeVisible(team *team) {
	c := &e.draw
	c.spread()
	if cap(team.changes) < len(team.blocks) {
		team.changes = make([]change, 0, len(team.blocks)) // room for all: no append has to ask
	}
	for y := range c.h {
		by := y - padBefore
		for i := range c.row {
			ti := y*c.row + i
			todo := c.touched[ti] | team.lit[ti]
			if todo == 0 {
				continue
			}
			words := c.words[y*c.w+i<<6:]
			inside := c.inside[i]
			if uint(by) >= uint(e.bh) {
				inside = 0
			}
			team.lit[ti], c.touched[ti] = c.touched[ti]&inside, 0
			for out := todo &^ inside; out != 0; out &= out - 1 {
				words[bits.TrailingZeros64(out)] = 0
			}
			if todo &= inside; todo == 0 {
				continue
			}
			c.crop(words, i, by == e.bh-1)
			first, end := bits.TrailingZeros64(todo), bits.Len64(todo)
			at := by*e.bw + i<<6 - padBefore
			fresh := uint64(0)
			if 2*bits.OnesCount64(todo) > end-first {
				// Dense: going over dark blocks, too, is cheaper than finding
				// the next lit one.
				fresh = team.mergeRun(words[first:end], at+first)
			} else {
				fresh = team.mergeEach(words, todo, at)
			}
			if fresh != 0 {
				team.explore(at+first, at+end)
			}
		}
	}
}

// mergeRun takes over a run of blocks from the canvas, from block at on. It
// returns 0 if no tile is seen for the first time.
func (t *team) mergeRun(words []uint64, at int) (fresh uint64) {
	blocks := t.blocks[at:][:len(words)]
	n := len(t.changes)
	changes := t.changes[:cap(t.changes)]
	for k, now := range words {
		words[k] = 0
		b := &blocks[k]
		was := b.visible
		b.visible = now
		fresh |= now &^ b.explored
		changes[n] = change{was, int32(at + k)}
		n += differ(now, was)
	}
	t.changes = changes[:n]
	return fresh
}

// mergeEach is [team.mergeRun] for the blocks whose bit is set in todo.
func (t *team) mergeEach(words []uint64, todo uint64, at int) (fresh uint64) {
	n := len(t.changes)
	changes := t.changes[:cap(t.changes)]
	for ; todo != 0; todo &= todo - 1 {
		k := bits.TrailingZeros64(todo)
		now := words[k]
		words[k] = 0
		b := &t.blocks[at+k]
		was := b.visible
		b.visible = now
		fresh |= now &^ b.explored
		changes[n] = change{was, int32(at + k)}
		n += differ(now, was)
	}
	t.changes = changes[:n]
	return fresh
}

// explore adds what is visible in the blocks from first to before end to what
// is explored.
func (t *team) explore(first, end int) {
	for at := max(first, 0); at < min(end, len(t.blocks)); at++ {
		b := &t.blocks[at]
		if gained := b.visible &^ b.explored; gained != 0 {
			b.explored |= gained
			t.gains = append(t.gains, gain{gained, int32(at)})
		}
	}
}

// differ returns 1 if a and b differ, else 0, without a branch: whether a block
// changed is a coin toss, and a branch guessed wrong costs more than the rest.
func differ(a, b uint64) int {
	x := a ^ b
	return int((x | -x) >> 63)
}

// mergeDetected empties the canvas into the team's detected mask, as far as the
// team sees.
func (e *Engine) mergeDetected(team *team) {
	c := &e.draw
	c.spread()
	e.makeDetected(team)
	for y := range c.h {
		by := y - padBefore
		for i := range c.row {
			ti := y*c.row + i
			todo := c.touched[ti] | team.detLit[ti]
			inside := c.inside[i]
			if uint(by) >= uint(e.bh) {
				inside = 0
			}
			team.detLit[ti], c.touched[ti] = c.touched[ti]&inside, 0
			for ; todo != 0; todo &= todo - 1 {
				k := bits.TrailingZeros64(todo)
				word := &c.words[y*c.w+i<<6+k]
				now := *word
				*word = 0
				if inside>>k&1 == 0 {
					continue
				}
				at := by*e.bw + i<<6 + k - padBefore
				team.detected[at] = now & team.blocks[at].visible // which ends at the map's edges
			}
		}
	}
}

func (e *Engine) makeDetected(t *team) {
	if t.detected == nil {
		t.detected = make([]uint64, len(t.blocks))
		t.detLit = make([]uint64, len(e.draw.touched))
	}
}
