// Package bot plays fogkeep as a person's client does: it logs in over the same
// API, opens the same websocket, and knows what it is sent and the public map.
//
//	HTTP API ──► Client: guest, lobby, ready, ticket, map ─┐
//	                                                       ▼
//	websocket ──► Play ──► wire.Decoder ──► Mind.Take ──► client.Replica, owner state
//	    ▲                                                  │
//	    └───── orders with handles that were sent ◄── Mind.Think
//
// A [Mind] is the player: pure, one goroutine, no clock but the frames' ticks,
// the same orders for the same frames. [Play] owns one socket at a time and
// comes back with its resume token when the connection breaks; [Client] and
// Play may be used from one goroutine each.
//
// The mind never has more than a client has: no world, no view, no handle that
// no frame brought. It is how we know that the stream is enough to play by. It
// is no strong opponent and no cheat: it gathers, builds, scouts the starts that
// the map shows to all, masses, and attacks; all that it keeps is bounded by the
// map's size and by what is in sight.
package bot
