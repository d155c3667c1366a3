// Package pgtest runs one private, throw-away PostgreSQL server a process, for
// tests and benchmarks.
//
//	initdb + postgres in /dev/shm  <-- unix socket --  New(t): a database a test
//
// The server is started by the first who asks and listens on a socket in its
// own folder only. Started as root, it drops to the user postgres, since the
// server refuses root. It dies with the process, even when that is killed; a
// clean end also removes the folder: call [Stop], or run the tests through
// [Main]. With TEST_POSTGRES set (conninfo without a database's name), that
// server is used and nothing is started. It never skips: no PostgreSQL is an
// error that says what to install.
package pgtest
