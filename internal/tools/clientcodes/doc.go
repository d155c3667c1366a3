// Command clientcodes writes the codes that a client is told, as types of
// TypeScript, from the tables in which the server has them:
//
//	lobby.Codes     refusals of the HTTP API   ─┐
//	link.Closings   ends of a connection       ─┼──► web/sdk/src/gen/codes.ts
//	orders.Table    refusals of orders         ─┘
//
// `go generate ./web` runs it. A program that handles each code is told by the
// compiler when there is a new one.
package main
