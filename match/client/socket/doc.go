// Package socket is the websocket of a client in Go: it carries the bytes that
// match/client reads and the messages that a client sends.
//
//	Dial ──► Conn.Send(hello) ──► Conn.Read ──► client.State.Receive
//	                                  ▲                 │
//	                                  └── Conn.Send ◄───┘
//
// A [Conn] holds one connection and knows nothing of the match. It bounds the
// size of a message and the time that a server may be silent. One goroutine
// reads and one sends; Close may be called from any.
//
// A [Route] says where to connect: a service has several servers, a match moves
// between them, and a client follows it.
//
//	NewRoute(home, at) ──► Dial ──► Welcomed, Moved or Lost ──► pause ──► Dial …
//
// A [Client] joins both with a client's state, and plays one match to its end. Bots, the
// players of cluster tests and the clients of a load are clients.
package socket
