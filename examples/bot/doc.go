// Command bot plays on a fogkeep server with an artificial player of its own.
//
//	lobby/client: guest, lobby, ticket ──► bot.Play ──► commander.Take, Think ──► orders
//	                                          └── match/client: the player's knowledge
//
// The player (commander.go) trains fighters everywhere it can, and sends idle ones against the nearest enemy that
// it sees, or else to an enemy's start. It knows no unit by its name: the welcome has each type's abilities, so it
// plays any ruleset. The test plays it on a server in the same process, with a
// ruleset of its own.
package main
