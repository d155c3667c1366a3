package grid

// Axis is one axis of a foreign map's space, for importers: Dim units long,
// centred on Center, cut into Tiles cells. The core's own space needs none of
// this (a shift does it); everything that comes from another space goes
// through here and nowhere else. |Center|, Dim and positions must stay below
// 2^50 and Tiles at or below [MapSideMax], so that no product overflows.
type Axis struct {
	Center int64 // the foreign coordinate of the axis' middle
	Dim    int64 // its length in the foreign space's units, above 0
	Tiles  int   // how many tiles that length has, above 0
}

// Tile returns the tile a foreign coordinate lies on,
//
//	floor(((pos - Center) / Dim + 0.5) * Tiles)
//
// in integers. It is below 0 or at least Tiles when pos is off the map.
func (a Axis) Tile(pos int64) int64 {
	return floorDiv((2*(pos-a.Center)+a.Dim)*int64(a.Tiles), 2*a.Dim)
}

// Pos is the inverse of [Axis.Tile]: the lowest coordinate that lies on the
// tile. Where a tile is at least one unit wide, Tile(Pos(t)) == t.
func (a Axis) Pos(tile int64) int64 {
	n := 2 * int64(a.Tiles)
	return a.Center - floorDiv(a.Dim*int64(a.Tiles)-2*tile*a.Dim, n)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
