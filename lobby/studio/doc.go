// Package studio lets a studio's server act by a service key: it makes matches for
// players of its issuer, gets tickets for them, reads results, and manages webhooks.
//
//	API --Session(key)--> scope checked in each transaction, with its audit row
//	      CreateMatch --> room.StartMatchFor; Tickets; ReplayTickets
//
// A key reaches the matches and players of its own issuer only.
package studio
