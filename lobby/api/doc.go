// Package api is the lobby's HTTP API. Players, admins and servers of a studio have a
// handler each, for a listener each; cmd mounts them.
//
//	player listener:  guard --> /api/...         --> account, room, queue, replay
//	admin listener:   guard --> /admin/api/...   --> admin.Session
//	service listener: guard --> /service/api/... --> studio.Session
//	guard = body limit, cross-origin check, address and token of the caller
//
// Routes, validation and the OpenAPI 3.1 documents come from the same Go types
// (huma on chi). openapi.player.json, openapi.admin.json and openapi.service.json
// are the documents as files: `make gen` writes them, and clients are generated from them. lobby/client
// uses the Go types.
//
// Every refusal is application/problem+json with a short code, see [model.Codes].
// Handlers keep nothing between requests. An event stream is one long request.
//
// A browser's session is a cookie: HttpOnly, SameSite, and Secure behind TLS. Other
// clients ask for a bearer token when they log in. Servers have a key. The guard refuses a
// changing request from another site before it reads the body. No answer reveals whether
// an account exists, except for the name of a new account, which is public.
//
// The package never decides about lobbies or accounts: the domains do.
package api
