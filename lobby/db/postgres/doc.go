// Package postgres stores the lobby in PostgreSQL: the product's store.
//
//	Read  --> pool --> BEGIN READ ONLY, REPEATABLE READ \
//	                                                      > PostgreSQL
//	Write --> pool --> BEGIN, READ COMMITTED, row locks  /
//
// A writer locks the rows that it decides on: an account, a lobby, the server
// state. So two requests for the last seat wait for each other instead of
// failing. A transaction that the database still refuses because of another one
// (deadlock, serialization) runs again after a short random wait. pgx prepares
// each statement once a connection.
package postgres
