// Command server is the studio's own game server: package server of fogkeep with all
// flags of `fogkeep serve`. When it is open it writes one line, its addresses in JSON.
// It has no rules of the game and no accounts: those come from the files that its
// flags name.
package main
