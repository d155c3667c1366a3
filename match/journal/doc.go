// Package journal keeps what a match was made of and every input with its
// answer, in order, so that the match can be played again to the same state.
//
//	match loop ──Append(n, record)──► Log ──group commit──► one file a match
//	match loop ◄──Synced()───────────  │
//	replay, recovery ◄──Read(from)─────┘
//
// Append never waits for the disk: it hands the record to the file's writer,
// which writes what has gathered and syncs once for all of it. What Synced
// covers survives a kill at any moment; an answer leaves the server only after
// its record is covered. One goroutine appends; any goroutine may call Synced,
// Wait and Read. The package never looks inside a record: what records mean
// is said where they are made. A narrow interface, because the log of a match
// will not always be a local file.
package journal
