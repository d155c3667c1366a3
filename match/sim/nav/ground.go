package nav

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Ground is the ground as a team knows it: the map, which is public, and the
// structures that the team sees, remembers or has run into.
type Ground struct {
	m       *grid.Map
	base    *Base
	solid   []uint8               // a tile's known obstacles: groundSeen, groundTouched
	touched []int32               // tiles with groundTouched, in the order they were met
	version uint32                // counts changes
	reach   [grid.MoveKinds]reach // the connected parts; derived
	own     [walkers]*ownGraph    // of the cluster graphs; derived
}

const (
	groundSeen    = 1 << iota // a structure stands there, or was last seen there
	groundTouched             // something unseen was in the way there
)

// NewGround returns the ground of a team that knows the map alone.
func NewGround(b *Base) Ground {
	return Ground{m: b.m, base: b, solid: make([]uint8, b.m.W*b.m.H)}
}

// SetSeen notes that a structure stands on a tile, or no longer does. It reports
// whether the tile was opened or closed by that.
func (g *Ground) SetSeen(i int, on bool) bool {
	was := g.solid[i]
	if on {
		g.solid[i] |= groundSeen
	} else {
		g.solid[i] &^= groundSeen
	}
	changed := (was != 0) != (g.solid[i] != 0)
	if changed {
		g.changed(i)
	}
	return changed
}

// Touch notes that something unseen is in the way on a tile. It reports whether
// that is new.
func (g *Ground) Touch(i int) bool {
	if g.solid[i] != 0 {
		return false
	}
	g.solid[i] |= groundTouched
	g.touched = append(g.touched, int32(i))
	g.changed(i)
	return true
}

// ForgetTouched forgets touched obstacles on the tiles that are visible now: sight is more
// reliable. It calls opened for each tile that this opens.
func (g *Ground) ForgetTouched(visible func(grid.Tile) bool, opened func(i int)) {
	kept := g.touched[:0]
	for _, i := range g.touched {
		if !visible(g.m.TileAt(int(i))) {
			kept = append(kept, i)
			continue
		}
		g.solid[i] &^= groundTouched
		if g.solid[i] == 0 {
			g.changed(int(i))
			opened(int(i))
		}
	}
	g.touched = kept
}

// changed updates the derived data after a tile was opened or closed.
func (g *Ground) changed(i int) {
	g.version++
	for k := range g.reach {
		if move := grid.MoveKind(k); g.m.Pass[i].Has(move) && move != grid.Air {
			g.reach[k].change(g.m, i, g.solid[i] == 0)
		}
	}
	for w, own := range g.own {
		if own != nil {
			own.change(g.base.graph(walker(w)), g.m.TileAt(i))
		}
	}
}

// Version counts the changes: a path that was found at another version is checked
// again.
func (g *Ground) Version() uint32 { return g.version }

// Blocked reports whether the team knows of an obstacle on a tile.
func (g *Ground) Blocked(i int) bool { return g.solid[i] != 0 }

// open reports whether, as far as the team knows, a unit that moves in that way may stand on the tile with that index.
func (g *Ground) open(i int, k grid.MoveKind) bool {
	return g.m.Pass[i].Has(k) && (k == grid.Air || g.solid[i] == 0)
}

// State writes or reads the ground. The connected parts and the cluster graphs are computed
// anew from the ground.
func (g *Ground) State(a *archive.Archive) {
	a.Sparse(g.solid)
	archive.List(a, &g.touched, 4, func(i *int32) { archive.Word(a, i) })
	archive.Word(a, &g.version)
	if a.Reading() {
		clear(g.reach[:])
		clear(g.own[:])
	}
}
