// Package admin lets admins act: on accounts, lobbies, matches, queues, keys, the server
// and each other.
//
//	API, CLI --Session--> role checked in each transaction, with its audit row
//	janitor --PruneAudit, PurgeOld--> what is older than the server keeps
//
// Every change has a row of the audit, which is a chain of hashes ([Session.VerifyAudit]).
package admin
