package grid

import (
	"fmt"
	"iter"
	"math/bits"
)

// World units: fixed point, no floats. A tile is WUPerTile world units wide.
const (
	TileShift = 10
	WUPerTile = 1 << TileShift
)

// The smallest and largest side of a map, in tiles.
const (
	MapSideMin = 16
	MapSideMax = 1024
)

// Tile is one cell of the map, X to the east and Y to the south.
type Tile struct{ X, Y int16 }

func (t Tile) String() string { return fmt.Sprintf("tile %d,%d", t.X, t.Y) }

// Center returns the position at the middle of the tile.
func (t Tile) Center() Pos {
	return Pos{int32(t.X)<<TileShift + WUPerTile/2, int32(t.Y)<<TileShift + WUPerTile/2}
}

// Dist2 returns the squared distance between the centres of two tiles, in
// squared tiles.
func (t Tile) Dist2(u Tile) int32 {
	dx, dy := int32(t.X)-int32(u.X), int32(t.Y)-int32(u.Y)
	return dx*dx + dy*dy
}

// Ring yields the tiles of the square at distance n around t, row by row.
func (t Tile) Ring(n int16) iter.Seq[Tile] {
	return func(yield func(Tile) bool) {
		for dy := -n; dy <= n; dy++ {
			step := max(1, 2*n) // the top and bottom rows whole, of the others both ends
			if dy == -n || dy == n {
				step = 1
			}
			for dx := -n; dx <= n; dx += step {
				if !yield(Tile{t.X + dx, t.Y + dy}) {
					return
				}
			}
		}
	}
}

// Pos is a point on the map in world units.
type Pos struct{ X, Y int32 }

func (p Pos) String() string { return fmt.Sprintf("pos %d,%d", p.X, p.Y) }

// Tile returns the tile the position lies on.
func (p Pos) Tile() Tile { return Tile{int16(p.X >> TileShift), int16(p.Y >> TileShift)} }

// Add returns p moved by v.
func (p Pos) Add(v Vec) Pos { return Pos{p.X + v.X, p.Y + v.Y} }

// Sub returns the vector that leads from q to p.
func (p Pos) Sub(q Pos) Vec { return Vec{p.X - q.X, p.Y - q.Y} }

// Vec is a difference of two positions, in world units.
type Vec struct{ X, Y int32 }

// Dist is a length in world units.
type Dist int32

// Tiles returns n tiles as a length.
func Tiles(n int32) Dist { return Dist(n << TileShift) }

// Len2 returns the squared length, in squared world units. It widens first: a
// map's diagonal squared does not fit 32 bits.
func (v Vec) Len2() int64 { return int64(v.X)*int64(v.X) + int64(v.Y)*int64(v.Y) }

// Len returns the length, rounded down.
func (v Vec) Len() Dist { return Dist(Sqrt(uint64(v.Len2()))) }

// Add returns the sum of two vectors.
func (v Vec) Add(u Vec) Vec { return Vec{v.X + u.X, v.Y + u.Y} }

// Scale returns v stretched to length n, each part truncated towards zero. The
// zero vector stays zero.
func (v Vec) Scale(n Dist) Vec {
	l := int64(v.Len())
	if l == 0 {
		return Vec{}
	}
	return Vec{int32(int64(v.X) * int64(n) / l), int32(int64(v.Y) * int64(n) / l)}
}

// Within reports whether p and q are at most d apart.
func (p Pos) Within(q Pos, d Dist) bool { return p.Sub(q).Len2() <= int64(d)*int64(d) }

// Sqrt returns the square root of n, rounded down, by Newton's method on integers. The
// first guess is one Newton step from the nearest power of two below. It takes no
// division and is at most 6 percent above the root. Each further step squares the
// error and stays above the root. So two steps end within one of roots up to 2^16,
// and three of roots up to 2^32.
func Sqrt(n uint64) uint64 {
	if n < 4 {
		return (n + 2) / 3 // 0, 1, 1, 1
	}
	b := bits.Len64(n)
	x := (1<<(b/2)+n>>(b/2))/2 + 1
	x = (x + n/x) / 2
	x = (x + n/x) / 2
	if b > 32 {
		x = (x + n/x) / 2
	}
	for x>>32 != 0 || x*x > n {
		x--
	}
	return x
}

// Facing is a direction, 256 to a full turn: 0 looks east (+X), 64 south (+Y),
// 128 west, 192 north.
type Facing uint8

// FacingOf returns the direction of v, rounded to the nearest of the 256. The
// zero vector faces east. It is exact octant arithmetic with a small table of
// arctangents, so every machine agrees.
func FacingOf(v Vec) Facing {
	if v.X == 0 && v.Y == 0 {
		return 0
	}
	ax, ay := max(int64(v.X), -int64(v.X)), max(int64(v.Y), -int64(v.Y))
	var f int
	if ay <= ax {
		f = atan32(ay, ax)
	} else {
		f = 64 - atan32(ax, ay)
	}
	if v.X < 0 {
		f = 128 - f
	}
	if v.Y < 0 {
		f = -f
	}
	return Facing(f & 0xFF)
}

// tanHalf[i] is tan of the border between facing i and i+1 of the first
// octant, that is of (i+1/2)/256 of a turn, times 65536, rounded.
var tanHalf = [32]int64{
	804, 2414, 4026, 5644, 7268, 8901, 10545, 12202,
	13874, 15564, 17273, 19005, 20762, 22546, 24360, 26208,
	28093, 30018, 31986, 34002, 36071, 38196, 40382, 42636,
	44963, 47369, 49863, 52451, 55144, 57950, 60880, 63947,
}

// atan32 returns atan(num/den) in 256ths of a turn, 0 to 32, for num <= den.
func atan32(num, den int64) int {
	t := num << 16 / den
	i := 0
	for i < 32 && t >= tanHalf[i] {
		i++
	}
	return i
}

// Turn returns the facing after turning from f towards to by at most step.
func (f Facing) Turn(to Facing, step uint8) Facing {
	s := int(step)
	return f + Facing(max(-s, min(s, int(int8(to-f)))))
}
