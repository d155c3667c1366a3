// Package match runs live matches: their clock, their tick loop, their seats.
//
//	socket ─► link reader ─► inbox(A) ═╗                              ╔═► outbox(A) ─► link writer ─► socket
//	                                   ║          one tick            ║
//	socket ─► link reader ─► inbox(B) ═╬═► drain, in slot order       ║
//	                                   ║   sim.Step ─► Outcome        ║
//	                                   ║   durability gate ─► journal ║
//	                                   ║   feed of the players ───────╣
//	                                   ║   feed of live spectators ───╝
//
// It joins four packages, which do not know it: match/link is one connection,
// match/feed makes the frames of players and spectators, match/journal keeps what a
// match needs to be played again, match/playback plays that for late spectators.
//
//   - A [Service] holds the matches of a process. Its methods may be called from
//     any goroutine (service.go, registry.go, admission.go, report.go, roster.go, inspect.go).
//   - Each match has one goroutine that owns its world, its feeds and its seats
//     (run.go: its loop; live.go: the parts of a match; core.go: what the parts share).
//     A broadcast to late spectators has another, which reads the journal
//     (broadcast.go). Others ask the match's to run a function (requests.go).
//     In a large match helpers compute parts of a tick beside it,
//     each its own part: the views of the teams, for
//     one. Their number is bounded for the whole process (share.go, internal/helpers).
//   - Seats: who sits where, with which session, and by which resume token
//     (seats.go, join.go, sessions.go, spectators.go, token.go).
//   - The durability gate: no frame of a tick is sent before every input whose effect
//     it shows is on disk, and no input is answered before it is. So what a
//     player was told survives a kill. Orders act two ticks after they arrive,
//     which hides the disk (journal.go, durability.go).
//   - [Service.Recover] brings the matches of a killed process back from their
//     journals, at a tick that no client has seen (recover.go, gathering.go).
//   - Where several processes share the journals, [Service.TakeOver] brings a match
//     here that another process had, and [Service.HandOver] stops one so that another
//     process can have it. A process that was replaced says nothing more of the match
//     but that it has moved (takeover.go).
//   - What goes over the connections is counted from the encoded bytes, by part of
//     the messages, class of entity and client (traffic.go).
//
// The parts of a match do not know the match, and a match does not know the service
// (host.go). References between the files point one way, from the service down to the
// session of one seat; internal/arch tests that.
//
// The match fills bounded outboxes and never waits for a client. One without room
// skips frames and is sent the larger difference later; one that takes nothing
// for long is closed with a reason.
//
// The package never decides who may play (an [Admitter] does, which is asked with
// the ticket of a connection's first message) and never stores a result (a
// [Reporter] does). It does not know lobbies or accounts.
package match
