// Package client is the client side of a match: what a player or a spectator
// knows, computed from the frames that it was sent.
//
//	frames ──► proto/wire ──► view.Diff, view.OwnerDiff ──► Replica, Fog, OwnerState
//
// [Replica] holds entities, ghosts and mask rows. [Fog] derives the team's mask
// from the replica. [OwnerState] holds what only the player is told. The bot,
// the benchmarks and the tests use this package. The TypeScript client is a
// second implementation; golden vectors hold both to the same state.
//
// The package is pure: it opens nothing, starts nothing and reads no clock. Its
// types belong to one goroutine. They take what any server sends: a broken
// stream is an error, and memory is bounded.
package client
