// Package listen is the one way in: every listener of the server accepts
// connections and answers requests through it.
//
//	TCP ──► Listener ──► TLS? ──► http.Server (NewHTTPServer) ──► Handler ──► routes
//	        connections           header and body bounds      panics
//	        read rate                                         requests, response bytes
//	                                                          write deadlines
//	                                                          security headers
//
// Listener counts connections in the ledger and closes those beyond its limits. Its
// connections bound on request how fast is read from them, and keep on request what
// the kernel does not take of a write, so that the writer does not wait.
// NewHTTPServer bounds headers, bodies and idle time. Handler counts requests,
// gives each answer a deadline that a client which does not read cannot extend,
// and turns a panic into status 500. Detach goes on with an event stream in a few
// kilobytes, without what a request holds.
//
// Proxies says whose address a request has; Hosts says under which names a listener
// answers; Origins says which web pages may call. All are shared by the HTTP API, its event streams and the websocket
// endpoint, so that no path has rules of its own.
//
// cmd/fogkeep/server wires it. Everything here may be called from any goroutine. It
// knows nothing of accounts, lobbies or matches.
package listen
