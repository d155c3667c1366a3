// Package play carries a lobby's match from its start to its result, and lets players
// into it. Packages room, queue and studio begin matches, the match service asks for
// players and reports results.
//
//	room, queue, studio --Begin, BindFor, FinishLaunch--> model.Matches.Start
//	match service --Redeem, Resume, Release, MatchEnded--> seats, results
//	janitor --Beat, StartDue, GiveUpLost--> starts that hang, matches that no node runs
//
// Nodes (nodes.go) share one database: a match's row names the node that runs it. The
// package never seats players before a match: package room does.
package play
