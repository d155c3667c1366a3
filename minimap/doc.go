// Package minimap draws a match from above in three layers: landscape, fog,
// units.
//
//	grid.Map ──► NewLandscape ──┐  (once a map and scale)
//	                            ▼
//	[]Sight (a byte a tile) ──► Draw ──► *image.Paletted ──► Encode ──► PNG
//	[]Mark  (plain points)  ──►
//
// A [Landscape] is read-only once it is made, and its Draw allocates its own picture. So any goroutine may draw. A
// [Picture] is for repeated drawings of one match: it keeps the layers, draws each only when it changed, and has one
// owner. The package is part of the pure core: it does no I/O, reads no clock and calculates in integers.
//
// It has no access to a world, a mask or a view. It draws the plain lists that the caller passes: for a team's eyes
// that team's knowledge, for an admin everything.
//
// All pictures have one palette of 256 colours: each ground in twelve shades of
// light, the same ground as it is remembered (darker, greyer, colder), the dark
// of unexplored tiles, and two shades for each of sixteen players. So the fog is
// a table lookup for each pixel, and a picture of 256 by 256 tiles is compressed
// in a fraction of a millisecond.
package minimap
