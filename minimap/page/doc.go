// Package page serves the minimap debug page's data: which matches run, what
// they look like from above, what each team is told, and what that costs on
// the wire, live.
//
//	admin's browser ──► auth (caller's) ──► Handler ──► Source.Matches, Inspect, Traffic, Trace
//	        ▲                                  │              (the match service)
//	        └── JSON, SSE, PNG ◄── minimap ◄───┘ plain State
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
// Below the prefix that the caller mounts (the admin listener's /admin/api/live).
// Errors are application/problem+json with status, title, detail and code.
// eyes is "all" (default) or a team's number: what that team sees and is told.
//
//	GET /matches                 the live matches
//	GET /matches/{id}/state      a match at its newest tick
//	GET /matches/{id}/minimap.png[?scale=1..16]
//	                             the picture: landscape, fog, units; without scale it fits 512 pixels
//	GET /matches/{id}/live[?everyMs=100..5000]
//	                             an event stream: "state" with what /state answers, at most each everyMs (500) and
//	                             only when the tick moved; "end" with the reason when the match is gone
//	GET /matches/{id}/traffic    what went over the sockets of its clients
//	GET /matches/{id}/trace?slot=NUMBER|spectators[&seconds=1..300]
//	                             the packet log: a line of JSON for each message that is sent from now on
//
// openapi.json describes what they take and answer. A test makes it from the
// types of this package and holds real answers against it. An EventSource
// reconnects by itself and goes on with the newest state.
package page
