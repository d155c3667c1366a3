// Package lobby decides who may use the server, and what players and admins may
// do: accounts and sessions, lobbies and their seats, tickets for the match
// service, match results, bans, and the audit of admins.
//
//	browser, bot            admin page, CLI            match service
//	     |                        |                     |        ^
//	 lobby/api                lobby/api              Redeem   Matches.Start
//	(player API)             (admin API)           MatchEnded    |
//	     |                        |                     |        |
//	     +------------------> Service <-----------------+--------+
//	                              |
//	      Account Room Play Replay Queue Studio Admin     a package each
//	      Seats Hooks Hub, over admission and core        what they share
//	                              |
//	                  lobby/db: Read(fn) Write(fn)   one transaction a call
//	                   |                 |
//	          lobby/db/sqlite    lobby/db/postgres
//
// Any goroutine may call the methods of a [Service] and of its domains. A domain has the
// dependencies that it needs, and imports only the packages below it. The service has one
// goroutine of its own, the janitor ([Service.Run]). It ends with its context.
//
// The store holds all state. Whatever a client is told is in the store first.
// So a restarted process, or a second process on the same database, continues
// where the first one stopped. The service keeps only what may be lost: who
// waits for an event, and how many password hashes are being computed.
//
// Several processes on one store are nodes (lobby/play, nodes.go). Each counts up a row of its
// own, by which the others see whether it lives: clocks are not compared. A match's
// row names the node that runs it, and is corrected by the node that takes the match
// over. Where a match really runs [model.Matches] knows ([model.Matches.Where]); a process that
// knows nothing of others goes by the rows. A ticket is looked at where it is shown,
// and used up only where its match runs.
//
// Queues, parties and offers (lobby/queue) follow the same rule. All
// changes of them take one lock in the store, after the locks of accounts, lobbies
// and matches: [db.Tx.LockMatchmaking]. Who plays whom is decided by package
// lobby/matchmaking. Ratings change with the result of a match, in its
// transaction.
//
// The store also orders events: each lobby has a counter, and an event takes its
// number while the lobby's row is locked. Clocks decide only when something has
// expired.
//
// The rules of a lobby are methods of [model.Lobby] that touch nothing else. So a
// transaction can run again if the database has refused it.
//
// What clients send is not trusted: names, options and limits are checked here,
// even if the HTTP layer has checked them.
//
// The package never simulates, never sees a world or a mask, and does not import
// match. Package model declares [model.Matches] and [model.Bots], which cmd implements. The match
// service asks for play.Service.Redeem and play.Service.MatchEnded.
package lobby
