// Package notes keeps what a replay can show and a journal does not have: where
// players looked, what their links took, how long ticks took, what refused inputs
// said.
//
//	match loop ──Camera, Link, Times, Refused──► Log ══buffers══► writer ──► MATCH.notes
//	replays, inspector ◄──────────────── Read ◄────────────────────────────────┘
//
// Nothing depends on notes: a match is played again without them. So they are written
// at best effort. The match's goroutine encodes a row into a buffer, hands the buffer on
// once a second, and never waits. A buffer that the writer has no room for is left out,
// and so is what exceeds [BytesMax] in one match; the file says so. Nothing is synced.
//
// One file belongs to one match. It is appended to when the match goes on in another
// process. Each row has a sum. A reader takes all rows before the first that does not
// fit, which is the last one after a kill.
//
// A [Dir] keeps the files of live matches in its folder, and those of matches that are
// over in the subfolder past, as journal.Dir does: on one machine both have the same
// folder. In a cluster each node has the notes of the ticks that it ran: others read them by
// [Dir.Chunk] and put them together by [Join].
//
// Rows name slots, never accounts or names. What players looked at is as secret as what
// they see: who may read a row is for the caller to decide.
package notes
