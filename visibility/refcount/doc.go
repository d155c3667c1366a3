// Package refcount keeps what teams see the way most engines do: a counter a
// tile and team, of the sources that see it.
//
//	Add, Move, Remove ──► counters ──► 0 to 1 is shown, 1 to 0 is hidden
//
// It is the baseline that package visibility is measured against, and a second
// witness in its tests. It is written as well as the engines' own: counters of
// 16 bits, team by team in one piece; circles as spans of rows; and a source
// that moves touches only the strips in which its old and its new circle differ
// (as 0 A.D.'s CCmpRangeManager does), not the whole of both. It knows circles
// alone, no terrain: that is where counting is at its best.
//
// One goroutine owns a Counter. Nothing here knows time.
package refcount
