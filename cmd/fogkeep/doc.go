// Command fogkeep is the product's binary: it serves matches and lobbies, migrates the
// store, plays as a bot, reads maps and replays journals.
//
//	flags, environment ──► kong ──► one command ──► the packages that it joins
//
// It holds no logic of the domain. A command reads its flags, calls other packages,
// and reports what went wrong in one line. A flag counts before its variable, a
// variable before the default. `serve` is package server with these flags.
package main
