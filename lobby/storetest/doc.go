// Package storetest tests the lobby's rules on both databases: one table of scenarios,
// each on an empty store.
//
//	TestOnSQLite   ──┐
//	                 ├──► run ──► each scenario: a Harness and a second opening of its store
//	TestOnPostgres ──┘
//
// The rest of the package is the kit that the tests of other packages share: a [Harness]
// is a service over a store with a clock of its own, and with test doubles for maps,
// matches, bots, replays and starts. Only tests import it.
package storetest
