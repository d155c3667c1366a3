// Package obvious is the rule of sight in plain code, tile by tile.
//
//	Field (levels, opaque tiles) + Sources ──► Scan ──► one bool a tile
//
// Tests compare the fast engine with it, and benchmarks measure against it. It
// is simple on purpose: it keeps nothing from one call to the next, and shares
// no code with package visibility except the types of the grid. Read it to learn
// the rule.
//
// Any goroutine may call it. It knows neither teams nor time: callers pass the
// sources that count.
package obvious
