package sim

import "github.com/fogkeep/fogkeep/match/grid"

// ground is the ground as a team knows it: the map, which is public, and the
// structures it sees, remembers or has run into.
type ground struct {
	solid   []uint8               // a tile's known obstacles: groundSeen, groundTouched
	touched []int32               // tiles with groundTouched, in the order they were met
	version uint32                // counts changes; a path is looked at again when it moves on
	reach   [grid.MoveKinds]reach // what is connected; derived
}

const (
	groundSeen    = 1 << iota // a structure stands there, or was last seen there
	groundTouched             // something unseen was in the way there
)

func (g *ground) init(w *World) { g.solid = make([]uint8, w.m.W*w.m.H) }

// setGround notes that a structure stands on a footprint, or no longer does.
func (k *Knowledge) setGround(w *World, typ uint16, foot grid.Tile, on bool) {
	w.eachFoot(typ, foot, func(i int) {
		was := k.ground.solid[i]
		if on {
			k.ground.solid[i] |= groundSeen
		} else {
			k.ground.solid[i] &^= groundSeen
		}
		if (was != 0) != (k.ground.solid[i] != 0) {
			w.groundChanged(k, i)
		}
	})
}

// touch notes that something unseen is in the way on a tile.
func (k *Knowledge) touch(w *World, i int) {
	if g := &k.ground; g.solid[i] == 0 {
		g.solid[i] |= groundTouched
		g.touched = append(g.touched, int32(i))
		w.groundChanged(k, i)
	}
}

// checkTouched forgets what was touched where the tile is now in sight: the
// eye knows better.
func (k *Knowledge) checkTouched(w *World) {
	g := &k.ground
	kept := g.touched[:0]
	for _, i := range g.touched {
		if !w.eyes.Visible(k.team, w.m.TileAt(int(i))) {
			kept = append(kept, i)
			continue
		}
		g.solid[i] &^= groundTouched
		if g.solid[i] == 0 {
			w.groundChanged(k, int(i))
		}
	}
	g.touched = kept
}

// open reports whether, as far as the team knows, a unit of that way of moving
// may stand on the tile with that index.
func (g *ground) open(w *World, i int, k grid.MoveKind) bool {
	return w.m.Pass[i].Has(k) && (k == grid.Air || g.solid[i] == 0)
}
