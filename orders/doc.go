// Package orders says what a player can ask of units, and whether it may be
// done: one validator, one table of codes.
//
//	Order (handles, a point) ─┐
//	                          ├──► Validate ──► Result: the units that may, by entity;
//	World (what the team      │                 the units left out, each with a code;
//	knows, an interface) ─────┘                 or one code for all
//
// [Validate] is called by match/sim, on the goroutine that owns the world, in
// the tick an order arrives. It changes nothing, asks the [World] it declares
// and never searches: every question is a lookup, so that a hostile client
// cannot buy time with cheap orders.
//
// Everything is judged on what the sender's team knows. A hidden unit and a
// missing one get the same answer at the same tick, because a rejection code
// is a message to the player like any other, and what a team cannot see is
// never sent to it in any form.
//
// The checks run in a fixed order, and [Table] lists the codes in that order:
// of two things wrong with an order, the earlier row is the answer.
package orders
