// Package bots has the commands that let bots play each other, without sockets: `bots` and `balance`
// of fogkeep-bench, and of a program that has modes or kinds of its own.
//
//	flags ──► Command: levels of bots ────┐
//	      ──► Balance: factions ──────────┴──► match/bot/headless, many matches at a time ──► who won, as a table
//	                                                                                     └──► a journal of each match
//
// It is apart from package tools because it needs the bots and their matches. It measures
// no time, so its tables are the same on every machine.
package bots
