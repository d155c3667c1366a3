// Package studio lets a studio's server act by a service key: it makes matches for
// players of its issuer, gets tickets for them, reads results, and manages webhooks.
// lobby/api calls it for the service API.
//
//	API --Session(key)--> scope checked in each transaction, with its audit row
//	      CreateMatch --> room.StartMatchFor; Tickets; ReplayTickets
//
// A key never reaches matches or players of another issuer.
package studio
