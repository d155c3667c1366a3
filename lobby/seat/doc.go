// Package seat takes accounts out of the places that they hold: sessions, the seat in a
// lobby, the place in a party, the seats in matches.
//
//	account (deletion), admin (kick, ban) --RemoveEverywhere--> one transaction
//	                                      --CloseRemoved------> sockets and streams end
//	janitor --EnforceBans, EnforceEpochs--> matches that run in this process
//
// It gives no place to anybody: packages room and queue do that, above it.
package seat
