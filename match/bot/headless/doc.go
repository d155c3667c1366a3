// Package headless plays matches between bots without a server: no sockets, no
// clock, as fast as the machine can.
//
//	Match ──► sim.World ──► view, wire: frames as bytes ──► client.State ──► bot.Player ─┐
//	              ▲                                                                      │
//	              └────────────── wire.DecodeClient: orders as bytes ◄───────────────────┘
//
// A bot is sent exactly the frames of a server's client: they go through the same encoder and the same client. So a
// bot can play on a server as it plays here. The same match ends the same way each time.
//
// It is for authors of bots: tests, and fogkeep-bench bots. Any
// goroutine may call [Match.Play]; each call has a world of its own.
package headless
