// Package tools has the commands for people who make rulesets, maps and scenarios, and
// for people who read journals: rules, map, lab and replay. The program fogkeep has them.
// A program with modes or kinds of its own embeds them in its own command line, so that
// they know those modes and kinds:
//
//	os.Args ──► Main ──► kong ──► a command of Commands, or one of the program's own
//	                                  │
//	sim.RegisterAbility, … ──► match/rules, match/sim, match/journal
//
// The program registers before it calls [Main]. Package tools/bots has one command more,
// apart because it needs the bots. No command serves players or opens a socket.
package tools
