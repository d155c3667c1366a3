// Package mapgen draws the maps that ship with fogkeep.
//
//	recipe (a few discs and lines of one seat's share)
//	   │  symmetry: every seat gets the same share, tile for tile
//	   ▼
//	steps: plateaus ──► water, fords ──► ramps ──► levels ──► cliffs ──► ground
//	   │
//	   ▼
//	grid.Map, checked: all starts and resource places connected by ground
//
// It is all tests: they compare the committed maps with the drawn ones, or write them
// (go test ./internal/mapgen -update). No program needs it.
//
// All arithmetic is in integers, on a hash, so a recipe gives the same map on
// every machine. The symmetry is exact: each quantity is a function of the set
// of a tile's images, not of the tile.
package mapgen
