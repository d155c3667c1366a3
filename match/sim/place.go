package sim

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// StartError says that there is no room around a player's start for the player's first
// entities. Then there is no match: an army is never smaller than the ruleset says.
type StartError struct {
	Slot   grid.Slot
	Start  grid.Tile
	Wanted int    // units and structures that the player is to begin with
	Placed int    // the entities that found room
	Type   string // the first that did not
}

func (e *StartError) Error() string {
	return fmt.Sprintf("slot %d: %d of %d start units placed around tile %d,%d: the map has no more room for %q that is connected to the start",
		e.Slot, e.Placed, e.Wanted, e.Start.X, e.Start.Y, e.Type)
}

// placer puts armies around their starts. It puts one unit on a tile, or several if
// there are more units than tiles and they are small enough not to touch.
type placer struct {
	w      *World
	units  []uint16 // on each tile; blocked: a structure or a resource
	across int      // so many units stand side by side on a tile, an odd number
	share  int      // a tile with so many units is full
	ring   int16    // no free place is nearer to the start than this
	start  grid.Tile
}

const blocked = 1<<16 - 1

// placeStarts places each player's entities of the ruleset around its start, and then the
// landmarks. If the players' entities do not fit it returns a [StartError].
func (w *World) placeStarts() error {
	pl := placer{w: w, units: make([]uint16, w.m.W*w.m.H), across: w.unitsAcross()}
	for _, e := range w.newborns { // resource places
		pl.units[w.m.Index(e.Tile())] = blocked
	}
	for i := range w.owner { // features
		if w.owner[i] != 0 {
			pl.units[i] = blocked
		}
	}
	for i := range w.players {
		p := &w.players[i]
		start, wanted := w.rules.StartOf(p.faction), 0
		for _, entry := range start {
			wanted += int(entry.Count)
		}
		pl.share, pl.ring, pl.start = 1, 0, w.m.Starts[p.start]
		placed := 0
		for _, entry := range start {
			for range entry.Count {
				if !pl.place(p.slot, entry.Type, pl.start) {
					return &StartError{p.slot, pl.start, wanted, placed, w.rules.Types[entry.Type].Name}
				}
				e := w.newborns[len(w.newborns)-1]
				for _, a := range entry.Grant {
					w.grantSingly(e, a, granted)
				}
				for _, a := range entry.Deny {
					w.grantSingly(e, a, denied)
				}
				placed++
			}
		}
	}
	w.settle()
	w.placeLandmarks()
	return nil
}

// unitsAcross returns how many of the widest unit that players begin with stand
// side by side on a tile without touching, rounded down to an odd number: one
// then stands in the tile's middle.
func (w *World) unitsAcross() int {
	widest := grid.Dist(1)
	for i := range w.players {
		for _, entry := range w.rules.StartOf(w.players[i].faction) {
			if t := &w.rules.Types[entry.Type]; t.Class == rules.ClassUnit {
				widest = max(widest, t.Radius)
			}
		}
	}
	n := min(int(grid.WUPerTile/(2*widest)), acrossMax)
	return max(1, n-1+n%2)
}

// acrossMax keeps the number of units on a tile countable.
const acrossMax = 15

// place puts one entity on the nearest free ground, in rings outwards, and reports whether
// there was any. Structures keep a tile of distance from everything, so that no player
// begins walled in.
func (pl *placer) place(s grid.Slot, typ uint16, at grid.Tile) bool {
	w, t := pl.w, &pl.w.rules.Types[typ]
	end := int16(max(w.m.W, w.m.H))
	if t.Class == rules.ClassStructure {
		// Prefer a place that cuts no way off; else take any room.
		return pl.search(s, typ, at, 0, 12, true) || pl.search(s, typ, at, 0, end, false)
	}
	if pl.search(s, typ, at, pl.ring, end, false) {
		return true
	}
	for {
		// An entity that moves in another way may have left tiles nearer to the start.
		if pl.ring = 0; pl.search(s, typ, at, 0, end, false) {
			return true
		}
		if pl.share == pl.across*pl.across {
			return false
		}
		pl.share++
	}
}

// search looks for a place in the rings from one up to another, and puts the
// entity there. It reports whether there was one.
func (pl *placer) search(s grid.Slot, typ uint16, at grid.Tile, from, to int16, careful bool) bool {
	w, t := pl.w, &pl.w.rules.Types[typ]
	for ring := from; ring < to; ring++ {
		for tile := range at.Ring(ring) {
			if !w.m.In(tile) || !pl.fits(t, tile) || careful && pl.cuts(t, tile) {
				continue
			}
			if t.Class == rules.ClassStructure {
				e := w.spawn(s, typ, tile.Center(), false)
				w.eachFoot(typ, e.foot, func(i int) { pl.units[i] = blocked })
			} else {
				i := w.m.Index(tile)
				w.spawn(s, typ, pl.spot(tile, int(pl.units[i])), false)
				pl.units[i]++
				pl.ring = ring
			}
			return true
		}
	}
	return false
}

// spot returns where the n-th unit of a tile stands: the first in its middle,
// the others row by row around it.
func (pl *placer) spot(tile grid.Tile, n int) grid.Pos {
	cell, middle := n-1, pl.across*pl.across/2
	if n == 0 {
		cell = middle
	} else if cell >= middle {
		cell++
	}
	along := func(i int) int32 { return int32((2*i + 1) * grid.WUPerTile / (2 * pl.across)) }
	return grid.Pos{
		X: int32(tile.X)<<grid.TileShift + along(cell%pl.across),
		Y: int32(tile.Y)<<grid.TileShift + along(cell/pl.across),
	}
}

// cuts reports whether a structure would divide the ground around it: the open
// tiles of the ring around it would not be connected.
func (pl *placer) cuts(t *rules.Type, tile grid.Tile) bool {
	w, foot := pl.w, footOf(t, tile.Center())
	fw, fh := int16(t.FootW), int16(t.FootH)
	open := func(x, y int16) bool {
		at := grid.Tile{X: foot.X + x, Y: foot.Y + y}
		return w.m.In(at) && w.m.Passable(at, grid.Ground) && !nav.Closes(w.solid[w.m.Index(at)], grid.Ground)
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

func (pl *placer) fits(t *rules.Type, tile grid.Tile) bool {
	w := pl.w
	if t.Class == rules.ClassUnit {
		return w.m.Passable(tile, t.Move) && int(pl.units[w.m.Index(tile)]) < pl.share && pl.connected(t.Move, tile)
	}
	if !pl.connected(grid.Ground, tile) {
		return false
	}
	foot := footOf(t, tile.Center())
	if !w.atShore(t, foot) {
		return false
	}
	for dy := int16(-1); dy <= int16(t.FootH); dy++ {
		for dx := int16(-1); dx <= int16(t.FootW); dx++ {
			at := grid.Tile{X: foot.X + dx, Y: foot.Y + dy}
			inside := dx >= 0 && dy >= 0 && dx < int16(t.FootW) && dy < int16(t.FootH)
			switch {
			case !w.m.In(at) || !w.m.Passable(at, grid.Ground):
				if inside {
					return false
				}
			case pl.units[w.m.Index(at)] > 0:
				return false
			}
		}
	}
	return true
}

// connected reports whether the map lets a unit with that kind of movement get from
// the start to the tile. The near side of a cliff is connected, the far side is
// not.
func (pl *placer) connected(k grid.MoveKind, tile grid.Tile) bool {
	if k == grid.Air || k == grid.Naval {
		return true
	}
	return pl.w.base.Connected(k, tile, pl.start)
}
