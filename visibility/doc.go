// Package visibility decides, on a grid of tiles, what each team sees.
//
//	Add, Move, Change, Remove ──►┌────────┐──► Visible, Explored, Detected, TeamsSeeing
//	Share, SetGround ───────────►│ Engine │──► Shown, Hidden, Changes  (what the last Step did)
//	                             └────────┘──► Mask ──► rows, tiles, Hash
//	Step(tick) ───────────────────► │  ▲ └───► Sources ──► clients derive the same mask
//	                         Save ◄─┘  └── Restore
//
// A [Source] is an eye: a tile, a sight radius, a kind. Changing sources only
// notes which teams are dirty; [Engine.Step] then recomputes the masks of the
// dirty teams and of nobody else. Everything that is asked between two steps is
// answered as of the last one.
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
//     between the two stands above the eye. A tile stands at its level, an
//     opaque one (a cliff, a wall) one higher. Between the two are, for each
//     column (each row, if the line is steeper) the line crosses on its way,
//     the tile it crosses at that column's middle, or both tiles where it
//     passes exactly between two.
//
// Rule 3 reads the same from both ends, so two sources with the same eye see
// each other or neither does. [visibility/obvious] is this rule, written out;
// docs/vision.md tells it at length, with the algorithm and its cost.
//
// # Use
//
// One goroutine owns an Engine and everything it hands out; nothing is locked.
// While that goroutine is not inside a method that changes the engine, others
// may read, by all but [Engine.TeamsSeeing] and [Engine.TeamsSeeingAny]. The package opens nothing, starts nothing, asks no clock, knows no
// units, and holds no floats: the same calls in the same order give the same
// masks, bit for bit, on every machine, and [Engine.Save] the same bytes.
//
// A step allocates nothing once the sight radii in use have been met and the
// lists of changes have grown to their size.
//
// Broken invariants (a tile off the map, a radius over [RadiusMax], an id that
// was removed) panic and say what was wrong; [Source.Check] tells beforehand.
//
// # Why it is so
//
// A mask is kept in blocks of 8x8 tiles, one 64-bit word each, not in rows: a
// sight circle of radius 8 then touches nine words instead of thirty, for each
// of the 64 ways it can lie across the blocks its nine words are made once,
// and redrawing every circle of a team costs less than undoing and redoing the
// one that moved. So nothing is counted, nothing can drift, and what a mask
// shows is a function of the sources alone.
//
// [visibility/obvious]: https://pkg.go.dev/github.com/fogkeep/fogkeep/visibility/obvious
package visibility
