// Package play carries a lobby's match from its start to its result, and lets players
// into it.
//
//	room, queue, studio --Begin, BindFor, FinishLaunch--> model.Matches.Start
//	match service --Redeem, Resume, Release, MatchEnded--> seats, results
//	janitor --Beat, StartDue, GiveUpLost--> starts that hang, matches that nobody runs
//
// Nodes (nodes.go) share one database: a match's row names the node that runs it. Who
// sits where before a match is package room's.
package play
