// Package webhook tells a studio's servers what happened: it sends the events that
// package lobby has written down, and notes what became of each.
//
//	lobby.Service: the event is a row of the transaction that made it happen
//	      │  TakeHookEvents: leases what is sent at once, of each match the first
//	Dispatcher ──► signed POST ──► endpoint      (internal/outbound: public addresses alone)
//	      │  HookTaken: 2xx, the row is deleted
//	      └─ HookRefused: another try after a pause that doubles; dead after fifteen
//
// Any number of processes may run a Dispatcher on one database: an event is leased to
// one of them for a minute. If that one dies, another tries again. So an endpoint may
// get an event more than once, and knows it by its id. Events of one match come in
// order, since the next is not leased before the one before was taken or is dead.
//
// Each issuer has a share of the requests, and its endpoints take turns: the one that
// waits for the fewest answers comes first. After a failed try an endpoint has one
// request at a time, until it takes an event. So endpoints that never answer hold few
// requests, and none that others need.
//
// A Dispatcher runs in one goroutine, with a bounded number of others that send. It
// ends with its context. It never follows a redirect, reads at most a kilobyte of an
// answer, and shows nobody what the answer said.
package webhook
