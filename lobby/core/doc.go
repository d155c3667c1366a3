// Package core holds the parts that all domains of the lobby share: the clock, the log,
// transactions in their turn, and the limits that the database counts.
//
//	domain --Read/Write(fn)--> turns (a place, a time limit) --> db.Store --> fn(Tx)
//	domain --a hash--------> Line (fair between lanes and addresses)
//	domain --SpendStored---> a count in the database       --> quota.Refusal
//
// A domain's service embeds a [Core], most through an admission.Gate. A Core never
// decides about accounts, lobbies or matches, and never starts a goroutine that
// outlives its transaction. Any goroutine may call it.
package core
