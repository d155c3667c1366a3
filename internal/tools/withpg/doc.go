// Command withpg runs a command that needs a PostgreSQL database, for
// benchmarks on a developer's machine (Linux).
//
//	go run ./internal/tools/withpg ./bin/fogkeep-bench lobby
//
// It starts a private, throw-away server ([pgtest]), puts the URL of an
// empty database into the command's FOGKEEP_DATABASE_URL, passes on its exit
// code, and removes the server. It exists so that the shipped binary does not contain the code that starts that server.
package main
