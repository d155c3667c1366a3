// Package visibility decides, on a grid of tiles, which tiles each team sees.
//
//	Add, Move, Change, Remove ──►┌────────┐──► Visible, Explored, Detected, TeamsSeeing
//	Share, SetGround ───────────►│ Engine │──► Shown, Hidden, Changes  (what the last Step did)
//	                             └────────┘──► Mask ──► rows, tiles, Hash
//	Step(tick) ───────────────────► │  ▲ └───► Sources ──► clients derive the same mask
//	                         Save ◄─┘  └── Restore
//
// A [Source] is one eye of a team: a tile, a sight radius, a kind. A change of a source
// only marks its team as dirty. [Engine.Step] recomputes only the masks of the dirty teams.
// Queries between two steps have the answers of the last step.
//
// # The rule
//
// A source sees a tile when all of these hold:
//
//  1. The centre of the tile is inside the sight circle: 4*(dx*dx+dy*dy) <=
//     r*r, with dx and dy in tiles and r, a [Radius], in half tiles.
//  2. On maps with high ground or line of sight, and unless the source flies:
//     the tile's level is at most the source's eye, which is the level of its
//     own tile and its level bonus.
//  3. On maps with line of sight, and unless the source flies: no tile strictly
//     between the two stands above the eye. A tile stands at its level, an opaque tile (a cliff, a wall) one higher. Between the two are, for each
//     column (each row, if the line is steeper) the line crosses on its way,
//     the tile it crosses at that column's middle, or both tiles where it
//     passes exactly between two.
//
// Rule 3 gives the same tiles from both ends. So of two sources with the same
// eye, both see each other or neither does. [visibility/obvious] is this rule in
// plain code. docs/contributing/vision.md explains it, the algorithm and its cost.
//
// # Use
//
// One goroutine owns an Engine and everything that it returns; there are no locks. While
// that goroutine is not inside a method that changes the engine, other goroutines may read,
// except with [Engine.TeamsSeeing] and [Engine.TeamsSeeingAny].
//
// The package opens no files, starts no goroutines, reads no clock, knows no units and has
// no floats. The same calls in the same order give the same masks on every machine, and
// [Engine.Save] gives the same bytes.
//
// A step does not allocate once all sight radii have been used and the lists of changes
// have reached their size.
//
// A broken invariant (a tile off the map, a radius over [RadiusMax], an id that was
// removed) is a panic that names the fault. [Source.Check] checks beforehand.
//
// # Why it is so
//
// A mask is kept in blocks of 8x8 tiles, one 64-bit word each, not in rows. A sight circle
// of radius 8 then touches nine words instead of thirty. There are 64 ways in which it can
// lie across the blocks, and the nine words for each way are made once. So drawing every
// circle of a team again costs less than to undo and redo the moved circle. There are no
// counts, so no count can drift: a mask is a function of the sources alone.
//
// [visibility/obvious]: https://pkg.go.dev/github.com/fogkeep/fogkeep/visibility/obvious
package visibility
