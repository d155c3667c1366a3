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
	solid   []uint8               // a tile's contents as the team knows them
	met     []int32               // tiles with that bit, in the order they were met
	version uint32                // counts changes
	reach   [grid.MoveKinds]reach // the connected parts; derived
	graphs  [walkers]*ownGraph    // of the cluster graphs; derived
}

// The contents of a tile, beside the map's ground.
const (
	Shut    uint8 = 1 << iota // a structure is in the way
	touched                   // something unseen was in the way
	Gap                       // no ground unit crosses: a bridge is missing or raised
	Stands                    // a structure stands there that units cross; no other can be built
	Dry                       // no ship crosses: the water there is low
)

// Closes reports whether a tile with these contents stops units that move in that way.
func Closes(contents uint8, k grid.MoveKind) bool { return contents&closing[k] != 0 }

var closing = [grid.MoveKinds]uint8{grid.Ground: Shut | touched | Gap, grid.Hover: Shut | touched, grid.Naval: Shut | touched | Dry, grid.Air: Shut | touched}

// NewGround returns the ground of a team that knows the map alone.
func NewGround(b *Base) Ground {
	return Ground{m: b.m, base: b, solid: make([]uint8, b.m.W*b.m.H)}
}

// Set notes the contents of a tile that the team sees. It reports whether that opened or closed the tile for some units.
func (g *Ground) Set(i int, contents uint8) bool {
	was := g.solid[i]
	g.solid[i] = was&touched | contents
	return g.moved(i, was)
}

// moved reports whether a tile was opened or closed, and updates the derived data.
func (g *Ground) moved(i int, was uint8) bool {
	now := g.solid[i]
	for k := grid.Ground; k < grid.Air; k++ {
		if Closes(was, k) != Closes(now, k) {
			g.changed(i)
			return true
		}
	}
	return false
}

// Touch notes that something unseen is in the way on a tile. It reports whether
// that is new.
func (g *Ground) Touch(i int) bool {
	if g.solid[i]&^(Stands|Dry) != 0 {
		return false
	}
	g.solid[i] |= touched
	g.met = append(g.met, int32(i))
	g.changed(i)
	return true
}

// ForgetTouched forgets touched obstacles on the tiles that are visible now: sight is more
// reliable. It calls opened for each tile that this opens.
func (g *Ground) ForgetTouched(visible func(grid.Tile) bool, opened func(i int)) {
	kept := g.met[:0]
	for _, i := range g.met {
		if !visible(g.m.TileAt(int(i))) {
			kept = append(kept, i)
			continue
		}
		was := g.solid[i]
		g.solid[i] &^= touched
		if g.moved(int(i), was) {
			opened(int(i))
		}
	}
	g.met = kept
}

// changed updates the derived data after a tile was opened or closed.
func (g *Ground) changed(i int) {
	g.version++
	for k := range g.reach {
		if move := grid.MoveKind(k); g.m.Pass[i].Has(move) && move != grid.Air {
			g.reach[k].change(g.m, i, !Closes(g.solid[i], move))
		}
	}
	for w, team := range g.graphs {
		if team != nil {
			team.change(g.base.graph(walker(w)), g.m.TileAt(i))
		}
	}
}

// Version counts the changes: a path that was found at another version is checked
// again.
func (g *Ground) Version() uint32 { return g.version }

// Blocked reports whether the team knows of a structure or an obstacle on a tile: nothing can be built there.
func (g *Ground) Blocked(i int) bool { return g.solid[i] != 0 }

// Closed reports whether the team knows that a tile stops units that move in that way.
func (g *Ground) Closed(i int, k grid.MoveKind) bool { return Closes(g.solid[i], k) }

// open reports whether, as far as the team knows, a unit that moves in that way may stand on the tile with that index.
func (g *Ground) open(i int, k grid.MoveKind) bool {
	return g.m.Pass[i].Has(k) && (k == grid.Air || !Closes(g.solid[i], k))
}

// State writes or reads the ground. The connected parts and the cluster graphs are computed
// anew from the ground.
func (g *Ground) State(a *archive.Archive) {
	a.Sparse(g.solid)
	archive.List(a, &g.met, 4, func(i *int32) { archive.Word(a, i) })
	archive.Word(a, &g.version)
	if a.Reading() {
		clear(g.reach[:])
		clear(g.graphs[:])
	}
}
