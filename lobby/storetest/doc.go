// Package storetest holds every [lobby.Store] to the same behaviour. It also has
// the test doubles for maps, matches and bots that the lobby's tests share.
//
//	lobby/sqlite tests   --\
//	                        > Run(t, open) --> one suite
//	lobby/postgres tests --/
//
// A [Harness] is a service over a store with a clock of its own. Only tests and
// the lobby's benchmark import this package.
package storetest
