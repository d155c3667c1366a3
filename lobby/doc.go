// Package lobby decides who may come in and who runs the server: accounts and
// sessions, lobbies and their seats, tickets for the match service, results,
// bans, and what admins do.
//
//	browser, bot            admin page, CLI            match service
//	     |                        |                     |        ^
//	 lobby/api                lobby/api              Redeem   Matches.Start
//	(player API)             (admin API)           MatchEnded    |
//	     |                        |                     |        |
//	     +------------------> Service <-----------------+--------+
//	                              |
//	                  Store: Read(fn) Write(fn)      one transaction a call
//	                   |                 |
//	             lobby/sqlite      lobby/postgres    (lobby/sqlstore: the SQL both share)
//
// Anyone may call a Service's methods from any goroutine. The one goroutine
// of its own is the janitor ([Service.Run]), which ends when its context does.
//
// Nothing is in memory alone: whatever a client was told is in the store
// before it is told, so that a restart, or a second process on the same
// database, goes on where the first stopped. What the service does keep (who
// waits for which event, how many hashes run) is only worth the time until it
// is gone. The order of events is the store's: a counter a lobby, taken while
// the lobby's row is locked. Clocks decide only when something has expired.
//
// The package never simulates, never sees a world or a mask, never imports
// match: cmd joins the two through [Matches] and [Bots], which lobby declares,
// and through [Service.Redeem] and [Service.MatchEnded], which match asks for.
// It trusts nothing a client sends: names, options and limits are checked
// here, whatever the HTTP layer has already refused.
//
// Rules of a lobby are methods of [Lobby] that touch nothing else, so that a
// transaction can be run again after the database refused it.
package lobby
