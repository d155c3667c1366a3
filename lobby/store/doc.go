// Package store opens the lobby's database, PostgreSQL or SQLite.
//
//	FOGKEEP_DATABASE_URL set: postgres://...  --> lobby/db/postgres
//	not set:                  the data folder --> lobby/db/sqlite
//
// It is the one place that knows both. Only commands call it; it never reads or writes
// rows.
package store
