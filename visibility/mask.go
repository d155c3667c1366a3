package visibility

import (
	"iter"
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Change holds the changes of the last step in one block of 8x8 tiles of a team's mask. Bit
// 8*row+column of a word is the tile that many rows and columns from X, Y. Bits of tiles
// off the map are never set.
type Change struct {
	X, Y     int16  // north-western tile of the block
	Shown    uint64 // tiles that turned visible
	Hidden   uint64 // tiles that turned hidden
	Explored uint64 // tiles of Shown that were never seen before

	Visible uint64 // the block as it is now: tiles that are visible
	Known   uint64 // tiles that are explored
}

// Changes yields the changes of the last step in the team's mask, block by block, row by
// row. After [Restore] it yields no changes until the next step.
func (e *Engine) Changes(t grid.Team) iter.Seq[Change] {
	return func(yield func(Change) bool) { e.eachChange(t, yield) }
}

// eachChange does the work of [Engine.Changes]. The iterators themselves are short enough
// to be inlined, so that a range over one does not allocate.
func (e *Engine) eachChange(t grid.Team, yield func(Change) bool) {
	e.mustTeam(t)
	team := &e.teams[t]
	gains := team.gains
	e.eachChanged(team, func(at, bx, by int) bool {
		now, was := team.now[at], team.prev[at]
		c := Change{
			X: int16(bx << 3), Y: int16(by << 3), Shown: now &^ was, Hidden: was &^ now,
			Visible: now, Known: team.explored[at],
		}
		if len(gains) > 0 && int(gains[0].at) == at {
			c.Explored, gains = gains[0].tiles, gains[1:]
		}
		return yield(c)
	})
}

// Shown yields the tiles that turned visible to the team in the last step.
func (e *Engine) Shown(t grid.Team) iter.Seq[grid.Tile] {
	return func(yield func(grid.Tile) bool) { e.eachTurned(t, true, yield) }
}

// Hidden yields the tiles that turned hidden from the team in the last step.
func (e *Engine) Hidden(t grid.Team) iter.Seq[grid.Tile] {
	return func(yield func(grid.Tile) bool) { e.eachTurned(t, false, yield) }
}

func (e *Engine) eachTurned(t grid.Team, shown bool, yield func(grid.Tile) bool) {
	for c := range e.Changes(t) {
		tiles := c.Hidden
		if shown {
			tiles = c.Shown
		}
		if !eachTile(c.X, c.Y, tiles, yield) {
			return
		}
	}
}

func eachTile(x, y int16, tiles uint64, yield func(grid.Tile) bool) bool {
	for ; tiles != 0; tiles &= tiles - 1 {
		k := bits.TrailingZeros64(tiles)
		if !yield(grid.Tile{X: x + int16(k&7), Y: y + int16(k>>3)}) {
			return false
		}
	}
	return true
}

// Layer is one of the sets of tiles that the engine keeps for a team.
type Layer uint8

// The layers.
const (
	VisibleNow Layer = iota // seen as of the last step
	ExploredEver
	DetectedNow // seen, cloaked units too
)

// Mask gives read access to one layer of one team, or of the union of several
// teams, as spectators need it. It is not a copy: it shows later steps too.
type Mask struct {
	e     *Engine
	layer Layer
	teams grid.TeamSet
}

// Mask returns a layer of a team's mask.
func (e *Engine) Mask(l Layer, t grid.Team) Mask {
	e.mustTeam(t)
	return Mask{e, l, grid.TeamSet(0).With(t)}
}

// Union returns the tiles that at least one of the teams sees, has explored or detects. A spectator with the eyes of
// several teams sees this union. Teams that the engine does not have count as blind.
func (e *Engine) Union(l Layer, teams grid.TeamSet) Mask {
	return Mask{e, l, teams & (1<<len(e.teams) - 1)}
}

// Size returns the size of the mask in tiles.
func (m Mask) Size() (w, h int) { return m.e.w, m.e.h }

// Has reports whether the tile is in the mask. Tiles off the map are not.
func (m Mask) Has(at grid.Tile) bool {
	return m.e.in(at) && m.block(int(at.X)>>3, int(at.Y)>>3)>>bit(at)&1 != 0
}

// Block returns the 8x8 tiles that at lies in: bit 8*row+column.
func (m Mask) Block(at grid.Tile) uint64 {
	if !m.e.in(at) {
		return 0
	}
	return m.block(int(at.X)>>3, int(at.Y)>>3)
}

func (m Mask) block(bx, by int) uint64 {
	at := m.e.draw.place(bx, by)
	w := uint64(0)
	for left := m.teams; left != 0; left &= left - 1 {
		team := &m.e.teams[bits.TrailingZeros16(uint16(left))]
		switch m.layer {
		case VisibleNow:
			w |= team.now[at]
		case ExploredEver:
			w |= team.explored[at]
		case DetectedNow:
			if team.detected != nil {
				w |= team.detected[at]
			}
		}
	}
	return w
}

// AppendRow appends row y to b: a bit a tile, the western tile of each eight in
// the low bit, (width+7)/8 bytes, unused bits 0.
func (m Mask) AppendRow(b []byte, y int) []byte {
	for bx := range m.e.draw.mapW {
		b = append(b, byte(m.block(bx, y>>3)>>(y&7<<3)))
	}
	return b
}

// Tiles yields the tiles of the mask, block by block.
func (m Mask) Tiles() iter.Seq[grid.Tile] {
	return func(yield func(grid.Tile) bool) { m.eachTile(yield) }
}

func (m Mask) eachTile(yield func(grid.Tile) bool) {
	for by := range m.e.draw.mapH {
		for bx := range m.e.draw.mapW {
			if !eachTile(int16(bx<<3), int16(by<<3), m.block(bx, by), yield) {
				return
			}
		}
	}
}

// Count returns the number of tiles in the mask.
func (m Mask) Count() int {
	n := 0
	for by := range m.e.draw.mapH {
		for bx := range m.e.draw.mapW {
			n += bits.OnesCount64(m.block(bx, by))
		}
	}
	return n
}

// Hash returns a hash of the mask, to compare a client's copy with the server's.
// It finds mistakes; it is not made against forgery. It is the sum, modulo 2^32,
// of a hash of index and content of each half block that is not empty. Block i,
// counted row by row, has halves 2*i (its upper four rows) and 2*i+1. All
// arithmetic has 32 bits, so that JavaScript's Math.imul gives the same.
func (m Mask) Hash() uint32 {
	sum := uint32(0)
	for by := range m.e.draw.mapH {
		for bx := range m.e.draw.mapW {
			if w := m.block(bx, by); w != 0 {
				i := uint32(by*m.e.draw.mapW+bx) * 2
				sum += mixHalf(i, uint32(w)) + mixHalf(i+1, uint32(w>>32))
			}
		}
	}
	return sum
}

// mixHalf hashes half a block with its index. It is the 32-bit finisher of
// MurmurHash3 (Austin Appleby, public domain), with its constants.
func mixHalf(place, half uint32) uint32 {
	if half == 0 {
		return 0
	}
	h := half*0xCC9E2D51 ^ place*0x9E3779B1
	h ^= h >> 16
	h *= 0x85EBCA6B
	h ^= h >> 13
	h *= 0xC2B2AE35
	return h ^ h>>16
}

// Hash returns one hash for the team's visible and explored tiles: the joined
// hashes of both masks.
func (e *Engine) Hash(t grid.Team) uint32 {
	return JoinHashes(e.Mask(VisibleNow, t).Hash(), e.Mask(ExploredEver, t).Hash())
}

// JoinHashes computes [Engine.Hash] from the hashes of the visible and the
// explored mask.
func JoinHashes(visible, explored uint32) uint32 {
	return mixHalf(visible, explored^0x5BD1E995)
}
