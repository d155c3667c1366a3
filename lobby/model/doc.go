// Package model holds the lobby's plain values and the rules that need only these
// values: accounts, lobbies and their seats, options, parties, matches, tickets, bans,
// keys, rows of the audit, and the codes of refusals.
//
//	lobby, lobby/api, lobby/webhook ──► lobby/model ◄── lobby/db
//
// All domains, lobby/db and lobby/api use it. Methods change only their own value; they
// never touch a store or a clock. So a transaction can run again if the database has
// refused it.
package model
