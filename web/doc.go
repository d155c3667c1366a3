// Package web carries the built browser pages inside the binary and serves them.
//
//	web/src/*.ts, web/sdk ──vite──► web/dist/site ──embed──► Handler ──► cmd/fogkeep/server
//
// Handler sends files with their caching and their content security policy, and
// the compressed forms that the build put beside them. A binary without the
// built pages serves one page that says how to build them. Nothing that is made
// for a request is compressed. Any goroutine may call it, since what is embedded
// never changes.
package web

// The pages' HTTP clients are made from the documents that the server serves.
//go:generate go run ../internal/tools/apiclient ../lobby/api/openapi.player.json sdk/src/gen/player.ts ../base/openapi.js
//go:generate go run ../internal/tools/apiclient ../lobby/api/openapi.admin.json src/gen/admin.ts @fogkeep/client
//go:generate go run ../internal/tools/clientcodes sdk/src/gen/codes.ts
