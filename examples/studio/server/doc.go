// Command server is the studio's own program. It has these commands:
//
//	serve                     package server of fogkeep with all flags of `fogkeep serve`
//	rules, map, lab, replay   the tools of fogkeep
//	bots                      `fogkeep-bench bots`
//
// When serve is open it writes one line, its addresses in JSON. The program has no rules of
// the game and no accounts: those come from the files that its flags name.
package main
