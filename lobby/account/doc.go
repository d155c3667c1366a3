// Package account keeps the players' accounts: guests, passwords, external identities,
// sessions, settings, deletion, and the throttles of log-ins. lobby/api, room and
// studio call it for players, package admin for the log-in of admins.
//
//	API --Guest, Register, LogIn, LogInExternal--> account + session
//	     password --> attempts (limits of tries) --> hasher (a worker, in a fair queue)
//	admin --AttemptOf, TryLogIn, Hasher--> the same for admins
//
// The package never lets a log-in's answer, time or limits reveal whether an account
// exists. It knows no lobby: package seat frees an account's seats.
package account
