// Package client calls the lobby's HTTP API, for programs: the bot, the
// benchmarks and the tests.
//
//	Client.Guest ──► CreateLobby, Join ──► ChangeSeat ──► Start ──► Ticket ──► Client.Socket
//	      └── Call: any operation of the players' or the admins' API
//
// Requests and answers are the types of lobby/api, from which the server and its
// OpenAPI documents are made too, so that no shape is declared twice. A refusal is a
// [Refusal] with the server's code. A client that was logged in sends its token; each
// method is one request. Any goroutine may use a Client whose fields stay unchanged
// meanwhile. It has no other state, and never retries a request.
package client
