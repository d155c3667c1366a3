// Package orders has the orders that players give to units, and decides whether
// an order is accepted: one validator, one table of codes.
//
//	Order (handles, a point) ─┐
//	                          ├──► Validate ──► Result: the units that may, by entity;
//	World (what the team      │                 the units left out, each with a code;
//	knows, an interface) ─────┘                 or one code for all
//
// match/sim calls [Validate] in the tick in which an order arrives, on the goroutine that
// owns the world. Validate does not change the world. It asks the [World] interface, and
// every question is a lookup: no order makes it search, so orders that are cheap to send
// are cheap to check.
//
// Validate judges an order by the knowledge of the sender's team. A hidden unit and a
// missing unit get the same answer at the same tick: a rejection code is a message to the
// player, and must not tell of unseen things.
//
// The checks run in a fixed order, and [Table] lists the codes in that order. If
// two things are wrong with an order, the answer is the earlier row.
package orders
