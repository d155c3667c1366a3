// Package queue finds players for each other: queues, parties, offers, ratings.
//
//	API --JoinQueue, MakeParty, AnswerOffer--> parties and offers in the database
//	janitor --Round--> lobby/matchmaking pairs them --> offers
//	all accept --room.StartMatchFor--> a match --Rate--> ratings
//
// All changes of parties and offers take one lock of the database, after those of
// accounts, lobbies and matches: [db.Tx.LockMatchmaking].
package queue
