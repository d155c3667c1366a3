// Package room keeps the lobbies, where players meet before a match: it makes lobbies,
// seats players, bots and spectators, changes options, and starts the match. lobby/api
// calls it for players, packages queue and studio for planned matches.
//
//	API --Create, Join, Configure, Start--> model.Lobby (the rules) --> database, hub
//	queue, studio --StartMatchFor(plan)---> a lobby with all its players
//
// The rules of a lobby are methods of [model.Lobby]; this package only loads a lobby,
// calls them and stores it. It never handles a running match: package play does.
package room
