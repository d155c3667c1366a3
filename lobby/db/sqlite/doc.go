// Package sqlite stores the lobby in one SQLite file: for the first start, for
// small servers and for tests. It needs no cgo and no other process.
//
//	Read  --> pool of readers, query_only      \
//	                                             > fogkeep.db (WAL)
//	Write --> one connection, BEGIN IMMEDIATE  /
//
// Writers of one process share the one connection, and concurrent writers share a
// transaction: each returns after the commit, and a failed writer takes back only its
// own changes. Writers of several processes (a server and `fogkeep admin`) wait for
// SQLite's own lock, at most until the request's time is over. WAL lets readers read
// meanwhile. A committed transaction survives the death of the process. After a power
// cut the last few may be missing, and the file is whole (synchronous=NORMAL).
package sqlite
