// Package timeline sums a match up while it is played again: what happened, when and
// where, and how each player's economy and army went.
//
//	world at its first tick ──New──► Builder ◄──Note── each tick: world, inputs, outcome
//	                                    │
//	                                    └──► Timeline: Events(eyes), Points, Now
//
// Two kinds of data come out. [Event] is what a viewer jumps to: first contact, fights,
// buildings lost, expansions, who left and who was defeated. [Values] is what a player
// has and did, one point a second. Most of its fields count up from the beginning. So
// density rows, income and orders a minute are differences of two points, and nothing is
// lost when the resolution is halved.
//
// Each event says at which tick it became known, and each team's eyes have a list of
// their own: it has what that team saw happen, and no more. [Timeline.Events] is
// therefore what may be shown to somebody who watches a live match late with one team's
// eyes, up to a tick. With all eyes it has everything.
//
// A fight is made of losses: units and structures that a player's damage destroyed. Two
// losses belong to the same fight if they are at most [FightSeconds] and [FightTiles]
// apart, directly or through others.
//
// All of it is bounded, see [PointsMax], [EventsMax] and [FightsMax]: a match of two
// players and half an hour takes about 300 KB, one of eight players and ten hours 2 MB,
// and no match more than 50 MB.
//
// The package is pure: it opens nothing, starts no goroutine and reads no clock. A
// [Builder] has one owner, and it never changes the world.
package timeline
