// Package postgres keeps the lobby in PostgreSQL: the product's store.
//
//	Read  --> pool --> BEGIN READ ONLY, REPEATABLE READ \
//	                                                      > PostgreSQL
//	Write --> pool --> BEGIN, READ COMMITTED, row locks  /
//
// Writers lock the rows they decide on (an account, a lobby, the server state), so
// that two who want the last seat take turns instead of failing. What the
// database still refuses for the sake of another transaction (deadlock,
// serialization) runs again after a short, random wait. Statements are
// prepared once a connection, by pgx.
package postgres
