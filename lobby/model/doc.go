// Package model holds the lobby's plain values and the rules that need nothing else:
// accounts, lobbies and their seats, options, parties, matches, tickets, bans, keys,
// rows of the audit, and the codes of refusals.
//
//	lobby, lobby/api, lobby/webhook ──► lobby/model ◄── lobby/db
//
// Methods change the value that they belong to and touch no store and no clock. So a
// transaction can run again if the database has refused it.
package model
