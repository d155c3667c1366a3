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
//     any goroutine (service.go, registry.go, admission.go, report.go, inspect.go).
//   - Each match has one goroutine that owns its world, its feeds and its seats (run.go:
//     its loop; live.go: the parts of a match; core.go: their shared state). A broadcast
//     to late spectators has another, which reads the journal (broadcast.go). Other
//     goroutines ask the match's to run a function (core.go). In a large match
//     helpers compute parts of a tick beside it, each its own part: the views of the
//     teams, for one. Their number is bounded for the whole process (output.go,
//     internal/helpers).
//   - Seats: their players, connections and resume tokens (seats.go, live.go, connections.go,
//     spectators.go, token.go).
//   - The durability gate: no frame of a tick is sent before every input whose effect it
//     shows is on disk, and no input is answered before it is. So everything that a
//     player has seen survives a kill. Orders act two ticks after they arrive, which
//     hides the disk (journal.go, durability.go).
//   - [Service.Recover] brings the matches of a killed process back from their
//     journals, at a tick that no client has seen (recover.go, seats.go).
//   - Where several processes share the journals, [Service.TakeOver] brings a match here
//     from another process, and [Service.HandOver] stops a match so that another process
//     can have it. A replaced process tells clients only that the match has moved
//     (takeover.go).
//   - The service counts the encoded bytes of the connections by part of the messages,
//     class of entity and client (traffic.go).
//
// The parts of a match do not know the match, and a match does not know the service
// (core.go). References between the files point one way, from the service down to the
// connection of one seat; internal/arch tests that.
//
// The match fills bounded outboxes and never waits for a client. A client without room
// skips frames and gets the larger difference later; the match closes a connection that
// takes no bytes for long, with a reason.
//
// The package never decides who may play (an [Admitter] does, by the ticket of a connection's first message) and never
// stores a result (a [Reporter] does). It does not know lobbies or accounts.
package match
