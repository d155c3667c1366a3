// Package registry has the table for the rules that a program adds to fogkeep before it starts.
//
//	init, main ──Add──► Table ──Find──► match/rules, which reads a ruleset; match/sim, which makes a world
//
// The first Find closes the table: all matches of a process are simulated by the same rules. The table has locks, and
// the simulation must not, so the table is a separate package.
package registry
