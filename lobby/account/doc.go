// Package account keeps the players' accounts: guests, passwords, external identities,
// sessions, settings, deletion, and the throttles of log-ins.
//
//	API --Guest, Register, LogIn, LogInExternal--> account + session
//	     password --> attempts (who may still try) --> hasher (a worker, in a fair queue)
//	admin --AttemptOf, TryLogIn, Hasher--> the same for admins
//
// The rules of a log-in are the same whether the account exists or not. The package
// knows no lobby; seats are package seat's.
package account
