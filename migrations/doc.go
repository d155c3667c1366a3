// Package migrations holds the schema as numbered SQL, and applies it.
//
//	sql/*.sql --> words of a dialect --> Up, Down, Status --> database (table goose_db_version)
//
// The first file makes the schema of version 21; each later file changes it. A file that
// was released is never edited: a change gets the next number. Both databases share the
// files, and migrations.go has the words that differ.
//
// lobby/db/sqlite and lobby/db/postgres call it when they open, and `fogkeep migrate` does by
// hand. Any number of processes may call it at once: each takes a lock in the database
// first, so every migration runs exactly once.
package migrations
