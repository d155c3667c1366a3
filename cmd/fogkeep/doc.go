// Command fogkeep is the one binary: it serves matches and lobbies, migrates
// the store, plays as a bot, reads maps, replays journals and measures.
//
//	flags, environment ──► config ──► one command ──► the rooms it wires
//
// It holds no logic of the domain: a command reads its configuration, joins
// rooms that do not know each other (match and lobby) through the small
// interfaces that each declares, and reports what went wrong in one line.
// Everything else it calls.
package main
