// Package grid is the vocabulary of fogkeep: ids, ticks, tiles, positions and
// the map, and nothing that acts on them.
//
//	            bytes ──► Unmarshal ──┐
//	                                  ▼
//	mapfile (.tmj, .tmx, wz) ──►  grid.Map  ──► visibility, orders, match/sim, minimap
//	                                  │
//	            bytes ◄── Marshal ◄───┘   (the public map, named by Hash)
//
// Everything here is a value or is read-only once built, so any goroutine may
// use it. The package is part of the pure core: it opens nothing, starts
// nothing, reads no clock and holds no floating-point number, because the same
// inputs have to give the same bits on every machine.
//
// Two spaces exist and the type says which: a [Tile] is a cell of the map, a
// [Pos] is a point in world units (WU), [WUPerTile] of them to a tile. The
// origin of both is the map's corner, so a position's tile is a shift away.
// A function that takes one never takes the other.
package grid
