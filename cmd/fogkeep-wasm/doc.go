//go:build js && wasm

// Command fogkeep-wasm is the match service inside a page: GOOS=js GOARCH=wasm builds it into a worker.
//
//	page ──MessagePort──► worker: Go ──► cmd/fogkeep-wasm/solo ──► match.Service, bots
//	     ◄──frames───────                        │
//	                                     files of the browser
//
// The worker passes messages on as a websocket would, the same bytes both ways. The page gets them and nothing else:
// the world, the views and the bots stay in the memory of the worker, and the fog is decided there as on a server. The
// worker has an origin's storage as its file system (web/src/demo/files.ts), so the journals are those of a server too.
//
// The program calls globalThis.fogkeepReady with one object, whose functions web/src/demo/api.ts describes. It runs
// until its worker ends.
package main
