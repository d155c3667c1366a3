// Command ownserver is a game server with its own accounts and its own way to bring
// players together, around the match service of fogkeep: no lobby, no database.
//
//	POST /play (who: a signed token) ──► two who wait ──► match.Service.Start ──► a ticket each
//	GET  /ws   (the ticket)          ──► match.Service ──► redeem ──► the match
//	GET  /maps/{hash}                ──► the map's public form
//	result ──► the log
//
// A studio's own secrets, accounts and results are in players.go; main.go joins
// them with fogkeep. Matches go on after a restart: the journals
// and the key of resume tokens lie in the data folder.
package main
