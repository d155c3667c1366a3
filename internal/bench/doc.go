// Package bench has the workloads of fogkeep-bench, one file each, and their reports.
//
//	flags ──► Commands ──► a workload ──► the package or the program that it measures
//	                           │
//	                           └──► a report: text, or documented JSON keys
//
// The configuration of a workload is its command: the flags are tags on its fields. A
// workload that measures an algorithm runs an obvious or well-known version in the same
// run, because machines are noisy and a figure alone proves little. Workloads that
// measure a whole server run the fogkeep binary.
//
// Only cmd/fogkeep-bench and tests call the package. It never changes the code that it
// measures, and the product does not import it.
package bench
