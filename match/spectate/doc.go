// Package spectate plays a match a second time, later by the delay of those who
// watch it.
//
//	match   inputs ─► Step t ─► views ─► players
//	           │
//	         Buffer       checkpoints, and what went into each tick
//	           │
//	Delayed    └────► Step t-delay ─► views ─► spectators
//
// So nothing of the delay can be in what a spectator is sent, in any form: the
// world that its frames are made of has not come to it. The hash of each second
// is compared with the match's.
//
// One goroutine, the match's, calls it. It knows no session, seat or frame; match
// joins it with match/feed.
package spectate
