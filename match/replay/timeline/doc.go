// Package timeline sums a match up while it is played again: its events with time and place, and each player's economy
// and army.
//
//	world at its first tick ──New──► Builder ◄──Note── each tick: world, inputs, outcome
//	                                    │
//	                                    └──► Timeline: Events(eyes), Points, Now
//
// Two kinds of data come out. [Event] is a place to jump to: first contact, fights, buildings lost, expansions,
// departures and defeats. [Values] is a player's state and achievements, one point per second. Most of its fields count
// up from the beginning. So density rows, income and orders per minute are differences of two points, and halving the
// resolution loses no count.
//
// Each event has the tick at which it became known, and each team's eyes have a list of their own: the events in that
// team's sight, and no more. So a spectator who watches a live match late with one team's eyes may see
// [Timeline.Events] up to a tick. With all eyes it has everything.
//
// A fight is made of losses: units and structures that a player's damage destroyed. Two
// losses belong to the same fight if they are at most [FightSeconds] and [FightTiles]
// apart, directly or through others.
//
// All of it is bounded, see [PointsMax], [EventsMax] and [FightsMax]: a match of two
// players and half an hour takes about 300 KB, one of eight players and ten hours 2 MB,
// and no match more than 50 MB.
//
// The package is pure: it does no I/O, starts no goroutine and reads no clock. A [Builder] has one owner, and it never
// changes the world.
package timeline
