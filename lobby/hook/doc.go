// Package hook keeps the webhooks: endpoints, and the events that they have not taken.
//
//	seat, play, room, admin --Tell(tx, notice)--> an event for each endpoint that wants it
//	lobby/webhook --TakeHookEvents--> sends --HookTaken, HookRefused-->
//	admin and studio sessions --Webhooks--> endpoints, dead events
//
// An event is written in the transaction of what it tells of. The package sends nothing:
// lobby/webhook does.
package hook
