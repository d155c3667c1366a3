// Command fogkeep-bench measures fogkeep on this machine.
//
//	flags ──► kong ──► package internal/bench ──► a report as text or JSON
//
// It holds no workload: package internal/bench does. Benches of a whole server run the
// fogkeep binary in the folder of fogkeep-bench. It is a tool of development, and never
// part of a server.
package main
