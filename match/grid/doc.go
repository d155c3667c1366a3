// Package grid has the basic types of fogkeep: ids, ticks, tiles, positions and
// the map. It has no behaviour beyond them.
//
//	            bytes ──► Unmarshal ──┐
//	                                  ▼
//	mapfile (.tmj, .tmx, wz) ──►  grid.Map  ──► visibility, orders, match/sim, minimap
//	                                  │
//	            bytes ◄── Marshal ◄───┘   (the public map, named by Hash)
//
// Everything here is a value or is read-only once it is made, so any goroutine may use it.
// The package is part of the pure core: it opens no files, starts no goroutines, reads no
// clock and has no floating-point numbers, because the same inputs must give the same bits
// on every machine.
//
// There are two coordinate systems, each with its own type. A [Tile] is a cell of
// the map. A [Pos] is a point in world units (WU); a tile is [WUPerTile] units wide. Both start at the map's corner, so
// a shift turns a position into its tile. A function that takes one type does not take the other.
package grid
