// Package bench has the workloads of `fogkeep bench`, one file a workload, and
// reports what they measured.
//
//	flags ──► cmd/fogkeep bench ──► a workload ──► the package that it measures
//	                                     │
//	                                     └──► a report with documented JSON keys
//
// A workload that measures an algorithm runs an obvious or well-known version in
// the same run, because machines are noisy and a figure alone proves little.
// Only commands and tests call the package. It never changes what it measures,
// and a server needs nothing of it.
package bench
