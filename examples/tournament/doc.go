// Command tournament plays a tournament on a fogkeep server: single or double elimination for 4 to 64 accounts, each
// match a best of n with alternating sides.
//
//	tournament.json ──► Bracket: matches with both players known
//	                       │                      ▲ winner
//	                       ▼                      │
//	                  Organizer: game by game ──► service API      signed webhooks ──► Organizer: results
//
// Each game is a match of the service API: seats by account, the sides by their start points, seats for casters behind
// a delay. The program keeps no state. Its requests have keys that follow from the bracket, so for a day the server answers
// a restarted program with the matches that it has played already.
package main
