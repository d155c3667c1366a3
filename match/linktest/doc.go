// Package linktest tests the sockets of a running match from outside: the websocket protocol, the time that a connection
// may take, and the codes that it ends with.
//
//	raw socket ── bytes ──► listener ─► match.Service ─► one match under a manual clock
//
// It has tests alone. They use no inner part of a match.
package linktest
