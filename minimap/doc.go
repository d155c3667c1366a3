// Package minimap draws a match from above in three layers: landscape, fog,
// units.
//
//	grid.Map ──► NewLandscape ──┐  (once a map and scale)
//	                            ▼
//	[]Sight (a byte a tile) ──► Draw ──► *image.Paletted ──► Encode ──► PNG
//	[]Mark  (plain points)  ──►
//
// A [Landscape] is read-only once made, and Draw allocates its own picture, so
// any goroutine may draw. The package is part of the pure core: it opens
// nothing, reads no clock and calculates in integers.
//
// It never sees a world, a mask or a view. What is drawn is what the caller put
// into the plain lists: whoever draws a team's eyes passes what that team was
// told, whoever draws for an admin passes all, and nothing here could tell more
// than it was given.
//
// One palette of 256 colours serves all: each ground in twelve shades of light,
// the same ground remembered (darker, greyer, colder), the unexplored dark, and
// two shades for each of sixteen players. So the fog is a table lookup for each
// pixel, and a picture of 256 by 256 tiles costs a fraction of a millisecond to
// compress.
package minimap
