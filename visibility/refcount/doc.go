// Package refcount keeps what teams see in the way of most engines: one counter
// for each tile and team, of the sources that see the tile.
//
//	Add, Move, Remove ──► counters ──► 0 to 1 is shown, 1 to 0 is hidden
//
// Package visibility is measured against it, and its tests compare with it. It
// is as well written as the counters of real engines: counters of 16 bits, the
// counters of a team side by side, circles as spans of rows. A source that moves
// touches only the strips in which its old and its new circle differ (as 0
// A.D.'s CCmpRangeManager does). It has circles only and no terrain, where
// counting is at its best.
//
// One goroutine owns a Counter. Nothing here depends on time.
package refcount
