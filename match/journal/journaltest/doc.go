// Package journaltest has the tests that every store of journals passes.
//
//	journal.Dir ──────┐
//	jetstream.Store ──┴──► Run: what is appended is read, in order, across reopening
//
// Only tests use it. A promise of one store alone is tested beside that store.
package journaltest
