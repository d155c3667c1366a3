// Package inspect explains one tick of a match to the server's admins: the entities, the eyes that see them and why,
// the sources that light a tile, and how an order was judged.
//
//	world at a tick ──At──► Look ──► State, Entity, Tile, Difference, Changes
//	a tick that is played ──► Judge (sim.World.OnVerdict) ──► orders with rule and values
//	worlds tick by tick ──► History ──► when a team last saw a tile
//
// The rules are not here. Package visibility says why a source sees a tile ([visibility.Engine.Why]), match/sim which
// tiles decide an entity's visibility ([sim.World.SightRule]), and package orders records the questions asked in
// judging an order ([orders.Witness]). This package calls them, selects the important answers, and puts them into
// words.
//
// The world comes from a replay: a past match, or a live one up to its last record on disk. Nothing here changes it.
// The caller owns the world: it must not step meanwhile.
//
// Everything here is for ADMINS ALONE. It has data that no player may know: entity ids, hidden units, all teams'
// knowledge. No encoder for players accepts the types. The package does no I/O, reads no clock and starts no goroutine.
package inspect
