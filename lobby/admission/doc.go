// Package admission decides which accounts get in: to the server, to a seat, and with a
// ticket to a match. All domains that admit accounts ask the same [Gate].
//
//	account, room, queue, studio --PreLogin, NotBanned--> bans, draining, version
//	play, replay                 --Redeem(ticket)-------> once, if it still holds
//
// A Gate reads the database in the caller's transaction and never changes rows except
// used tickets. It does not know the rules of lobbies: package model has them.
package admission
