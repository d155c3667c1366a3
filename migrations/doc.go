// Package migrations holds the schema as numbered SQL, one folder a dialect,
// and applies it.
//
//	postgres/*.sql ---+
//	                  +--> Up, Down, Status --> database (table goose_db_version)
//	sqlite/*.sql -----+
//
// lobby/sqlite and lobby/postgres call it when they open, and `fogkeep
// migrate` does by hand. Any number of processes may call it at once: each
// takes a lock in the database first, so every migration runs exactly once. A
// file that has been released is never edited; what must change gets the next
// number, in both folders.
package migrations
