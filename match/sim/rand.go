package sim

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// purpose keeps draws for different ends apart.
type purpose uint8

const (
	drawTurn    purpose = iota + 1 // which slot moves first this tick
	drawTarget                     // between equal targets
	drawSide                       // which side an obstacle is passed on
	drawMode                       // for the script of a mode
	drawUnit                       // for the script of an ability or effect
	drawScatter                    // of a contact that is jammed
)

// draw returns 64 random bits. They are a pure function of the match's seed, the tick, a
// slot, that slot's own counter and a purpose. No state is shared between draws. So an
// event out of sight changes no other draw. The mixing is SplitMix64's (Steele, Lea, Flood,
// "Fast splittable pseudorandom number generators", 2014), once for each word.
func (w *World) draw(s grid.Slot, counter uint32, p purpose) uint64 {
	x := mix(w.seed + uint64(w.tick)*0x9E3779B97F4A7C15)
	return mix(x ^ (uint64(s)<<40 | uint64(p)<<32 | uint64(counter)))
}

func mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// below maps 64 random bits to 0..n-1.
func below(r uint64, n int) int {
	hi, _ := bits.Mul64(r, uint64(n))
	return int(hi)
}
