// Package room is where players meet: it makes lobbies, seats players, bots and
// spectators, changes options, and starts the match.
//
//	API --Create, Join, Configure, Start--> model.Lobby (the rules) --> database, hub
//	queue, studio --StartMatchFor(plan)---> a lobby with everybody in it
//
// The rules of a lobby are methods of [model.Lobby]; this package loads, asks and stores.
// What happens from the start of a match on is package play's.
package room
