// Package link is one connection to a client: its transport, its reader and writer, its queues, and the measurements of
// its way.
//
//	socket ─► Read ─► In ─► owner ─► Out ─► Write ─► socket
//	                  ▲       │       │
//	            bounded       │       └ bounded: no Room, no frame
//	                          ▼
//	     NoteApplied: rate control (Late, Limit) and the player's Lag
//
// The owner is the goroutine of a match. It never waits for a client: it asks for Room before it sends. While the
// writer is idle, and the listener's connections can write without waiting, the owner writes to the socket itself. The
// writer gets the bytes that the kernel does not take at once. So a client that reads costs one system call per frame,
// and wakes no goroutine. The client's acknowledgements give the throughput of a link in bytes per second.
//
// A connection ends with a code of [Closings], its text, and the websocket
// status of that code. The package knows no match, seat or frame; match does.
package link
