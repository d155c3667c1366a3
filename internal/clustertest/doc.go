// Package clustertest runs fogkeep as an operator does, in real processes on
// loopback, breaks them, and proves that the players noticed nothing that must not
// happen. Tests and `fogkeep-bench cluster` use it.
//
//	Cluster: nodes, journal servers, proxies between them     Player: a client that orders all the time
//	   │  Kill, Freeze, Thaw, cut, delay                     │  and comes back by itself
//	   ▼                                                     ▼
//	a test ────────────► processes ◄──── sockets ─ Recording: every message that it was sent
//	                         │                               │
//	                         ▼                               ▼
//	                      journal ─────────────────────► Verify: match/verify on the recordings
//
// Ports are reserved for as long as the process lives ([Ports]), each process is ended
// by its own id, and its output is kept in a file until the caller removes the folder.
// The package starts no database; the caller names one. It never runs in a server.
package clustertest
