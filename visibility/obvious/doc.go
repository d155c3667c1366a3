// Package obvious is the rule of sight written the plain way, tile by tile.
//
//	Field (levels, opaque tiles) + Sources ──► Scan ──► one bool a tile
//
// It exists to judge the fast engine in tests and to be measured against it:
// nothing here is clever, nothing is kept from one call to the next, and it
// shares no code with package visibility, only the types of the grid. Read it
// to learn the rule.
//
// Any goroutine may call it: it keeps nothing. It never looks at teams or time;
// callers pass the sources that count.
package obvious
