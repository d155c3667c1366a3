// Package cluster makes one service of several nodes. A node is one server process.
//
//	heartbeats of the other nodes ──► members ──► who lives          ──► Nodes, Place
//	directory (a NATS bucket)     ──► memory  ──► who runs a match   ──► Where
//	both, and the journals        ──► takeovers, moves ──► Host (the match service of this node)
//	an admin's wish               ──► Move, Drain                  ──► the node that it concerns
//
// A node joins with [New] and [Cluster.Run]. cmd/fogkeep/server does it, and joins the match
// service and the journals by the small interfaces [Host] and [Journals]. All methods of
// [Cluster] may be called by any goroutine.
//
// Who runs a match is decided by the match's own log, and by nothing in this package: a new
// owner appends to the log by compare-and-set, and the old one cannot append any more. So
// nothing here has to be right for a match to be safe:
//
//   - A node that is suspected and lives loses its matches to others. They pause. No order is
//     lost and no order is done twice.
//   - The directory is a cache. Owners write it and write it again. If it is lost, nodes ask
//     each other who runs what.
//   - Two nodes that take the same match cost processor time. One of them runs it.
//
// Each node sends a heartbeat four times a second. A node is suspected when nothing was heard
// of it for 1.5 seconds, and in that time at least five heartbeats of one's own came back.
// So a node that was stopped itself, or was cut off, does not suspect the others when it goes
// on. Only the monotonic clock of the own process is read. No message has a time in it.
//
// An incarnation is one life of a node of a name. It is a number of the directory's bucket,
// which only grows. A node that hears a newer incarnation of its own name stops.
//
// What comes from other nodes is checked and bounded, although NATS lets nobody in without a
// certificate: at most 256 nodes, 4,096 matches a node, 8 MiB a call. A panic in a handler ends
// that call.
//
// Files: core.go and members.go, takeover.go decide, without a clock, a socket or a goroutine.
// cluster.go and the files beside it do what was decided.
package cluster
