package client

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// bitRows is a bit a tile, row by row: bit x%64 of word y*stride + x/64.
type bitRows struct {
	stride int // words a row
	words  []uint64
}

func newBitRows(w, h int) bitRows {
	stride := (w + 63) / 64
	return bitRows{stride, make([]uint64, stride*h)}
}

func (r *bitRows) has(t grid.Tile) bool {
	return r.words[int(t.Y)*r.stride+int(t.X)>>6]>>(t.X&63)&1 != 0
}

func (r *bitRows) row(y int) []uint64 { return r.words[y*r.stride : (y+1)*r.stride] }

// block returns the 8x8 tiles from x, y, multiples of 8, on a map h tiles high.
func (r *bitRows) block(x, y, h int) uint64 {
	out := uint64(0)
	for i := range min(8, h-y) {
		out |= (r.words[(y+i)*r.stride+x>>6] >> (x & 63) & 0xFF) << (8 * i)
	}
	return out
}

// maskHash hashes a mask as [visibility.Mask.Hash] does, whose documentation gives the rule. It works from the client's
// state and shares no code with the engine.
func maskHash(m *bitRows, w, h int) uint32 {
	sum, i := uint32(0), uint32(0)
	for y := 0; y < h; y += 8 {
		for x := 0; x < w; x += 8 {
			b := m.block(x, y, h)
			sum += scatter(2*i, uint32(b)) + scatter(2*i+1, uint32(b>>32))
			i++
		}
	}
	return sum
}

func scatter(place, half uint32) uint32 {
	if half == 0 {
		return 0
	}
	h := half*0xCC9E2D51 ^ place*0x9E3779B1
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// setRuns writes a row that was sent as runs.
func setRuns(words []uint64, runs []uint32, w int) error {
	clear(words)
	x, lit := 0, false
	for _, n := range runs {
		if n > uint32(w-x) {
			return fmt.Errorf("runs of more than %d tiles", w)
		}
		for end := x + int(n); x < end; x++ {
			if lit {
				words[x>>6] |= 1 << (x & 63)
			}
		}
		lit = !lit
	}
	return nil
}
