// Command apiclient writes a TypeScript client from an OpenAPI document: the
// shapes of requests and answers, and one function an operation.
//
//	lobby/api/openapi.player.json ──► apiclient ──► web/sdk/src/gen/player.ts
//
// `go generate ./...` runs it (web/doc.go). openapi-typescript 7.13 does not replace it,
// because users of the SDK would lose by it. It writes types, and no operations: with
// openapi-fetch a call is client.POST("/api/lobbies/{id}/bots", {params, body}) in place
// of api.addBot(id, body). The values of an open enum become `string | "skirmish"`, which
// is string, so an editor completes none. It writes neither the addresses of event
// streams and pictures nor the fields of forms. And it writes four times the lines.
//
// A property with the extension x-label becomes a field of a form too: with its
// type, default and range, its place x-order, labels of its values x-words, and
// the modes x-modes that have it. So a page shows a new option that the API
// describes, without code of its own.
//
// It knows the part of OpenAPI that the documents use, and ends with an error at
// anything else: it never leaves something out.
package main
