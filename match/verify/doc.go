// Package verify compares the messages of a match's clients with its journal.
//
//	journal ──► replay ──► view of each team at each tick ──┐
//	                                                        ├──► compare ──► Report
//	messages ──► client.State of each client ───────────────┘
//
// [Match] finds whatever a client lacked, held wrong or was sent too early, orders whose
// answers the journal does not have, and ticks that came twice. It builds views with the
// server's own code: the tests of the fog in package match have an oracle that shares
// nothing with it. Tests and benches use the package; a server does not.
package verify
