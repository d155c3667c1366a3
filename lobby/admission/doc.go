// Package admission decides who is let in: to the server, to a seat, and with a ticket to
// a match. All domains that take somebody in ask the same [Gate].
//
//	account, room, queue, studio --PreLogin, NotBanned--> bans, draining, version
//	play, replay                 --Redeem(ticket)-------> once, if it still holds
//
// A Gate reads the database in the caller's transaction and changes nothing but the
// tickets that are used up. It does not know lobbies' rules: those are the model's.
package admission
