// Command fogkeep is the product's binary: it serves matches and lobbies, migrates the
// store, plays as a bot, and has the commands of package tools for rulesets, maps,
// scenarios and journals.
//
//	flags, environment ──► kong ──► one command ──► the packages that it joins
//
// It holds no logic of the domain. A command reads its flags, calls other packages,
// and reports what went wrong in one line. A flag counts before its variable, a
// variable before the default. `serve` is package server with these flags.
package main
