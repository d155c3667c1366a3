// Package headless plays matches between bots without a server: no sockets, no
// clock, as fast as the machine can.
//
//	Match ──► sim.World ──► view, wire: frames as bytes ──► client.State ──► bot.Player ─┐
//	              ▲                                                                      │
//	              └────────────── wire.DecodeClient: orders as bytes ◄───────────────────┘
//
// A bot is sent what a client of a server is sent, and nothing else:
// the frames go through the same encoder and the same client. So what a bot does
// here it can do on a server. The same match ends the same way each time.
//
// It is for those who write and tune bots: tests, and fogkeep-bench bots. Any
// goroutine may call [Match.Play]; each call has a world of its own.
package headless
