package view

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// maskRows is the mask as of the last update, and the tick of each row's last change.
// It comes in blocks and is kept in blocks; rows are read from it when a client
// needs them, which is seldom.
type maskRows struct {
	across                int         // blocks in a row of the map
	visible, explored     []uint64    // by block, row by row
	visibleAt, exploredAt []grid.Tick // by row of tiles; 0: dark since ever

	// A client that derives the mask at beats misses tiles that were explored between two beats and are out of sight at
	// the second.
	passing  []passing
	passedAt []grid.Tick // by row of tiles: the last beat at which it had such tiles
}

// passing has a block's tiles that were explored since the last beat.
type passing struct {
	block int
	y     int16
	tiles uint64
}

func newMaskRows(w, h int) maskRows {
	across, down := (w+7)/8, (h+7)/8
	return maskRows{
		across: across, visible: make([]uint64, across*down), explored: make([]uint64, across*down),
		visibleAt: make([]grid.Tick, h), exploredAt: make([]grid.Tick, h), passedAt: make([]grid.Tick, h),
	}
}

func (m *maskRows) update(blocks []Block, now grid.Tick, isBeat bool) {
	for i := range blocks {
		b := &blocks[i]
		at := int(b.Y)>>3*m.across + int(b.X)>>3
		if was := m.visible[at]; was != b.Visible {
			m.visible[at] = b.Visible
			noteRows(m.visibleAt[b.Y:], was^b.Visible, now)
		}
		if was := m.explored[at]; was != b.Explored {
			m.explored[at] = b.Explored
			noteRows(m.exploredAt[b.Y:], was^b.Explored, now)
			if !isBeat {
				m.passing = append(m.passing, passing{at, b.Y, was ^ b.Explored})
			}
		}
	}
	if isBeat {
		for _, p := range m.passing {
			noteRows(m.passedAt[p.y:], p.tiles&^m.visible[p.block], now)
		}
		m.passing = m.passing[:0]
	}
}

// noteRows notes the tick for the rows of a block that have a tile in it.
func noteRows(at []grid.Tick, tiles uint64, now grid.Tick) {
	for tiles != 0 {
		row := bits.TrailingZeros64(tiles) >> 3
		at[row] = now
		tiles &^= 0xFF << (8 * row)
	}
}

// runs returns the runs of tiles of row y of a mask: dark, lit, dark, …; the tiles after the last run are dark. It
// returns at least one run.
func (m *maskRows) runs(mask []uint64, y, w int) []uint32 {
	out := []uint32{}
	lit, from := false, 0
	for x := range w {
		if on := mask[y>>3*m.across+x>>3]>>(y&7<<3|x&7)&1 != 0; on != lit {
			out = append(out, uint32(x-from))
			lit, from = on, x
		}
	}
	if lit || len(out) == 0 {
		out = append(out, uint32(w-from))
	}
	return out
}
