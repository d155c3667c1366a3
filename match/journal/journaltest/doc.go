// Package journaltest has the tests that every store of journals passes, and the records that they write.
//
//	journal.Dir ──────┐
//	jetstream.Store ──┴──► everyStore: what is appended is read, in order, across reopening
//
// Only tests use it. A promise of one store alone is tested beside that store.
package journaltest
