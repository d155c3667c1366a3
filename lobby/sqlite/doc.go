// Package sqlite keeps the lobby in one SQLite file: for the first minute, for
// small servers and for tests. It needs no cgo and no other process.
//
//	Read  --> pool of readers, query_only      \
//	                                             > fogkeep.db (WAL)
//	Write --> one connection, BEGIN IMMEDIATE  /
//
// Writers of one process take turns on the one connection; those of several
// (a server and `fogkeep admin`) take turns by SQLite's own lock, for which
// they wait until the request's time is over. WAL lets readers read meanwhile. A committed
// transaction survives the death of the process; after a power cut the last
// few may be missing, the file is whole (synchronous=NORMAL).
package sqlite
