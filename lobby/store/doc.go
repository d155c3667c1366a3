// Package store opens the lobby's database, whichever it is.
//
//	FOGKEEP_DATABASE_URL set: postgres://...  --> lobby/db/postgres
//	not set:                  the data folder --> lobby/db/sqlite
//
// It is the one place that knows both; commands call it, nobody else does.
package store
