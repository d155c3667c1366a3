// Package bot plays fogkeep as a person's client does. It logs in over the same
// API and opens the same websocket. It knows what it is sent, and the public map.
//
//	lobby API ──► lobby/client: guest, lobby, ready, ticket, map ─┐
//	                                                              ▼
//	websocket ──► Play ──► match/client.State ──► Mind.Take, Mind.Think ──► orders
//	    ▲                                                                      │
//	    └──────────────────────────────────────────────────────────────────────┘
//
// A [Mind] is the player. It is pure: one goroutine, no clock but the frames'
// ticks, and the same orders for the same frames. It reads the client's state and
// has nothing else: no world, no view, no handle that no frame brought. That it
// can play shows that the stream is enough to play by.
//
// [Play] owns one socket at a time. When the connection breaks, it comes back with
// its resume token.
//
// The bot is no strong opponent, and it does not cheat. It gathers, builds, scouts
// the starts that the map shows to all, gathers an army, and attacks. What it
// keeps is bounded by the map's size and by what is in sight.
package bot
