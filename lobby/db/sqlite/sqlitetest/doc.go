// Package sqlitetest gives tests SQLite databases.
//
//	Dir(t) ----> a folder with an empty, migrated database
//	Open(t) ---> a [Store] over one, whose n-th statement fails
//
// Only tests import it. It knows no rule of the lobby.
package sqlitetest
