package mapgen

import "github.com/fogkeep/fogkeep/match/grid"

// point is a place in half tiles from the map's centre; a tile's middle has odd
// coordinates on maps of even size. Symmetry operations are exact on it.
type point struct{ u, v int }

// symmetry is a group of operations, as rows of 2x2 matrices.
type symmetry [][4]int

var (
	// halfTurn makes 2 seats.
	halfTurn = symmetry{{1, 0, 0, 1}, {-1, 0, 0, -1}}
	// quarterTurns make 4.
	quarterTurns = symmetry{{1, 0, 0, 1}, {0, -1, 1, 0}, {-1, 0, 0, -1}, {0, 1, -1, 0}}
	// square is the whole symmetry of the square: quarter turns and mirrors, 8.
	square = symmetry{
		{1, 0, 0, 1}, {0, 1, 1, 0}, {0, -1, 1, 0}, {-1, 0, 0, 1},
		{-1, 0, 0, -1}, {0, -1, -1, 0}, {0, 1, -1, 0}, {1, 0, 0, -1},
	}
)

func apply(g [4]int, p point) point {
	return point{g[0]*p.u + g[1]*p.v, g[2]*p.u + g[3]*p.v}
}

// shape says how deep inside itself a point is, in half tiles: negative
// outside.
type shape func(p point) int

func disc(u, v, r int) shape {
	return func(p point) int { return r - dist(point{p.u - u, p.v - v}) }
}

// line is everything within r of the path through the points.
func line(r int, path ...point) shape {
	return func(p point) int {
		best := 1 << 20
		for i := 1; i < len(path); i++ {
			d, _ := toSegment(p, path[i-1], path[i])
			best = min(best, d)
		}
		return r - best
	}
}

// ring is everything between two circles.
func ring(u, v, inner, outer int) shape {
	return func(p point) int {
		d := dist(point{p.u - u, p.v - v})
		return min(d-inner, outer-d)
	}
}

func dist(p point) int { return int(grid.Sqrt(uint64(p.u*p.u + p.v*p.v))) }

// toSegment returns the distance from p to the segment a-b, and how far along
// it the nearest point lies, in 1/256.
func toSegment(p, a, b point) (d, along int) {
	du, dv := b.u-a.u, b.v-a.v
	along = max(0, min(256, ((p.u-a.u)*du+(p.v-a.v)*dv)*256/max(1, du*du+dv*dv)))
	return dist(point{p.u - a.u - du*along/256, p.v - a.v - dv*along/256}), along
}

// noise is value noise: a hash at the corners of cells of size half tiles,
// blended in between. It returns -256 to 256.
func noise(p point, size int, seed uint32) int {
	cu, cv := floorDiv(p.u, size), floorDiv(p.v, size)
	fu, fv := ease((p.u-cu*size)*256/size), ease((p.v-cv*size)*256/size)
	at := func(u, v int) int { return int(hash(uint32(u), uint32(v), seed)>>23) - 256 }
	top := at(cu, cv)*(256-fu) + at(cu+1, cv)*fu
	bottom := at(cu, cv+1)*(256-fu) + at(cu+1, cv+1)*fu
	return (top*(256-fv) + bottom*fv) / (256 * 256)
}

// ease is the cubic 3t²-2t³ on 0..256.
func ease(t int) int { return t * t * (3*256 - 2*t) / (256 * 256) }

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// hash mixes three numbers (MurmurHash3's finalizer).
func hash(x, y, seed uint32) uint32 {
	h := x*0x9e3779b1 + y*0x85ebca77 + seed*0x27d4eb2f
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}
