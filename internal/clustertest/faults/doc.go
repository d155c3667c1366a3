// Package faults breaks a cluster of real processes in every known way, one fault at a
// time, while matches are played on it.
//
//	Scene: cluster, database, matches ◄── Play ── Fault: break, wait, mend
//	   │
//	   └──► Verify: what every client was sent, against the journals
//
// The test of the cluster plays each fault once, `fogkeep-bench chaos` plays them by chance
// for an hour. A seed determines which faults are played, and where; when they strike
// within a tick, it does not determine. The package never runs in a server.
package faults
