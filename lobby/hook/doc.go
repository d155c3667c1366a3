// Package hook keeps the webhooks: endpoints, and the events that they have not taken.
// The domains report events to it, lobby/webhook takes them from it.
//
//	seat, play, room, admin --Tell(tx, notice)--> an event for each endpoint that wants it
//	lobby/webhook --TakeHookEvents--> sends --HookTaken, HookRefused-->
//	admin and studio sessions --Webhooks--> endpoints, dead events
//
// The package writes an event in the transaction of its cause. It never sends:
// lobby/webhook does.
package hook
