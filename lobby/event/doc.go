// Package event sends the events of a lobby to its watchers, and wakes the watchers of
// standings in matchmaking. The domains wake it after a commit; lobby/api streams from it.
//
//	a domain --Wake(lobby)--> Hub --one read--> Watch, Watch, ... --> API (server-sent events)
//	a party --PollStandings--> Signal, Signal, ... --> queue.QueueWatch
//	a log-out, a ban --Recheck(account)--> watchers look whether their session still holds
//
// A Hub never holds state that is not in the database. It decides only which members of a
// lobby get an event ([model.Lobby.IsSentTo]).
package event
