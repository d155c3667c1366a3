// Package storetest tests the lobby's rules by scenarios, each on an empty store. All SQL
// is shared by the two databases; every statement runs on both.
//
//	TestStores ──► each scenario on SQLite, and on PostgreSQL if it is about locks, races,
//	               restarts or failures: a Harness, and a second opening of its store
//
// The rest of the package is the kit that the tests of other packages share: a [Harness]
// is a service over a store with a clock of its own, and with test doubles for maps,
// matches, bots, replays and starts. Only tests import it.
package storetest
