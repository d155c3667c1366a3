// Package match runs live matches: their clock, their tick loop, and the
// sessions of those who play.
//
//	socket ─► reader ─► inbox(A) ═╗                        ╔═► outbox(A) ─► writer ─► socket
//	          R(A)                ║      one tick          ║                W(A)
//	socket ─► reader ─► inbox(B) ═╬═► drain in slot order  ║
//	                              ║   sim.Step ─► Outcome  ║
//	                              ║   journal.Append       ║
//	                              ║   view.Build, once a team
//	                              ║   tracker.Diff, once a team and base
//	                              ╚═► wire, one encoding shared by all who are caught up
//
// Spectators sit in broadcasts. A broadcast plays the match's journal a second
// time, as late as its spectators are to be, in a world of its own, and tells
// them of that; nobody who watches has a part in the match.
//
// A [Service] holds the matches of a process; its methods may be called from
// any goroutine. Each match has one goroutine that owns its world, its
// trackers and its seats; nobody else touches them. Each socket has one reader
// and one writer. Readers fill bounded inboxes; the match drains them at its
// tick, in slot order. The match fills bounded outboxes and never waits for a
// client: one with no room skips frames, and is told the larger difference
// later; one that stays away too long is closed with a reason. How much a link
// takes is measured by what its client has applied, and it is sent a little less
// than that, what matters most first.
//
// What goes over the sockets is counted from the encoded bytes, by part of the
// messages, class of entity and client ([Service.Traffic], the metrics, the log).
//
// No frame of a tick leaves before every input that acts at or before it is on
// disk, and no input is answered before it is: what a player was told survives
// a kill. Orders act two ticks after they arrive, which hides the disk.
// [Service.Recover] brings the matches of a killed process back from their
// journals: at a tick that no client has seen, the same world, the same tokens.
//
// The package never decides who may play (an [Admitter] does, which is asked
// with the ticket of a socket's first message) and never stores a result (a
// [Reporter] does). It does not know lobbies or accounts.
package match
