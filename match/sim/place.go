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
	from := int16(0)
	if t.Class == ClassUnit {
		from = pl.ring
	}
	for ring := from; ring < int16(max(w.m.W, w.m.H)); ring++ {
		for dy := -ring; dy <= ring; dy++ {
			step := 2 * ring // the top and bottom rows are walked whole, of the others both ends
			if dy == -ring || dy == ring || ring == 0 {
				step = 1
			}
			for dx := -ring; dx <= ring; dx += step {
				tile := grid.Tile{X: at.X + dx, Y: at.Y + dy}
				if !w.m.In(tile) || !pl.fits(t, tile) {
					continue
				}
				e := w.spawn(s, typ, tile.Center(), false)
				if t.Class == ClassStructure {
					w.eachFoot(typ, e.foot, func(i int) { pl.taken[i] = true })
				} else {
					pl.taken[w.m.Index(tile)], pl.ring = true, ring
				}
				return
			}
		}
	}
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
