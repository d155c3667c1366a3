// Package listen is the one way in: every listener of the server accepts
// connections and answers requests through it.
//
//	TCP ──► Listener ──► TLS? ──► http.Server (NewHTTPServer) ──► Handler ──► routes
//	        connections           header and body bounds      panics
//	        read rate                                         requests, response bytes
//	                                                          write deadlines
//	                                                          security headers
//
// Listener counts connections in the ledger and closes those beyond its limits. On request its connections bound the
// rate of reads, and keep the bytes of a write that the kernel does not take, so that the writer does not wait.
// NewHTTPServer bounds headers, bodies and idle time. Handler counts requests, gives each answer a deadline that a
// client which does not read cannot extend, and turns a panic into status 500. Detach continues an event stream in a
// few kilobytes, without the cost of a request.
//
// Proxies finds the address of a request; Hosts has the names under which a listener answers; Origins decides which web
// pages may call. The HTTP API, its event streams and the websocket endpoint share them, so that no path has rules of
// its own.
//
// cmd/fogkeep/server wires it. Everything here may be called from any goroutine. It knows no accounts, lobbies or
// matches.
package listen
