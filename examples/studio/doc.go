// Package studio is a day at a studio that makes its own game with an unchanged fogkeep: the studio's backend, and
// its other parts in the files beside it.
//
//	rules/duel.json   its ruleset: soldiers are tougher than in the shipped one, scouts mark enemies
//	lab/mark.json     a scenario that shows the mark
//	identity.json     how its server knows its players
//	server            its game server, with the tools of fogkeep
//	bot               a player, in JavaScript with the packed @fogkeep/client
//	backend.go        its accounts, its matches, and news about them
//
// A player's way through them:
//
//	Backend.Token ──► bot ──► server: logged in     (server reads the key at Backend's /keys)
//	Backend.CreateMatch ──► service API ──► lobby ──► bot: plays
//	server ──► Backend's /hooks: signed events ──► Backend.Result
//
// The test beside it is the day from the morning on: it builds the parts, starts
// them, plays a match and checks each step. It imports no more of fogkeep than server does: the backend could be
// written in any language.
package studio
