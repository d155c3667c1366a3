// Package eventually lets a test wait for other goroutines and processes.
//
//	test ── Holds(t, "the room is empty", ok, &rooms) ──► ok, again and again ──► return, or t.Fatal
//
// Tests alone import it. They use it where no channel and no clock of their own tells
// them the moment. It never runs beside the test: ok runs on the test's goroutine.
package eventually
