// Package client is the client side of a match: the knowledge of a player or a spectator, computed from the frames
// received.
//
//	bytes ──► State.Receive ──► Replica    entities, ghosts, mask rows
//	                │           Fog        the team's mask, derived from the replica
//	                │           OwnerState the player's own state
//	                └──► wire.ServerFrame  answers, chat, events
//
// [State] is one client of one match. It reads the server's messages and keeps their content; it makes the first
// message of a connection and the acknowledgements. [Replica], [Fog] and [OwnerState] are its parts. The bot, the
// benchmarks and the tests use this package; match/client/socket connects it to a server. The TypeScript client is a
// second implementation. Golden vectors hold both to the same state.
//
// The package is pure: it does no I/O, starts no goroutine and reads no clock. Its types belong to one goroutine. They
// take any server's bytes: a broken stream is an error, and memory is bounded.
package client
