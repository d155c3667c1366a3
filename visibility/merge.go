package visibility

import "github.com/fogkeep/fogkeep/match/grid"

// mergeVisible empties the canvas into the team's visible and explored masks
// and lists what changed. Where the sources' patches are many for the map, that
// goes over the map; where they are few, over the patches: those of now, for
// what is seen, and those of the last time, for what is not seen any more.
func (e *Engine) mergeVisible(t *team) {
	if cap(t.changes) < len(t.visible) { // room for all: no append has to ask
		t.changes = make([]change, 0, len(t.visible)+1)
		t.gains = make([]gain, 0, len(t.visible))
	}
	blocks := 0
	for _, p := range t.patches {
		blocks += int(p.side * p.side)
	}
	// The sweep does a block in about two thirds of the time: it needs no look
	// at where the blocks lie.
	if 3*blocks > 2*len(t.visible) {
		e.mergeSweep(t)
		return
	}
	for _, p := range t.patches {
		e.mergePatch(t, p)
	}
	for i, p := range t.patchesWere {
		if i >= len(t.patches) || t.patches[i] != p {
			e.mergePatch(t, p)
		}
	}
	for _, p := range t.patches {
		e.draw.wipe(p)
	}
}

// mergeSweep merges every block of the map.
func (e *Engine) mergeSweep(t *team) {
	c := &e.draw
	for y := range c.mapH {
		words := c.words[(y+padBefore)*c.w+padBefore:][:c.mapW]
		words[c.mapW-1] &= c.lastCol
		if y == c.mapH-1 {
			for k := range words {
				words[k] &= c.lastRow
			}
		}
		t.mergeRow(words, y*c.mapW)
	}
	clear(c.words)
}

// mergePatch merges the blocks of a patch. A block that was merged before, with
// another patch, is as the canvas says already and does not count as changed
// again.
func (e *Engine) mergePatch(t *team, p patch) {
	c := &e.draw
	if p.side != 3 || !c.inner(p) {
		e.mergeAny(t, p)
		return
	}
	n, fresh := len(t.changes), uint64(0)
	changes := t.changes[:cap(t.changes)] // one longer than a step can fill
	at := int(p.y)*c.w + int(p.x)
	first := (int(p.y)-padBefore)*c.mapW + int(p.x) - padBefore
	for range 3 {
		words := (*[3]uint64)(c.words[at:])
		visible, explored := (*[3]uint64)(t.visible[first:]), (*[3]uint64)(t.explored[first:])
		now0, now1, now2 := words[0], words[1], words[2]
		was0, was1, was2 := visible[0], visible[1], visible[2]
		fresh |= now0&^explored[0] | now1&^explored[1] | now2&^explored[2]
		visible[0], visible[1], visible[2] = now0, now1, now2
		changes[n] = change{was0, int32(first)}
		n += differ(now0, was0)
		changes[n] = change{was1, int32(first + 1)}
		n += differ(now1, was1)
		changes[n] = change{was2, int32(first + 2)}
		n += differ(now2, was2)
		at += c.w
		first += c.mapW
	}
	t.changes = changes[:n]
	if fresh != 0 {
		e.explore(t, p)
	}
}

// mergeAny is [Engine.mergePatch] for patches of any side, anywhere.
func (e *Engine) mergeAny(t *team, p patch) {
	c := &e.draw
	x, end := max(int(p.x), padBefore), min(int(p.x)+int(p.side), padBefore+c.mapW)
	for y := max(int(p.y), padBefore); x < end && y < min(int(p.y)+int(p.side), padBefore+c.mapH); y++ {
		words := c.words[y*c.w+x : y*c.w+end]
		if end == padBefore+c.mapW {
			words[len(words)-1] &= c.lastCol
		}
		if y == padBefore+c.mapH-1 {
			for k := range words {
				words[k] &= c.lastRow
			}
		}
		t.mergeRow(words, (y-padBefore)*c.mapW+x-padBefore)
	}
}

// mergeRow merges blocks that lie side by side.
func (t *team) mergeRow(words []uint64, first int) {
	visible, explored := t.visible[first:][:len(words)], t.explored[first:][:len(words)]
	n, fresh := len(t.changes), uint64(0)
	changes := t.changes[:cap(t.changes)]
	for k, now := range words {
		was := visible[k]
		visible[k] = now
		fresh |= now &^ explored[k]
		changes[n] = change{was, int32(first + k)}
		n += differ(now, was)
	}
	t.changes = changes[:n]
	if fresh == 0 {
		return
	}
	for k, now := range words {
		if gained := now &^ explored[k]; gained != 0 {
			explored[k] |= now
			t.gains = append(t.gains, gain{gained, int32(first + k)})
		}
	}
}

// explore adds what is visible in the blocks of a patch to what is explored.
func (e *Engine) explore(t *team, p patch) {
	e.draw.eachBlock(p, func(_, i int) {
		if gained := t.visible[i] &^ t.explored[i]; gained != 0 {
			t.explored[i] |= gained
			t.gains = append(t.gains, gain{gained, int32(i)})
		}
	})
}

// wipe empties the patch of the canvas.
func (c *canvas) wipe(p patch) {
	at := int(p.y)*c.w + int(p.x)
	if p.side == 3 {
		for range 3 {
			*(*[3]uint64)(c.words[at:]) = [3]uint64{}
			at += c.w
		}
		return
	}
	for range p.side {
		clear(c.words[at : at+int(p.side)])
		at += c.w
	}
}

// differ returns 1 if a and b differ, else 0, without a branch: whether a block
// changed is a coin toss, and a branch guessed wrong costs more than the rest.
func differ(a, b uint64) int {
	x := a ^ b
	return int((x | -x) >> 63)
}

// mergeDetected draws the detectors that feed the team and takes over what they
// detect, as far as the team sees.
func (e *Engine) mergeDetected(of grid.Team) {
	c, t := &e.draw, &e.teams[of]
	if t.detected == nil {
		t.detected = make([]uint64, len(t.visible))
	}
	for _, p := range t.detPatches { // of the last time
		c.eachBlock(p, func(_, i int) { t.detected[i] = 0 })
	}
	t.detPatches = t.detPatches[:0]
	for from := range e.teams {
		if by := &e.teams[from]; by.detectors > 0 && e.feeds[from].Has(of) {
			for i := range by.list {
				if s := &by.list[i]; s.detect > 0 {
					t.detPatches = append(t.detPatches, e.drawSource(s, s.detect))
				}
			}
		}
	}
	for _, p := range t.detPatches {
		c.eachBlock(p, func(at, i int) { t.detected[i] = c.words[at] & t.visible[i] })
	}
	for _, p := range t.detPatches {
		c.wipe(p)
	}
}

// eachBlock calls f for each block of the patch that is on the map, with its
// place on the canvas and on the map.
func (c *canvas) eachBlock(p patch, f func(at, i int)) {
	for y := max(int(p.y), padBefore); y < min(int(p.y)+int(p.side), padBefore+c.mapH); y++ {
		for x := max(int(p.x), padBefore); x < min(int(p.x)+int(p.side), padBefore+c.mapW); x++ {
			f(y*c.w+x, (y-padBefore)*c.mapW+x-padBefore)
		}
	}
}
