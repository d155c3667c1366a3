// Package relation has the relations of accounts: friends with their presence and messages, blocks, and accounts that
// a player avoids in matchmaking.
//
//	A ──Befriend──► request ──B.Befriend──► friends ──Unfriend, Block──► no relation
//
// A block silences both accounts for each other: chat of lobbies, messages, requests, and joins of lobbies and parties.
// The server does not tell the blocked account: each refusal is one that has other causes too, and a request to an
// account that blocks waits without an answer. Matchmaking keeps accounts apart that avoid each other, for a
// time (lobby/matchmaking).
//
// Each call is one transaction. It locks the two accounts in the order of their ids, so that two accounts that ask each
// other at once become friends. Other domains read relations by themselves (db.Relations): lobby/event for chat,
// lobby/room and lobby/queue for joins. An account whose seq in the store has changed looks again, on any node
// (event.Hub.PollStandings).
package relation
