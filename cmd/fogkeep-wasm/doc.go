//go:build js && wasm

// Command fogkeep-wasm is the match service inside a page: GOOS=js GOARCH=wasm builds it into a worker.
//
//	page ──MessagePort──► worker: Go ──► cmd/fogkeep-wasm/solo ──► match.Service, bots
//	     ◄──frames───────                        │
//	                                     files in memory ──► IndexedDB
//
// The worker passes messages on as a websocket would, the same bytes both ways. The page gets them and nothing else:
// the world, the views and the bots stay in the memory of the worker, which decides the fog as a server does. Its file
// system is memory too (web/src/demo/files.ts): journals are written as on a server. A sync of a file writes to the
// storage of the browser, if the page has that; the next page reads it.
//
// The program calls globalThis.fogkeepReady with one object, whose functions web/src/demo/api.ts describes. It runs
// until its worker ends.
package main
