// Package page serves the minimap debug page's data: which matches run, what
// they look like from above, what each team is told, and what that costs on
// the wire, live.
//
//	admin's browser ──► auth (caller's) ──► Handler ──► Source.Matches, Inspect, Traffic
//	        ▲                                  │              (the match service)
//	        └── JSON, SSE, PNG ◄── minimap ◄───┘ plain State
//
// Handlers run on the HTTP server's goroutines and may be called at any time.
// They keep pictures of landscapes and nothing else of a match: each answer asks
// the Source again. They never change a match and have no access to a world: a
// State is plain data that the match service copied at a tick. [Handler] needs
// the middleware that checks admins, so they cannot be mounted without it.
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
//	GET /matches
//	  {"matches":[{"id","state","tick","tickRate","paused",
//	    "map":{"name","hash","width","height"},
//	    "players":[{"slot","name","team","color","bot","connected","alive"}]}]}
//
//	GET /matches/{id}/state?eyes=all|N[&sight=1]
//	  {"id","tick","eyes":"all"|N,"width","height",
//	   "entities":[{"key","type","shape","slot","team","x","y","facing","hp","hpMax",
//	     "size","doing","seen"}],
//	   "counts":{"unit":12,...},"sight":"<base64>"}
//	  key is the entity's id with all eyes and the team's handle with a team's;
//	  shape is unit, structure, resource, projectile or ghost; slot and team are
//	  -1 for nobody; x and y are in tiles with decimals; facing is 0..255, 0
//	  east, 64 south; size is in tiles; seen lists the teams that see it (all
//	  eyes only). sight has 2 bits a tile, row by row, the lowest bits first: 0
//	  unexplored, 1 explored, 2 visible; only with a team's eyes and sight=1.
//
//	GET /matches/{id}/minimap.png?eyes=all|N[&scale=1..16]
//	  the picture: landscape, fog, units. Without scale it fits 512 pixels.
//
//	GET /matches/{id}/live?eyes=all|N[&sight=1][&everyMs=100..5000]
//	  an event stream: "event: state" with the JSON of /state, at most each
//	  everyMs (500) and only when the tick moved; "event: end" with {"reason"}
//	  when the match is gone, after which the stream closes. An EventSource
//	  reconnects by itself and goes on with the newest state.
//
//	GET /matches/{id}/traffic
//	  {"id","tick","all":SPANS,"clients":[{"slot","spectators",...SPANS}]}
//	  what went over the sockets of all clients, and of each; slot is -1 for
//	  all spectators together. SPANS is {"second":SUMS,"minute":SUMS,
//	  "match":SUMS}: the last full second, the last 60, and since the match
//	  began. SUMS is {"sent":{"messages","bytes"},"received":{...},
//	  "parts":[{"name","group","client","bytes","rows"}],
//	  "classes":[{"name","bytes","rows"}]}, bytes of payload, by the names of
//	  docs/protocol.md, "client" for parts that clients send.
package page
