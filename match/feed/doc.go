// Package feed makes the frames of all clients that see one world at one delay: players see the match's own world,
// spectators a delayed one.
//
//	Source: world, cache, absent players     one Feed
//	   │
//	   ▼  once for all clients with the same eyes
//	view.Builder ─► view ─► tracker ─► difference from a base ─► bytes, shared
//	                                          │ short of bytes
//	                                          ▼
//	Receiver: base, acknowledged tick,   the most important rows of one client
//	byte budget, delta state                  │
//	   ▲                                      ▼
//	Backlog: answers, cancellations,  ─►  frame ─► link.Conn
//	chat; sent again after a resume
//
// A feed has one of two settings. For players, rows beyond their byte budget follow later, the most important first.
// For spectators, the feed sends a frame whole or not at all, since every row may be a source of their fog.
//
// One goroutine, the match's, calls a feed. With a [grid.Runner] the views of several eyes are made side by side; that
// goroutine does all other work. It never waits for a client: a client without room is skipped. A feed reads worlds
// only through match/view. It knows no journal, account or seat; match tells it how much of a backlog is on disk.
package feed
