// Package event tells those who watch a lobby what happens in it.
//
//	a domain --Wake(lobby)--> Hub --one read--> Watch, Watch, ... --> API (server-sent events)
//	a log-out, a ban --Recheck(account)--> watchers look whether their session still holds
//
// A Hub holds no state that is not in the database, and decides nothing but who of a lobby
// is sent what ([model.Lobby.IsSentTo]).
package event
