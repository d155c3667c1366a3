// Package web carries the built browser pages inside the binary.
//
//	web/src/*.ts ──vite──► web/dist/site ──embed──► Site() ──► cmd/fogkeep
//
// The pages are TypeScript; this package is only the door through which the
// server reaches them. Any goroutine may call it, since what is embedded never
// changes. It does not serve: headers, caching and the page that stands in for
// a missing build are the server's.
package web
