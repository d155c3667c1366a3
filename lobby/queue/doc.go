// Package queue finds opponents and teammates for players: it keeps queues, parties,
// offers and ratings. lobby/api calls it for players, the janitor once a second.
//
//	API --JoinQueue, MakeParty, AnswerOffer--> parties and offers in the database
//	janitor --Round--> lobby/matchmaking pairs them --> offers
//	all accept --room.StartMatchFor--> a match --Rate--> ratings
//
// All changes of parties and offers take one lock of the database, after the locks of
// accounts, lobbies and matches: [db.Queues.Lock]. The package never starts a
// match itself: package room does.
package queue
