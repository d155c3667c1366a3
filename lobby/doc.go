// Package lobby joins the domains of the lobby, a package each, into one [Service]:
// accounts and sessions, lobbies and seats, tickets for the match service, match
// results, queues, replays, service keys, webhooks, bans, and the audit of admins. It
// decides who may use the server, and the actions of players and admins. cmd makes the
// service; lobby/api and the match service call its domains.
//
//	browser, bot            admin page, CLI            match service
//	     |                        |                     |        ^
//	 lobby/api                lobby/api              Redeem   Matches.Start
//	(player API)             (admin API)           MatchEnded    |
//	     |                        |                     |        |
//	     +------------------> Service <-----------------+--------+
//	                              |
//	      Account Room Play Replay Queue Studio Admin     a package each
//	      Seats Hooks Hub, over admission and core        shared by all
//	                              |
//	                  lobby/db: Read(fn) Write(fn)   one transaction a call
//	                   |                 |
//	          lobby/db/sqlite    lobby/db/postgres
//
// Any goroutine may call the methods of a [Service] and of its domains. A domain has the
// dependencies that it needs, and imports only the packages below it. The service has one
// goroutine of its own, the janitor ([Service.Run]). It ends with its context.
//
// The store holds all state. The server stores each fact before it tells a client. So a
// restarted process, or a second process on the same database, continues where the
// first one stopped. The service keeps in memory only state that may be lost: the
// watchers of events, and the count of running password hashes.
//
// Several processes on one store are nodes (lobby/play, nodes.go). Each counts up a row of its
// own, by which the others see whether it lives: no process compares clocks. A match's row
// names the node that runs it; a node that takes the match over corrects the row.
// [model.Matches.Where] knows where a match really runs; a process without a cluster goes by
// the rows. Any node checks a ticket; only the node of its match uses it up.
//
// Queues, parties and offers (lobby/queue) follow the same rule. All changes to them take one lock in the store, after
// the locks of accounts, lobbies and matches: [db.Queues.Lock]. Package lobby/matchmaking pairs the players.
// Ratings change with the result of a match, in its transaction.
//
// The store also orders events: each lobby has a counter, and an event takes its
// number while the lobby's row is locked. Clocks decide only when something has
// expired.
//
// The rules of a lobby are methods of [model.Lobby] that touch no other state. So a
// transaction can run again if the database has refused it.
//
// The domains do not trust clients: they check names, options and limits, even if the
// HTTP layer has checked them.
//
// The package never simulates, never sees a world or a mask, and does not import
// match. Package model declares [model.Matches] and [model.Bots], which cmd implements. The match
// service asks for play.Service.Redeem and play.Service.MatchEnded.
package lobby
