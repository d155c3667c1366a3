// Package feed makes the frames of those who see one world at one delay:
// players see the match's own world, spectators one that is late.
//
//	Source: world, cache, who is away        one Feed
//	   │
//	   ▼  once for all clients with the same eyes
//	view.Builder ─► view ─► tracker ─► difference from a base ─► bytes, shared
//	                                          │ short of bytes
//	                                          ▼
//	Receiver: base, acknowledged tick,   the most important rows of one client
//	byte budget, delta state                  │
//	   ▲                                      ▼
//	Backlog: answers, cancellations,  ─►  frame ─► link.Session
//	chat; sent again after a resume
//
// The two settings of a feed: to players what does not fit into their byte
// budget is told later, the most important first; to spectators a frame is whole
// or is not sent, since all that they see may be a source of their fog.
//
// One goroutine, the match's, calls a feed. With a [grid.Runner] the views of several
// eyes are made side by side; all else is done by that goroutine. It never waits for a client: one
// without room is skipped. A feed reads worlds only through match/view. It knows
// no journal, account or seat; match tells it what of a backlog is on disk.
package feed
