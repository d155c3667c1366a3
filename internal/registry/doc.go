// Package registry has the table of what a program adds to fogkeep before it starts.
//
//	init, main ──Add──► Table ──Find──► match/rules, which reads a ruleset; match/sim, which makes a world
//
// The first Find closes the table: what simulates matches is the same for all matches
// of a process. The simulation itself has no locks, so the table is a package of its own.
package registry
