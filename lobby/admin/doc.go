// Package admin lets admins act: on accounts, lobbies, matches, queues, keys, the server
// and each other. The admin API and the command line call it.
//
//	API, CLI --Session--> role checked in each transaction, with its audit row
//	janitor --PruneAudit, PurgeOld--> rows older than the server keeps
//
// The package never changes anything without a row of the audit, which is a chain of
// hashes ([Session.VerifyAudit]).
package admin
