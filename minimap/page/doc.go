// Package page serves pictures and traffic of live matches to admins: what a match
// looks like from above, through whose eyes, and what it costs on the wire.
// The rest of what admins see of a match is match/inspectserver's.
//
//	admin ──► auth (caller's) ──► Handler ──► Source.Inspect, Traffic, Trace
//	  ▲                              │              (the match service)
//	  └── JSON, PNG ◄── minimap ◄────┘ plain State
//
// Handlers run on the HTTP server's goroutines and may be called at any time.
// They keep pictures, so that only the layers that changed are drawn, and nothing
// else of a match: each answer asks the Source again. They never change a match
// and have no access to a world: a State is plain data that the match service
// copied at a tick. [Handler] needs the middleware that checks admins, so they
// cannot be mounted without it.
//
// A State is for admins. It may show everything, so no encoder for players
// accepts the type.
//
// # Endpoints
//
// Below the prefix that the caller mounts ([Prefix] on the admin listener).
// Errors are application/problem+json with status, title, detail and code.
// eyes is "all" (default) or a team's number: what that team sees and is told.
//
//	GET /matches/{id}/minimap.png[?eyes=1][&scale=1..16]
//	                             the picture: landscape, fog, units; without scale it fits 512 pixels
//	GET /matches/{id}/traffic    what went over the sockets of its clients
//	GET /matches/{id}/trace?slot=NUMBER|spectators[&seconds=1..300]
//	                             the packet log: a line of JSON for each message that is sent from now on
//
// [Describe] adds them to the admins' OpenAPI document. A test holds real answers
// against it.
package page
