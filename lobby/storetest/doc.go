// Package storetest holds every lobby.Store to the same behaviour, and has the
// stand-ins for maps, matches and bots that tests of the lobby share.
//
//	lobby/sqlite tests   --\
//	                        > Run(t, open) --> one suite
//	lobby/postgres tests --/
//
// It is imported by tests and by the lobby's benchmark only.
package storetest
