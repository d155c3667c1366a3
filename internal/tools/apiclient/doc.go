// Command apiclient writes a TypeScript client from an OpenAPI document: the
// shapes of requests and answers, and one function an operation.
//
//	lobby/api/openapi.player.json ──► apiclient ──► web/sdk/src/gen/player.ts
//
// `go generate ./...` runs it (web/doc.go). It exists because the usual
// generators, openapi-typescript among them, need the compiler API that
// TypeScript 7 no longer has, and so a second compiler.
//
// A property with the extension x-label becomes a field of a form too: with its
// type, default and range, its place x-order, labels of its values x-words, and
// the modes x-modes that have it. So a page shows a new option that the API
// describes, without code of its own.
//
// It knows the part of OpenAPI that the documents use, and ends with an error at
// anything else: it never leaves something out.
package main
