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
// It is run by hand (fogkeep map generate); the maps it draws are committed, and
// a test proves that they are what it draws. It is a tool for one goroutine and
// no part of a running server. Everything is integer arithmetic on a hash, so a
// recipe gives the same map on every machine; symmetry is exact, because each
// quantity is a function of the set of a tile's images and not of the tile.
package mapgen
