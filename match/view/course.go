package view

import "github.com/fogkeep/fogkeep/match/grid"

// Velocity is a velocity in 1/64 world unit per tick. Whole world units are too coarse: a unit that crosses a map on a
// straight line would need a correction every few tiles.
type Velocity struct{ X, Y int32 }

// VelocityShift is the number of bits of a velocity below one world unit.
const VelocityShift = 6

// Reckon returns where something is t ticks after it was at p with velocity v,
// on a map of w x h tiles. Server and clients share this function to the bit;
// testdata/motion.json holds both to it.
func Reckon(p grid.Pos, v Velocity, t grid.Ticks, w, h int) grid.Pos {
	return grid.Pos{X: reckon1(p.X, v.X, t, w), Y: reckon1(p.Y, v.Y, t, h)}
}

func reckon1(p, v int32, t grid.Ticks, tiles int) int32 {
	at := int64(p) + int64(v)*int64(t)>>VelocityShift
	return int32(max(0, min(at, int64(tiles)<<grid.TileShift-1)))
}

// Course is the movement of an entity, in one number that is short for the common cases. With the type's full speed it
// gives a [Velocity]:
//
//	below 256       it stands, facing that way
//	from 256        full speed, one of 4*2*2016 directions      2 bytes as a varint
//	from 16384      full speed, one of 4*2*131072 directions    3 bytes
//	from 1064960    (direction of 4*2*2016) + 16128*(pace-1),
//	                speed = full speed * pace / 64              3 bytes up to full speed
//
// A direction is a point on the rim of a square with half side K: no angles, no tables, so that every language computes
// the same integers. The fine directions are for entities with sight: their tile has to be right.
type Course uint32

// Where the forms of a course begin, and the half sides of their squares.
const (
	coarseK     = 2016
	fineK       = 131072
	coarseDirs  = 8 * coarseK
	courseFull  = 256
	courseFine  = courseFull + coarseDirs
	coursePaced = courseFine + 8*fineK
	paceOne     = 64   // pace that is full speed
	paceMax     = 4096 // 64 times full speed
)

// Stand is the course of something that stands, facing f.
func Stand(f grid.Facing) Course { return Course(f) }

// Stands reports whether c is the course of something that does not move.
func (c Course) Stands() bool { return c < courseFull }

// Facing returns where something with that course looks.
func (c Course) Facing() grid.Facing {
	if c.Stands() {
		return grid.Facing(c)
	}
	v := c.Velocity(1 << 12)
	return grid.FacingOf(grid.Vec{X: v.X, Y: v.Y})
}

// Velocity returns the velocity of course c for a type with the given full speed, in 1/64 world unit per tick.
func (c Course) Velocity(full int32) Velocity {
	switch {
	case c < courseFull:
		return Velocity{}
	case c < courseFine:
		return rim(uint32(c-courseFull), coarseK, int64(full))
	case c < coursePaced:
		return rim(uint32(c-courseFine), fineK, int64(full))
	}
	n := uint32(c - coursePaced)
	pace := min(int64(n/coarseDirs)+1, paceMax)
	return rim(n%coarseDirs, coarseK, int64(full)*pace/paceOne)
}

// rim returns the velocity of the given speed towards point dir of the rim of
// a square with half side k.
func rim(dir uint32, k, speed int64) Velocity {
	u := int64(dir)%(2*k) - k
	n := int64(grid.Sqrt(uint64(256 * (k*k + u*u))))
	var x, y int64
	switch int64(dir) / (2 * k) {
	case 0:
		x, y = k, u
	case 1:
		x, y = -u, k
	case 2:
		x, y = -k, -u
	default:
		x, y = u, -k
	}
	return Velocity{int32(16 * x * speed / n), int32(16 * y * speed / n)}
}

// CourseOf returns the course nearest to velocity v of something with the
// given full speed; f is where it looks if it stands. fine asks for the finer
// directions.
func CourseOf(v Velocity, full int32, f grid.Facing, fine bool) Course {
	if v == (Velocity{}) || full <= 0 {
		return Stand(f)
	}
	speed := int64(grid.Sqrt(uint64(int64(v.X)*int64(v.X) + int64(v.Y)*int64(v.Y))))
	pace := max(1, min((speed*paceOne+int64(full)/2)/int64(full), paceMax))
	switch {
	case pace != paceOne:
		return coursePaced + Course((pace-1)*coarseDirs) + Course(rimOf(v, coarseK))
	case fine:
		return courseFine + Course(rimOf(v, fineK))
	}
	return courseFull + Course(rimOf(v, coarseK))
}

// rimOf is the inverse of rim: the point of the square's rim nearest to the
// direction of v, which is not zero.
func rimOf(v Velocity, k int64) uint32 {
	x, y := int64(v.X), int64(v.Y)
	var face, num, den int64
	switch ax, ay := max(x, -x), max(y, -y); {
	case ax >= ay && x > 0:
		face, num, den = 0, y, x
	case ax >= ay:
		face, num, den = 2, -y, -x
	case y > 0:
		face, num, den = 1, -x, y
	default:
		face, num, den = 3, x, -y
	}
	// num/den is in [-1, 1]; u is k times that, rounded to the nearest.
	u := (2*k*num + den + 2*k*den) / (2 * den) // + k, so that the division is of positives
	if u >= 2*k {
		face, u = (face+1)&3, 0
	}
	return uint32(face*2*k + u)
}

// Cells: a place on the wire that need not be exact is a cell of 64 world
// units, 16 to a tile side, and stands for its middle.
const (
	cellShift   = 6
	cellsATile  = 1 << (grid.TileShift - cellShift)
	cellMiddle  = 1 << (cellShift - 1)
	FineMiddle  = cellMiddle<<cellShift | cellMiddle
	FineNumbers = 1 << (2 * cellShift)
)

// cellOf returns the number of the cell that p lies in, on a map w tiles wide.
func cellOf(p grid.Pos, w int) uint32 {
	return uint32(p.Y>>cellShift)*uint32(cellsATile*w) + uint32(p.X>>cellShift)
}

// CellCorner returns the position of a cell's corner.
func CellCorner(cell uint32, w int) grid.Pos {
	row := uint32(cellsATile * w)
	return grid.Pos{X: int32(cell%row) << cellShift, Y: int32(cell/row) << cellShift}
}

// fineOf returns where in its cell p lies.
func fineOf(p grid.Pos) uint32 {
	const mask = 1<<cellShift - 1
	return uint32(p.X&mask)<<cellShift | uint32(p.Y&mask)
}

// InCell returns the position at place fine of the cell with that corner.
func InCell(corner grid.Pos, fine uint32) grid.Pos {
	return corner.Add(grid.Vec{X: int32(fine >> cellShift), Y: int32(fine & (1<<cellShift - 1))})
}

// middleOf returns the middle of p's cell.
func middleOf(p grid.Pos) grid.Pos {
	const mask = 1<<cellShift - 1
	return grid.Pos{X: p.X&^mask | cellMiddle, Y: p.Y&^mask | cellMiddle}
}

// Place is the position of an entity, relative to the position by its old course, in one number that is short for the
// common cases:
//
//	below 121      whole cells, -5 to 5 each way       1 byte as a varint
//	below 16250    world units, -63 to 63 each way     2 bytes
//	below 277371   world units, -255 to 255 each way   3 bytes
//	else           the number of the cell it is in
type Place uint32

const (
	nearCells  = 5
	nearUnits  = 63
	farUnits   = 255
	placeNear  = (2*nearCells + 1) * (2*nearCells + 1)
	placeFar   = placeNear + (2*nearUnits+1)*(2*nearUnits+1)
	placeCell  = placeFar + (2*farUnits+1)*(2*farUnits+1)
	cellNumMax = (cellsATile*grid.MapSideMax)*(cellsATile*grid.MapSideMax) - 1
)

// placeOf returns the shortest place that moves an entity from old, by its old course, to at, and the position that
// clients then have: some point less than a cell away, on the tile of at if exact, or at itself if finely.
func placeOf(old, at grid.Pos, exact, finely bool, w, h int) (Place, grid.Pos) {
	d := at.Sub(old)
	if !finely {
		cx, cy := roundShift(d.X), roundShift(d.Y)
		q := old.Add(grid.Vec{X: cx << cellShift, Y: cy << cellShift})
		onMap := q.X >= 0 && q.Y >= 0 && q.X < int32(w)<<grid.TileShift && q.Y < int32(h)<<grid.TileShift
		if within(cx, cy, nearCells) && onMap && (!exact || q.Tile() == at.Tile()) {
			return pair(cx, cy, nearCells), q
		}
	}
	switch {
	case exact && within(d.X, d.Y, nearUnits):
		return placeNear + pair(d.X, d.Y, nearUnits), at
	case exact && within(d.X, d.Y, farUnits):
		return placeFar + pair(d.X, d.Y, farUnits), at
	case !finely: // all of a cell is on one tile
		return placeCell + Place(cellOf(at, w)), middleOf(at)
	}
	return placeCell + Place(cellOf(at, w)), at
}

func within(x, y, n int32) bool { return x >= -n && x <= n && y >= -n && y <= n }

func pair(x, y, n int32) Place { return Place((x+n)*(2*n+1) + y + n) }

func roundShift(n int32) int32 { return (n + cellMiddle) >> cellShift }

// from returns the position that place p means when the old course gives old;
// corner reports that it is the corner of a cell, to be refined.
func (p Place) From(old grid.Pos, w int) (at grid.Pos, corner bool) {
	switch {
	case p < placeNear:
		v := unpair(p, nearCells)
		return old.Add(grid.Vec{X: v.X << cellShift, Y: v.Y << cellShift}), false
	case p < placeFar:
		return old.Add(unpair(p-placeNear, nearUnits)), false
	case p < placeCell:
		return old.Add(unpair(p-placeFar, farUnits)), false
	}
	return CellCorner(uint32(p-placeCell), w), true
}

func unpair(p Place, n int32) grid.Vec {
	side := 2*n + 1
	return grid.Vec{X: int32(p)/side - n, Y: int32(p)%side - n}
}
