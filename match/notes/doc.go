// Package notes keeps data for replays that a journal does not have: players' cameras, their links' load, the duration
// of ticks, the content of refused inputs.
//
//	match loop ──Camera, Link, Times, Refused──► Log ══buffers══► writer ──► MATCH.notes
//	replays, inspector ◄──────────────── Read ◄────────────────────────────────┘
//
// A match is played again without its notes. So they are written at best effort. The match's goroutine encodes a row
// into a buffer, hands the buffer on once per second, and never waits. A buffer that the writer has no room for is left
// out, as is the excess over [BytesMax] in one match; the file says so. No row is synced.
//
// One file belongs to one match. Another process that continues the match appends to it. Each row has a sum. A reader
// takes all rows before the first damaged one, which is the last one after a kill.
//
// A [Dir] keeps the files of live matches in its folder, and the files of finished matches in the subfolder past, as
// journal.Dir does: on one machine both have the same folder. In a cluster each node has the notes of the ticks that it
// ran: others read them by [Dir.Chunk] and put them together by [Join].
//
// Rows name slots, never accounts or names. Players' cameras are as secret as their sight: the caller decides which
// rows a reader may see.
package notes
