// Package cluster makes one service of several nodes. A node is one server process.
//
//	heartbeats of the other nodes ──► members ──► who lives          ──► Nodes, Place
//	directory (a NATS bucket)     ──► memory  ──► a match's node     ──► Where
//	both, and the journals        ──► takeovers, moves ──► Host (the match service of this node)
//	an admin's wish               ──► Move, Drain                  ──► Config.Ask ──► Answer of the affected node
//
// A node joins with [New] and [Cluster.Run]. cmd/fogkeep/server does it, and joins the match
// service and the journals by the small interfaces [Host] and [Journals]. All methods of
// [Cluster] may be called by any goroutine.
//
// A match's own journal decides which node runs the match, and this package does not: a new owner appends to the journal store by
// compare-and-set, and the old one cannot append any more. So a match stays safe even if this package errs:
//
//   - A living node under suspicion loses its matches to others. They pause. No order is
//     lost and no order is done twice.
//   - The directory is a cache. Owners write it and write it again. If it is lost, nodes ask
//     each other for their matches.
//   - Two nodes that take the same match cost processor time. One node runs it.
//
// Each node sends a heartbeat four times per second. A node suspects another one after 1.5 seconds without a heartbeat
// from it, if at least five of its own heartbeats came back in that time. So a node that was itself stopped or cut off
// does not suspect the others when it goes on. It reads only the monotonic clock of its own process. No message has a
// time in it.
//
// An incarnation is one life of a node of a name. It is a number of the directory's bucket,
// which only grows. A node that hears a newer incarnation of its own name stops.
//
// Messages from other nodes are checked and bounded, although NATS lets no client in without a certificate: at most 256
// nodes and 4,096 matches per node.
//
// Files: members.go and takeover.go decide, without a clock, a socket or a goroutine. cluster.go and the files
// beside it carry out the decisions.
package cluster
