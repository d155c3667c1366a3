// Package matchkit moves a match by hand: its time and its connections.
//
//	test ── Tick ──► Manual ──► match: one tick
//	test ◄── messages ── Pipe ──► match: one client
//
// Tests alone import it. A [Manual] serves one match. It starts no goroutine.
package matchkit
