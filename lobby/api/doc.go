// Package api is the lobby over HTTP: the players' API and the admins', each a
// handler of its own for a listener of its own.
//
//	player listener: guard --> /api/...        --> lobby.Service
//	admin listener:  guard --> /admin/api/...  --> lobby.Service (admin methods)
//	guard = body limit, cross-origin check, who asks (address, token)
//
// Routes, validation and the OpenAPI 3.1 document come from the same Go types
// (huma on chi). Every refusal is application/problem+json with a short code,
// see [lobby.Codes]. Handlers run on net/http's goroutines and keep nothing
// between requests; an event stream is one request that goes on.
//
// A browser's session is a cookie: HttpOnly, SameSite, Secure behind TLS.
// Others ask for a bearer token at login. Requests that change something and
// come from another site are refused by net/http's CrossOriginProtection,
// before anything is read. No answer tells whether an account exists, but for
// the name of a new one, which is public anyway.
//
// The package decides nothing about lobbies or accounts: that is lobby's.
package api
