// Package tools has the commands for people who make rulesets, maps and scenarios, and
// for people who read journals: rules, map, lab and replay. The program fogkeep has them.
// A program with commands of its own embeds them in its command line:
//
//	os.Args ──► Main ──► kong ──► a command of Commands, or one of the program's own
//	                                  │
//	                                  └──► match/rules, match/sim, match/journal
//
// Package tools/bots has one command more,
// apart because it needs the bots. No command serves players or opens a socket.
package tools
