// Package pgtest runs one private, temporary PostgreSQL server a process, for
// tests and benchmarks.
//
//	initdb + postgres in /dev/shm  <-- unix socket --  New(t): a database a test
//
// The first caller starts the server. It listens on a socket in its own folder
// only. If it is started as root, it runs as the user postgres, since PostgreSQL
// refuses root. It ends with the process, even if the process is killed. To
// remove its folder as well, call [Stop] or run the tests through [Main].
//
// [NewServer] starts a server of its own, for tests that kill it.
//
// If TEST_POSTGRES is set (conninfo without a database's name), that server is
// used and none is started. A missing PostgreSQL is an error that says what to
// install; no test is skipped.
package pgtest
