package sim

import "github.com/fogkeep/fogkeep/match/grid"

// placer puts armies around their starts, one ground unit a tile.
type placer struct {
	w     *World
	taken []bool // tiles with something on them
	ring  int16  // nothing free is nearer to the start than this
	start grid.Tile
}

// placeStarts gives each player what the ruleset says, around its start.
func (w *World) placeStarts() {
	pl := placer{w: w, taken: make([]bool, w.m.W*w.m.H)}
	for _, e := range w.all {
		pl.taken[w.m.Index(e.Tile())] = true
	}
	for _, e := range w.born { // resource places
		pl.taken[w.m.Index(e.Tile())] = true
	}
	for i := range w.players {
		p := &w.players[i]
		pl.ring, pl.start = 0, w.m.Starts[p.start]
		for _, entry := range w.rules.Start {
			for range entry.Count {
				pl.place(p.slot, entry.Type, pl.start)
			}
		}
	}
	w.settle()
}

// place puts one entity on the nearest free ground, in rings outwards. If
// there is none, it is not placed. Structures keep a tile of distance from
// everything, so that nobody begins walled in.
func (pl *placer) place(s grid.Slot, typ uint16, at grid.Tile) {
	w, t := pl.w, &pl.w.rules.Types[typ]
	if t.Class == ClassStructure {
		// Where it cuts no way off; else wherever there is room.
		if pl.search(s, typ, at, 0, 12, true) {
			return
		}
		pl.search(s, typ, at, 0, int16(max(w.m.W, w.m.H)), false)
		return
	}
	pl.search(s, typ, at, pl.ring, int16(max(w.m.W, w.m.H)), false)
}

// search looks for a place in the rings from one up to another, and puts the
// entity there. It reports whether there was one.
func (pl *placer) search(s grid.Slot, typ uint16, at grid.Tile, from, to int16, careful bool) bool {
	w, t := pl.w, &pl.w.rules.Types[typ]
	for ring := from; ring < to; ring++ {
		for dy := -ring; dy <= ring; dy++ {
			step := 2 * ring // the top and bottom rows are walked whole, of the others both ends
			if dy == -ring || dy == ring || ring == 0 {
				step = 1
			}
			for dx := -ring; dx <= ring; dx += step {
				tile := grid.Tile{X: at.X + dx, Y: at.Y + dy}
				if !w.m.In(tile) || !pl.fits(t, tile) || careful && pl.cuts(t, tile) {
					continue
				}
				e := w.spawn(s, typ, tile.Center(), false)
				if t.Class == ClassStructure {
					w.eachFoot(typ, e.foot, func(i int) { pl.taken[i] = true })
				} else {
					pl.taken[w.m.Index(tile)], pl.ring = true, ring
				}
				return true
			}
		}
	}
	return false
}

// cuts reports whether a structure would part the ground around it: going
// round it, the open tiles are not one piece.
func (pl *placer) cuts(t *UnitType, tile grid.Tile) bool {
	w, foot := pl.w, footOf(t, tile.Center())
	fw, fh := int16(t.FootW), int16(t.FootH)
	open := func(x, y int16) bool {
		at := grid.Tile{X: foot.X + x, Y: foot.Y + y}
		return w.m.In(at) && w.m.Passable(at, grid.Ground) && w.solid[w.m.Index(at)] == 0
	}
	var round []bool
	for x := int16(-1); x <= fw; x++ {
		round = append(round, open(x, -1))
	}
	for y := int16(0); y <= fh; y++ {
		round = append(round, open(fw, y))
	}
	for x := fw - 1; x >= -1; x-- {
		round = append(round, open(x, fh))
	}
	for y := fh - 1; y >= 0; y-- {
		round = append(round, open(-1, y))
	}
	pieces := 0
	for i, o := range round {
		if o && !round[(i+len(round)-1)%len(round)] {
			pieces++
		}
	}
	return pieces > 1
}

func (pl *placer) fits(t *UnitType, tile grid.Tile) bool {
	w := pl.w
	if t.Class == ClassUnit {
		return w.m.Passable(tile, t.Move) && !pl.taken[w.m.Index(tile)] && pl.connected(t.Move, tile)
	}
	if !pl.connected(grid.Ground, tile) {
		return false
	}
	foot := footOf(t, tile.Center())
	for dy := int16(-1); dy <= int16(t.FootH); dy++ {
		for dx := int16(-1); dx <= int16(t.FootW); dx++ {
			at := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			inside := dx >= 0 && dy >= 0 && dx < int16(t.FootW) && dy < int16(t.FootH)
			switch {
			case !w.m.In(at) || !w.m.Passable(at, grid.Ground):
				if inside {
					return false
				}
			case pl.taken[w.m.Index(at)]:
				return false
			}
		}
	}
	return true
}

// connected reports whether the map lets what moves that way come from the
// start to the tile: the near side of a cliff is home, the far side is not.
func (pl *placer) connected(k grid.MoveKind, tile grid.Tile) bool {
	if k == grid.Air || k == grid.Naval {
		return true
	}
	label := pl.w.mapLabels(k).label
	return label[pl.w.m.Index(tile)] == label[pl.w.m.Index(pl.start)]
}
