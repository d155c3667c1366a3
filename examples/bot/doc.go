// Command bot plays on a fogkeep server with an artificial player of its own.
//
//	lobby/client: guest, lobby, ticket ──► bot.Play ──► commander.Take, Think ──► orders
//	                                          └── match/client: what the player may know
//
// The player (commander.go) trains fighters wherever it can, and sends those that
// have nothing to do against the nearest enemy that it sees, or else to an enemy's
// start. It knows no unit by its name: what a type can do is in the welcome, so it
// plays any ruleset. The test plays it on a server in the same process, with a
// ruleset of its own.
package main
