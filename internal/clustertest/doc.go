// Package clustertest runs fogkeep as an operator does, in real processes on
// loopback, breaks them, and proves that the players noticed nothing that must not
// happen. Tests and `fogkeep-bench cluster` use it.
//
//	Cluster: nodes, log servers, proxies between them     Player: a client that orders all the time
//	   │  Kill, Freeze, Thaw, cut, delay                     │  and comes back by itself
//	   ▼                                                     ▼
//	Fault ─────────────► processes ◄──── sockets ─ Recording: every message that it was sent
//	                         │                               │
//	                         ▼                               ▼
//	                      journal ─────────────────────► Verify: a replay beside the recordings
//
// [Verify] plays the journal of a match again and holds each message of each player to
// it, at the message's own tick: what the client holds is its team's view, every
// answered order is in the journal once and in order, and no tick was told twice.
//
// Ports are reserved for as long as the process lives ([Ports]), each process is ended
// by its own id, and its output is kept in a file until the caller removes the folder.
// The package starts no database; the caller names one. It never runs in a server.
package clustertest
