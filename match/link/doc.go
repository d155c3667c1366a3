// Package link is one connection to a client: its transport, its reader and
// writer, its queues, and what is measured of the way between.
//
//	socket ─► Read ─► In ─► owner ─► Out ─► Write ─► socket
//	                  ▲       │       │
//	            bounded       │       └ bounded: no Room, no frame
//	                          ▼
//	     NoteApplied: rate control (Late, Limit) and the player's Lag
//
// The owner is the goroutine of a match. It never waits for a client: it asks
// for Room before it sends. While the writer has nothing to do, and the listener's
// connections can write without waiting, the owner writes to the socket itself. What
// the kernel does not take at once is left to the writer. So a client that reads costs
// one system call a frame, and wakes no goroutine. How many bytes a second a link takes is measured
// from what the client says it has applied.
//
// A connection ends with a code of [Closings], its text, and the websocket
// status of that code. The package knows no match, seat or frame; match does.
package link
