package mapfile

import (
	"math/bits"

	"github.com/fogkeep/fogkeep/match/grid"
)

// LevelSpread is the root-mean-square distance, in height units of 256 to the
// map's full range, that tiles of one level may have from that level's mean.
const LevelSpread = 10

// levelsOf groups heights into levels as the package comment says. counted
// says which tiles decide about the grouping; if none does, all do. Heights are
// scaled to 0..255 first where they exceed it.
func levelsOf(heights []int, counted func(i int) bool) []grid.Level {
	hi := 255
	for _, h := range heights {
		hi = max(hi, h)
	}
	scaled := make([]uint8, len(heights))
	var hist, all [256]int64
	any := false
	for i, h := range heights {
		s := uint8(h * 255 / hi)
		scaled[i] = s
		all[s]++
		if counted(i) {
			hist[s]++
			any = true
		}
	}
	if !any {
		hist = all
	}
	level := group(&hist)
	out := make([]grid.Level, len(heights))
	for i, s := range scaled {
		out[i] = level[s]
	}
	return out
}

// group returns the level of each height.
func group(hist *[256]int64) (level [256]grid.Level) {
	// Sums over prefixes give the squared error of any range in O(1).
	var n, sum, sq [257]int64
	for h := range 256 {
		x := int64(h)
		n[h+1] = n[h] + hist[h]
		sum[h+1] = sum[h] + hist[h]*x
		sq[h+1] = sq[h] + hist[h]*x*x
	}
	// cost is the sum of squared distances to the mean over heights [from,to),
	// rounded down. At most 2^20 tiles times 2^16: sums stay below 2^37, the
	// squared sum below 2^57.
	cost := func(from, to int) int64 {
		c := n[to] - n[from]
		if c == 0 {
			return 0
		}
		s := sum[to] - sum[from]
		hi, lo := bits.Mul64(uint64(s), uint64(s))
		mean, _ := bits.Div64(hi, lo, uint64(c)) // s*s/c <= 255*s: fits
		return sq[to] - sq[from] - int64(mean)
	}
	const maxLevels = grid.LevelsMax
	var best [maxLevels + 1][257]int64 // best[k][to]: heights [0,to) in k ranges
	var cut [maxLevels + 1][257]int    // where the last of those ranges begins
	for to := range 257 {
		best[1][to] = cost(0, to)
	}
	k := 1
	for ; best[k][256] > n[256]*LevelSpread*LevelSpread && k < maxLevels; k++ {
		for to := range 257 {
			best[k+1][to] = best[k][to]
			cut[k+1][to] = to
			for from := range to {
				if c := best[k][from] + cost(from, to); c < best[k+1][to] {
					best[k+1][to], cut[k+1][to] = c, from
				}
			}
		}
	}
	for to := 256; k >= 1; k-- {
		from := cut[k][to]
		for h := from; h < to; h++ {
			level[h] = grid.Level(k - 1)
		}
		to = from
	}
	return level
}
