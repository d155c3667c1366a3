// Package seat takes accounts out of their places: sessions, the seat in a lobby, the
// place in a party, the seats in matches. Packages account, admin, queue and room call
// it, and the janitor.
//
//	account (deletion), admin (kick, ban) --RemoveEverywhere--> one transaction
//	                                      --CloseRemoved------> sockets and streams end
//	janitor --EnforceBans, EnforceEpochs--> matches that run in this process
//
// It never gives a place to an account: packages room and queue do that, above it.
package seat
