// Package bench holds the workloads that `fogkeep bench` runs, one file a
// workload, and says what they measured.
//
//	flags ──► cmd/fogkeep bench ──► a workload here ──► the room it measures
//	                                     │
//	                                     └──► a result with the JSON keys that are documented
//
// Each workload runs an obvious or a well-known way beside ours, in the same
// run, because machines are noisy and a figure alone proves little. Only
// commands and tests call it. It never changes what it measures, and nothing a
// server needs is here.
package bench
