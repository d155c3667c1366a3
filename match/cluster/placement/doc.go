// Package placement decides which node of a cluster runs which match.
//
//	nodes with their load, a match   ──► New       ──► the nodes to ask, best first
//	nodes, matches without an owner  ──► TakeOvers ──► for each match the nodes that take it, in turn
//	nodes, a node to be emptied      ──► Drain     ──► for each of its matches the nodes that take it
//	streams of the journal store     ──► Leaders   ──► which leader should move to which journal server
//
// Package match/cluster calls it on every node. A simulation in internal/bench calls it for
// a thousand nodes.
//
// The package is pure. It does no I/O, starts no goroutine and reads no clock. The same nodes and matches give the same
// answer, in any order. So the survivors of a dead node agree on the takers of its matches without a message between
// them. Their views of the load differ a little, because heartbeats are on their way, and some have taken matches
// before others plan. Therefore the choice for a match depends on coarse steps of the nodes' load and on hashes of
// names, and not on the other matches. If two nodes take the same match all the same, the journal store decides for one node.
// If no node took a match, the next in turn takes it.
//
// The package promises, and its tests hold against an obvious version:
//
//   - A new match goes to a node that has room, and only if the others could run the matches
//     of any one node that dies after it.
//   - A match is taken over only by a node that simulates as the match does.
//   - A match goes back to the node that had it if that node has come back.
//   - Matches of dead nodes are spread over the nodes that have room, by their room.
package placement
