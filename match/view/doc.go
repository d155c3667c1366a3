// Package view says what one team may be told at one tick, and how that
// differs from what it was told before.
//
//	world + knowledge ──► Build ──► View ──► Tracker.Update ──► Tracker.Diff(base) ──► proto/wire
//	   (match/sim)                (plain data)   (what clients     (leaves, enters,
//	                                              reckon with)      courses, values)
//	                                                                      │
//	                                          Replica.Apply  ◄────────────┘   (what a client holds)
//
// [Builder] makes the view of a team from a world and its masks. [AllEyes]
// makes that of a team that there is not: what a spectator of all teams may be
// told. Everything after them is handed a [View], which has no way back: what is
// not in the view cannot leak from the tracker, the diff, the encoder or the
// socket. What else outside of the simulation asks a world, and why, is listed
// in docs/architecture.md; a test of internal/arch holds that list.
//
// Motion is dead reckoning. A [Tracker] keeps, for each entity that its team
// sees, the place and course that the team's clients were told, and reckons
// with them as the clients do, by the same integers ([Course], [Reckon]). It
// speaks only when a client would be wrong: off by more than the tolerance, on
// the wrong tile for an entity that carries the team's sight, or moving when
// the entity stands. Each value keeps the tick of its last change, so that the
// difference to any earlier tick is one walk, and no history of views is kept.
//
// All functions belong to the goroutine that owns the match. The package is
// part of the pure core: it opens nothing, starts nothing and reads no clock;
// building views leaves the state of the world as it was.
package view
