// Package view computes the views of a team: the state that the team may know at a tick, and its changes since the tick
// that a client has.
//
//	world, masks,          Builder         Tracker.Update    Tracker.Diff(base)
//	knowledge      ──────────► View ──────────► Tracker ──────────► Diff ──► proto/wire
//	(match/sim)            (plain data)    (what clients have)   (rows)
//
// [Builder] makes views. It builds for the eyes of one team, or for spectators with the eyes of all teams
// ([NewBuilder]). Only the builder reads a world: state outside the [View] cannot leak from the tracker, the diff, the
// encoder or the socket. A test of internal/arch holds that.
//
// Motion is dead reckoning. For each entity in sight, a [Tracker] keeps the place
// and the course that clients have. It computes positions from them as clients do,
// with the same integer arithmetic ([Course], [Reckon]). A new course is sent
// only if a client would be wrong: off by more than the tolerance, on the wrong
// tile for a source of the team's mask, or moving when the entity stands.
//
// Most entities in sight go on along a line, and clients reckon them right. So the cache notes, once for all teams, at
// which tick an entity last left its line or changed. The tracker says for each entity until when its clients stay
// right if it does not ([Tracker.Quiet]), and the builder leaves its row out until then. The bytes sent are the same.
//
// Each value keeps the tick of its last change. So the difference to any earlier
// tick is one pass over the entities, and no history of views is kept. While a
// client's byte budget does not cover a whole difference, a [DeltaState] keeps
// which tick the client has of each entity.
//
// match/client is the other end: it applies diffs.
//
// The package is part of the pure core. All functions belong to the goroutine that owns the match. They do no I/O,
// start no goroutine and read no clock, and building a view leaves the state of the world as it was.
package view
