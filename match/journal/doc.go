// Package journal keeps what a match was made of and every input with its
// answer, in order, so that the match can be played again to the same state.
//
//	match loop ──Append(n, record)──► Log ──group commit──► one file a match
//	match loop ◄──Synced()───────────  │
//	replay, recovery ◄──Read(from)─────┘          and one saved state beside it
//
// Append never waits for the disk: it hands the record to the file's writer,
// which writes what has gathered and syncs once for all of it. What Synced
// covers survives a kill at any moment; an answer leaves the server only after
// its record is covered. One goroutine appends; any goroutine may call Synced,
// Wait and Read. A narrow interface, because the log of a match will not always
// be a local file. The log never looks inside a record; what records mean is
// said in records.go and told by Replay, which plays them again and compares.
//
// A [State] is a shortcut for that: the journal alone decides, and a state counts
// only if the journal has its hash. Nothing but the file of a journal is needed
// to play its match again, on any machine, by the build that played it.
package journal
