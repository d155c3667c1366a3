// Package inspectserver answers admins who look into a match, live or past, at any tick.
//
//	GET /admin/api/inspect/{match}/... ──► fog right, audit (caller's) ──► Service
//	                                                                        │ opens, keeps for a while
//	playback.Library ──► playback.Recording ──► cursors ──► match/inspect ──► JSON, SSE
//	match service (Live) ──► what clients of a live match really have ──► JSON
//
//	GET /admin/api/live/matches/{match}/... ──► fog right, audit ──► Owner ──► this node or the
//	  minimap.png, traffic, trace                                              match's own: [Service.Here]
//
// [Service.Register] and [Service.RegisterLive] add the endpoints to the admins' API, so
// that they are in its OpenAPI document.
//
// A request opens its match in the library, which plays it once from its start. The
// service follows, and makes the history of what teams saw and the numbers of the orders.
// Requests go to their tick by cursors of their own. A match without a request for a minute
// is closed. How many matches are open at once, how much memory each takes, how long a
// request may work and how many rows an answer has is bounded.
//
// A live match is read up to the durable end of its journal. Only [Live] runs on its goroutine, and it is cheap.
// The service keeps the layers of pictures, and draws changed ones.
//
// No endpoint is for players. The endpoints are on the admin listener alone, behind the
// right to look through the fog, and every look leaves a row in the audit.
package inspectserver
