// Package webhook sends events to a studio's servers: it takes the events that
// lobby/hook has stored, sends them, and notes the outcome of each.
//
//	lobby/hook: the event is a row of the transaction that caused it
//	      │  TakeHookEvents: leases due events, of each match the first
//	Dispatcher ──► signed POST ──► endpoint      (internal/outbound: public addresses alone)
//	      │  HookTaken: 2xx, the row is deleted
//	      └─ HookRefused: another try after a pause that doubles; dead after fifteen
//
// Any number of processes may run a Dispatcher on one database: an event is leased to one process for a minute. If that
// process dies, another tries again. So an endpoint may get an event more than once, and knows it by its id. Events of
// one match come in order, since an event is leased only after its predecessor was taken or is dead.
//
// Each issuer has a share of the requests, and its endpoints take turns: the endpoint
// with the fewest running requests comes first. After a failed try an endpoint has one
// request at a time, until it takes an event. So endpoints that never answer hold few
// requests, and no requests that others need.
//
// A Dispatcher runs in one goroutine, with a bounded number of others that send. It
// ends with its context. It never follows a redirect, reads at most a kilobyte of an
// answer, and shows no user the content of an answer.
package webhook
